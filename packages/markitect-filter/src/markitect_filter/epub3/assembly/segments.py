"""Stage 7: the blocks of a document -> segments, with their names and their place in the table of contents."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise

from markitect_tool.record import Record, Struct, record, struct

from markitect_filter.epub3.assembly.document import Document
from markitect_filter.epub3.assembly.packed import MarkedUtf8, PackedDocument
from markitect_filter.epub3.navigation.navigation_model import TocEntry, label_paths
from markitect_filter.epub3.options import Options
from markitect_filter.markdown.layout import HEADING

_GOOD_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
_ORDINAL = re.compile(r"seg-[0-9]+")


@struct()
class Segment(Struct):
    """One segment before its marks are resolved."""

    document: Document
    text: MarkedUtf8
    segment_id: str = ""
    fragments: tuple[str, ...] = ()  # the anchors at which it was cut
    section: tuple[str, ...] = ()  # labels of the table of contents, from the top down
    heading: str | None = None
    heading_level: int | None = None
    entries: list[int] = field(default_factory=list)  # the entries of the table of contents that lead here
    first_entry: int | None = None  # the entry in whose part the segment starts, None: the part goes on
    last_entry: int | None = None  # the one in whose part it ends

    def take(self) -> MarkedUtf8:
        """The text, which nobody will ask for again."""
        text, self.text = self.text, MarkedUtf8(b"")
        return text


@record()
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


def segments_of(document: Document, toc: TocIndex, options: Options) -> list[Segment]:
    """The segments of one document, in order. None for a document without text."""
    written = document.written
    if written is None or not written.kinds:
        return []
    count = len(written.kinds)
    starts: dict[int, list[str]] = {0: []}
    depth = options.segment_depth
    if options.segment_by == "toc":
        for cut in written.cuts:
            fragment = str(cut.key)
            if cut.block < count and (depth is None or toc.level(document.member, fragment) <= depth):
                starts.setdefault(cut.block, []).append(fragment)
    elif options.segment_by == "heading":
        for heading in written.headings:
            if written.kinds[heading.block] != HEADING:
                continue  # in a quote or a list, which cannot be cut
            if depth is None or heading.level <= depth:
                starts.setdefault(heading.block, [])
    bounds = [*sorted(starts), count]
    headings = deque(written.headings)
    entries = deque(_entries(document, written, toc))
    found = []
    for (start, end), text in zip(pairwise(bounds), written.parts(bounds), strict=True):
        segment = Segment(document, text, fragments=tuple(starts[start]))
        while entries and entries[0][0] < end:
            block, number, alive = entries.popleft()
            if alive:
                segment.entries.append(number)
            if block == start:
                segment.first_entry = number
            segment.last_entry = number
        while headings and headings[0].block < end:
            first = headings.popleft()
            if segment.heading is None:
                segment.heading, segment.heading_level = first.text, first.level
        found.append(segment)
    return found


def _entries(document: Document, written: PackedDocument, toc: TocIndex) -> list[tuple[int, int, bool]]:
    """The entries of the contents that lead into the document, by block: (block, entry, does its target exist?)."""
    blocks = {str(cut.key): min(cut.block, len(written.kinds) - 1) for cut in reversed(written.cuts)}
    found: list[tuple[int, int, bool]] = []
    for fragment, numbers in toc.places.get(document.member, {}).items():
        if fragment in document.buried:
            continue
        alive = not fragment or fragment in blocks or fragment == document.own_id
        found.extend((blocks.get(fragment, 0), number, alive) for number in numbers)
    return sorted(found)


def name_segments(segments: Sequence[Segment], toc: TocIndex, anchors: Iterable[str]) -> None:
    """Give each segment its id and its path in the table of contents.

    The id is the anchor at which the segment starts, if it occurs once in the book (`anchors` holds all, repeated as
    they are) and is fit for a URL; else its number. Where no entry of the contents leads, the section before goes on.
    """
    counts = Counter(anchors)
    used: set[str] = set()
    section: tuple[str, ...] = ()
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
        if segment.first_entry is not None:
            section = toc.paths[segment.first_entry]
        segment.section = section
        if segment.last_entry is not None:
            section = toc.paths[segment.last_entry]
