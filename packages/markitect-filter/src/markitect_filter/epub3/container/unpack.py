"""A member's bytes out of the archive, within the limits.

Sizes that the archive declares are never trusted: what a member may unpack to is bounded by the bytes that
are really there, by the limits, and by what the book has unpacked so far. No packed byte belongs to two
members, so members that overlap cannot multiply.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import EncryptedSourceError, SourceError

from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.zip_directory import ZipEntry

LOCAL_HEADER = 30  # bytes of a local header before the name

_STORED, _DEFLATED = 0, 8
_OTHER_METHODS = {
    9: "Deflate64",
    12: "bzip2",
    14: "LZMA",
    93: "Zstandard",
    95: "XZ",
    97: "WavPack",
    98: "PPMd",
    99: "AES",
}
_READ = 1024 * 1024  # packed bytes per read
_STEP = 16 * 1024  # unpacked bytes, of a stream that is damaged somewhere


class MemberError(SourceError):
    """A member cannot be unpacked at all."""

    code = "source.member_corrupt"


class EncryptedMemberError(EncryptedSourceError):
    """A member is encrypted; the scheme is in the message and in the diagnostic's details."""


class Unpacker:
    """Unpacks members of one archive and keeps account of the total.

    `bounds` are the sorted offsets at which something else begins: every local header and the directory.
    """

    def __init__(self, file: BinaryIO, limits: Limits, sink: DiagnosticSink, bounds: Sequence[int]) -> None:
        self._file = file
        self._limits = limits
        self._sink = sink
        self._bounds = bounds
        self._left = limits.total_bytes

    def unpack(self, name: str, entry: ZipEntry, limit: str, step: int | None = None) -> Iterator[bytes]:
        """The bytes of the member `name`, in pieces of at most `step` bytes when that is given.

        `limit` names the field of `Limits` that bounds this member. Damage is reported as `member_corrupt`
        after what could be unpacked. Raises `MemberError` when that is nothing, `EncryptedMemberError`, and
        `LimitExceededError`.
        """
        _check_method(name, entry)
        start = self._data_start(name, entry)
        room = self._end_of_room(entry) - start
        stream = _inflater() if entry.method == _DEFLATED else _Copier(min(entry.packed_size, room))
        allowed: int = getattr(self._limits, limit)
        produced = consumed = crc = 0
        problem: str | None = None
        full = False  # the last piece was as large as it might be, so there may be more without reading
        while not stream.eof:
            packed = stream.unconsumed_tail
            if not packed:
                # One read does for nearly every member. A stream that runs past its declared size is followed.
                left = (entry.packed_size if consumed < entry.packed_size else room) - consumed
                self._file.seek(start + consumed)
                packed = self._file.read(max(0, min(left, room - consumed, _READ)))
                consumed += len(packed)
                if not packed and not full:
                    problem = "its data ends too early"
                    break
            cap = min(allowed - produced, self._left, self._ratio_cap(consumed) - produced)
            most = cap + 1 if step is None else min(step, cap + 1)
            try:
                piece = stream.decompress(packed, most)
            except zlib.error:
                problem = "its data is damaged"
                if not produced:  # all of it in one call
                    piece = _before_damage(packed, cap)
                    produced = len(piece)
                    self._left -= produced
                    if piece:
                        yield piece
                break
            if len(piece) > cap:
                raise self._too_large(name, limit, produced, consumed)
            full = len(piece) == most
            produced += len(piece)
            self._left -= len(piece)
            crc = zlib.crc32(piece, crc)
            if piece:
                yield piece
        if problem is None and crc != entry.crc:
            problem = "its checksum is wrong"
        if problem is not None or produced != entry.size:
            self._report(name, entry, produced, problem)

    def _report(self, name: str, entry: ZipEntry, produced: int, problem: str | None) -> None:
        if problem is not None:
            if not produced:
                raise MemberError(f"{name} cannot be unpacked: {problem}", path=name)
            self._sink.report(
                "source.member_corrupt",
                f"{name} is damaged: {problem}; {produced:,} bytes of it were read",
                once=("member_corrupt", name),
                path=name,
                read=produced,
                declared=entry.size,
            )
        else:
            self._sink.report(
                "source.archive_irregular",
                f"{name} declares {entry.size:,} bytes and has {produced:,}",
                once=("archive_irregular", "size"),
                path=name,
            )

    def _ratio_cap(self, consumed: int) -> int:
        """Bytes that `consumed` packed ones may unpack to."""
        return max(self._limits.ratio_floor_bytes, self._limits.ratio * consumed)

    def _too_large(self, name: str, limit: str, produced: int, consumed: int) -> SourceError:
        """The error for the tightest of the limits, which is the one that was passed."""
        limits = self._limits
        remaining = {
            limit: getattr(limits, limit) - produced,
            "total_bytes": self._left,
            "ratio": self._ratio_cap(consumed) - produced,
        }
        passed = min(remaining, key=lambda field: remaining[field])
        message = {
            "total_bytes": f"the book unpacks to more bytes than allowed; {name} was not read",
            "ratio": f"{name} unpacks to more than {limits.ratio} times its size, as no text does",
        }.get(passed, f"{name} unpacks to more bytes than allowed")
        return limits.exceeded(passed, message, path=name)

    def _data_start(self, name: str, entry: ZipEntry) -> int:
        self._file.seek(entry.header_offset)
        header = self._file.read(LOCAL_HEADER)
        if len(header) < LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
            raise MemberError(f"{name} cannot be unpacked: the archive has no data for it", path=name)
        if header[6] & 1:
            raise _password(name)
        lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        return entry.header_offset + LOCAL_HEADER + lengths

    def _end_of_room(self, entry: ZipEntry) -> int:
        following = bisect_right(self._bounds, entry.header_offset)
        return self._bounds[following] if following < len(self._bounds) else entry.header_offset


def _check_method(name: str, entry: ZipEntry) -> None:
    if entry.encrypted:
        raise _password(name)
    if entry.method not in (_STORED, _DEFLATED):
        method = _OTHER_METHODS.get(entry.method, f"method {entry.method}")
        raise MemberError(
            f"{name} is packed with {method}; EPUB allows stored and deflated members only",
            path=name,
            method=entry.method,
        )


def _password(name: str) -> EncryptedMemberError:
    return EncryptedMemberError(f"{name} is encrypted with a ZIP password", path=name, scheme="zip-password")


def _before_damage(packed: bytes, most: int) -> bytes:
    """What can be unpacked of a raw deflate stream until it is damaged, at most so many bytes. The call of zlib that
    meets the damage gives nothing, so many small ones come nearer than a large one."""
    stream = _inflater()
    found = bytearray()
    try:
        while packed and len(found) < most:
            found += stream.decompress(packed, min(_STEP, most - len(found)))
            packed = stream.unconsumed_tail
    except zlib.error:
        pass  # this is where it is
    return bytes(found)


def _inflater() -> zlib._Decompress:
    """For a raw deflate stream."""
    return zlib.decompressobj(-zlib.MAX_WBITS)


class _Copier:
    """What `_inflater` gives, for a stored member of `size` bytes."""

    def __init__(self, size: int) -> None:
        self._left = size
        self.eof = size <= 0
        self.unconsumed_tail = b""

    def decompress(self, data: bytes, most: int) -> bytes:
        self.unconsumed_tail = data[most:]
        self._left -= min(len(data), most)
        self.eof = self._left <= 0
        return data[:most]
