"""Handlers of definition lists: terms are items, their definitions a list inside of the item."""

from __future__ import annotations

from lxml import etree

from .blocks import open_list
from .layout import ListFrame, ListItem
from .writer import MAX_NESTING, End, Writer


class _Terms(ListFrame):
    """The list of a dl. Its items stay open for the definitions that follow."""

    __slots__ = ()


class _Term(ListItem):
    __slots__ = ()


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
    """dd. Without a term before it, it stands in an item of its own."""
    frame = _terms(writer)
    if frame is None:
        return None
    if writer.frame is frame:
        _open_term(writer, frame)
    if not isinstance(writer.frame, _Definitions):
        writer.push(_Definitions(False))
    inner = writer.frame
    assert isinstance(inner, _Definitions)
    description = ListItem()
    inner.items.append(description)
    writer.push(description)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.boundary()
        writer.close_to(inner)

    return end
