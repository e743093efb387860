"""Handlers of flow content: paragraphs, headings, lists, quotes, code blocks, tables."""

from __future__ import annotations

import re

from lxml import etree

from .inline import collapse
from .layout import EXPLICIT, FENCE, HEADING, RULE, ListFrame, ListItem, Quote
from .ledger import nonblank
from .marks import CODE, CODE_END, MARK, SOFT_BREAK, TOKENS
from .table import Cell, TableFrame
from .tree import local_name
from .writer import MAX_NESTING, End, Handler, Heading, Writer, done

_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|sourceCode\s+|brush:\s*)([A-Za-z0-9_+#.-]+)")
_ALIGN = re.compile(r"text-align\s*:\s*(left|right|center)", re.I)
_TICKS = re.compile("`{3,}")


def paragraph(writer: Writer, element: etree._Element) -> End | None:
    """p"""
    return None if writer.soft else _end_paragraph


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
            plain = collapse(TOKENS.sub(_plain, source)).strip()
            writer.headings.append(Heading(len(writer.top.blocks), level, plain))
            writer.frame.add(HEADING, f"{'#' * level} {text}")

    return handler


def _plain(match: re.Match[str]) -> str:
    return " " if match[0] in "\x07\x08" else ""


# -- quotes and lists


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

    def end(writer: Writer, element: etree._Element) -> None:
        writer.boundary()
        writer.close_to(frame)
        writer.close_to(writer.frames[-2])
        writer.level -= 1

    return end


def _number(value: str | None) -> int | None:
    """An integer attribute as HTML reads it (2.3.4.1), None if there is none."""
    match = re.match(r"\s*([+-]?[0-9]{1,12})", value or "")
    return int(match[1]) if match else None


def listing(ordered: bool) -> Handler:
    """ul, ol, menu, dl"""

    def handler(writer: Writer, element: etree._Element) -> End | None:
        if writer.soft:
            return None
        if writer.level + 2 > MAX_NESTING:
            writer.note_flattened("list nesting")
            return None
        start = 1
        if ordered:
            given = _number(element.get("start"))
            if element.get("reversed") is not None:
                start = given if given is not None else sum(1 for _ in element.iterchildren("{*}li"))
            elif given is not None:
                start = given
        return _open_list(writer, ListFrame(ordered, start), 2)

    return handler


def _open_list(writer: Writer, frame: ListFrame, levels: int) -> End:
    writer.level += levels
    writer.push(frame)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.boundary()
        writer.close_to(frame)
        writer.close_to(writer.frames[-2])
        writer.level -= levels

    return end


def item(writer: Writer, element: etree._Element) -> End | None:
    """li. In a table cell or heading a dash or its number stands before it."""
    if writer.soft:
        return _item_in_line(writer, element)
    frame = writer.frame
    if not isinstance(frame, ListFrame):
        return None
    number = None
    if frame.ordered:
        number = _number(element.get("value"))
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
    parent = element.getparent()
    if parent is not None and local_name(parent) == "ol":
        before = sum(1 for _ in element.itersiblings("{*}li", preceding=True))
        start = _number(parent.get("start"))
        writer.emit_text(f"{(1 if start is None else start) + before}. ")
    else:
        writer.emit_text("- ")
    writer.note_flattened("list in a cell")
    return None


def term(writer: Writer, element: etree._Element) -> End | None:
    """dt: an item of the list, open for the definitions that follow."""
    frame = _definition_list(writer)
    if frame is None:
        return None
    writer.close_to(frame)
    entry = ListItem()
    frame.items.append(entry)
    writer.push(entry)
    return None


def definition(writer: Writer, element: etree._Element) -> End | None:
    """dd: an item of a list inside of its term's item."""
    frame = _definition_list(writer)
    if frame is None:
        return None
    if not frame.items:
        frame.items.append(ListItem())
    entry = frame.items[-1]
    here = writer.frames.index(frame)
    if len(writer.frames) == here + 1:
        writer.push(entry)
    inner: ListFrame | None = None
    if len(writer.frames) > here + 2 and isinstance(writer.frames[here + 2], ListFrame):
        inner = writer.frames[here + 2]  # type: ignore[assignment]
        writer.close_to(inner)  # type: ignore[arg-type]
    else:
        writer.close_to(entry)
        inner = ListFrame(False)
        writer.push(inner)
    assert inner is not None
    description = ListItem()
    inner.items.append(description)
    writer.push(description)

    def end(writer: Writer, element: etree._Element) -> None:
        writer.boundary()
        writer.close_to(inner)

    return end


def _definition_list(writer: Writer) -> ListFrame | None:
    """The list that the nearest dl opened, if terms may stand here."""
    if writer.soft:
        return None
    for frame in reversed(writer.frames[-4:]):
        if isinstance(frame, DefinitionList):
            return frame
        if not isinstance(frame, (ListFrame, ListItem)):
            return None
    return None


class DefinitionList(ListFrame):
    """The frame of a dl: told apart from other lists since its items close late."""

    __slots__ = ()


def definitions(writer: Writer, element: etree._Element) -> End | None:
    """dl: terms are items, definitions a list inside of them."""
    if writer.soft:
        return None
    if writer.level + 4 > MAX_NESTING:
        writer.note_flattened("list nesting")
        return None
    return _open_list(writer, DefinitionList(False), 4)


# -- code, rules


def preformatted(writer: Writer, element: etree._Element) -> End:
    """pre: a fence around its text, untouched. In a cell its lines are code spans."""
    text, inner = _preformatted_text(writer, element)
    if writer.soft:
        for line in text.split("\n"):
            if line.strip():
                writer.pieces += [SOFT_BREAK, CODE, line, CODE_END]
        writer.note_flattened("code in a cell")
        return done
    writer.pieces += inner
    writer.flush()
    writer.ledger.emitted += nonblank(text)
    if not text.strip():
        return done
    language = _language(element)
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=2))
    writer.add_block(FENCE, f"{fence}{language}\n{text}\n{fence}")
    return done


def _preformatted_text(writer: Writer, element: etree._Element) -> tuple[str, list[str]]:
    """The text, and the anchors that stood in it. Notes and links inside lose their link: a fence has none."""
    if not len(element):
        text = element.text or ""
    else:
        parts: list[str] = []
        for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
            if event == "start":
                name = local_name(node)
                if name == "br":
                    parts.append("\n")
                elif name == "a" and node.get("href") is not None:
                    writer.note_flattened("link in code")
                parts.append(node.text or "")
            elif node is not element:
                parts.append(node.tail or "")
        text = "".join(parts)
    kept, writer.pieces = writer.pieces, []
    writer.inner_marks(element)
    inner, writer.pieces = writer.pieces, kept
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.removeprefix("\n").removesuffix("\n")
    return text, inner


def _language(element: etree._Element) -> str:
    for candidate in (element, *element.iterchildren("{*}code")):
        match = _LANGUAGE.search(candidate.get("class") or "")
        if match:
            return match[1]
    return ""


def rule(writer: Writer, element: etree._Element) -> End:
    """hr"""
    if not writer.soft:
        writer.add_block(RULE, "***")
    return done


# -- tables


def table(writer: Writer, element: etree._Element) -> End | None:
    """table. Inside of a cell or heading its cells are lines."""
    if writer.soft:
        writer.note_flattened("table in a cell")
        return None
    frame = TableFrame()
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
        for what in sorted(frame.flattened):
            writer.note_flattened(f"table {what}")

    return end


def head(writer: Writer, element: etree._Element) -> End | None:
    """thead"""
    frame = writer.frame
    if not isinstance(frame, TableFrame):
        return None
    frame.in_head = True

    def end(writer: Writer, element: etree._Element) -> None:
        frame.in_head = False

    return end


def row(writer: Writer, element: etree._Element) -> End | None:
    """tr"""
    if isinstance(writer.frame, TableFrame):
        writer.frame.start_row()
    return None


def cell(header: bool) -> Handler:
    """td, th: one line of inline content, `<br>` between what were blocks."""

    def handler(writer: Writer, element: etree._Element) -> End | None:
        frame = writer.frame
        if not isinstance(frame, TableFrame):
            return None
        writer.soft += 1

        def end(writer: Writer, element: etree._Element) -> None:
            writer.soft -= 1
            source = writer.take()
            text = writer.spell(source, "cell") if source is not None else ""
            if writer.carry:
                text, writer.carry = f"{writer.carry}{text}", ""
            columns, rows = _number(element.get("colspan")), _number(element.get("rowspan"))
            style = _ALIGN.search(element.get("style") or "")
            align = (element.get("align") or (style[1] if style else "")).lower()
            if MARK not in text and "<br>" in text:
                frame.flattened.add("lines in a cell")
            frame.add_cell(
                Cell(
                    text,
                    header,
                    columns if columns is not None and columns > 0 else 1,
                    rows if rows is not None and rows >= 0 else 1,
                    align,
                )
            )

        return end

    return handler
