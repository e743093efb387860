"""`git:` URIs: a file as it is in a revision of a local repository.

    git://v1.2.0/context/policies/refunds.md                 the repository that the manifest lives in
    git://github.com/acme/context/policies/refunds.md        a repository that `adapters.git.repos` maps to a folder

A revision is HEAD, a tag, a branch (its `/` written `%2F`), a full hash or an abbreviated one. The path starts at the
root of the repository and must lead into the manifest's folder, which no adapter leaves. The host form reads HEAD, or
the revision in `?rev=`. Only the object database is read: no working copy, no hook, no network.

Bytes of the manifest's own repository are `trusted`, as its files are; those of a mapped one are `verified`: their
hash was checked, but they were not reviewed here. Contract: "`git://`". dulwich is imported when a URI is loaded.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from markitect_tool.context.errors import ManifestError, MissingLibraryError, PathTraversalError
from markitect_tool.context.media_types import media_type
from markitect_tool.context.model import AdapterContext, AdapterResult, Trust
from markitect_tool.context.settings import Settings
from markitect_tool.context.uri import after_scheme, decoded, malformed
from markitect_tool.named_tuple import NamedTuple

FORM = "git://REVISION/path, or git://HOST/OWNER/NAME/path for a repository under adapters.git.repos."
MAX_BYTES = 64_000_000
INSTALL = "pip install markitect-tool[context]"
# Narrower than what Git allows, and nothing that could be read as an option or an expression.
_REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+/@-]*")
_HOST = re.compile(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::\d+)?")


class Address(NamedTuple):
    """What a URI asks for."""

    repository: Path | None  # a mapped folder; None for the repository that the manifest lives in
    revision: str
    path: str
    unmapped: str | None  # `host/owner/name` when the first part could as well be a host


class GitAdapter:
    """Reads blobs of a local object database."""

    name = "git"
    schemes = ("git",)
    remote = False

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        """The bytes of the file, its hash checked; `metadata["revision"]` is the hash of the commit.

        Raises `MalformedUriError`, `PathTraversalError`, `TooLargeError`, `MissingLibraryError`, and
        `SourceUnavailableError` for a missing repository, revision or path, a damaged object, a folder, a symbolic
        link, a submodule and a Git LFS pointer.
        """
        settings = Settings(self.name, ctx.config, "repos")
        limit = settings.positive("max_bytes", MAX_BYTES)
        address = parse(uri, {name: mapped(ctx.dir, name, path) for name, path in settings.texts("repos").items()})
        try:
            from markitect_tool.context.adapters.git_objects import read
        except ImportError as error:
            raise MissingLibraryError(f"{error.name} is not installed.", source=uri, hint=INSTALL) from error
        found = read(address, ctx.dir, limit)
        trust = Trust.TRUSTED if address.repository is None else Trust.VERIFIED
        return AdapterResult(found.content, media_type(address.path), trust=trust, metadata={"revision": found.commit})


def mapped(dir: Path, name: str, path: str) -> Path:
    """The folder of a mapped repository; `path` is the operator's and relative to the manifest."""
    if not path or "\0" in path:
        raise ManifestError(f"adapters.git.repos maps {name} to {path!r}, which is no folder.")
    return Path(os.path.realpath(os.path.join(dir, path)))


def parse(uri: str, repositories: dict[str, Path]) -> Address:
    """The parts of a URI. Raises `MalformedUriError` and `PathTraversalError`."""
    rest, question, query = after_scheme(uri, "git", FORM).partition("?")
    if not rest.startswith("//"):
        raise malformed(uri, "has no `//` after the scheme", FORM)
    rest = rest[2:]
    for name in sorted(repositories, key=len, reverse=True):
        prefix = name.strip("/") + "/"
        if rest.startswith(prefix):
            key, equals, value = query.partition("=")
            if question and (key != "rev" or not equals):
                raise malformed(uri, "has a query other than ?rev=REVISION", FORM)
            revision = _revision(uri, value if question else "HEAD")
            return Address(repositories[name], revision, _path(uri, rest.removeprefix(prefix)), None)
    first, _, path = rest.partition("/")
    unmapped = "/".join(rest.split("/")[:3]) if _HOST.fullmatch(first) and rest.count("/") >= 3 else None
    if question and unmapped is None:
        raise malformed(uri, "has a query", FORM)
    return Address(None, _revision(uri, first), _path(uri, path), unmapped)


def _revision(uri: str, text: str) -> str:
    revision = decoded(text, uri, FORM)
    odd = ".." in revision or "//" in revision or revision.endswith(("/", ".", ".lock"))
    if not _REVISION.fullmatch(revision) or odd or len(revision) > 200:
        raise malformed(uri, f"has {revision!r} where a revision must be", FORM)
    return revision


def _path(uri: str, text: str) -> str:
    path = decoded(text, uri, FORM)
    parts = path.split("/")
    if ".." in parts or "\0" in path or "\\" in path or path.startswith("/"):
        raise PathTraversalError(f"{uri!r} has a path that is not one below a root.", source=uri)
    if "" in parts or "." in parts:
        raise malformed(uri, "names no file", FORM)
    return path
