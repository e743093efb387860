"""Archives that break the rules of ZIP: the directory and the headers of a sound one, changed byte by byte."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterable, Iterator

CENTRAL, LOCAL, END = b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"
_MIB = 1024 * 1024

# where the fields of a directory entry are: offset and struct format
FLAGS, METHOD, CRC, PACKED, SIZE, HEADER = (8, "<H"), (10, "<H"), (16, "<L"), (20, "<L"), (24, "<L"), (42, "<L")


def entry_offsets(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The directory entries of a sound archive: where each starts, and its name."""
    count, _, at = struct.unpack_from("<HLL", data, data.rindex(END) + 10)
    for _ in range(count):
        name, extra, comment = struct.unpack_from("<3H", data, at + 28)
        yield at, data[at + 46 : at + 46 + name]
        at += 46 + name + extra + comment


def patched(data: bytes, name: str, field: tuple[int, str], value: int) -> bytes:
    """The archive with `value` in one field of the directory entry of `name`."""
    offset, layout = field
    at = next(at for at, found in entry_offsets(data) if found == name.encode()) + offset
    return data[:at] + struct.pack(layout, value) + data[at + struct.calcsize(layout) :]


def field_of(data: bytes, name: str, field: tuple[int, str]) -> int:
    """The value of one field of the directory entry of `name`."""
    at = next(at for at, found in entry_offsets(data) if found == name.encode())
    value: int = struct.unpack_from(field[1], data, at + field[0])[0]
    return value


def renamed(data: bytes, name: bytes, other: bytes) -> bytes:
    """The archive with a member renamed everywhere, to a name of the same length in any bytes."""
    if len(name) != len(other):
        raise ValueError("the names differ in length")
    return data.replace(name, other)


def with_zeros(data: bytes, name: str, size: int) -> bytes:
    """The archive with one more member: `size` zero bytes, deflated."""
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as archive:
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(entry, "w", force_zip64=True) as member:
            for _ in range(size // _MIB):
                member.write(bytes(_MIB))
    return file.getvalue()


class _Unseekable(io.BytesIO):
    """A stream: an archive written to it has data descriptors after its members."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise io.UnsupportedOperation


def streamed(members: Iterable[tuple[str, str | bytes]]) -> bytes:
    """An archive with ZIP64 headers and data descriptors, as programs write that cannot seek."""
    file = _Unseekable()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            with archive.open(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "w", force_zip64=True) as member:
                member.write(content.encode() if isinstance(content, str) else content)
    return file.getvalue()
