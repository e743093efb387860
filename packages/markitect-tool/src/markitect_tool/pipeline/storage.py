"""Where sources lie and results go: a folder, a bucket, or anything else that fsspec opens.

A `Storage` is one root; files in it are named by relative paths with `/`. A name never leads out of the root. What
was written is whole, and still there after a power cut. On this machine a temporary file in the
same folder is written, synchronised and renamed, and then the folder is synchronised; in an object store a file is one
put, which the store makes durable.

Credentials are found by the library of each store in its usual places (environment, profile, instance), and by the
settings of fsspec (`FSSPEC_S3_ENDPOINT_URL`, configuration files).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote, urlsplit

from markitect_tool.named_tuple import NamedTuple
from markitect_tool.pipeline.storage_errors import UnsafeNameError, UnsupportedStorageError

if TYPE_CHECKING:
    from markitect_tool.pipeline.storage_fsspec import FsspecStorage
    from markitect_tool.pipeline.storage_local import LocalStorage

TEMPORARY = re.compile(r"\.mkt-[0-9a-f]{12}\.tmp\Z")  # the last part of a name that a write in progress has
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=//|:)")  # two letters at least: `C:` is a drive


class StoredFile(NamedTuple):
    """A file as a listing shows it."""

    name: str  # relative to the root, with /
    size: int | None  # bytes
    modified_ns: int | None  # since 1970, where the storage knows it


class Storage(Protocol):
    """One root and the files below it. Picklable: a worker opens its own connection.

    Every method raises a `StorageError` that names the file and the remedy, and no other exception.
    """

    @property
    def url(self) -> str:
        """The root as a URL, without a slash at the end."""
        ...

    def url_of(self, name: str) -> str:
        """The URL of the file `name`."""
        ...

    def read(self, name: str, limit: int | None = None) -> bytes:
        """The bytes of a file, at most the first `limit`. Raises `NotStoredError` when there is no such file."""
        ...

    def stat(self, name: str) -> StoredFile:
        """What a listing would show of one file. Raises `NotStoredError` when there is no such file."""
        ...

    def exists(self, name: str) -> bool:
        """Whether there is a file of that name."""
        ...

    def write_durably(self, name: str, data: bytes) -> None:
        """Put a whole file at `name`; it is durable when this returns. One that is there is replaced, in one step."""
        ...

    def write_all(self, files: Mapping[str, bytes]) -> None:
        """`write_durably` for files that belong together, for less: each appears in one step, all of them do not."""
        ...

    def writing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A file to write piece by piece. It appears, durable, when the block ends, and not at all when it raises."""
        ...

    def list(self, folder: str = "", *, recursive: bool = True) -> Iterator[StoredFile]:
        """The files below `folder`, or only those in it, by their names in the order of code points.

        One folder at a time is held in memory. Nothing is listed for a folder that is not there, and no file whose
        write is not complete. Links to files are files; links to folders are not followed.
        """
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Remove files, and the folders that become empty. One that is not there is as good as removed."""
        ...

    def sweep(self) -> None:
        """Remove what interrupted writes left. Nobody else may be writing."""
        ...


def open_url(url: str, options: Mapping[str, Any] | None = None) -> LocalStorage | FsspecStorage:
    """The storage at `url`: a path of this machine, `file:`, or any scheme of fsspec (`s3:`, `gs:`, `memory:`).

    `options` are arguments of the file system, such as `endpoint_url`; a folder has none. Nothing is read or made yet.
    Raises `UnsupportedStorageError` for an unknown scheme, with the install command for a library that is missing.
    """
    from markitect_tool.pipeline.storage_fsspec import FsspecStorage
    from markitect_tool.pipeline.storage_local import LocalStorage

    scheme = _SCHEME.match(url)
    if not url:
        raise UnsupportedStorageError("An empty text names no storage.", hint="Give a path or a URL.")
    if scheme is None and not url.lower().startswith("file:"):
        return LocalStorage(os.path.abspath(url))
    if "::" in url:
        raise UnsupportedStorageError(
            f"{url} is a chain of file systems.", source=url, hint="Give the URL of one file system."
        )
    if scheme is None or scheme[1].lower() in ("file", "local"):
        parts = urlsplit(url)
        if parts.netloc not in ("", "localhost"):
            raise UnsupportedStorageError(
                f"{url} names a file of another machine, {parts.netloc}.", source=url, hint="Write file:///path."
            )
        return LocalStorage(os.path.abspath(unquote(parts.path)))
    return FsspecStorage(url.rstrip("/") if urlsplit(url).netloc else url, dict(options or {}))


def checked_name(name: str, root: str) -> str:
    """`name`, if it stays below the root whose URL is `root`. Raises `UnsafeNameError`."""
    parts = name.split("/")
    unsafe = any(part in ("", ".", "..") for part in parts) or "\0" in name
    if os.name == "nt":
        unsafe = unsafe or "\\" in name or ":" in name
    if unsafe:
        raise UnsafeNameError(f"{name!r} is no name of a file below {root}.", source=root, name=name)
    return name
