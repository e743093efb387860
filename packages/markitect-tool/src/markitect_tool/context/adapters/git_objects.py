"""From a revision and a path to bytes, in a repository's object database, with dulwich."""

from __future__ import annotations

import re
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException
from dulwich.objects import Commit, ObjectID, ShaFile, Tag, Tree
from dulwich.pack import UnresolvedDeltas
from dulwich.refs import Ref, SymrefLoop
from dulwich.repo import Repo

from markitect_tool.context.adapters.git import Address
from markitect_tool.context.adapters.git_repository import no_checkout, opened
from markitect_tool.context.errors import SourceUnavailableError
from markitect_tool.context.guard import too_large
from markitect_tool.named_tuple import NamedTuple

MAX_TAG_CHAIN = 10
MIN_HASH = 4  # digits of an abbreviated one
_HASH = re.compile(r"[0-9a-f]+")
_LONGEST_HEADER = 32  # "blob 123" and NUL before the content
_BLOCK = 1 << 18
_LFS = b"version https://git-lfs.github.com/spec/"
# What dulwich raises for a damaged database, depending on where the damage is.
_DAMAGE = (
    ApplyDeltaError,
    AssertionError,
    ChecksumMismatch,
    EOFError,
    FileFormatException,
    IndexError,
    OverflowError,
    SymrefLoop,
    TypeError,
    UnresolvedDeltas,
    ValueError,
    struct.error,
    zlib.error,
)


class Found(NamedTuple):
    """A file of a revision."""

    content: bytes
    commit: str  # the full hash


def read(address: Address, dir: Path, limit: int) -> Found:
    """The file that `address` names, seen from the manifest's folder `dir`; see `GitAdapter.load`."""
    with opened(address, dir) as repository:
        try:
            commit = _commit(repository, address)
            content = _content(repository, commit, address, limit)
        except OSError as error:
            raise SourceUnavailableError(f"The repository cannot be read: {error.strerror}.") from error
        except _DAMAGE as error:
            raise SourceUnavailableError(
                f"The repository is damaged ({type(error).__name__}: {error}).", hint="Run `git fsck` in it."
            ) from error
    return Found(content, commit.id.decode("ascii"))


def _commit(repository: Repo, address: Address) -> Commit:
    """The commit of the revision, tags followed."""
    candidates = list(_candidates(repository, address.revision))
    commits = {commit.id: commit for commit in (_peeled(repository, name) for name in candidates) if commit}
    if not commits:
        if address.unmapped:
            raise no_checkout(address.unmapped)
        raise SourceUnavailableError(
            f"The repository has no commit {address.revision!r}.",
            hint="Name HEAD, a tag, a branch or a hash; a shallow clone has only part of the history.",
        )
    if len(commits) > 1:
        raise SourceUnavailableError(f"{address.revision!r} begins several hashes.", hint="Write more digits.")
    return next(iter(commits.values()))


def _candidates(repository: Repo, revision: str) -> Iterator[ObjectID]:
    """The objects that a revision could name: those of the first kind that has any, in Git's order of kinds."""
    if len(revision) == repository.object_format.hex_length and _HASH.fullmatch(revision):
        yield ObjectID(revision.encode("ascii"))
        return
    prefixes = (
        ("",) if revision == "HEAD" or revision.startswith("refs/") else ("refs/tags/", "refs/heads/", "refs/remotes/")
    )
    for prefix in prefixes:
        try:
            yield repository.refs[Ref((prefix + revision).encode("utf-8"))]
        except KeyError:
            continue
        return
    if len(revision) >= MIN_HASH and _HASH.fullmatch(revision):
        yield from repository.object_store.iter_prefix(revision.encode("ascii"))


def _peeled(repository: Repo, name: ObjectID) -> Commit | None:
    """The commit that an object is or, as a tag, leads to; None for anything else."""
    for _ in range(MAX_TAG_CHAIN):
        try:
            found = _object(repository, name)
        except KeyError:
            return None
        if isinstance(found, Commit):
            return found
        if not isinstance(found, Tag):
            return None
        _, name = found.object
    return None


def _content(repository: Repo, commit: Commit, address: Address, limit: int) -> bytes:
    """The bytes of the file at the path, which is followed from the commit's tree."""
    mode, name = stat.S_IFDIR, commit.tree
    walked: list[str] = []
    for part in address.path.split("/"):
        _require(mode, stat.S_IFDIR, "/".join(walked))
        walked.append(part)
        tree = _present(repository, name)
        if not isinstance(tree, Tree):
            raise ValueError(f"the object {name.decode('ascii')} is no tree")
        try:
            mode, name = tree[part.encode("utf-8")]
        except KeyError as error:
            raise SourceUnavailableError(
                f"The revision {address.revision} has no {'/'.join(walked)!r}.", hint="Check the path."
            ) from error
    _require(mode, stat.S_IFREG, address.path)
    if _unpacks_to_more(repository, name, limit):
        raise too_large(repr(address.path), limit)
    content = _present(repository, name).as_raw_string()
    if len(content) > limit:
        raise too_large(repr(address.path), limit)
    if content.startswith(_LFS):
        raise SourceUnavailableError(
            f"{address.path!r} is a Git LFS pointer: the content is not in the repository.",
            hint="Point at the checked-out file with file:, after `git lfs pull`.",
        )
    return content


def _require(mode: int, wanted: int, path: str) -> None:
    """Raise `SourceUnavailableError` unless the entry at `path` is a folder or file, as `wanted`."""
    kind = stat.S_IFMT(mode)
    if kind == wanted:
        return
    names = {stat.S_IFDIR: "a folder", stat.S_IFREG: "a file", stat.S_IFLNK: "a symbolic link"}
    hint = "Name what it leads to." if kind == stat.S_IFLNK else "Name a file."
    raise SourceUnavailableError(f"{path!r} is {names.get(kind, 'a submodule')} in this revision.", hint=hint)


def _present(repository: Repo, name: ObjectID) -> ShaFile:
    try:
        return _object(repository, name)
    except KeyError as error:
        raise SourceUnavailableError(
            f"The object {name.decode('ascii')} is not in the repository.", hint="Fetch it: the clone is partial."
        ) from error


def _unpacks_to_more(repository: Repo, name: ObjectID, limit: int) -> bool:
    """Whether the object has a file of its own with more than `limit` bytes in it, which dulwich would unpack first.

    In a pack it stops at the size that the pack declares.
    """
    decoder, size = zlib.decompressobj(), 0
    with suppress(FileNotFoundError), _loose(repository, name).open("rb") as stream:
        while not decoder.eof and (data := decoder.unconsumed_tail or stream.read(_BLOCK)):
            size += len(decoder.decompress(data, _BLOCK))
            if size > limit + _LONGEST_HEADER:
                return True
    return False


def _loose(repository: Repo, name: ObjectID) -> Path:
    """Where the object lies if it has a file of its own."""
    digits = name.decode("ascii")
    return Path(repository.object_store.path, digits[:2], digits[2:])


def _object(repository: Repo, name: ObjectID) -> ShaFile:
    """An object whose bytes have the hash that it is known by. Raises `KeyError` when there is none."""
    if _loose(repository, name).is_symlink():
        raise ValueError(f"the object {name.decode('ascii')} is a link")
    kind, content = repository.object_store.get_raw(name)
    return ShaFile.from_raw_string(kind, content, object_format=repository.object_format, verify_sha=name)
