"""Verse with an element for each line: the lines of a group become one paragraph, as if `br` stood between them.

A group says what it is: one of its own names (class, epub:type, role) is that of a stanza, or of a poem whose lines
are named as lines. Its lines are elements without blocks inside. Whatever else stands between them parts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from lxml import etree

from markitect_filter.patterns import compiled

from .layout import EXPLICIT, PARAGRAPH
from .marks import BREAK
from .phrases import is_seen, separate_words
from .references import Directive
from .tree import local_name
from .writer import BLANK, End, Handler, Writer

_TYPE = "{http://www.idpf.org/2007/ops}type"
_STANZAS = r"(?i)(?:^|[\s:_-])(?:stanza|strophe|line-?_?group|verse-?_?group|couplet|tercet|quatrain)(?=\s|$)"
_POEMS = r"(?i)(?:^|[\s:])(?:poem|poetry|verse|song|hymn|lg)(?=\s|$)"
_LINES = r"(?i)(?:^|[\s:])(?:(?:[\w-]+[_-])?(?:line|verse)|l|i\d+|indent\d+)(?=\s|$)"
_NUMBERS = r"(?i)(?:^|[\s:_-])(?:l-?_?num(?:ber)?|line-?_?n(?:o|um|umber)|ln)(?=\s|$)"
_EMPTY = frozenset({"a", "span", "div", "p"})  # without content they say nothing
_CONTAINERS = frozenset({"div", "section", "blockquote"})


def _names(element: etree._Element) -> str:
    given = (element.get("class"), element.get(_TYPE), element.get("role"))
    return " ".join([name for name in given if name])


@lru_cache(maxsize=256)
def _is_stanza(names: str) -> bool | None:
    """Are these the names of a stanza, or (False) of a poem?"""
    if compiled(_STANZAS).search(names) is not None:
        return True
    return False if compiled(_POEMS).search(names) is not None else None


@lru_cache(maxsize=256)
def _is_line(names: str) -> bool:
    return compiled(_LINES).search(names) is not None


def group(writer: Writer, element: etree._Element) -> End | None:
    """An element that may be a group of lines. What its lines are is noted in their directives."""
    if len(element) < 2 or writer.soft or writer.verse:
        return None
    names = _names(element)
    stanza = _is_stanza(names) if names else None
    if stanza is None:
        return None
    parts = _Parts.of(writer, element, stanza)
    if parts is None:
        return None
    for line in parts.lines:
        _direct(writer, line, _line)
    for number in parts.numbers:
        _direct(writer, number, separate_words)
    for other in parts.others:
        _direct(writer, other, _apart)
    _look_inside(writer, parts.others, stanza)
    return _open(writer, EXPLICIT if local_name(element) == "p" else PARAGRAPH)


def _look_inside(writer: Writer, others: list[etree._Element], stanza: bool) -> None:
    """Quotes and the like inside of a group hold verse as well."""
    waiting = list(others)
    while waiting:
        element = waiting.pop()
        if local_name(element) not in _CONTAINERS or _is_stanza(_names(element)) is not None:
            continue
        parts = _Parts.of(writer, element, stanza, least=0)
        if parts is None:
            continue
        if len(parts.lines) > 1:
            _direct(writer, element, _inner_group)
            for line in parts.lines:
                _direct(writer, line, _line)
            for number in parts.numbers:
                _direct(writer, number, separate_words)
            for other in parts.others:
                _direct(writer, other, _apart)
        waiting += parts.others


def _direct(writer: Writer, element: etree._Element, handler: Handler) -> None:
    directive = writer.directives.get(element)
    if directive is None:
        writer.directives[element] = Directive(also=handler)
    else:
        directive.also = handler


class _Parts:
    """What stands in a group."""

    __slots__ = ("lines", "numbers", "others")

    def __init__(self) -> None:
        self.lines: list[etree._Element] = []
        self.numbers: list[etree._Element] = []  # of lines, each in an element of its own
        self.others: list[etree._Element] = []

    @classmethod
    def of(cls, writer: Writer, element: etree._Element, stanza: bool, least: int = 2) -> _Parts | None:
        """None if it does not look like lines."""
        from .elements import ELEMENTS

        parts = cls()
        if (element.text or "").strip(BLANK):
            return None
        kinds = set()
        for child in element:
            if (child.tail or "").strip(BLANK):
                return None
            directive = writer.directives.get(child)
            if directive is not None and (directive.note is not None or directive.noteref is not None):
                return None
            name = local_name(child)
            if not name or (directive is not None and directive.skip is not None):
                continue
            if name in _EMPTY and not len(child) and not (child.text or "").strip(BLANK):
                continue
            named = stanza or _is_line(_names(child))
            if name in ("div", "p", "span") and named and parts._add_line(child, ELEMENTS):
                kinds.add(name == "span")
            elif ELEMENTS[child.tag][0]:
                if name == "p" and next(child.iter("{*}br"), None) is not None:
                    return None  # its paragraphs are stanzas
                parts.others.append(child)
            elif name == "br":
                kinds.add(False)  # between blocks it is an empty line
            else:
                return None
        return parts if len(kinds) < 2 and len(parts.lines) >= least else None

    def _add_line(self, element: etree._Element, elements: Mapping[object, tuple[bool, Handler | None]]) -> bool:
        numbers = []
        for inner in element.iterdescendants() if len(element) else ():
            if elements[inner.tag][0]:
                return False
            name = local_name(inner)
            if name == "br" and not _is_last(inner, element):
                return False
            if name == "span" and (given := inner.get("class")) and compiled(_NUMBERS).search(given):
                numbers.append(inner)
        self.lines.append(element)
        self.numbers += numbers
        return True


def _is_last(element: etree._Element, container: etree._Element) -> bool:
    """Does nothing of `container` follow `element`?"""
    return all(node.getnext() is None and not (node.tail or "").strip(BLANK) for node in _up(element, container))


def _up(element: etree._Element, container: etree._Element) -> Iterator[etree._Element]:
    node: etree._Element | None = element
    while node is not None and node is not container:
        yield node
        node = node.getparent()


def _open(writer: Writer, kind: str) -> End:
    outer, writer.verse = writer.verse, True

    def end(writer: Writer, element: etree._Element) -> None:
        writer.flush(kind)
        writer.verse = outer

    return end


def _inner_group(writer: Writer, element: etree._Element) -> End:
    writer.flush()
    return _open(writer, PARAGRAPH)


def _apart(writer: Writer, element: etree._Element) -> End:
    writer.flush()
    outer, writer.verse = writer.verse, False

    def end(writer: Writer, element: etree._Element) -> None:
        writer.flush()
        writer.verse = outer

    return end


def _line(writer: Writer, element: etree._Element) -> End:
    start = len(writer.pieces)

    def end(writer: Writer, element: etree._Element) -> None:
        if len(writer.pieces) > start and (last := writer.pieces[-1]) != BREAK and is_seen(last):
            writer.pieces.append(BREAK)  # the usual line
            return
        pieces = writer.pieces[start:]
        seen = [piece for piece in pieces if is_seen(piece)]
        if seen and seen != [BREAK]:
            if seen[-1] != BREAK:
                writer.pieces.append(BREAK)
        elif seen or any(piece.isspace() and piece.strip(BLANK) for piece in pieces):
            writer.flush()  # an empty line

    return end
