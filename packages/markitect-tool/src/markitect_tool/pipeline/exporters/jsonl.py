"""JSON Lines: one line for each document or segment (see `rows.rows_of`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

from markitect_tool.pipeline.exporters.base import Level
from markitect_tool.pipeline.exporters.merging import MergingExporter


@dataclass(frozen=True, slots=True)
class JsonlExporter(MergingExporter):
    """Fragments one after the other: they are lines already."""

    level: Level = "document"
    shards: int = 1
    format: ClassVar[str] = "jsonl"
    suffix: ClassVar[str] = ".jsonl"

    def merge(self, stream: IO[bytes]) -> JsonlMerge:
        return JsonlMerge(stream)


class JsonlMerge:
    """Appends lines to a stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def add(self, fragment: bytes) -> None:
        self._stream.write(fragment)

    def close(self) -> None:
        """Nothing is held back."""
