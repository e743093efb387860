"""The file of a checkpoint: whether it is one, and what it means when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from markitect_tool.pipeline.errors import (
    CheckpointError,
    CheckpointInUseError,
    CheckpointUnwritableError,
    ForeignCheckpointError,
    NewerCheckpointError,
)
from markitect_tool.pipeline.lock import unlinked
from markitect_tool.pipeline.schema import APPLICATION_ID, VERSION
from markitect_tool.pipeline.storage_errors import storage_error

_MAGIC = b"SQLite format 3\0"
_RESERVED = 1 << 22  # bytes: what a commit adds to the log, and a second one
_UNWRITABLE = {
    "SQLITE_FULL": "storage.full",
    "SQLITE_READONLY": "storage.read_only",
    "SQLITE_CANTOPEN": "storage.denied",
}


def connect_to_read(path: str) -> sqlite3.Connection:
    """The database at `path`, only to look at. Raises `sqlite3.Error`."""
    # Without the right to make the files that WAL needs, the main file is read as it stands.
    mode = "ro" if os.access(os.path.dirname(os.path.abspath(path)), os.W_OK) else "ro&immutable=1"
    address = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(f"{address}?mode={mode}", uri=True, isolation_level=None, timeout=30)


class Reserve:
    """Room that is set aside as a file, so that a full disk still has some for the last records."""

    def __init__(self, path: str) -> None:
        self._path = path

    def make(self) -> None:
        """Set it aside, if there is room for it."""
        try:
            with open(self._path, "wb", opener=unlinked) as stream:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(stream.fileno(), 0, _RESERVED)
                else:
                    stream.write(bytes(_RESERVED))
        except OSError:  # no room for it, or a link, which is nobody's reserve
            self.release()

    def release(self) -> bool:
        """Give it free; whether there was any."""
        try:
            os.unlink(self._path)
        except OSError:
            return False
        return True


def unwritable(path: str, error: OSError) -> CheckpointUnwritableError:
    """The error for a checkpoint, or its folder, that the system refuses to make or write."""
    found = storage_error(error, "write", path).diagnostic
    return CheckpointUnwritableError(found.message, code=found.code, source=path)


def recognise(path: str) -> int:
    """The version of the checkpoint at `path`, 0 for none yet. Raises a `CheckpointError` for anything else."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        return 0
    except IsADirectoryError as error:
        raise ForeignCheckpointError(f"{path} is a folder.", source=path) from error
    except OSError as error:
        raise CheckpointUnwritableError(f"Cannot read {path}: {error.strerror}.", code="storage.denied") from error
    if not head:
        return 0
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise ForeignCheckpointError(f"{path} is no checkpoint of a pipeline.", source=path)
    # The log may be ahead of the main file, so the database itself is asked.
    with explained(path):
        database = connect_to_read(path)
        try:
            application, version, tables = (
                database.execute(query).fetchone()[0]
                for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
            )
        finally:
            database.close()
    if application == 0 and tables == 0:
        return 0  # killed before it had its tables
    if application != APPLICATION_ID:
        raise ForeignCheckpointError(f"{path} is another program's database.", source=path)
    if version > VERSION:
        raise NewerCheckpointError(
            f"{path} has version {version} of the checkpoint; this version of markitect-tool knows {VERSION}.",
            source=path,
        )
    return int(version)


def check(database: sqlite3.Connection, path: str) -> None:
    """Raises `CheckpointError` for a database that is damaged, which is looked for in all of it."""
    found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise CheckpointError(f"The checkpoint {path} is damaged: {found}.", source=path)


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turns the errors of SQLite into ours."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        primary = "_".join(name.split("_")[:2])
        if primary in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            raise CheckpointInUseError(f"Another program keeps {path} locked.", source=path) from error
        if primary in _UNWRITABLE or primary == "SQLITE_IOERR":
            code = "storage.full" if _is_full(path) else _UNWRITABLE.get(primary, "storage.unavailable")
            raise CheckpointUnwritableError(f"Cannot write {path}: {error}.", code=code, source=path) from error
        raise CheckpointError(f"The checkpoint {path} is damaged: {error}.", source=path) from error


def _is_full(path: str) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    try:
        return os.statvfs(os.path.dirname(os.path.abspath(path))).f_bavail == 0
    except OSError:
        return False
