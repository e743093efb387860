"""Blocks inside of blocks: frames collect the finished blocks of a container, and write the container when it closes.

A block is a string without its container's prefix; only a closing container adds prefixes, so no handler ever
counts newlines. Frames never read the tree.
"""

from __future__ import annotations

import re

# Kinds of blocks, as far as neighbours have to know.
PARAGRAPH = "p"  # text of a container itself
EXPLICIT = "P"  # a paragraph element: makes a list loose
HEADING = "h"
QUOTE = ">"
FENCE = "`"
TABLE = "|"
RULE = "*"
FORMULA = "$"
BULLETS = ("-", "+")  # a list next to a list of the same kind takes the other marker
ORDERED = (".", ")")

_INTERRUPTS = frozenset({"-", "+", ".", ")", QUOTE, FENCE, HEADING, RULE})  # may follow a paragraph's line
_CLOSED = frozenset({HEADING, FENCE, RULE})  # any line may follow
_LINE = re.compile("\n(?=[^\n])")
_EMPTY_QUOTE = re.compile("^> $", re.M)
_MAX_NUMBER = 999_999_999  # nine digits, CommonMark 5.2


class Frame:
    """A container that is open: `blocks` with the `kinds` of each."""

    __slots__ = ("blocks", "kinds")

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.kinds: list[str] = []

    def add(self, kind: str, text: str) -> None:
        """Take a finished block in."""
        self.kinds.append(kind)
        self.blocks.append(text)

    def close(self, parent: Frame) -> None:
        """Hand the container on to `parent`, as one block or as its blocks."""
        for kind, text in zip(self.kinds, self.blocks, strict=True):
            parent.add(kind, text)


class Quote(Frame):
    """A block quote."""

    __slots__ = ()

    def close(self, parent: Frame) -> None:
        if self.blocks:
            parent.add(QUOTE, quoted("\n\n".join(self.blocks)))


class ListItem(Frame):
    """One item; its list writes it."""

    __slots__ = ("number",)

    def __init__(self, number: int | None = None) -> None:
        super().__init__()
        self.number = number

    def close(self, parent: Frame) -> None:
        pass


class ListFrame(Frame):
    """A list. What is put into the list itself, outside of any item, belongs to the item before it."""

    __slots__ = ("items", "ordered", "start")

    def __init__(self, ordered: bool, start: int = 1) -> None:
        super().__init__()
        self.ordered = ordered
        self.start = start
        self.items: list[ListItem] = []

    def add(self, kind: str, text: str) -> None:
        if not self.items:
            self.items.append(ListItem())
        self.items[-1].add(kind, text)

    def close(self, parent: Frame) -> None:
        """Write the list, or several where its numbers do not simply count up. Items that hold nothing are left out,
        unless later numbers count them."""
        items = [item for item in self.items if item.blocks]
        if self.ordered and items:
            items = self.items
        loose = not all(_tight(item) for item in items)
        group: list[ListItem] = []
        first = expected = self.start
        for item in items:
            if self.ordered and item.number is not None and item.number != expected:
                if group:
                    self._write(group, first, loose, parent)
                    group = []
                first = expected = item.number
            group.append(item)
            expected += 1
        if group:
            self._write(group, first, loose, parent)

    def _write(self, items: list[ListItem], first: int, loose: bool, parent: Frame) -> None:
        markers = ORDERED if self.ordered else BULLETS
        last = parent.kinds[-1][0] if parent.kinds else ""
        char = markers[1] if last == markers[0] else markers[0]
        first = first if 0 <= first <= _MAX_NUMBER - len(items) else 1
        lines = []
        for n, item in enumerate(items):
            marker = f"{first + n}{char}" if self.ordered else char
            content = ("\n\n" if loose else "\n").join(item.blocks)
            lines.append(f"{marker} {indented(content, len(marker) + 1)}" if content else marker)
        # a list that starts with another number than 1, or with nothing, can't interrupt a paragraph (CommonMark 5.2):
        # such a kind is not in the table
        kind = char if not self.ordered or (first == 1 and items[0].blocks) else f"{char}{first}"
        parent.add(kind, ("\n\n" if loose else "\n").join(lines))


def _tight(item: ListItem) -> bool:
    """Can the blocks of `item` follow each other without a blank line, and do they want to?"""
    previous = ""
    for kind in item.kinds:
        if kind == EXPLICIT:
            return False
        touching = previous in _CLOSED or (previous != TABLE and kind in _INTERRUPTS and kind != previous)
        if previous and not touching:
            return False
        previous = kind
    return True


def indented(text: str, width: int) -> str:
    """`text` with `width` blanks before every line but the first; empty lines stay empty."""
    return _LINE.sub("\n" + " " * width, text) if "\n" in text else text


def quoted(text: str) -> str:
    """`text` with a quote marker before every line."""
    marked = "> " + text.replace("\n", "\n> ")
    return _EMPTY_QUOTE.sub(">", marked) if "\n> \n" in marked else marked
