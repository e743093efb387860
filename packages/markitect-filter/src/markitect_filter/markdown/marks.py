"""The private characters with which inline content travels until it becomes Markdown.

XML 1.0 (section 2.2) forbids most control characters in a document, so they are free to stand for what is not
text: the walker puts them between pieces of text, and one pass over the joined string turns them into Markdown.
Those with a number name an entry of `Late`: what can only be written when the whole book has been read (is this
anchor ever pointed at? where did that note end up?) stays in the text as such a mark until `finish` resolves it.

None of them counts as white space for `str.split` or `str.isspace`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

from markitect_tool.named_tuple import NamedTuple

EM, EM_END = "\x01", "\x02"
STRONG, STRONG_END = "\x03", "\x04"
STRIKE, STRIKE_END = "\x05", "\x06"
CODE, CODE_END = "\x0e", "\x0f"
BREAK = "\x07"  # a line break of the source (br)
SOFT_BREAK = "\x08"  # a block border where only one line is possible: a heading, a table cell
MARK, MARK_END = "\x10", "\x11"  # MARK kind number MARK_END
OPTIONAL, OPTIONAL_END = "\x12", "\x13"  # around anchors in a paragraph of their own: goes when they all go

# Kinds of numbered marks. Zero-width ones first: they may end up as nothing at all.
ANCHOR, PAGE = "A", "P"
LINK, LINK_END = "L", "M"  # a link inside the document: may turn out to lead nowhere
NOTE = "N"  # a reference to a note
ATOM = "@"  # finished Markdown, one unit: an image, a formula
URL, URL_END = "U", "V"  # a link whose destination is known
TAG, TAG_END = "T", "t"  # one of the few HTML elements that the dialect keeps
DISPLAY = "D"  # a display formula

NUMBERED = re.compile("\x10(.)([0-9]+)\x11")
TOKENS = re.compile("(\x10[^\x11]*\x11|[\x01-\x08\x0e\x0f])")
ZERO_WIDTH = re.compile("(?:\x10[AP][0-9]+\x11)+")


def is_mark(piece: str) -> bool:
    """Is a piece of a paragraph a mark, and not text?"""
    return piece[0] < " " and piece[0] not in "\n\t\r"


def mark(kind: str, number: int) -> str:
    """The text of a numbered mark."""
    return f"\x10{kind}{number}\x11"


class LinkTarget(NamedTuple):
    """Where a link goes: `url` when it's known already, else `key` (whatever the caller uses to name the place)."""

    url: str | None = None
    key: Hashable = None
    title: str | None = None


class NoteReference(NamedTuple):
    """A reference to the note `key`; `label` is the text that it shows, `superscript` how."""

    key: Hashable
    label: str
    superscript: bool = False


class Late:
    """What the numbered marks stand for. One table serves all documents of a book, so numbers never clash."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: list[object] = []

    def add(self, kind: str, entry: object) -> str:
        """Enter `entry` and return the mark that stands for it."""
        self.entries.append(entry)
        return f"\x10{kind}{len(self.entries) - 1}\x11"

    def enter(self, entries: list[tuple[str, str]]) -> int:
        """Enter all of `entries` and return the number of the first; the others count up from there."""
        first = len(self.entries)
        self.entries += entries
        return first

    def __getitem__(self, number: int) -> object:
        return self.entries[number]
