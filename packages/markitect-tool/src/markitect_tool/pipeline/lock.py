"""One run at a time on a target: a lock that the system takes back when its holder dies, however it dies."""

from __future__ import annotations

import os
import socket
import sys
from typing import IO

from markitect_tool.pipeline.errors import CheckpointInUseError


def unlinked(path: str, flags: int) -> int:
    """Open `path` for `open`, unless it is a link: whoever prepared a target would choose the file that is emptied."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


class RunLock:
    """Holds the lock file at `path` from `acquire` to `release`. The file stays, empty: removing it would be a race."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._stream: IO[str] | None = None

    def acquire(self) -> None:
        """Take the lock. Raises `CheckpointInUseError` when somebody has it, `OSError` when there can be no file."""
        stream = open(self._path, "a+", encoding="utf-8", opener=unlinked)  # noqa: SIM115 - held until `release`
        if not _locked(stream):
            with stream:
                stream.seek(0)
                holder = stream.read().strip()
            raise CheckpointInUseError(
                f"Another run is working on this target{f' ({holder})' if holder else ''}.", source=self._path
            )
        self._stream = stream
        stream.truncate(0)
        stream.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        stream.flush()

    def release(self) -> None:
        """Give the lock back, if it is held."""
        if self._stream is not None:
            self._stream.truncate(0)
            self._stream.close()
            self._stream = None

    def is_held(self) -> bool:
        """Whether somebody has the lock."""
        if not os.path.exists(self._path):
            return False
        with open(self._path, "r+" if os.access(self._path, os.W_OK) else "r", encoding="utf-8") as stream:
            return not _locked(stream)


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # beyond what is written: locked bytes cannot be read by others

    def _locked(stream: IO[str]) -> bool:
        stream.seek(_FAR)
        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _locked(stream: IO[str]) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
