"""Handlers of phrasing content: spans, links, code, ruby, line breaks."""

from __future__ import annotations

import re

from lxml import etree

from .items import TAGS
from .marks import (
    BREAK,
    CODE,
    CODE_END,
    EM,
    EM_END,
    LINK,
    LINK_END,
    MARK_END,
    STRIKE,
    STRIKE_END,
    STRONG,
    STRONG_END,
    TAG,
    TAG_END,
    URL,
    URL_END,
    mark,
)
from .writer import End, Handler, Writer, done

_XLINK = "{http://www.w3.org/1999/xlink}href"
_QUOTES = (("“", "”"), ("‘", "’"))


def _close(writer: Writer, element: etree._Element) -> None:
    writer.close()


def span(start: str, end: str, most: int = 2) -> Handler:
    """A span of one kind. More than `most` inside each other would add nothing, and let depth cost time."""

    both = (start, end)

    def handler(writer: Writer, element: etree._Element) -> End | None:
        if writer.marks.count(both) >= most:
            return None
        writer.pieces.append(start)
        writer.marks.append(both)
        return _close

    return handler


emphasis = span(EM, EM_END)
strong = span(STRONG, STRONG_END)
strike = span(STRIKE, STRIKE_END, 1)


def kept_tag(name: str) -> Handler:
    """One of the HTML elements that the dialect keeps: sup, sub, ruby and its parts."""
    number = TAGS.index(name)
    return span(mark(TAG, number), mark(TAG_END, number))


def code(writer: Writer, element: etree._Element) -> End | None:
    """Code: the text becomes code spans, links and emphasis inside stay around them."""
    if writer.in_code:
        return None
    writer.in_code += 1
    writer.open(CODE, CODE_END)
    return _end_code


def _end_code(writer: Writer, element: etree._Element) -> None:
    writer.in_code -= 1
    writer.close()


def anchor(writer: Writer, element: etree._Element) -> End | None:
    """A link. Inside another link only its text is kept (HTML: no interactive content inside of a)."""
    href = element.get("href")
    if href is None:
        href = element.get(_XLINK)
    if href is None:
        return None
    if writer.in_link:
        writer.references.problem("source.link_nested", "A link inside of a link keeps only its text.", element)
        return None
    target = writer.references.link(element, href)
    if target is None:
        return None
    kind, kind_end = (URL, URL_END) if target.url is not None else (LINK, LINK_END)
    start = writer.late.add(kind, target)
    writer.in_link += 1
    writer.open(start, f"{start[0]}{kind_end}{start[2:]}")
    return _end_link


def _end_link(writer: Writer, element: etree._Element) -> None:
    writer.in_link -= 1
    writer.close()


def line_break(writer: Writer, element: etree._Element) -> End | None:
    """br. A second one is an empty line: it ends the paragraph."""
    if not writer.soft and next(filter(is_seen, reversed(writer.pieces)), "") == BREAK:
        writer.flush()
    else:
        writer.pieces.append(BREAK)
    return None


_UNSEEN = re.compile(r"(?:\x10[AP][0-9]+\x11|[\x01-\x06\x0e\x0f])+")  # anchors, ends of spans


def is_seen(piece: str) -> bool:
    """Can `piece` be seen? A line break can."""
    if piece[:1] > MARK_END:  # text, as most are
        return not piece.isspace()
    return not (piece == "" or piece.isspace() or _UNSEEN.fullmatch(piece))


def quotation(writer: Writer, element: etree._Element) -> End:
    """q: browsers add the quotation marks, so they are part of what the book says."""
    writer.emit_text(_QUOTES[writer.in_quotation % 2][0])
    writer.in_quotation += 1
    return _end_quotation


def _end_quotation(writer: Writer, element: etree._Element) -> None:
    writer.in_quotation -= 1
    writer.emit_text(_QUOTES[writer.in_quotation % 2][1])


def separate_words(writer: Writer, element: etree._Element) -> End:
    """Content that stands apart without being a block: an option of a form, a text of a drawing."""
    writer.pieces.append(" ")
    return _separate


def _separate(writer: Writer, element: etree._Element) -> None:
    writer.pieces.append(" ")


def nothing(writer: Writer, element: etree._Element) -> End:
    """A comment or processing instruction."""
    return done


def left_out(reason: str) -> Handler:
    """Content that isn't text of the document."""

    def handler(writer: Writer, element: etree._Element) -> End:
        writer.skip(element, reason)
        return done

    return handler
