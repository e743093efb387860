"""A document as records, one for each segment: ready for an index, for JSON Lines, for tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markitect_tool.errors import ModelError
from markitect_tool.serialization import plain_json
from markitect_tool.source.model import NormalizedMarkdownDocument, NormalizedMarkdownSegment

SECTION_PATH = "section_path"  # in a segment's metadata: labels of the table of contents, from the top down


def segment_records(document: NormalizedMarkdownDocument) -> Iterator[dict[str, Any]]:
    """One JSON-serialisable record for each segment, in reading order, with the same keys in the same order.

    `text` is the segment's Markdown, and `document.markdown` in UTF-8 from `byte_start` to before `byte_end`, which
    are the lines `line_start` to `line_end` (from 1, inclusive). `pages` are labels: the page on which the segment
    starts, then those that start in it. Raises `ModelError` for a document whose Markdown is not that of its segments.
    """
    markdown, character, byte, line = document.markdown, 0, 0, 1
    for segment, path in zip(document.segments, heading_paths(document), strict=True):
        text = segment.markdown
        start = markdown.find(text, character)
        if start < 0:
            raise ModelError(f"the segment {segment.segment_id} is not in the document's Markdown")
        between = markdown[character:start]
        byte += len(between.encode())
        line += between.count("\n")
        size, lines = len(text.encode()), text.count("\n")
        yield {
            "schema_version": document.schema_version,
            "document_id": document.document_id,
            "segment_id": segment.segment_id,
            "order": segment.order,
            "heading": segment.heading,
            "heading_level": segment.heading_level,
            "heading_path": path,
            "text": text,
            "pages": pages_of(segment),
            "source_uri": document.asset.uri,
            "source_href": next((entry.source_href for entry in segment.provenance if entry.source_href), None),
            "anchors": list(segment.anchors),
            "byte_start": byte,
            "byte_end": byte + size,
            "line_start": line,
            "line_end": line + lines,
            "language": document.metadata.language,
            "title": document.metadata.title,
            "creators": list(document.metadata.creators),
            "provenance": [entry.to_dict() for entry in segment.provenance],
            "metadata": plain_json(segment.metadata),
        }
        character = start + len(text)
        byte += size
        line += lines


def heading_paths(document: NormalizedMarkdownDocument) -> list[list[str]]:
    """For each segment the headings above it and its own, from the top down.

    The table of contents decides where the source has one; else the levels of the headings do. A segment without a
    heading goes on under that of the segment before.
    """
    paths: list[list[str]] = []
    above: list[tuple[int, str]] = []
    for segment in document.segments:
        if segment.heading is not None:
            level = segment.heading_level or 1
            above = [(other, text) for other, text in above if other < level] + [(level, segment.heading)]
        section = segment.metadata.get(SECTION_PATH)
        paths.append([str(label) for label in section] if isinstance(section, list) else [text for _, text in above])
    return paths


def pages_of(segment: NormalizedMarkdownSegment) -> list[str]:
    """The labels of the pages that the segment is on, each once, in order."""
    return list(dict.fromkeys(entry.page for entry in segment.provenance if entry.page is not None))
