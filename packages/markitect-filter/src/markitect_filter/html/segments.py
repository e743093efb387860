"""The blocks of a page -> segments, with their names and where they come from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from markitect_tool.source.model import SourceProvenance

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.contract import Description
from markitect_filter.documents.packed import MarkedUtf8, numbers_in
from markitect_filter.documents.resolve import Span
from markitect_filter.documents.text import Document, Segment, cut, heading_starts, name_segments
from markitect_filter.html.options import Options
from markitect_filter.markdown.marks import ANCHOR, Late

_OPENING = re.compile(rb"(?:#{1,6} |[\x12\x13\x1c\n]|\x10[AP][0-9]+\x11)*")  # marks before the first word


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
        [marks] = numbers_in(MarkedUtf8(opening[0] if opening else b""), ANCHOR)
        places = [cast(Place, late[number]) for number in marks]
        fragments = tuple(fragment for _, fragment in places if fragment)
        anchors.extend(fragments)
        found.append(Segment(document, piece.text, fragments, piece.heading, piece.heading_level))
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


def describe(uri: str, segment: Segment, whole: Span) -> Description:
    """Where a segment comes from, and the headings above it."""
    anchor = segment.fragments[0] if segment.fragments else None
    provenance = SourceProvenance(
        uri,
        source_href=f"#{anchor}" if anchor else None,
        anchor=anchor,
        page=whole.label,
        section=" / ".join(segment.section) or None,
        start_offset=whole.start,
        end_offset=whole.end,
    )
    return provenance, {"section_path": list(segment.section)} if segment.section else {}
