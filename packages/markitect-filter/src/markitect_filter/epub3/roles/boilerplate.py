"""Well-known boilerplate in the text: Project Gutenberg's header, footer and licence, and transcribers'
notes.

Recognised by ids and classes that the producers set, else by the marker lines that they print. What is found
is only labelled; whether it is left out is for `skipping` to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree
from markitect_tool.record import Record, Struct

from markitect_filter.documents.xml_names import collapse, local_name
from markitect_filter.epub3.roles.roles import Role
from markitect_filter.patterns import compiled

#: One of these words is in the text of every document that is searched; the rest are not worth a walk.
_TRACES = ("utenberg", "UTENBERG", "ranscriber", "RANSCRIBER")
_TRACES_IN_BYTES = tuple(map(str.encode, _TRACES))
_TEXT = etree.XPath("string(.)", smart_strings=False)

_IDS: dict[str, tuple[Role, str]] = {
    "pg-header": ("header", "boilerplate:pg-header"),
    "pg-machine-header": ("header", "boilerplate:pg-header"),
    "pg-footer": ("footer", "boilerplate:pg-footer"),
    "pg-end-separator": ("footer", "boilerplate:pg-footer"),
    "project-gutenberg-license": ("license", "boilerplate:pg-license"),
}
_NOTE_CLASSES = frozenset(
    {"transnote", "transnotes", "tnote", "tnotes", "transcriber-note", "transcribers-note", "transcriber_note"}
)
_START = r"(?i)(?:^|\*\*\*)\s*START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)|\*END\*\s*THE SMALL PRINT"
_END = r"(?i)(?:^|\*\*\*)\s*END OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)"
_LAST_LINE = r"(?i)end of (?:the |this )?project gutenberg"
_LICENSE = r"(?i)(?:\*\*\*\s*)?START: FULL LICENSE|(?:THE )?FULL PROJECT GUTENBERG(?:-TM|™)? LICENSE"
_NOTE = r"(?i)[\[(]?\s*transcriber(?:[’'´]?s|s[’'´])?[\s-]+notes?\b"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: A marker's own element may hold a title and little else: more than this many characters is text.
_MARKER_LENGTH = 400

_OPENING_LENGTH = 200


class Boilerplate(Record):
    """Consecutive elements of one role, none inside another; the text after each element is not meant."""

    role: Role
    ground: str
    elements: tuple[etree._Element, ...]


def may_hold_boilerplate(data: bytes) -> bool:
    """A quick look at a document's bytes, in an encoding that extends ASCII: is a walk over its tree worth it? From the
    end, since Python searches up to three times as fast that way: it skips what cannot be in the words."""
    return max(map(data.rfind, _TRACES_IN_BYTES)) >= 0


def find_boilerplate(body: etree._Element) -> tuple[Boilerplate, ...]:
    """The boilerplate in a document, in document order of kinds: header, footer, licence, transcribers'
    notes.
    """
    text = str(_TEXT(body))
    if not any(trace in text for trace in _TRACES):
        return ()
    taken: set[etree._Element] = set()
    found: list[Boilerplate] = []

    def claim(role: Role, ground: str, elements: Iterable[etree._Element]) -> None:
        free = tuple(element for element in elements if not _covered(element, taken))
        if free:
            taken.update(free)
            found.append(Boilerplate(role, ground, free))

    marks = _Marks.of(body)
    for element, role, ground in marks.labelled:
        claim(role, ground, [element])
    if marks.start is not None and not _covered(marks.start, taken):
        claim("header", "boilerplate:pg-start", _up_to(marks.start, body))
    if marks.end is not None and not _covered(marks.end, taken):
        closing = list(_from(marks.end, body))
        first = marks.end.getprevious()
        if first is not None and compiled(_LAST_LINE).match(_opening(first)):
            closing.insert(0, first)
        license_at = _position(closing, marks.license)
        claim("footer", "boilerplate:pg-end", closing[:license_at])
        claim("license", "boilerplate:pg-license", closing[license_at:])
    elif marks.license is not None and not _covered(marks.license, taken):
        claim("license", "boilerplate:pg-license", _from(marks.license, body))
    for note in marks.notes:
        claim("transcriber-notes", "boilerplate:transcriber-note", _note_elements(note, body))
    return tuple(found)


class _Marks(Struct):
    """The elements that give boilerplate away."""

    labelled: list[tuple[etree._Element, Role, str]]
    notes: list[etree._Element]
    start: etree._Element | None = None
    end: etree._Element | None = None
    license: etree._Element | None = None

    @classmethod
    def of(cls, body: etree._Element) -> _Marks:
        marks = cls([], [])
        for element in body.iterdescendants(etree.Element):
            if (known := _IDS.get(element.get("id") or "")) is not None:
                marks.labelled.append((element, *known))
            classes = element.get("class")
            if classes and "note" in classes and not _NOTE_CLASSES.isdisjoint(classes.split()):
                marks.labelled.append((element, "transcriber-notes", "boilerplate:transcriber-note"))
            if (text := element.text) and _may_mark(text):
                marks.look_at(element, collapse(text))
            if (tail := element.tail) and _may_mark(tail):
                parent = element.getparent()
                if parent is not None and parent is not body:
                    marks.look_at(parent, collapse(tail))
        return marks

    def look_at(self, element: etree._Element, text: str) -> None:
        """Judge an element by a piece of its own text. The first start and licence count, and the last
        end.
        """
        if "utenberg" in text or "UTENBERG" in text or "LICENSE" in text or "SMALL PRINT" in text:
            if self.start is None and self.end is None and _marks(_START, element, text, at_end=True):
                self.start = element
            elif _marks(_END, element, text, at_end=False):
                self.end = element
            elif self.license is None and compiled(_LICENSE).match(text):
                self.license = element
        if text[:24].lstrip("[( ").lower().startswith("transcriber") and compiled(_NOTE).match(_opening(element)):
            self.notes.append(element)


def _may_mark(text: str) -> bool:
    """A quick look at a piece of text, whose blanks may be any: is there something to judge?"""
    return (
        "utenberg" in text
        or "UTENBERG" in text
        or "LICENSE" in text
        or "SMALL" in text
        or text.lstrip("[( \t\r\n\f")[:11].lower() == "transcriber"
    )


def _opening(element: etree._Element) -> str:
    """How the text inside begins, long enough for any of the patterns: elements nest, and each may be asked."""
    text = ""
    for piece in element.itertext():
        text += piece
        if len(text) > _OPENING_LENGTH:
            break
    return collapse(text[: 2 * _OPENING_LENGTH])


def _marks(pattern: str, element: etree._Element, text: str, *, at_end: bool) -> bool:
    """Whether the element is a marker line, or one long block that ends or begins with it (`at_end`)."""
    match = re.search(pattern, text)
    if match is None:
        return False
    rest = len(text) - match.end() if at_end else match.start()
    return rest <= _MARKER_LENGTH


def _covered(element: etree._Element, taken: set[etree._Element]) -> bool:
    return element in taken or any(ancestor in taken for ancestor in element.iterancestors())


def _block(marker: etree._Element, body: etree._Element) -> list[etree._Element]:
    """The marker and its ancestors below the body."""
    return [marker, *(a for a in marker.iterancestors() if a is not body and body in a.iterancestors())]


def _up_to(marker: etree._Element, body: etree._Element) -> Iterator[etree._Element]:
    """Everything before the marker and the marker itself, as whole elements, in document order."""
    for element in reversed(_block(marker, body)):
        yield from reversed(list(element.itersiblings(etree.Element, preceding=True)))
    yield marker


def _from(marker: etree._Element, body: etree._Element) -> Iterator[etree._Element]:
    """The marker and everything after it, as whole elements, in document order."""
    yield marker
    for element in _block(marker, body):
        yield from element.itersiblings(etree.Element)


def _position(elements: list[etree._Element], marker: etree._Element | None) -> int:
    """The index of the element that is or holds the marker; the number of elements where none does."""
    if marker is not None:
        holders = {marker, *marker.iterancestors()}
        for index, element in enumerate(elements):
            if element in holders:
                return index
    return len(elements)


def _note_elements(note: etree._Element, body: etree._Element) -> Iterator[etree._Element]:
    """A note's elements: the paragraph itself, or a heading with all that follows up to the next heading."""
    name = local_name(note)
    parent = note.getparent()
    if name not in _HEADINGS:
        if name == "p" or parent is body or parent is None:
            yield note
        else:
            yield parent if local_name(parent) == "p" else note
        return
    if parent is not None and parent is not body and parent[0] is note and _headings_in(parent) == 1:
        yield parent
        return
    yield note
    for element in note.itersiblings(etree.Element):
        if local_name(element) in (*_HEADINGS, "hr") or _headings_in(element):
            return
        yield element


def _headings_in(element: etree._Element) -> int:
    return sum(1 for _ in element.iterdescendants(*(f"{{*}}{name}" for name in _HEADINGS)))
