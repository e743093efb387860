"""Text between the writer and the end of the book, when its marks can be resolved: as UTF-8.

All documents of a book wait there at once. As a `str` each, their blocks would take up to four bytes a character and 74
more apiece.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NewType

from markitect_filter.markdown.marks import MARK, MARK_END, OPTIONAL, OPTIONAL_END
from markitect_filter.markdown.writer import Written

MarkedUtf8 = NewType("MarkedUtf8", bytes)
"""Markdown in UTF-8 in which numbered marks are still to be resolved, its blocks parted by `BORDER`."""

BORDER = b"\x1c"  # like the marks, a character that no XML document may hold
BLANK_LINE = b"\n\n"
_ANCHORS = re.compile(f"(?:{OPTIONAL}[^{OPTIONAL_END}]*{OPTIONAL_END})*")
_MARK, _MARK_END = MARK.encode(), MARK_END.encode()
_RUN = 1 << 16  # bytes, at least
_FIRST_BYTES = bytes([*range(0x80), *range(0xC0, 0x100)])  # of characters in UTF-8; the others follow one


def pack(text: str) -> MarkedUtf8:
    """`text` as it waits."""
    return MarkedUtf8(text.encode())


def numbers_in(text: MarkedUtf8, *kinds: str) -> list[list[int]]:
    """The numbers of the marks of each of these kinds, as they follow each other in a text."""
    pieces = text.split(_MARK)  # several times as fast as a regular expression: most of a text is no mark
    del pieces[0]
    codes = [ord(kind) for kind in kinds]
    return [[int(piece[1 : piece.index(_MARK_END)]) for piece in pieces if piece[0] == code] for code in codes]


def runs(text: MarkedUtf8) -> Iterator[bytes]:
    """The blocks of a text, many of them at a time, with blank lines between them."""
    start = 0
    while (end := text.find(BORDER, start + _RUN)) >= 0:
        yield text[start:end].replace(BORDER, BLANK_LINE)
        start = end + 1
    yield text[start:].replace(BORDER, BLANK_LINE)


def characters(text: bytes) -> int:
    """How many characters are in UTF-8 bytes; several times as fast as decoding them."""
    return len(text) if text.isascii() else len(text) - len(text.translate(None, _FIRST_BYTES))


def beginning(text: bytes, most: int) -> str:
    """At most so many characters from the beginning of UTF-8 bytes."""
    return text[: 4 * most].decode(errors="ignore")[:most]


def is_bare(block: str) -> bool:
    """Does a block hold nothing but anchors, which go unless text comes to stand at them?"""
    return _ANCHORS.fullmatch(block) is not None


class PackedDocument:
    """What the writer made of one document, its blocks and notes packed. One whose blocks are all bare has none."""

    __slots__ = ("cuts", "headings", "joined", "kinds", "notes", "size")

    def __init__(self, written: Written) -> None:
        self.kinds = written.kinds  # of the blocks
        self.cuts = written.cuts
        self.headings = written.headings
        self.notes: dict[Hashable, MarkedUtf8] = {key: pack(text) for key, text in written.notes.items()}
        if all(map(is_bare, written.blocks)):
            self.clear()
        else:
            self.put(map(str.encode, written.blocks))
        borders = max(0, len(self.kinds) - 1)
        self.size = len(self.joined) - borders + sum(map(len, self.notes.values()))
        """Bytes of all blocks and notes."""

    def put(self, blocks: Iterable[bytes]) -> None:
        """Replace the blocks. Whoever adds some adds their `kinds`."""
        self.joined = MarkedUtf8(BORDER.join(blocks))

    def blocks(self) -> list[bytes]:
        """The blocks, as many as there are `kinds`, with their marks."""
        return self.joined.split(BORDER) if self.kinds else []

    def parts(self, bounds: Sequence[int]) -> list[MarkedUtf8]:
        """The text cut before these blocks; the first bound is 0, the last the number of blocks."""
        if len(bounds) == 2:
            return [self.joined]
        blocks = self.blocks()
        return [MarkedUtf8(BORDER.join(blocks[start:end])) for start, end in pairwise(bounds)]

    def clear(self) -> None:
        """Let all text go."""
        self.joined = MarkedUtf8(b"")
        self.kinds = []
        self.cuts = []
        self.headings = []
