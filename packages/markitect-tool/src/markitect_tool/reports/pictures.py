"""Pictures of a source as `data:` URLs: known formats only, and no more of them than a page can carry."""

from __future__ import annotations

import re
import struct
from base64 import b64encode
from collections.abc import Callable

MAX_PICTURE = 2 * 1024 * 1024  # bytes
MAX_PICTURES = 12 * 1024 * 1024  # bytes of all of them, each counted as often as it is shown
MAX_PIXELS = 50_000_000  # what a small file may unfold to

_SVG = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<svg[\s>]", re.DOTALL)
# What makes a small drawing a large work; none of it can run or load anything from inside an `img`.
_HEAVY = re.compile(
    rb"<!(?:DOCTYPE|ENTITY)"
    rb"|<(?:\w+:)?(?:use|filter|pattern|mask|marker|foreignObject|animate\w*|set|image|script|style)\b",
    re.IGNORECASE,
)


class Pictures:
    """Gives the pictures of one page, by their destinations in the Markdown."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        """`read` gives the bytes to which a destination leads, None when there are none."""
        self._read = read
        self._known: dict[str, str | None] = {}
        self._left = MAX_PICTURES
        self.omitted = 0  # how often a picture was too large, or of a format that is not shown

    def __call__(self, destination: str) -> str | None:
        if destination not in self._known:
            self._known[destination] = self._url(destination)
        url = self._known[destination]
        if url is None or len(url) > self._left:
            self.omitted += 1
            return None
        self._left -= len(url)
        return url

    def _url(self, destination: str) -> str | None:
        data = self._read(destination)
        if data is None or len(data) > MAX_PICTURE:
            return None
        media_type = shown_type(data)
        return f"data:{media_type};base64,{b64encode(data).decode()}" if media_type else None


def shown_type(data: bytes) -> str | None:
    """The media type of a picture by its bytes; None for what is no picture, or one that costs too much to show."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return "image/png" if _fits(*struct.unpack(">II", data[16:24])) else None
    if data.startswith((b"GIF87a", b"GIF89a")) and len(data) >= 10:
        return "image/gif" if _fits(*struct.unpack("<HH", data[6:10])) else None
    if data.startswith(b"\xff\xd8\xff"):
        size = _jpeg_size(data)
        return "image/jpeg" if size is not None and _fits(*size) else None
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp" if _fits(*_webp_size(data)) else None
    if _SVG.match(data) and not _HEAVY.search(data):
        return "image/svg+xml"
    return None


def _fits(width: int, height: int) -> bool:
    return 0 < width * height <= MAX_PIXELS


def _webp_size(data: bytes) -> tuple[int, int]:
    """Width and height of the extended form; the most that is possible of the others, which have 14 bits for each."""
    if data[12:16] != b"VP8X":
        return 1 << 14, 1
    return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height from the frame header (ITU-T T.81, B.2.2)."""
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xFF:  # fill
            position += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return width, height
        else:
            position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return None
