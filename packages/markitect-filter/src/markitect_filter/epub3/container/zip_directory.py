"""The central directory of a ZIP archive, read entry by entry (APPNOTE 6.3, sections 4.3.12 to 4.3.16).

The standard library reads the whole directory before anyone can count it, drops the bytes of a name, and
takes damage for "not a zip file". Here the number of entries is bounded while they are read, names are
decoded as their producers meant them, and a file cut short is told from one that never was an archive.
"""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from typing import BinaryIO

from markitect_tool.errors import EmptySourceError, MalformedSourceError, UnsupportedFormatError
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import Record

_LOCAL = b"PK\x03\x04"
_CENTRAL = b"PK\x01\x02"
_END = b"PK\x05\x06"
_END_RECORD = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s4x2H4x3L3H4x2L")
_LOCATOR64 = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_NEAR = 4096  # where the end record nearly always is
_TAIL = 1024 * 1024  # where it may be: its comment has 64 KiB, and some add junk after it
_MAX32 = 0xFFFFFFFF

ENCRYPTED = 0x1
_ZIP64_EXTRA = 0x0001
_UNICODE_NAME_EXTRA = 0x7075


class ZipEntry(NamedTuple):
    """One entry of the central directory. Sizes are what the archive claims, in bytes."""

    name: str
    name_is_ambiguous: bool
    """The name is not UTF-8, so a legacy code page was assumed."""
    flags: int
    method: int
    crc: int
    packed_size: int
    size: int
    header_offset: int
    """Where the local header starts in the file, junk before the archive included."""
    is_symlink: bool

    @property
    def encrypted(self) -> bool:
        return bool(self.flags & ENCRYPTED)


class ZipEnd(Record):
    """Where the central directory is."""

    offset: int
    size: int
    shift: int
    """Bytes of junk before the archive; every offset in it is short by as much."""
    junk_after: int


def find_end(file: BinaryIO, file_size: int) -> ZipEnd:
    """The end record of the archive in `file`.

    Raises `EmptySourceError`, `UnsupportedFormatError` (no archive at all) and `MalformedSourceError`, with
    code `source.archive_truncated` when the archive starts but does not end.
    """
    if file_size == 0:
        raise EmptySourceError("the file is empty")
    last: ZipEnd | None = None
    for reach in (_NEAR, _TAIL):
        file.seek(max(0, file_size - reach))
        tail = file.read(reach)
        base = file_size - len(tail)
        at = tail.rfind(_END)
        while at >= 0:
            end = _read_end(file, tail, at, base)
            if end is not None:
                file.seek(end.offset)
                if file.read(4) == _CENTRAL:
                    return end
                last = last or end
            at = tail.rfind(_END, 0, at)
    if last is not None:  # none has a directory before it, as one in a comment has not
        return last
    file.seek(0)
    if file.read(4) == _LOCAL:
        raise MalformedSourceError(
            "the archive is truncated: it starts, but its directory is missing",
            code="source.archive_truncated",
        )
    raise UnsupportedFormatError("the file is not a ZIP archive, so it is no EPUB")


def _read_end(file: BinaryIO, tail: bytes, at: int, base: int) -> ZipEnd | None:
    if len(tail) - at < _END_RECORD.size:
        return None
    _, disk, _, _, count, size, offset, comment = _END_RECORD.unpack_from(tail, at)
    position = base + at
    record = position
    if 0xFFFF in (disk, count) or _MAX32 in (size, offset):
        wide = _read_end64(file, position)
        if wide is not None:
            record, size, offset = wide
    shift = record - size - offset
    if shift < 0 or record - size < 0:
        return None
    after = len(tail) - at - _END_RECORD.size - comment
    return ZipEnd(record - size, size, shift, max(0, after))


def _read_end64(file: BinaryIO, end_position: int) -> tuple[int, int, int] | None:
    """Position of the ZIP64 end record, size and offset of the directory; None when there is none."""
    if end_position < _LOCATOR64.size + _END64.size:
        return None
    file.seek(end_position - _LOCATOR64.size - _END64.size)
    data = file.read(_END64.size + _LOCATOR64.size)
    if data[_END64.size : _END64.size + 4] != b"PK\x06\x07" or data[:4] != b"PK\x06\x06":
        return None
    values = _END64.unpack_from(data)
    return end_position - _LOCATOR64.size - _END64.size, values[8], values[9]


def read_entries(file: BinaryIO, end: ZipEnd) -> Iterator[ZipEntry]:
    """The entries in directory order. Raises `MalformedSourceError` where the directory is damaged."""
    file.seek(end.offset)
    directory = file.read(end.size)
    at = 0
    while at + _ENTRY.size <= len(directory):
        mark, flags, method, crc, packed, size, name_length, extra_length, comment, attributes, offset = (
            _ENTRY.unpack_from(directory, at)
        )
        if mark != _CENTRAL:
            raise MalformedSourceError("the archive's directory is damaged")
        name_at = at + _ENTRY.size
        extra_at = name_at + name_length
        at = extra_at + extra_length + comment
        if at > len(directory):
            raise MalformedSourceError("the archive's directory is damaged")
        raw = directory[name_at:extra_at]
        is_wide = _MAX32 in (size, packed, offset)
        extra: dict[int, bytes] = {}
        if is_wide or not raw.isascii():  # else there is nothing in it that counts
            extra = dict(_extra_fields(directory[extra_at : extra_at + extra_length]))
        if is_wide:
            size, packed, offset = _wide_sizes(extra.get(_ZIP64_EXTRA, b""), size, packed, offset)
        name, ambiguous = _decode_name(raw, extra)
        yield ZipEntry(
            name,
            ambiguous,
            flags,
            method,
            crc,
            packed,
            size,
            offset + end.shift,
            stat.S_ISLNK(attributes >> 16),
        )


def _extra_fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        tag, length = struct.unpack_from("<2H", data, at)
        yield tag, data[at + 4 : at + 4 + length]
        at += 4 + length


def _wide_sizes(data: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Sizes and offset with those that did not fit 32 bits taken from the ZIP64 field, in its fixed order."""
    wide = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data) - 7, 8)]
    taken = iter(wide)
    values = [next(taken, value) if value == _MAX32 else value for value in (size, packed, offset)]
    return values[0], values[1], values[2]


def _decode_name(raw: bytes, extra: dict[int, bytes]) -> tuple[str, bool]:
    """UTF-8 where it is marked or valid (many tools forget the mark), else code page 437 as ZIP began."""
    if raw.isascii():
        return raw.decode("ascii"), False
    unicode_name = extra.get(_UNICODE_NAME_EXTRA, b"")[5:]  # after a version byte and a checksum
    for candidate in (unicode_name, raw):
        if candidate:
            try:
                return candidate.decode("utf-8"), False
            except UnicodeDecodeError:
                continue
    return raw.decode("cp437"), True
