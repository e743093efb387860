"""Handlers of tables."""

from __future__ import annotations

from lxml import etree

from markitect_filter.patterns import compiled

from .marks import MARK
from .table import MAX_COLSPAN, Cell, TableFrame
from .tree import integer
from .writer import End, Handler, Writer

_ALIGN = r"(?i)text-align\s*:\s*(left|right|center)"


def table(writer: Writer, element: etree._Element) -> End | None:
    """table. Inside of a cell or heading its cells are lines."""
    if writer.soft:
        writer.note_flattened("table in a cell")
        return None
    frame = TableFrame(writer.spare_cells)
    before, writer.carry = writer.carry, ""
    writer.push(frame)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.boundary()
        writer.close_to(frame)
        parent = writer.frames[-2]
        after, writer.carry = writer.carry, before
        place = len(parent.blocks)
        anchors = writer.anchors()
        writer.close_to(parent)
        if len(parent.blocks) > place:
            parent.blocks[place] = f"{anchors}{parent.blocks[place]}"
        else:
            after = f"{before}{after}"
        writer.carry = after
        writer.spare_cells = frame.spare
        for what in sorted(frame.flattened):
            writer.note_flattened(f"table {what}")

    return end


def head(writer: Writer, element: etree._Element) -> End | None:
    """thead"""
    frame = writer.frame
    if writer.soft or not isinstance(frame, TableFrame):
        return None
    frame.in_head = True

    def end(writer: Writer, element: etree._Element) -> None:
        frame.in_head = False

    return end


def row(writer: Writer, element: etree._Element) -> End | None:
    """tr"""
    if isinstance(writer.frame, TableFrame) and not writer.soft:
        writer.frame.start_row()
    return None


def cell(header: bool) -> Handler:
    """td, th: one line of inline content, `<br>` between what were blocks."""

    def handler(writer: Writer, element: etree._Element) -> End | None:
        frame = writer.frame
        if writer.soft or not isinstance(frame, TableFrame):
            return None
        writer.soft += 1

        def end(writer: Writer, element: etree._Element) -> None:
            writer.soft -= 1
            source = writer.take()
            text = writer.spell(source, "cell") if source is not None else ""
            if writer.carry:
                text, writer.carry = f"{writer.carry}{text}", ""
            columns, rows = integer(element.get("colspan")), integer(element.get("rowspan"))
            if MARK not in text and "<br>" in text:
                frame.flattened.add("lines in a cell")
            frame.add_cell(
                Cell(
                    text,
                    header,
                    min(columns, MAX_COLSPAN) if columns is not None and columns > 0 else 1,
                    rows if rows is not None and rows >= 0 else 1,
                    _alignment(element),
                )
            )

        return end

    return handler


def _alignment(element: etree._Element) -> str:
    align = element.get("align")
    if not align and (style := element.get("style")) and (match := compiled(_ALIGN).search(style)) is not None:
        align = match[1]
    return align.lower() if align else ""
