"""ZIP archives by their directories: how much would come out, judged before anything is unpacked.

The directory stands at the end of an archive and lists its members with their sizes (APPNOTE 6.3.10, sections 4.3.12
to 4.3.16). What it declares may be a lie, so whoever unpacks has to count as well; a bomb that says so ends here.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from markitect_tool.named_tuple import NamedTuple

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_MEMBER = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 0xFFFF
_UNKNOWN = 0xFFFFFFFF  # the size stands in the ZIP64 extra field
_ENCRYPTED = 0x1
_STORED, _DEFLATED = 0, 8
_SUFFIXES = (b".zip", b".epub", b".jar", b".docx", b".xlsx", b".pptx", b".odt", b".cbz", b".apk", b".war", b".kmz")

MAX_NESTED_BYTES = 32 * 1024 * 1024  # of archives in archives, unpacked to look at their directories
_DEEPEST = 8


class Member(NamedTuple):
    """A file in an archive, as its directory declares it."""

    name: bytes
    packed: int  # bytes
    size: int  # bytes, unpacked
    method: int
    encrypted: bool
    offset: int


@dataclass(slots=True)
class Declared:
    """What archives declare, added up: an archive's own members, and those of archives in it."""

    members: int = 0
    size: int = 0  # bytes, unpacked
    largest_ratio: float = 0.0  # of one archive
    depth: int = 0  # archives in archives
    unseen: bool = False  # archives are nested in it deeper, or hold more, than was looked at


def declared(content: bytes, most_members: int, most_bytes: int) -> Declared | None:
    """What `content` declares; None when it is no archive, or its directory cannot be read.

    Adding up ends as soon as `most_members` or `most_bytes` is exceeded. Nested archives are unpacked in memory, at
    most `MAX_NESTED_BYTES` in all, and nothing else is.
    """
    found = Declared()
    waiting = [(content, 0)]
    allowance = MAX_NESTED_BYTES
    while waiting:
        archive, depth = waiting.pop()  # the last first: down before sideways
        found.depth = max(found.depth, depth)
        size = 0
        nested = []
        start = _directory(archive)
        if start is None:
            if archive is content:
                return None
            continue
        for member in _members(archive, *start):
            found.members += 1
            size += member.size
            found.size += member.size
            if found.members > most_members or found.size > most_bytes:
                break
            if member.name.lower().endswith(_SUFFIXES) and not member.encrypted:
                nested.append(member)
        found.largest_ratio = max(found.largest_ratio, size / max(len(archive), 1))
        if found.members > most_members or found.size > most_bytes:
            break
        for member in nested:
            if depth == _DEEPEST or (depth and member.size > allowance):
                found.unseen = True
                continue
            inner = _unpacked(archive, member, allowance)
            if inner is not None:
                allowance -= len(inner)
                waiting.append((inner, depth + 1))
    return found


def _directory(archive: bytes) -> tuple[int, int] | None:
    """Where the directory begins, and where it ends at the latest; None when there is no end record."""
    end = archive.rfind(b"PK\x05\x06", max(len(archive) - _LONGEST_COMMENT - _END.size, 0))
    if end < 0 or end + _END.size > len(archive):
        return None
    *_, length, offset, _comment = _END.unpack_from(archive, end)
    locator = end - _LOCATOR64.size
    last = end
    if locator >= 0 and archive.startswith(b"PK\x06\x07", locator):
        _, _, end64, _ = _LOCATOR64.unpack_from(archive, locator)
        if end64 + _END64.size <= len(archive) and archive.startswith(b"PK\x06\x06", end64):
            *_, length, offset = _END64.unpack_from(archive, end64)
            last = end64
    # Bytes in front of the archive shift it: what the end record states is then too small.
    start = last - length
    if start < 0 or not archive.startswith((b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06"), start):
        start = offset
    return (start, last) if start <= last else None


def _members(archive: bytes, start: int, end: int) -> Iterator[Member]:
    position = start
    while position + _MEMBER.size <= end:
        fields = _MEMBER.unpack_from(archive, position)
        if fields[0] != b"PK\x01\x02":
            return
        flags, method = fields[3], fields[4]
        packed, size = fields[8], fields[9]
        name_length, extra_length, comment_length = fields[10:13]
        offset = fields[16]
        name_end = position + _MEMBER.size + name_length
        extra = archive[name_end : name_end + extra_length]
        packed, size, offset = _wide(extra, packed, size, offset)
        yield Member(
            archive[position + _MEMBER.size : name_end], packed, size, method, bool(flags & _ENCRYPTED), offset
        )
        position = name_end + extra_length + comment_length


def _wide(extra: bytes, packed: int, size: int, offset: int) -> tuple[int, int, int]:
    """The sizes and the offset with those that stand in the ZIP64 extra field (APPNOTE 4.5.3)."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        if kind == 1:
            values = [value for (value,) in struct.iter_unpack("<Q", extra[position + 4 :][: length // 8 * 8])]
            if size == _UNKNOWN and values:
                size = values.pop(0)
            if packed == _UNKNOWN and values:
                packed = values.pop(0)
            if offset == _UNKNOWN and values:
                offset = values.pop(0)
            break
        position += 4 + length
    return packed, size, offset


def _unpacked(archive: bytes, member: Member, most: int) -> bytes | None:
    """A nested archive; None when it is longer than `most` bytes, or cannot be unpacked."""
    if member.size > most or not archive.startswith(b"PK\x03\x04", member.offset):
        return None
    try:
        *_, name_length, extra_length = _LOCAL.unpack_from(archive, member.offset)
    except struct.error:
        return None
    start = member.offset + _LOCAL.size + name_length + extra_length
    packed = archive[start : start + member.packed]
    if member.method == _STORED:
        return packed if len(packed) <= most else None
    if member.method != _DEFLATED:
        return None
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        data = unpacking.decompress(packed, most + 1)
    except zlib.error:
        return None
    return data if len(data) <= most else None
