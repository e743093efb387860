"""Stage 8: the numbered marks of each segment resolved: anchors, links, notes and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.packed import BLANK_LINE, MarkedUtf8, characters, runs
from markitect_filter.documents.placing import Placement, note_key
from markitect_filter.documents.text import Segment, Text
from markitect_filter.markdown.escape import Escaper, title
from markitect_filter.markdown.finish import finish
from markitect_filter.markdown.layout import indented
from markitect_filter.markdown.ledger import Ledger, nonblank
from markitect_filter.markdown.marks import ANCHOR, MARK, MARK_END, NoteReference

_INDENT = 4  # of a note's further lines
_MARK, _ANCHOR, _MARK_END = MARK.encode(), ord(ANCHOR), MARK_END.encode()
_CONTAINER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)]|>)(?:\s|$)")


class Span(NamedTuple):
    """A piece of a segment's Markdown, in characters: a page (`label`), a note (`place`), or a note in which a page
    starts (both)."""

    start: int
    end: int
    label: str | None = None
    place: Place | None = None


class Resolved(NamedTuple):
    """A segment's final Markdown, and what is where in it."""

    markdown: bytes  # UTF-8
    length: int  # in characters
    pages: list[Span]
    notes: list[Span]
    anchors: list[str]  # ids that links lead to, as written


def resolve_all(source: Text, segments: Sequence[Segment], ledger: Ledger) -> Iterator[Resolved]:
    """The final Markdown of each segment when it is asked for; its text with marks is let go. `ledger` learns of note
    references that are written as text after all."""
    placed = Placement(source, segments)
    for number, segment in enumerate(segments):
        source.budget.check_time(segment.document.member)
        yield _Writer(placed, ledger, number).write(segment)


def _past_blanks(text: str, offset: int) -> int:
    while text[offset : offset + 1].isspace():
        offset += 1
    return offset


def _pages(text: str, utf8: bytes, starts: Sequence[tuple[int, str]]) -> list[Span]:
    """The pages that start in a text, given by the byte at which each starts, and its label."""
    found: list[tuple[int, str]] = []
    counted = offset = 0
    for start, label in starts:
        offset += characters(utf8[counted:start])
        counted = start
        found.append((_past_blanks(text, offset), label))
    ends = [offset for offset, _ in found[1:]] + [len(text)]
    return [Span(start, max(start, end), label) for (start, label), end in zip(found, ends, strict=True)]


class _Writer:
    """Resolves one segment."""

    def __init__(self, placed: Placement, ledger: Ledger, number: int) -> None:
        self._placed = placed
        self._source = placed.source
        self._ledger = ledger
        self._number = number
        self._starts: list[tuple[int, str]] = []
        self._anchors: list[str] = []
        self._base = 0  # where the blocks at hand start in the text, in bytes
        self._member = ""

    def write(self, segment: Segment) -> Resolved:
        """The segment's text, then the notes that it defines."""
        self._member = segment.document.member
        text = self._text(segment.take())
        pages = _pages(text.decode(), text, self._starts) if self._starts else []
        spans: list[Span] = []
        parts, length = [text] if text else [], characters(text)  # joined once: a segment may have masses of notes
        for key in self._placed.notes.get(self._number, ()):
            self._member, packed = self._source.note_bodies[key]
            start = length + 2 if parts else 0
            self._starts.clear()
            body = finish(self._without_spare_anchors(packed), self._resolve).decode()
            # parsers measure a container that starts behind the label from there: it starts on a line of its own
            gap = "\n" + " " * _INDENT if _CONTAINER.match(body) else " "
            definition = f"[^{self._placed.labels[key]}]:{gap}{indented(body, _INDENT)}".rstrip(" ")
            parts.append(definition.encode())
            length = start + len(definition)
            spans.append(Span(start, length, place=key))
            spans.extend(Span(start, length, label, key) for _, label in self._starts)
        return Resolved(BLANK_LINE.join(parts), length, pages, spans, self._anchors)

    def _text(self, text: MarkedUtf8) -> bytes:
        """A segment's text, a few blocks at a time: copies of a long text leave gaps that nothing else fits in."""
        finished = []
        for run in runs(text):
            finished.append(finish(self._without_spare_anchors(run), self._resolve))
            self._base += len(finished[-1]) + len(BLANK_LINE)
        return BLANK_LINE.join(finished)

    def _without_spare_anchors(self, text: bytes) -> bytes:
        """`text` without the marks of places that nothing leads to, which are most of them."""
        pieces = text.split(_MARK)
        out = [pieces[0]]
        for piece in pieces[1:]:
            if piece[0] == _ANCHOR:
                number, _, rest = piece[1:].partition(_MARK_END)
                if number not in self._placed.needed:
                    out.append(rest)
                    continue
            out += (_MARK, piece)
        return b"".join(out)

    def _resolve(self, kind: str, number: int, offset: int) -> str:
        entry: Any = self._source.late.entries[number]
        if kind == "A":
            identifier = self._placed.ids[entry]
            if offset >= 0:
                self._anchors.append(identifier)
            return f'<a id="{identifier}"></a>'
        if kind == "P":
            if offset >= 0:
                self._starts.append((self._base + offset, str(entry)))
            return ""
        if kind == "N":
            return self._note(entry)
        found = self._id(entry.key, report=kind == "L")
        if found is None:
            return ""
        return "[" if kind == "L" else f"](#{found}{title(entry.title)})"

    def _note(self, reference: NoteReference) -> str:
        key = note_key(self._source, reference)
        if key is not None and self._placed.home[key] == self._number:
            return f"[^{self._placed.labels[key]}]"
        unmatched = key is None and reference.key in self._source.notes.marked
        if unmatched:
            self._source.sink.report(
                "source.note_unmatched",
                f"The reference {reference.label!r} leads to no note; it is kept as an ordinary link."
                if reference.label
                else "A reference in words leads to no note; its words are kept.",
                path=self._member,
                once=("note_unmatched", self._member, reference.key),
            )
        characters = nonblank(reference.label)
        self._ledger.emitted += characters
        self._ledger.skip("note-reference", -characters)
        escaper = Escaper(reference.label, emphasis=True, code=True, math=True, strike=True, cell=True)
        text = escaper.escape(reference.label, in_link=True)
        identifier = self._id(cast(Place, key or reference.key), report=not unmatched)
        if identifier is not None and text:
            text = f"[{text}](#{identifier})"
        return f"<sup>{text}</sup>" if reference.superscript and text else text

    def _id(self, place: Place, *, report: bool) -> str | None:
        identifier = self._placed.ids.get(place)
        if identifier is not None and place[0] not in self._source.places.stand_ins:
            return identifier  # the usual case: the place has an anchor of its own
        landing, exact = self._placed.landing(place)
        if not exact and report:
            where = f"{place[0]}#{place[1]}" if place[1] else place[0]
            left_out = place[0] in self._source.places.left_out
            state = "which was left out" if left_out else "which is not in the text"
            then = "its own text was kept" if landing is None else "it leads to the start of that document"
            self._source.sink.report(
                "source.link_target_missing",
                f"A link leads to {where!r}, {state}; {then}.",
                severity="info" if left_out else None,
                path=self._member,
                once=("link_target_missing", self._member, where),
            )
        return self._placed.ids.get(landing) if landing is not None else None
