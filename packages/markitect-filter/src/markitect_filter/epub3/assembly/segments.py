"""Stage 7: the blocks of a document -> segments, with their names and their place in the table of contents."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from markitect_tool.record import Record

from markitect_filter.documents.packed import MarkedUtf8, PackedDocument
from markitect_filter.documents.text import Segment, cut, heading_starts
from markitect_filter.epub3.assembly.document import BookDocument
from markitect_filter.epub3.navigation.navigation_model import TocEntry, label_paths
from markitect_filter.epub3.options import Options


class BookSegment(Segment):
    """A segment of a book, and where the table of contents leads in it."""

    __slots__ = ("entries", "first_entry", "last_entry")
    document: BookDocument

    def __init__(
        self,
        document: BookDocument,
        text: MarkedUtf8,
        fragments: tuple[str, ...] = (),
        heading: str | None = None,
        heading_level: int | None = None,
        entries: list[int] | None = None,
    ) -> None:
        super().__init__(document, text, fragments, heading, heading_level)
        self.entries = entries or []  # of the table of contents: those that lead here
        self.first_entry: int | None = None  # the entry in whose part the segment starts, None: the part goes on
        self.last_entry: int | None = None  # the one in whose part it ends


class TocIndex(Record):
    """The table of contents by place: member -> fragment ("" for the whole document) -> entries, in their order."""

    entries: Sequence[TocEntry]
    paths: Sequence[tuple[str, ...]]
    places: Mapping[str, Mapping[str, tuple[int, ...]]]

    @classmethod
    def of(cls, entries: Sequence[TocEntry], members: Mapping[int, str]) -> TocIndex:
        """`members` says which member each entry leads to, as far as there is one."""
        places: dict[str, dict[str, tuple[int, ...]]] = {}
        for number, member in members.items():
            target = entries[number].target
            fragment = (target.fragment if target is not None else None) or ""
            document = places.setdefault(member, {})
            document[fragment] = (*document.get(fragment, ()), number)
        return cls(entries, label_paths(entries), places)

    def cuts(self) -> dict[str, frozenset[str]]:
        """Where the contents lead inside of documents: member -> fragments."""
        return {
            member: frozenset(fragment for fragment in fragments if fragment)
            for member, fragments in self.places.items()
        }

    def level(self, member: str, fragment: str) -> int:
        """The level of the highest entry that leads to a place."""
        return min(self.entries[number].level for number in self.places[member][fragment])


def segments_of(document: BookDocument, toc: TocIndex, options: Options) -> list[BookSegment]:
    """The segments of one document, in order. None for a document without text."""
    written = document.written
    if written is None or not written.kinds:
        return []
    starts: dict[int, list[str]] = {0: []}
    depth = options.segment_depth
    if options.segment_by == "toc":
        for place in written.cuts:
            fragment = str(place.key)
            if place.block < len(written.kinds) and (depth is None or toc.level(document.member, fragment) <= depth):
                starts.setdefault(place.block, []).append(fragment)
    elif options.segment_by == "heading":
        for block in heading_starts(written, depth):
            starts.setdefault(block, [])
    entries = deque(_entries(document, written, toc))
    found = []
    for piece in cut(written, starts):
        segment = BookSegment(document, piece.text, piece.fragments, piece.heading, piece.heading_level)
        while entries and entries[0][0] < piece.end:
            block, number, alive = entries.popleft()
            if alive:
                segment.entries.append(number)
            if block == piece.start:
                segment.first_entry = number
            segment.last_entry = number
        found.append(segment)
    return found


def _entries(document: BookDocument, written: PackedDocument, toc: TocIndex) -> list[tuple[int, int, bool]]:
    """The entries of the contents that lead into the document, by block: (block, entry, does its target exist?)."""
    blocks = {str(place.key): min(place.block, len(written.kinds) - 1) for place in reversed(written.cuts)}
    found: list[tuple[int, int, bool]] = []
    for fragment, numbers in toc.places.get(document.member, {}).items():
        if fragment in document.buried:
            continue
        alive = not fragment or fragment in blocks or fragment == document.own_id
        found.extend((blocks.get(fragment, 0), number, alive) for number in numbers)
    return sorted(found)


def place_segments(segments: Sequence[BookSegment], toc: TocIndex) -> None:
    """Give each segment its path in the table of contents. Where no entry leads, the section before goes on."""
    section: tuple[str, ...] = ()
    for segment in segments:
        if segment.first_entry is not None:
            section = toc.paths[segment.first_entry]
        segment.section = section
        if segment.last_entry is not None:
            section = toc.paths[segment.last_entry]
