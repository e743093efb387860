"""A document as rows: itself, or its segments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from markitect_tool.outputs.segments import segment_records
from markitect_tool.pipeline.exporters.base import Level
from markitect_tool.pipeline.records import DocumentRecord


def lines_of(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """JSON Lines: each row in a line that a line feed ends."""
    return b"".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows)


def rows_of(record: DocumentRecord, level: Level) -> Iterable[dict[str, Any]]:
    """The rows of one document.

    A document's row is its `DocumentRecord`; `DocumentRecord.model_validate` reads it back. A segment's row is that of
    `outputs.segment_records`, after the document's key.
    """
    return (document_row(record),) if level == "document" else segment_rows(record)


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
