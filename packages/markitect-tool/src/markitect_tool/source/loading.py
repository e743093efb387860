"""From what a caller names to a `SourceAsset` with size and digest, and from there to bytes.

Default URIs, when the caller gives none:

* a relative path: the path itself, normalized, with forward slashes and percent-encoding. The same checkout
  gives the same ids on every machine, whatever folder it lives in.
* an absolute path: its `file:` URI. It contains the machine's folders, so give a `uri` where ids have to
  agree between machines.
* bytes: their RFC 6920 name, `ni:///sha-256;…`, which depends on nothing but the bytes.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Protocol

from markitect_tool.canonical import digest_bytes, digest_stream, sha256_hex
from markitect_tool.errors import (
    EmptySourceError,
    MissingSourceError,
    NotAFileError,
    SourceError,
    UnreadableSourceError,
)
from markitect_tool.record import replace
from markitect_tool.source.model import SourceAsset

if TYPE_CHECKING:
    from threading import Thread

_LARGE = 1 << 20  # bytes, whose digest takes a millisecond
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"  # RFC 3986, and slashes

Source = str | os.PathLike[str] | bytes


class _Request(Protocol):
    @property
    def asset(self) -> SourceAsset: ...
    @property
    def content(self) -> bytes | None: ...


def derive_uri(source: Source) -> str:
    """The URI of a source whose caller gave none; see the top of this module. Touches no file."""
    if isinstance(source, bytes):
        from base64 import urlsafe_b64encode

        name = urlsafe_b64encode(bytes.fromhex(sha256_hex(source))).decode("ascii").rstrip("=")
        return f"ni:///sha-256;{name}"
    path = os.path.normpath(os.fspath(source))
    # Undecodable bytes of a file name are percent-encoded as they are: the URI is always valid UTF-8.
    reference = _percent_encoded(_raw(path.replace(os.sep, "/")))
    if not os.path.isabs(path):
        return reference
    return "file:///" + reference.lstrip("/")


def identify(
    source: Source, *, uri: str | None = None, media_type: str | None = None, name: str | None = None
) -> SourceAsset:
    """The asset that a source is, without looking at it: URI, path, name, suffix, declared media type."""
    path: str | None = None
    if isinstance(source, bytes):
        shown = name or (_last_segment(uri) if uri else "")
    else:
        path = os.fspath(source)
        shown = name or os.path.basename(os.path.normpath(path))
    suffix = os.path.splitext(shown)[1].lower()
    return SourceAsset(
        uri=_encodable(uri) if uri else derive_uri(source),
        # A file name that is not text has no place in JSON; such a source is passed on as bytes.
        path=path if path is None or _is_text(path) else None,
        name=(shown if _is_text(shown) else _raw(shown).decode("utf-8", "replace")) or None,
        media_type=media_type.strip().lower() if media_type else None,
        extension=suffix if len(suffix) > 1 and _is_text(suffix) else None,
    )


def measure(source: Source, asset: SourceAsset) -> tuple[SourceAsset, bytes | None]:
    """`asset` with size, time and digest of `source`, and the bytes where no path leads to them.

    Files are read in blocks. Raises `MissingSourceError`, `NotAFileError`, `UnreadableSourceError`,
    `EmptySourceError`.
    """
    begun = Measurement(source, asset)
    return begun.result(), begun.content


class Measurement:
    """`measure`, begun. A large file is read in a thread of its own: whoever needs the digest last has time meanwhile.

    Raises what `measure` does, except for what reading a large file may find, which `result` raises.
    """

    def __init__(self, source: Source, asset: SourceAsset) -> None:
        self.content: bytes | None = None  # where no path leads to it
        self._asset = asset
        self._error: SourceError | None = None
        self._thread: Thread | None = None
        if isinstance(source, bytes):
            if not source:
                raise EmptySourceError("The source is empty: it has no bytes.", source=asset.uri)
            self.content = source
            self._asset = replace(asset, size=len(source), digest=digest_bytes(source))
            return
        path = os.fspath(source)
        size = _check_file(path)
        if size < _LARGE or asset.path is None:
            self._read(path)
        else:
            from threading import Thread

            self._thread = Thread(target=self._try, args=(path,), daemon=True)
            self._thread.start()

    def result(self) -> SourceAsset:
        """The asset with size, time and digest."""
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        return self._asset

    def _try(self, path: str) -> None:
        try:
            self._read(path, 1 << 20)  # after each block the thread waits for its turn
        except SourceError as error:
            self._error = error

    def _read(self, path: str, block_size: int = 1 << 16) -> None:
        try:
            with open(path, "rb") as stream:
                status = os.fstat(stream.fileno())
                if self._asset.path is None:
                    self.content = stream.read()
                    digest = digest_bytes(self.content)
                else:
                    digest = digest_stream(stream, block_size)
                size = stream.tell()  # not `st_size`, which is 0 for the files of /proc
        except OSError as error:
            raise _refused(path, error) from error
        if size == 0:
            raise EmptySourceError("The file is empty: it has no bytes.", source=_shown(path))
        self._asset = replace(self._asset, size=size, mtime_ns=status.st_mtime_ns, digest=digest)


def read_bytes(request: _Request, limit: int | None = None) -> bytes:
    """The bytes of a request's source, at most `limit` of them: its content, or else the file at its path.

    The door for adapters. Raises what `measure` raises.
    """
    if request.content is not None:
        return request.content if limit is None else request.content[:limit]
    path = request.asset.path
    if path is None:
        raise UnreadableSourceError(
            "The request has neither content nor a path.",
            source=request.asset.uri,
            hint="Give the adapter the bytes as content, or a local path.",
        )
    _check_file(path)
    try:
        with open(path, "rb") as stream:
            return stream.read(-1 if limit is None else limit)
    except OSError as error:
        raise _refused(path, error) from error


def _check_file(path: str) -> int:
    """The size that the system tells, in bytes. Raises unless `path` is a regular file. Looks before opening: opening a
    pipe would wait for ever."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise _refused(path, error) from error
    except ValueError as error:  # a NUL character
        raise MissingSourceError(f"No such file: {_shown(path)} is not a path.", source=_shown(path)) from error
    if stat.S_ISDIR(status.st_mode):
        raise NotAFileError(
            f"{_shown(path)} is a folder.", source=_shown(path), hint="Give the path of a file inside it."
        )
    if not stat.S_ISREG(status.st_mode):
        raise NotAFileError(
            f"{_shown(path)} is a pipe, socket or device.",
            source=_shown(path),
            hint="Give a regular file, or pass the bytes (`-` reads them from standard input).",
        )
    return status.st_size


def _refused(path: str, error: OSError) -> SourceError:
    shown = _shown(path)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        hint = None
        if path.lower().startswith("file:"):
            hint = "Give the path itself, not a URI."
        elif "://" in path:
            hint = "Only local files are read here; fetch it first."
        return MissingSourceError(f"No such file: {shown}.", source=shown, hint=hint)
    return UnreadableSourceError(f"{shown} cannot be read: {error.strerror or error}.", source=shown)


def _last_segment(uri: str) -> str:
    from urllib.parse import unquote

    return unquote(uri.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2])


def _raw(text: str) -> bytes:
    """The bytes that the system gave us as `text`, whether or not they are UTF-8."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:  # it came from elsewhere
        return text.encode("utf-8", "surrogatepass")


def _encodable(uri: str) -> str:
    """`uri` with bytes that are no text percent-encoded."""
    if _is_text(uri):
        return uri
    return "".join(char if _is_text(char) else _percent_encoded(_raw(char)) for char in uri)


def _percent_encoded(path: bytes) -> str:
    """As `urllib.parse.quote` does, whose import takes longer than all else that is done to a path."""
    if not path.translate(None, _UNRESERVED):
        return path.decode("ascii")
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in path)


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    """`path` for a message: text in any case, on one line and never nothing."""
    if not path:
        return "''"
    return _raw(path).decode("utf-8", "replace").replace("\n", "\\n").replace("\0", "\\0")
