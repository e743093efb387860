"""The columns of Parquet files: their names, their types and what becomes of a row in them.

What has a fixed shape is a column of its own; what has not (metadata, provenance, diagnostics) is a column of JSON
text. So the schema is the same for every document that will ever be.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markitect_tool.pipeline.exporters.base import Level

if TYPE_CHECKING:
    import pyarrow

# Names of pyarrow's types; "json" is text that holds JSON.
_DOCUMENT = {
    "key": "string",
    "source_uri": "string",
    "source_digest": "string",
    "source_size": "int64",  # bytes
    "media_type": "string",
    "schema_version": "string",
    "document_id": "string",
    "cache_key": "string",
    "adapter": "string",
    "adapter_version": "string",
    "title": "string",
    "creators": "texts",
    "language": "string",
    "publisher": "string",
    "publication_date": "string",
    "rights": "string",
    "identifiers": "json",
    "markdown": "string",
    "segment_count": "int32",
    "lossiness": "string",
    "confidence": "float64",
    "quality": "json",
    "metadata": "json",
    "diagnostics": "json",
    "provenance": "json",
    "attachments": "json",
}
_SEGMENT = {
    "key": "string",
    "schema_version": "string",
    "document_id": "string",
    "segment_id": "string",
    "order": "int32",
    "heading": "string",
    "heading_level": "int32",
    "heading_path": "texts",
    "text": "string",
    "pages": "texts",
    "source_uri": "string",
    "source_href": "string",
    "anchors": "texts",
    "byte_start": "int64",
    "byte_end": "int64",
    "line_start": "int64",
    "line_end": "int64",
    "language": "string",
    "title": "string",
    "creators": "texts",
    "provenance": "json",
    "metadata": "json",
}
COLUMNS: Mapping[Level, Mapping[str, str]] = {"document": _DOCUMENT, "segment": _SEGMENT}
LONG_TEXTS = frozenset({"markdown", "text", "provenance", "metadata", "quality", "diagnostics", "attachments"})


def schema_of(level: Level) -> pyarrow.Schema:
    """The schema of a file, with its name and version among the file's metadata."""
    import pyarrow

    types = {
        "string": pyarrow.string(),
        "json": pyarrow.string(),
        "texts": pyarrow.list_(pyarrow.string()),
        "int32": pyarrow.int32(),
        "int64": pyarrow.int64(),
        "float64": pyarrow.float64(),
    }
    fields = [pyarrow.field(name, types[kind]) for name, kind in COLUMNS[level].items()]
    return pyarrow.schema(fields, metadata={"markitect.schema": f"markitect.{level}-table.v1"})


def row_of(row: Mapping[str, Any], level: Level) -> dict[str, Any]:
    """The cells of a row of `rows.rows_of`."""
    values = row if level == "segment" else _document_values(row)
    return {
        name: json.dumps(values.get(name), ensure_ascii=False, separators=(",", ":"))
        if kind == "json"
        else values.get(name)
        for name, kind in COLUMNS[level].items()
    }


def _document_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """A `DocumentRecord` as JSON, flat."""
    document, provenance = row["document"], row["provenance"]
    metadata, quality = document.get("metadata", {}), document["quality"]
    return {
        **{name: metadata.get(name) for name in ("title", "language", "publisher", "publication_date", "rights")},
        "creators": metadata.get("creators", []),
        "identifiers": metadata.get("identifiers", {}),
        "key": provenance["key"],
        "source_uri": provenance["uri"],
        "source_digest": provenance["digest"],
        "source_size": provenance["size"],
        "media_type": row["classification"]["media_type"],
        "schema_version": document["schema_version"],
        "document_id": document["document_id"],
        "cache_key": document["cache_key"],
        "adapter": document["adapter"].get("id"),
        "adapter_version": document["adapter"].get("version"),
        "markdown": document["markdown"],
        "segment_count": len(document.get("segments", [])),
        "lossiness": quality["lossiness"],
        "confidence": quality.get("confidence"),
        "quality": quality,
        "metadata": metadata,
        "diagnostics": row["diagnostics"],
        "provenance": document.get("provenance", []),
        "attachments": document.get("attachments", []),
    }
