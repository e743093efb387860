"""Parquet: one row for each document or segment (columns: `tables.COLUMNS`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from markitect_tool.pipeline.exporters.base import Level
from markitect_tool.pipeline.exporters.merging import MergingExporter
from markitect_tool.pipeline.exporters.tables import COLUMNS, LONG_TEXTS, row_of, schema_of

# A row group is what readers take into memory at once, and what is held here until it is written.
ROW_GROUP_ROWS = 10_000
ROW_GROUP_BYTES = 32 * 1024 * 1024  # of JSON; a single document may be larger


@dataclass(frozen=True, slots=True)
class ParquetExporter(MergingExporter):
    """Files compressed with Zstandard; the same rows give the same bytes with one version of pyarrow."""

    level: Level = "document"
    shards: int = 1
    format: ClassVar[str] = "parquet"
    suffix: ClassVar[str] = ".parquet"

    def merge(self, stream: IO[bytes]) -> ParquetMerge:
        return ParquetMerge(stream, self.level)


class ParquetMerge:
    """Gathers rows into row groups."""

    def __init__(self, stream: IO[bytes], level: Level) -> None:
        from pyarrow.parquet import ParquetWriter

        self._level = level
        self._schema = schema_of(level)
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0
        self._writer = ParquetWriter(
            stream,
            self._schema,
            compression="zstd",
            use_dictionary=[name for name in COLUMNS[level] if name not in LONG_TEXTS],
            write_statistics=[name for name in COLUMNS[level] if name not in LONG_TEXTS],
        )

    def add(self, fragment: bytes) -> None:
        for line in fragment.splitlines():  # of bytes: only at ASCII line ends, which JSON never holds
            self._rows.append(row_of(json.loads(line), self._level))
            self._bytes += len(line)
            if len(self._rows) >= ROW_GROUP_ROWS or self._bytes >= ROW_GROUP_BYTES:
                self._write_group()

    def close(self) -> None:
        if self._rows:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        import pyarrow

        self._writer.write_table(pyarrow.Table.from_pylist(self._rows, self._schema))
        self._rows, self._bytes = [], 0
