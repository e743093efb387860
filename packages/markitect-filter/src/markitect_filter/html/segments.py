"""The blocks of a page -> segments, with their names and where they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from markitect_tool.source.model import NormalizedMarkdownSegment, SourceProvenance

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.packed import MarkedUtf8, beginning, marks_in
from markitect_filter.documents.resolve import Resolved
from markitect_filter.documents.text import Document, Segment, cut, heading_starts, name_segments
from markitect_filter.html.options import Options
from markitect_filter.markdown.marks import ANCHOR, Late

_OPENING = re.compile(rb"(?:#{1,6} |[\x12\x13\x1c\n]|\x10[AP][0-9]+\x11)*")  # marks before the first word
_NO_WORD = re.compile(r'(?:<a id="[^"]*"></a>|[^\w<])*')
_LONGEST = 2000  # characters that are looked at; what is longer holds a word


def segments_of(document: Document, options: Options, late: Late) -> list[Segment]:
    """The segments of a page. Each is named after the first anchor at its start that is fit for it."""
    written = document.written
    if written is None or not written.kinds:
        return []
    starts = [0, *heading_starts(written, options.segment_depth)] if options.segment_by == "heading" else [0]
    found = []
    anchors: list[str] = []
    for piece in cut(written, dict.fromkeys(starts, ())):
        opening = _OPENING.match(piece.text)
        marks = marks_in(MarkedUtf8(opening[0] if opening else b""))
        places = [cast(Place, late[number]) for kind, number in marks if kind == ANCHOR]
        fragments = tuple(fragment for _, fragment in places if fragment)
        anchors.extend(fragments)
        found.append(
            Segment(document, piece.text, fragments=fragments, heading=piece.heading, heading_level=piece.heading_level)
        )
    name_segments(found, anchors)
    _add_sections(found)
    return found


def _add_sections(segments: Sequence[Segment]) -> None:
    """The headings from the top of the page down to each segment's own."""
    above: list[tuple[int, str]] = []
    for segment in segments:
        if segment.heading is not None and segment.heading_level is not None:
            above = [entry for entry in above if entry[0] < segment.heading_level]
            above.append((segment.heading_level, segment.heading))
        segment.section = tuple(heading for _, heading in above)


def contract_segments(
    segments: Sequence[Segment], resolved: Iterator[Resolved], uri: str
) -> list[NormalizedMarkdownSegment]:
    """The segments of the contract. `resolved` is asked for one at a time."""
    found = []
    page: str | None = None
    for order, segment in enumerate(segments):
        text = next(resolved)
        first = page
        if text.pages:
            opening = beginning(text.markdown, _LONGEST)
            at_start = [span.label for span in text.pages if _NO_WORD.fullmatch(opening, 0, span.start)]
            first = at_start[-1] if at_start else page
            page = text.pages[-1].label
        metadata: dict[str, Any] = {"section_path": list(segment.section)} if segment.section else {}
        found.append(
            NormalizedMarkdownSegment.of_utf8(
                text.markdown,
                segment_id=segment.segment_id,
                order=order,
                heading=segment.heading,
                heading_level=segment.heading_level,
                anchors=list(dict.fromkeys([*segment.fragments, *text.anchors])),
                provenance=_provenance(segment, text, uri, first),
                metadata=metadata,
            )
        )
        del text  # before the next one is made
    return found


def _provenance(segment: Segment, text: Resolved, uri: str, page: str | None) -> list[SourceProvenance]:
    """First the whole segment, then each printed page that starts in it, then its notes. Offsets are characters of
    the segment's Markdown; `page` is the page on which it starts."""
    anchor = segment.fragments[0] if segment.fragments else None
    found = [
        SourceProvenance(
            uri,
            source_href=f"#{anchor}" if anchor else None,
            anchor=anchor,
            page=page,
            section=" / ".join(segment.section) or None,
            start_offset=0,
            end_offset=text.length,
        )
    ]
    found += [
        SourceProvenance(uri, page=span.label, start_offset=span.start, end_offset=span.end, metadata={"kind": "page"})
        for span in text.pages
    ]
    found += [
        SourceProvenance(
            uri,
            anchor=(span.place[1] or None) if span.place is not None else None,
            page=span.label,
            start_offset=span.start,
            end_offset=span.end,
            metadata={"kind": "note" if span.label is None else "page"},
        )
        for span in text.notes
    ]
    return found
