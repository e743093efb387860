"""Files of this machine, or of what it has mounted."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from markitect_tool.pipeline.storage import TEMPORARY, StoredFile, checked_name
from markitect_tool.pipeline.storage_errors import NotStoredError, storage_error

_NEWBORN_FOLDER_TRIES = 3  # another worker may remove a folder, empty as yet, before there is a file in it


@dataclass(frozen=True, slots=True)
class LocalStorage:
    """A folder. It need not be there before something is written."""

    root: str  # absolute

    @property
    def url(self) -> str:
        return Path(self.root).as_uri()

    def url_of(self, name: str) -> str:
        return Path(self._path(name)).as_uri()

    def read(self, name: str, limit: int | None = None) -> bytes:
        path = self._path(name)
        try:
            with open(path, "rb") as stream:
                return stream.read(-1 if limit is None else limit)
        except OSError as error:
            raise storage_error(error, "read", path) from error

    def stat(self, name: str) -> StoredFile:
        path = self._path(name)
        try:
            status = os.stat(path)
        except OSError as error:
            raise storage_error(error, "read", path) from error
        if not stat.S_ISREG(status.st_mode):
            raise NotStoredError(f"{path} is no file.", source=path)
        return StoredFile(name, status.st_size, status.st_mtime_ns)

    def exists(self, name: str) -> bool:
        return os.path.isfile(self._path(name))

    def write_durably(self, name: str, data: bytes) -> None:
        self.write_all({name: data})

    def write_all(self, files: Mapping[str, bytes]) -> None:
        path = self.root
        try:
            with _Batch() as batch:
                for name, data in files.items():
                    path = self._path(name)
                    with batch.open(path) as stream:
                        stream.write(data)
        except OSError as error:
            raise storage_error(error, "write", path) from error

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        path = self._path(name)
        try:
            with _Batch() as batch, batch.open(path) as stream:
                yield stream
        except OSError as error:
            raise storage_error(error, "write", path) from error

    def list(self, folder: str = "", *, recursive: bool = True) -> Iterator[StoredFile]:
        for name, entry in self._walk(folder, recursive):
            if TEMPORARY.match(entry.name):
                continue
            try:
                status = entry.stat()
            except OSError:  # a link that leads nowhere, or a file that has gone since
                continue
            yield StoredFile(name, status.st_size, status.st_mtime_ns)

    def delete(self, names: Iterable[str]) -> None:
        folders = set()
        for name in names:
            path = self._path(name)
            try:
                os.unlink(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise storage_error(error, "delete", path) from error
            folders.add(os.path.dirname(path))
        for folder in folders:
            with suppress(OSError):  # not empty, or gone
                while len(folder) > len(self.root):
                    os.rmdir(folder)
                    folder = os.path.dirname(folder)

    def sweep(self) -> None:
        self.delete(name for name, entry in self._walk("", True) if TEMPORARY.match(entry.name))

    def _path(self, name: str) -> str:
        return os.path.join(self.root, *checked_name(name, self.root).split("/"))

    def _walk(self, folder: str, recursive: bool) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Every file below `folder`. A folder sorts as if its name ended in `/`, so whole names are in order."""
        path = self._path(folder) if folder else self.root
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(path) as found:
                entries = [
                    (f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name, entry) for entry in found
                ]
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise storage_error(error, "list", path) from error
        entries.sort(key=lambda pair: pair[0])
        for sort_name, entry in entries:
            if sort_name.endswith("/"):
                if recursive:
                    yield from self._walk(prefix + entry.name, True)
            elif entry.is_file():
                yield prefix + entry.name, entry


class _Batch:
    """Files that appear, durable, when the block ends, and leave nothing when it raises. Methods raise `OSError`."""

    def __init__(self) -> None:
        self._written: list[tuple[str, str]] = []  # temporary file, target
        self._changed: set[str] = set()  # folders with new entries

    def __enter__(self) -> Self:
        return self

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        """A stream for the file that will be at `path`."""
        temporary = os.path.join(os.path.dirname(path), f".mkt-{os.urandom(6).hex()}.tmp")
        with self._created(temporary) as stream:
            self._written.append((temporary, path))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            while kind is None and self._written:
                temporary, path = self._written[0]
                os.replace(temporary, path)
                self._changed.add(os.path.dirname(path))
                del self._written[0]
        finally:
            for temporary, _path in self._written:
                with suppress(OSError):
                    os.unlink(temporary)
        if kind is None:
            for folder in self._changed:
                _synchronize(folder)

    def _created(self, path: str) -> IO[bytes]:
        for _ in range(_NEWBORN_FOLDER_TRIES):
            self._make_folder(os.path.dirname(path))
            with suppress(FileNotFoundError):
                return open(path, "xb")
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def _make_folder(self, folder: str) -> None:
        if not os.path.isdir(folder):
            parent = os.path.dirname(folder)
            self._make_folder(parent)
            try:
                os.mkdir(folder)
            except FileExistsError:
                if not os.path.isdir(folder):
                    raise
            self._changed.add(parent)


def _synchronize(folder: str) -> None:
    """Make what was created and renamed in `folder` survive a power cut. Raises `OSError`."""
    if os.name == "nt":  # folders cannot be opened there; NTFS keeps a journal of names
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:  # another worker found it empty before our file came, and we made it anew
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (
            errno.EINVAL,
            errno.ENOTSUP,
        ):  # some network file systems
            raise
    finally:
        os.close(handle)
