"""Handlers of flow content: paragraphs, headings, lists, quotes, rules."""

from __future__ import annotations

import re

from lxml import etree

from . import verse
from .items import collapse
from .layout import EXPLICIT, HEADING, RULE, ListFrame, ListItem, Quote
from .marks import BREAK, SOFT_BREAK, TOKENS
from .tree import integer
from .writer import MAX_NESTING, End, Handler, Heading, Writer


def paragraph(writer: Writer, element: etree._Element) -> End | None:
    """p"""
    if writer.soft or writer.verse:
        return None
    if len(element) > 1 and (end := verse.group(writer, element)) is not None:
        return end
    return _end_paragraph


def _end_paragraph(writer: Writer, element: etree._Element) -> None:
    writer.flush(EXPLICIT)


def heading(level: int) -> Handler:
    """h1 to h6, an ATX heading: one line, whatever is inside."""

    def handler(writer: Writer, element: etree._Element) -> End | None:
        if writer.soft:
            return None
        writer.soft += 1
        return end

    def end(writer: Writer, element: etree._Element) -> None:
        writer.soft -= 1
        source = writer.take()
        if source is None:
            return
        text = writer.spell(source, "heading")
        if text:
            if not writer.in_note:
                plain = collapse(TOKENS.sub(_plain, source)).strip()
                writer.headings.append(Heading(len(writer.top.blocks), level, plain))
            writer.frame.add(HEADING, f"{'#' * level} {text}")

    return handler


def _plain(match: re.Match[str]) -> str:
    return " " if match[0] in (BREAK, SOFT_BREAK) else ""


def quote(writer: Writer, element: etree._Element) -> End | None:
    """blockquote"""
    if writer.soft:
        return None
    if writer.level >= MAX_NESTING:
        writer.note_flattened("quote nesting")
        return None
    writer.level += 1
    frame = Quote()
    writer.push(frame)
    end_verse = verse.group(writer, element)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.flush()
        if end_verse is not None:
            end_verse(writer, element)
        writer.close_to(frame)
        writer.close_to(writer.frames[-2])
        writer.level -= 1

    return end


def listing(ordered: bool) -> Handler:
    """ul, ol, menu, dl"""

    def handler(writer: Writer, element: etree._Element) -> End | None:
        start = _start(element) if ordered else 1
        if writer.soft:
            writer.note_flattened("list in a cell")
            writer.counters.append(start if ordered else None)
            return _end_line_list
        if writer.level + 2 > MAX_NESTING:
            writer.note_flattened("list nesting")
            return None
        return open_list(writer, ListFrame(ordered, start), 2)

    return handler


def _start(element: etree._Element) -> int:
    given = integer(element.get("start"))
    if given is None:
        return 1 if element.get("reversed") is None else sum(1 for _ in element.iterchildren("{*}li"))
    return given


def _end_line_list(writer: Writer, element: etree._Element) -> None:
    writer.counters.pop()


def open_list(writer: Writer, frame: ListFrame, levels: int) -> End:
    writer.level += levels
    writer.push(frame)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.boundary()
        writer.close_to(frame)
        writer.close_to(writer.frames[-2])
        writer.level -= levels

    return end


def item(writer: Writer, element: etree._Element) -> End | None:
    """li. Where there can't be a list, a dash or its number stands before it."""
    frame = writer.frame
    if writer.soft or not isinstance(frame, ListFrame):
        return _item_in_line(writer, element) if writer.counters else None
    number = None
    if frame.ordered:
        number = integer(element.get("value"))
        if number is None and frame.items and frame.items[-1].number is not None:
            parent = element.getparent()
            step = -1 if parent is not None and parent.get("reversed") is not None else 1
            number = frame.items[-1].number + step
        elif number is None:
            number = frame.start
    entry = ListItem(number)
    frame.items.append(entry)
    writer.push(entry)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.boundary()
        writer.close_to(frame)

    return end


def _item_in_line(writer: Writer, element: etree._Element) -> End | None:
    number = writer.counters[-1]
    if number is None:
        writer.emit_text("- ")
    else:
        given = integer(element.get("value"))
        number = number if given is None else given
        parent = element.getparent()
        writer.counters[-1] = number + (-1 if parent is not None and parent.get("reversed") is not None else 1)
        writer.emit_text(f"{number}. ")
    return None


def rule(writer: Writer, element: etree._Element) -> End | None:
    """hr"""
    if not writer.soft:
        writer.add_block(RULE, "***")
    return None
