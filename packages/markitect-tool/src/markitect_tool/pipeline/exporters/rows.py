"""A document as the lines of a JSON Lines file: itself, or its segments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from markitect_tool.outputs.segments import segment_records
from markitect_tool.pipeline.exporters.base import Level
from markitect_tool.pipeline.records import DocumentRecord


def lines_of(record: DocumentRecord, level: Level) -> bytes:
    """The lines of one document, each ended by a line feed.

    A document's line is its `DocumentRecord`; `DocumentRecord.model_validate_json` reads it back. A segment's line is
    that of `outputs.segment_records`, after the document's key.
    """
    rows = (document_row(record),) if level == "document" else segment_rows(record)
    return b"".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows)


def document_row(record: DocumentRecord) -> dict[str, Any]:
    """The record without the times of files: they say nothing about a document, and a resumed run may not know them.

    A file that was touched between two runs is not converted again, so a fresh run must give the same bytes.
    """
    row = record.model_dump(mode="json", exclude={"provenance": {"modified_ns"}})
    row["document"].get("asset", {}).pop("mtime_ns", None)
    return row


def segment_rows(record: DocumentRecord) -> Iterator[dict[str, Any]]:
    """One row for each segment of the document."""
    for row in segment_records(record.normalized()):
        yield {"key": record.provenance.key, **row}
