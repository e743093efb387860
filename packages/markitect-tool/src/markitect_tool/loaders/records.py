"""What every loader gives its framework for a segment: a stable id, the text, and metadata that any store accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.errors import SourceError
from markitect_tool.outputs.segments import segment_records
from markitect_tool.source.api import normalize_source
from markitect_tool.source.loading import Source
from markitect_tool.source.registry import SourceAdapterRegistry

Report = Callable[[Diagnostic], None]

_LEFT_OUT = frozenset({"text", "schema_version", "provenance", "metadata"})
_JOINED = {"heading_path": " / ", "pages": ", ", "anchors": " ", "creators": "; "}


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How sources are read: the arguments of `normalize_source` that do not name one, and who hears of diagnostics."""

    media_type: str | None = None
    adapter_id: str | None = None
    options: Mapping[str, Any] | None = None
    registry: SourceAdapterRegistry | None = None
    report: Report | None = None


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """One segment. `id` is the same for the same source, URI and version of the adapter."""

    id: str
    text: str
    metadata: dict[str, str | int]


def load_segments(source: Source, uri: str | None, how: SourceOptions) -> Iterator[SegmentRecord]:
    """The segments of a source in reading order, those without text left out.

    Raises `SourceError` with the first error when the source cannot be read.
    """
    result = normalize_source(
        source,
        uri=uri,
        media_type=how.media_type,
        adapter_id=how.adapter_id,
        options=how.options,
        registry=how.registry,
    )
    if how.report is not None:
        for entry in result.diagnostics:
            how.report(entry)
    if result.document is None:
        raise SourceError.of(next(entry for entry in result.diagnostics if entry.severity == "error"))
    for record in segment_records(result.document):
        if record["text"].strip():
            yield SegmentRecord(
                f"{record['document_id']}#{record['segment_id']}", record["text"], flat_metadata(record)
            )


def flat_metadata(record: Mapping[str, Any]) -> dict[str, str | int]:
    """A segment's record as texts and numbers: stores refuse lists and mappings. What is empty is left out.

    Lists become one text: `heading_path` with " / " between its parts, `pages` with ", ", `creators` with "; ".
    `source` repeats `source_uri`, under the name that the frameworks look for.
    """
    flat: dict[str, str | int] = {"source": record["source_uri"]}
    for name, value in record.items():
        if name in _LEFT_OUT or value is None or value in ("", []):
            continue
        flat[name] = _JOINED[name].join(value) if name in _JOINED else value
    return flat
