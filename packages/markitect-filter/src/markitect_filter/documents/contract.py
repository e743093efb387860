"""Segments in the form of the contract, with where each piece of them comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from markitect_tool.source.model import NormalizedMarkdownSegment, SourceProvenance

from markitect_filter.documents.packed import beginning
from markitect_filter.documents.resolve import Resolved, Span
from markitect_filter.documents.text import Segment

# What may stand before the first word: anchors, marks of headings, quotes and lists, punctuation.
_OPENING = re.compile(r'(?:<a id="[^"]*"></a>|[0-9]{1,9}[.)] |[^\w<]|_)*')
_LONGEST_OPENING = 2000  # characters: a repeat remembers every step
_Segment = TypeVar("_Segment", bound=Segment)

Description = tuple[SourceProvenance, dict[str, Any]]
"""Where the whole of a segment comes from, and what else is to be known about it."""


def contract_segments(
    segments: Sequence[_Segment],
    resolved: Iterator[Resolved],
    uri: str,
    describe: Callable[[_Segment, Span], Description],
) -> list[NormalizedMarkdownSegment]:
    """The segments of the contract. `resolved` is asked for one at a time. `describe` is given the segment and how far
    it reaches, with the page on which it starts."""
    found = []
    page: str | None = None
    for order, segment in enumerate(segments):
        text = next(resolved)
        first = page
        if text.pages:
            first = _page_at_start(text, page)
            page = text.pages[-1].label
        whole, metadata = describe(segment, Span(0, text.length, first))
        found.append(
            NormalizedMarkdownSegment.of_utf8(
                text.markdown,
                segment_id=segment.segment_id,
                order=order,
                heading=segment.heading,
                heading_level=segment.heading_level,
                anchors=list(dict.fromkeys([*segment.fragments, *text.anchors])),
                provenance=[whole, *_pieces(text, segment.document.member, uri)],
                metadata=metadata,
            )
        )
        del text  # before the next one is made
    return found


def _page_at_start(text: Resolved, before: str | None) -> str | None:
    """The label of the last page that starts before the first word; where none does, the page `before` goes on."""
    opening = _OPENING.match(beginning(text.markdown, _LONGEST_OPENING))
    assert opening is not None  # it may be empty
    starts = [span.label for span in text.pages if span.start <= opening.end()]
    return starts[-1] if starts else before


def _pieces(text: Resolved, member: str, uri: str) -> Iterator[SourceProvenance]:
    """Each printed page that starts in a segment, then its notes. Offsets are characters of the segment's Markdown."""
    for span in text.pages:
        yield SourceProvenance(
            source_uri=uri,
            package_path=member or None,
            page=span.label,
            start_offset=span.start,
            end_offset=span.end,
            metadata={"kind": "page"},
        )
    for span in text.notes:
        if span.place is not None:
            yield SourceProvenance(
                source_uri=uri,
                package_path=span.place[0] or None,
                anchor=span.place[1] or None,
                page=span.label,
                start_offset=span.start,
                end_offset=span.end,
                metadata={"kind": "note" if span.label is None else "page"},
            )
