"""Any file system that fsspec knows: buckets, servers, memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

from markitect_tool.pipeline.storage import TEMPORARY, StoredFile, checked_name
from markitect_tool.pipeline.storage_errors import (
    NotStoredError,
    StorageError,
    UnsafeNameError,
    UnsupportedStorageError,
    storage_error,
)

# Where a file is there after one put, whole, or not at all. Elsewhere it is written under another name and moved.
_ONE_PUT = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss", "tos", "memory"})
_LIBRARIES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az", "adl"), "adlfs"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    **dict.fromkeys(("http", "https"), "aiohttp"),
    "smb": "smbprotocol",
    "webdav": "webdav4",
}
_MODIFIED = ("LastModified", "last_modified", "mtime", "modified", "updated", "created")  # of the file systems we know


@dataclass(frozen=True, slots=True)
class FsspecStorage:
    """Files below a URL. The connection is fsspec's, which keeps one for each process and URL."""

    url: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)  # may hold secrets

    def url_of(self, name: str) -> str:
        return f"{self.url.rstrip('/')}/{checked_name(name, self.url)}"

    def read(self, name: str, limit: int | None = None) -> bytes:
        file_system, path = self.located(name)
        try:
            data: bytes = file_system.cat_file(path, start=None if limit is None else 0, end=limit)
        except Exception as error:  # a library of any kind, with exceptions of any kind; so in all of this module
            raise storage_error(error, "read", self.url_of(name)) from error
        return data

    def stat(self, name: str) -> StoredFile:
        file_system, path = self.located(name)
        try:
            entry = file_system.info(path)
        except Exception as error:
            raise storage_error(error, "read", self.url_of(name)) from error
        if entry["type"] != "file":
            raise NotStoredError(f"{self.url_of(name)} is no file.", source=self.url_of(name))
        return StoredFile(name, entry.get("size"), _modified_ns(entry))

    def exists(self, name: str) -> bool:
        try:
            self.stat(name)
        except NotStoredError:
            return False
        return True

    def write_durably(self, name: str, data: bytes) -> None:
        with self._putting(name) as (file_system, path):
            file_system.pipe_file(path, data)

    def write_all(self, files: Mapping[str, bytes]) -> None:
        for name, data in files.items():
            self.write_durably(name, data)

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        self.located(name)  # an impossible name or a missing library shows before the work
        try:
            with tempfile.TemporaryDirectory(prefix="mkt-") as folder:
                local = os.path.join(folder, "file")
                with open(local, "xb") as stream:
                    yield stream
                with self._putting(name) as (file_system, path):
                    file_system.put_file(local, path)
        except OSError as error:
            raise storage_error(error, "write", tempfile.gettempdir()) from error

    def list(self, folder: str = "", *, recursive: bool = True) -> Iterator[StoredFile]:
        return (file for file in self._walk(folder, recursive) if not TEMPORARY.match(file.name.rpartition("/")[2]))

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            file_system, path = self.located(name)
            try:
                file_system.rm_file(path)
            except Exception as error:
                found = storage_error(error, "delete", self.url_of(name))
                if not isinstance(found, NotStoredError):
                    raise found from error

    def sweep(self) -> None:
        if self._scheme not in _ONE_PUT:
            self.delete([file.name for file in self._walk("", True) if TEMPORARY.match(file.name.rpartition("/")[2])])

    @property
    def _scheme(self) -> str:
        return self.url.partition(":")[0].lower()

    def located(self, name: str) -> tuple[Any, str]:
        """The file system of fsspec, and the path in it of the file `name`."""
        file_system, root = self._opened()
        return file_system, f"{root}/{checked_name(name, self.url)}"

    def _opened(self) -> tuple[Any, str]:
        """The file system, and the path of the root in it without a slash at its end."""
        try:
            import fsspec
        except ImportError as error:
            raise UnsupportedStorageError(
                f"{self.url} needs fsspec, which is not installed.",
                source=self.url,
                hint="pip install 'markitect-tool[pipeline]'",
            ) from error
        try:
            file_system, root = fsspec.url_to_fs(self.url, **self.options)
        except ImportError as error:
            library = _LIBRARIES.get(self._scheme)
            hint = f"pip install {library}" if library else str(error)
            raise UnsupportedStorageError(
                f"{self.url} needs a library that is not installed.", source=self.url, hint=hint
            ) from error
        except ValueError as error:
            raise UnsupportedStorageError(f"{self.url} cannot be opened: {error}.", source=self.url) from error
        except Exception as error:
            raise storage_error(error, "open", self.url) from error
        return file_system, root.rstrip("/")

    @contextmanager
    def _putting(self, name: str) -> Iterator[tuple[Any, str]]:
        """Where to put the file `name`, which is there when the block ends."""
        file_system, target = self.located(name)
        try:
            if self._scheme in _ONE_PUT:
                yield file_system, target
                return
            folder = target.rpartition("/")[0]
            file_system.makedirs(folder, exist_ok=True)
            temporary = f"{folder}/.mkt-{os.urandom(6).hex()}.tmp"
            try:
                yield file_system, temporary
                file_system.mv(temporary, target)
            except Exception:
                if file_system.exists(temporary):
                    file_system.rm_file(temporary)
                raise
        except Exception as error:
            raise storage_error(error, "write", self.url_of(name)) from error

    def _walk(self, folder: str, recursive: bool) -> Iterator[StoredFile]:
        """Every file below `folder`. A folder sorts as if its name ended in `/`, so whole names are in order."""
        file_system, root = self._opened()
        path = f"{root}/{checked_name(folder, self.url)}" if folder else root
        try:
            file_system.invalidate_cache()  # what was listed before may have changed since
            found = file_system.ls(path, detail=True)
            file_system.invalidate_cache()  # and would stay in memory
        except Exception as error:
            problem: StorageError = storage_error(error, "list", self.url)
            if isinstance(problem, NotStoredError):
                return
            raise problem from error
        entries: list[tuple[str, Mapping[str, Any]]] = []
        for entry in found:
            name = str(entry["name"])[len(root) + 1 :]
            if entry["type"] == "directory":
                if name.rstrip("/") == folder:
                    raise UnsafeNameError(f"{self.url} holds names with empty parts below {folder!r}.", source=self.url)
                entries.append((f"{name.rstrip('/')}/", entry))
            elif name and not name.endswith("/") and name != folder:  # else the folder itself, as an empty object
                entries.append((name, entry))
        entries.sort(key=lambda pair: pair[0])
        for name, entry in entries:
            if name.endswith("/"):
                if recursive:
                    yield from self._walk(name[:-1], True)
            else:
                yield StoredFile(name, entry.get("size"), _modified_ns(entry))


def _modified_ns(entry: Mapping[str, Any]) -> int | None:
    """When a file was changed last, from whatever its file system calls it."""
    value = next((entry[key] for key in _MODIFIED if entry.get(key) is not None), None)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        value = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    return int(value * 1_000_000_000) if isinstance(value, int | float) else None
