"""A source while its text is put together: the whole of it, each of its documents, and the segments of these.

A book has many documents, a page of the web is one. What only one of the two knows is in subclasses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import Struct, field

from markitect_filter.documents.anchors import Place, Places
from markitect_filter.documents.budget import Budget
from markitect_filter.documents.notes.references import NoteIndex
from markitect_filter.documents.packed import MarkedUtf8, PackedDocument
from markitect_filter.markdown.layout import HEADING
from markitect_filter.markdown.ledger import Ledger
from markitect_filter.markdown.marks import Late

_GOOD_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
_ORDINAL = re.compile(r"seg-[0-9]+")


class Text(Struct):
    """What the conversion of every document adds to, and what resolving its marks asks."""

    sink: DiagnosticSink
    budget: Budget
    places: Places
    late: Late = field(default_factory=Late)
    notes: NoteIndex = field(default_factory=NoteIndex)
    note_bodies: dict[Place, tuple[str, MarkedUtf8]] = field(default_factory=dict)  # key -> (member, Markdown)

    def take(self, member: str, document: PackedDocument) -> None:
        """The notes of a document, which may be written elsewhere."""
        for key, text in document.notes.items():
            if isinstance(key, tuple):
                self.note_bodies[key] = (member, text)


class Document:
    """One document, converted. Without `written` it was left out or could not be read."""

    __slots__ = ("ledger", "member", "own_id", "written")

    def __init__(
        self,
        member: str,
        ledger: Ledger | None = None,
        written: PackedDocument | None = None,
        own_id: str | None = None,
    ) -> None:
        self.member = member  # its name in the source: the path in an archive
        self.ledger = ledger if ledger is not None else Ledger()
        self.written = written
        self.own_id = own_id  # an id that stands for the document as a whole


class Segment:
    """One segment before its marks are resolved."""

    __slots__ = ("document", "fragments", "heading", "heading_level", "section", "segment_id", "text")

    def __init__(
        self,
        document: Document,
        text: MarkedUtf8,
        fragments: tuple[str, ...] = (),
        heading: str | None = None,
        heading_level: int | None = None,
    ) -> None:
        self.document = document
        self.text = text
        self.fragments = fragments  # the anchors at which it was cut
        self.heading = heading
        self.heading_level = heading_level
        self.segment_id = ""
        self.section: tuple[str, ...] = ()  # labels or headings above it, from the top down

    def take(self) -> MarkedUtf8:
        """The text, which nobody will ask for again."""
        text, self.text = self.text, MarkedUtf8(b"")
        return text


def name_segments(segments: Sequence[Segment], anchors: Iterable[str]) -> None:
    """Give each segment its id: the anchor at which it starts, if it occurs once in the source (`anchors` holds all,
    repeated as they are) and is fit for a URL; else its number."""
    counts = Counter(anchors)
    used: set[str] = set()
    previous: Document | None = None
    for number, segment in enumerate(segments, start=1):
        candidates = list(segment.fragments)
        if segment.document is not previous and segment.document.own_id:
            candidates.append(segment.document.own_id)
        previous = segment.document
        segment.segment_id = f"seg-{number:04d}"
        for candidate in candidates:
            fit = _GOOD_ID.fullmatch(candidate) and not _ORDINAL.fullmatch(candidate)
            if fit and counts[candidate] == 1 and candidate not in used:
                segment.segment_id = candidate
                break
        used.add(segment.segment_id)


class Piece(NamedTuple):
    """A piece of a document, from one of its blocks to another."""

    start: int
    end: int
    text: MarkedUtf8
    fragments: tuple[str, ...]  # that begin at its start
    heading: str | None  # the first in it
    heading_level: int | None


def heading_starts(written: PackedDocument, depth: int | None) -> Iterator[int]:
    """The blocks that are headings, of the first `depth` levels."""
    for heading in written.headings:
        # those in a quote or a list cannot be cut at
        if written.kinds[heading.block] == HEADING and (depth is None or heading.level <= depth):
            yield heading.block


def cut(written: PackedDocument, starts: Mapping[int, Sequence[str]]) -> Iterator[Piece]:
    """The text cut before the blocks `starts`, by the fragments that begin there."""
    bounds = [*sorted(starts), len(written.kinds)]
    headings = iter(written.headings)
    heading = next(headings, None)
    for (start, end), text in zip(pairwise(bounds), written.parts(bounds), strict=True):
        first = None
        while heading is not None and heading.block < end:
            first = first or heading
            heading = next(headings, None)
        title, level = (first.text, first.level) if first is not None else (None, None)
        yield Piece(start, end, text, tuple(starts[start]), title, level)
