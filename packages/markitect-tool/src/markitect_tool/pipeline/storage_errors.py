"""What can go wrong with storage, by what a person would do about it.

::

    ReportedError
    └── StorageError                carries `.diagnostic`
        ├── NotStoredError              storage.not_found
        ├── StorageFullError            storage.full: no space, or a quota is used up
        ├── ReadOnlyStorageError        storage.read_only
        ├── StorageDeniedError          storage.denied
        ├── StorageUnavailableError     storage.unavailable: network, hardware, names that the system can't have
        ├── UnsafeNameError             storage.unsafe_name: a name that leads out of the storage
        └── UnsupportedStorageError     storage.unsupported: an unknown scheme, a library that isn't installed

Whether one ends a run is for the runner to say: a full target does, a single unreadable source doesn't.
"""

from __future__ import annotations

import errno
import re
from typing import Any

from markitect_tool.errors import ReportedError

# RFC 3986, section 3.2.1: what stands before the host may be a password.
_CREDENTIALS = re.compile(r"(?<=://)[^/@]*@")


class StorageError(ReportedError):
    """A file cannot be read, written or named.

    `source` is the URL of the file; a password in it, or in the message, is left out.
    """

    code = "storage.unavailable"

    def __init__(self, message: str, *, source: str | None = None, **more: Any) -> None:
        super().__init__(
            without_credentials(message), source=None if source is None else without_credentials(source), **more
        )


class NotStoredError(StorageError):
    """There is no file of that name."""

    code = "storage.not_found"


class StorageFullError(StorageError):
    """There is no space left, or the quota is used up."""

    code = "storage.full"


class ReadOnlyStorageError(StorageError):
    """The file system is mounted for reading only."""

    code = "storage.read_only"


class StorageDeniedError(StorageError):
    """Permissions or credentials do not suffice."""

    code = "storage.denied"


class StorageUnavailableError(StorageError):
    """The storage cannot be reached, or fails."""


class UnsafeNameError(StorageError):
    """The name does not stay inside the storage."""

    code = "storage.unsafe_name"


class UnsupportedStorageError(StorageError):
    """Nothing here can open such a URL."""

    code = "storage.unsupported"


_BY_ERRNO: dict[int, type[StorageError]] = {
    errno.ENOENT: NotStoredError,
    errno.ENOTDIR: NotStoredError,
    errno.ENOSPC: StorageFullError,
    errno.EDQUOT: StorageFullError,
    errno.EROFS: ReadOnlyStorageError,
    errno.EACCES: StorageDeniedError,
    errno.EPERM: StorageDeniedError,
}


def storage_error(error: Exception, action: str, url: str) -> StorageError:
    """What `error` means that came of `action` ("read", "write", "list", "delete") at `url`."""
    kind: type[StorageError] = StorageUnavailableError
    if isinstance(error, OSError) and error.errno in _BY_ERRNO:
        kind = _BY_ERRNO[error.errno]
    elif isinstance(error, FileNotFoundError):  # file systems of fsspec raise these without a number
        kind = NotStoredError
    elif isinstance(error, PermissionError) or "Credentials" in type(error).__name__:  # botocore's, google.auth's
        kind = StorageDeniedError
    elif isinstance(error, NotImplementedError):  # what fsspec says of a file system that can only be read
        kind = ReadOnlyStorageError
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    return kind(f"Cannot {action} {url}: {reason.rstrip('.')}.", source=url, action=action)


def without_credentials(text: str) -> str:
    """`text` without the user names and passwords of URLs in it."""
    return _CREDENTIALS.sub("", text)
