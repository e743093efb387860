"""`file:` URIs: regular files in the manifest's folder.

The bytes are `trusted`: they were reviewed where the manifest was. Contract: "Built-in adapters".
"""

from __future__ import annotations

from markitect_tool.context.errors import PathTraversalError
from markitect_tool.context.guard import read_inside
from markitect_tool.context.media_types import media_type
from markitect_tool.context.model import AdapterContext, AdapterResult, Trust
from markitect_tool.context.settings import Settings
from markitect_tool.context.uri import after_scheme, decoded, malformed

FORM = "file://./folder/name.md, relative to the manifest; other characters in percent-encoding."
MAX_BYTES = 64_000_000


class FileAdapter:
    """Reads files that lie in the manifest's folder after every symbolic link is resolved."""

    name = "file"
    schemes = ("file",)
    remote = False

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        """The bytes of the file.

        Raises `MalformedUriError`, `PathTraversalError`, `TooLargeError` (above `max_bytes`), and
        `SourceUnavailableError` for what is missing, unreadable or no regular file.
        """
        path = relative_path(uri, "file", after_scheme(uri, "file", FORM), FORM)
        limit = Settings(self.name, ctx.config).positive("max_bytes", MAX_BYTES)
        return AdapterResult(read_inside(ctx.dir, path, limit), media_type(path), trust=Trust.TRUSTED)


def relative_path(uri: str, scheme: str, rest: str, form: str) -> str:
    """The decoded path in `rest`, what follows the scheme: `//./a` or `./a`.

    Raises `PathTraversalError` where a host or the root of the file system stands, `MalformedUriError`.
    """
    if "?" in rest:
        raise malformed(uri, "has a query", form)
    if rest.startswith("//"):
        rest = rest[2:]
        host, _, _ = rest.partition("/")
        if decoded(host, uri, form) not in (".", "..", ""):
            raise PathTraversalError(
                f"{uri!r} names the host {host!r}, and only the manifest's folder is read.",
                source=uri,
                hint=f"For a path in that folder write {scheme}://./{rest}",
            )
    path = decoded(rest, uri, form)
    if path.rpartition("/")[2] in ("", "."):
        raise malformed(uri, "names no file", form)
    if path != rest and ".." in path.split("/") and ".." not in rest.split("/"):
        raise PathTraversalError(f"{uri!r} hides `..` in percent-encoding.", source=uri)
    return path
