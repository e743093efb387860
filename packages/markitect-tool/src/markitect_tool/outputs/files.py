"""Files whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable

_TEMPORARY = r"\.mkt-[0-9a-f]{12}\.tmp"


def temporary_name() -> str:
    """A new name for something that is not finished."""
    return f".mkt-{os.urandom(6).hex()}.tmp"


def is_temporary(name: str) -> bool:
    """Is it one of `temporary_name`? What is called so is somebody's who is writing, or was killed while writing."""
    return re.fullmatch(_TEMPORARY, name) is not None


def write_file(path: str, data: bytes) -> None:
    """Put `data` at `path` as `write_pieces` does."""
    write_pieces(path, (data,))


def write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    """Put `pieces` together at `path` in one step: whoever looks sees the old file or the whole new one.

    The temporary file lies in the same folder. An existing file keeps its mode, a link its target.
    Pipes and devices are written to directly. Raises `OSError`, also for a file that may not be written.
    """
    mode: int | None = None
    try:
        status = os.stat(path)  # not of its real path: what /dev/stdout leads to may have none
    except FileNotFoundError:
        pass
    else:
        if not stat.S_ISREG(status.st_mode):
            with open(path, "wb") as stream:
                stream.writelines(pieces)
            return
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        mode = stat.S_IMODE(status.st_mode)
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), temporary_name())
    try:
        with open(temporary, "xb") as stream:  # created with the mode that the umask gives
            stream.writelines(pieces)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
