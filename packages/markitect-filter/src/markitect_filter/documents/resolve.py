"""Stage 8: the numbered marks of all segments resolved: anchors, links, notes and pages of the whole source.

Everything is decided from the order of the text, nothing from time or chance.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import cast
from unicodedata import normalize

from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import Struct, field

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.packed import BLANK_LINE, MarkedUtf8, characters, marks_in, runs
from markitect_filter.documents.text import Document, Segment, Text
from markitect_filter.markdown.escape import Escaper, title
from markitect_filter.markdown.finish import finish
from markitect_filter.markdown.layout import PARAGRAPH, indented
from markitect_filter.markdown.ledger import Ledger, nonblank
from markitect_filter.markdown.marks import (
    ANCHOR,
    LINK,
    MARK,
    MARK_END,
    NOTE,
    NUMBERED,
    OPTIONAL,
    OPTIONAL_END,
    LinkTarget,
    NoteReference,
)

_UNFIT = re.compile(r"[^\w.-]+")
_PLAIN_LABEL = re.compile(r"[A-Za-z0-9]{1,12}")
_BRACKETS = " \t[](){}.:"
_LONGEST_ID = 100  # characters of a fragment or name; it stands at every link
_FOOTNOTE_ID = re.compile(r"fn(?:ref)?[-:]?[0-9]+")  # what renderers call footnotes and references to them
_INDENT = 4  # of a note's further lines
_ANCHOR_MARK, _MARK_END = f"{MARK}{ANCHOR}".encode(), MARK_END.encode()
_CONTAINER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)]|>)(?:\s|$)")


class Span(NamedTuple):
    """A piece of a segment's Markdown, in characters: a page (`label`), a note (`place`), or a note in which a page
    starts (both)."""

    start: int
    end: int
    label: str | None = None
    place: Place | None = None


class Resolved(Struct):
    """A segment's final Markdown, and what is where in it."""

    markdown: bytes  # UTF-8
    length: int  # in characters
    pages: list[Span] = field(default_factory=list)
    notes: list[Span] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)  # ids that links lead to, as written


def resolve_all(source: Text, segments: Sequence[Segment], ledger: Ledger) -> Iterator[Resolved]:
    """The final Markdown of each segment when it is asked for; its text with marks is let go. `ledger` learns of note
    references that are written as text after all."""
    notes = _place_notes(source, segments)
    targets = _Targets(source, segments, notes)
    for number, segment in enumerate(segments):
        source.budget.check_time(segment.document.member)
        yield _Writer(source, notes, targets, ledger, number).write(segment)


class _Notes(Struct):
    """Where notes are defined: each in the first segment that refers to it, directly or from another note."""

    home: dict[Place, int] = field(default_factory=dict)
    labels: dict[Place, str] = field(default_factory=dict)
    by_segment: dict[int, list[Place]] = field(default_factory=dict)


def _note_key(source: Text, reference: NoteReference) -> Place | None:
    """The note that a reference means, None if there is none."""
    key = source.notes.keys.get(cast(Place, reference.key))
    return key if key in source.note_bodies else None


def _place_notes(source: Text, segments: Sequence[Segment]) -> _Notes:
    notes = _Notes()
    if not source.note_bodies:
        return notes
    names = _Names(fold=True)

    def follow(number: int, text: MarkedUtf8) -> None:
        waiting = deque([text])
        while waiting:
            for kind, mark in marks_in(waiting.popleft()):
                if kind != NOTE:
                    continue
                reference = cast(NoteReference, source.late[mark])
                key = _note_key(source, reference)
                if key is not None and key not in notes.home:
                    notes.home[key] = number
                    notes.labels[key] = _label(reference.label, names)
                    notes.by_segment.setdefault(number, []).append(key)
                    waiting.append(source.note_bodies[key][1])

    for number, segment in enumerate(segments):
        follow(number, segment.text)
    return notes


def return_orphans(source: Text, documents: Sequence[Document]) -> None:
    """Notes whose references were all left out with the text around them go back to the document that holds them."""
    if not source.note_bodies:
        return
    reached: set[Place] = set()

    def follow(text: MarkedUtf8) -> None:
        waiting = [text]
        while waiting:
            for kind, mark in marks_in(waiting.pop()):
                key = _note_key(source, cast(NoteReference, source.late[mark])) if kind == NOTE else None
                if key is not None and key not in reached:
                    reached.add(key)
                    waiting.append(source.note_bodies[key][1])

    written = {document.member: document.written for document in documents if document.written is not None}
    for document in written.values():
        follow(document.joined)
    changed: dict[str, list[bytes]] = {}
    for key, (member, packed) in list(source.note_bodies.items()):
        if key in reached:
            continue
        follow(packed)
        del source.note_bodies[key]
        if member not in changed:
            changed[member] = written[member].blocks()
        blocks = changed[member]
        anchors = packed.decode().replace(OPTIONAL, "").replace(OPTIONAL_END, "")
        if not NUMBERED.sub("", anchors).strip():
            if blocks and anchors:
                blocks[-1] += f"{OPTIONAL}\n\n{anchors.strip()}{OPTIONAL_END}".encode()
            continue
        blocks.append(packed)
        written[member].kinds.append(PARAGRAPH)
        source.sink.report(
            "source.note_unreferenced",
            "The reference to a note was left out; the note itself is kept as text.",
            path=member,
            once=("note_orphan", member),
        )
    for member, blocks in changed.items():
        written[member].put(blocks)


def _label(shown: str, names: _Names) -> str:
    """The note's own label where it is fit and free, else one that no other note has."""
    label = normalize("NFKC", shown).strip(_BRACKETS)  # full-width brackets and digits
    return names.take(label if _PLAIN_LABEL.fullmatch(label) else "note")


class _Names:
    """Names that are in use; one that is taken gets a number. With `fold` letter case makes no difference."""

    def __init__(self, *, fold: bool = False) -> None:
        self._next: dict[str, int] = {}  # name -> the number that the next one like it gets
        self._key = str.lower if fold else str

    def __contains__(self, name: str) -> bool:
        return self._key(name) in self._next

    def take(self, name: str) -> str:
        """`name`, or the first `name-2`, `name-3` … that is free."""
        key, candidate = self._key(name), name
        count = self._next.get(key, 1)
        while candidate in self:
            count = max(2, count)
            candidate = f"{name}-{count}"
            count += 1
        self._next[key] = max(2, count)
        self._next.setdefault(self._key(candidate), 2)
        return candidate


class _Targets:
    """The ids of the places that links lead to. Only those get an anchor."""

    def __init__(self, source: Text, segments: Sequence[Segment], notes: _Notes) -> None:
        self.source = source
        self.ids: dict[Place, str] = {}
        self.anchors: dict[Place, int] = {}  # place -> the number of its first anchor
        self._needed: frozenset[bytes] = frozenset()  # the marks of anchors that are written, by number
        wanted: list[Place] = []
        anchors: list[int] = []
        for number, segment in enumerate(segments):
            for text in (segment.text, *[source.note_bodies[key][1] for key in notes.by_segment.get(number, ())]):
                for kind, mark in marks_in(text):
                    if kind == ANCHOR:
                        anchors.append(mark)
                    elif kind == LINK:
                        wanted.append(cast(Place, cast(LinkTarget, source.late[mark]).key))
                    elif kind == NOTE:
                        reference = cast(NoteReference, source.late[mark])
                        key = _note_key(source, reference)
                        if key is None or notes.home[key] != number:
                            wanted.append(cast(Place, key or reference.key))
        if not wanted:
            return
        for mark in anchors:
            self.anchors.setdefault(cast(Place, source.late[mark]), mark)
        landings = {self.landing(place)[0] for place in set(wanted)}
        names = _Names()
        for place in self.anchors:
            if place in landings:
                self.ids[place] = _id(place, names)
        self._needed = frozenset(b"%d" % self.anchors[place] for place in self.ids)

    def without_spare_anchors(self, text: bytes) -> bytes:
        """`text` without the marks of places that nothing leads to, which are most of them."""
        pieces = text.split(_ANCHOR_MARK)
        out = [pieces[0]]
        for n in range(1, len(pieces)):
            number, _, rest = pieces[n].partition(_MARK_END)
            out.append(_ANCHOR_MARK + pieces[n] if number in self._needed else rest)
        return b"".join(out)

    def landing(self, place: Place) -> tuple[Place | None, bool]:
        """The place whose anchor stands for `place`, and whether that is what was asked for."""
        found, exact = self.source.places.resolve(place)
        if found is None or found in self.anchors:
            return found, exact
        whole = (found[0], "")
        return (whole, False) if whole in self.anchors else (None, False)


def _id(place: Place, names: _Names) -> str:
    """An id made of the fragment, or of the document's name; with that name before it when it is taken."""
    member, fragment = place
    stem = _fit(member.rpartition("/")[2].partition(".")[0]) or "document"
    base = _fit(fragment) or stem
    return names.take(f"{stem}-{base}" if base in names or _FOOTNOTE_ID.fullmatch(base) else base)


def _fit(text: str) -> str:
    return _UNFIT.sub("-", text[:_LONGEST_ID]).strip("-")


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

    def __init__(self, source: Text, notes: _Notes, targets: _Targets, ledger: Ledger, number: int) -> None:
        self._source = source
        self._notes = notes
        self._targets = targets
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
        for key in self._notes.by_segment.get(self._number, ()):
            self._member, packed = self._source.note_bodies[key]
            start = length + 2 if parts else 0
            self._starts.clear()
            body = finish(self._targets.without_spare_anchors(packed), self._resolve).decode()
            # parsers measure a container that starts behind the label from there: it starts on a line of its own
            gap = "\n" + " " * _INDENT if _CONTAINER.match(body) else " "
            definition = f"[^{self._notes.labels[key]}]:{gap}{indented(body, _INDENT)}".rstrip(" ")
            parts.append(definition.encode())
            length = start + len(definition)
            spans.append(Span(start, length, place=key))
            spans.extend(Span(start, length, label, key) for _, label in self._starts)
        return Resolved(BLANK_LINE.join(parts), length, pages, spans, self._anchors)

    def _text(self, text: MarkedUtf8) -> bytes:
        """A segment's text, a few blocks at a time: copies of a long text leave gaps that nothing else fits in."""
        finished = []
        for run in runs(text):
            finished.append(finish(self._targets.without_spare_anchors(run), self._resolve))
            self._base += len(finished[-1]) + len(BLANK_LINE)
        return BLANK_LINE.join(finished)

    def _resolve(self, kind: str, number: int, offset: int) -> str:
        entry = self._source.late[number]
        if kind == "A":
            identifier = self._targets.ids[cast(Place, entry)]
            if offset >= 0:
                self._anchors.append(identifier)
            return f'<a id="{identifier}"></a>'
        if kind == "P":
            if offset >= 0:
                self._starts.append((self._base + offset, str(entry)))
            return ""
        if kind == "N":
            return self._note(cast(NoteReference, entry))
        target = cast(LinkTarget, entry)
        found = self._id(cast(Place, target.key), report=kind == "L")
        if found is None:
            return ""
        return "[" if kind == "L" else f"](#{found}{title(target.title)})"

    def _note(self, reference: NoteReference) -> str:
        key = _note_key(self._source, reference)
        if key is not None and self._notes.home[key] == self._number:
            return f"[^{self._notes.labels[key]}]"
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
        landing, exact = self._targets.landing(place)
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
        return self._targets.ids.get(landing) if landing is not None else None
