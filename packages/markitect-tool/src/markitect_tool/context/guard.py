"""What keeps a load inside its bounds: digests, paths inside the manifest's folder, reads below a cap.

Contract: "Security requirements".
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote

from markitect_tool.canonical import digest_bytes
from markitect_tool.context.errors import PathTraversalError, SourceUnavailableError, TooLargeError

_DRIVE = re.compile(r"[A-Za-z]:")
_OPENING = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# The path was resolved, so a link at its end appeared since; and opening a pipe must not wait for a writer.
_OPENING |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# A folder on the way: only to be passed through, which needs no permission to list it where the system has `O_PATH`.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER |= getattr(os, "O_CLOEXEC", 0)


def sha256_uri(data: bytes | str) -> str:
    """The digest `sha256:<64 hex>` of bytes, or of a text's UTF-8."""
    return digest_bytes(data.encode("utf-8") if isinstance(data, str) else data)


def resolve_inside(dir: Path, path: str) -> Path:
    """The absolute path of `path`, which is relative to the folder `dir`, with every symbolic link resolved.

    Raises `PathTraversalError` for a path that leads outside, directly or through links, and for forms that mean
    something else on another system or after another decoding: absolute, with a drive, a backslash, NUL, or `..` in
    percent-encoding. The path need not exist.
    """
    return Path(_resolved(dir, path)[1])


def _resolved(dir: Path, path: str) -> tuple[str, str]:
    """The folder and the path in it, as `resolve_inside` has them."""
    decoded = path
    while True:
        _refuse_odd(path, decoded)
        previous, decoded = decoded, unquote(decoded)
        if decoded == previous:
            break
        if ".." in decoded.split("/") and ".." not in previous.split("/"):
            raise PathTraversalError(f"The path {path!r} hides `..` in percent-encoding.", path=path)
    root = os.path.realpath(dir)
    found = os.path.realpath(os.path.join(root, path))
    if found != root and not found.startswith(root.rstrip(os.sep) + os.sep):
        raise PathTraversalError(f"The path {path!r} leads out of the manifest's folder.", path=path)
    return root, found


def _refuse_odd(path: str, decoded: str) -> None:
    try:
        os.fsencode(decoded)
    except UnicodeEncodeError as error:
        raise SourceUnavailableError(f"The path {path!r} holds a character that no file name can have.") from error
    if "\0" in decoded:
        raise PathTraversalError(f"The path {path!r} holds NUL.", path=path)
    if "\\" in decoded:
        raise PathTraversalError(f"The path {path!r} holds a backslash.", path=path, hint="Separate with `/`.")
    if decoded.startswith("/") or _DRIVE.match(decoded):
        raise PathTraversalError(
            f"The path {path!r} is absolute.", path=path, hint="Write it relative to the manifest's folder."
        )


def read_inside(dir: Path, path: str, limit: int) -> bytes:
    """The bytes of the regular file `path` in the folder `dir`, at most `limit` of them.

    Raises `PathTraversalError` as `resolve_inside` does, `TooLargeError`, and `SourceUnavailableError` for what is
    missing, unreadable, a folder, a pipe or a device.
    """
    root, found = _resolved(dir, path)
    try:
        descriptor = open_below(root, found)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SourceUnavailableError(f"{path!r} is a folder, pipe or device.", path=path, hint="Name a file.")
            with open(descriptor, "rb", closefd=False) as stream:
                content = stream.read(limit + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError as error:
        raise SourceUnavailableError(
            f"There is no file {path!r} in the manifest's folder.", path=path, hint="Check the spelling of the path."
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if len(content) > limit:
        raise too_large(repr(path), limit)
    return content


def open_below(root: str, found: str) -> int:
    """A descriptor of `found`, a path in `root` that was resolved: a link that took a folder's place since is an error.

    Where the system cannot open a path folder by folder, only the last part is safe from that.
    """
    if os.open not in os.supports_dir_fd:
        return os.open(found, _OPENING)
    *folders, name = found[len(root) :].strip(os.sep).split(os.sep)
    place = os.open(root, _FOLDER)
    try:
        for part in folders:
            inner = os.open(part, _FOLDER, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(name or os.curdir, _OPENING, dir_fd=place)
    finally:
        os.close(place)


def unreadable(path: str, error: OSError) -> SourceUnavailableError:
    """The error for a path that the system refuses to open or read."""
    reason = error.strerror or type(error).__name__
    return SourceUnavailableError(f"{path!r} cannot be read: {reason}.", path=path, hint="Check its permissions.")


def too_large(what: str, limit: int) -> TooLargeError:
    """The error for a source of more than `limit` bytes."""
    return TooLargeError(
        f"{what} is larger than {limit} bytes.", hint="Raise max_bytes under the adapter's section.", limit=limit
    )
