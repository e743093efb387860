"""Handlers of definition lists: terms are items, their definitions a list inside of the item.

What has no term before it needs no list of its own: such definitions are items like the terms, and a dl that is all
that a definition holds is in its place.
"""

from __future__ import annotations

from lxml import etree

from .blocks import open_list
from .layout import Frame, ListFrame, ListItem
from .writer import MAX_NESTING, End, Writer


class _Terms(ListFrame):
    """The list of a dl. Its items stay open for the definitions that follow."""

    __slots__ = ()

    def close(self, parent: Frame) -> None:
        if isinstance(parent, _Definition) and not parent.blocks and parent.instead is None:
            parent.instead = self
        else:
            super().close(parent)


class _Term(ListItem):
    __slots__ = ()


class _Definition(ListItem):
    """A definition. `instead` is the list of a dl that came first in it."""

    __slots__ = ("instead",)

    def __init__(self) -> None:
        super().__init__()
        self.instead: _Terms | None = None

    def add(self, kind: str, text: str) -> None:
        instead, self.instead = self.instead, None
        if instead is not None:
            ListFrame.close(instead, self)
        super().add(kind, text)

    def close(self, parent: Frame) -> None:
        if self.instead is not None and isinstance(parent, ListFrame):
            parent.items[-1:] = self.instead.items


class _Definitions(ListFrame):
    """The list inside of a term, open until the next term."""

    __slots__ = ()


def definitions(writer: Writer, element: etree._Element) -> End | None:
    """dl"""
    if writer.soft:
        return None
    if writer.level + 4 > MAX_NESTING:
        writer.note_flattened("list nesting")
        return None
    return open_list(writer, _Terms(False), 4)


def _terms(writer: Writer) -> _Terms | None:
    """The list that terms and definitions belong to here, with whatever is open of the term before."""
    frames = writer.frames
    place = len(frames) - 1
    if isinstance(frames[place], _Definitions):
        place -= 1
    if isinstance(frames[place], _Term):
        place -= 1
    frame = frames[place]
    return frame if isinstance(frame, _Terms) and not writer.soft else None


def term(writer: Writer, element: etree._Element) -> End | None:
    """dt"""
    frame = _terms(writer)
    if frame is not None:
        writer.close_to(frame)
        _open_term(writer, frame)
    return None


def _open_term(writer: Writer, frame: _Terms) -> None:
    entry = _Term()
    frame.items.append(entry)
    writer.push(entry)


def definition(writer: Writer, element: etree._Element) -> End | None:
    """dd"""
    frame = _terms(writer)
    if frame is None:
        return None
    if isinstance(writer.frame, _Term) and not writer.frame.blocks:
        writer.close_to(frame)  # a term without words
    if isinstance(writer.frame, _Term):
        writer.push(_Definitions(False))
    inner = writer.frame
    assert isinstance(inner, ListFrame)
    description = _Definition()
    inner.items.append(description)
    writer.push(description)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.flush()
        writer.close_to(inner)

    return end
