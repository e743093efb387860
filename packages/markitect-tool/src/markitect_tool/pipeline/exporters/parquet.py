"""Parquet: one row for each document or segment (columns: `tables.COLUMNS`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

from markitect_tool.pipeline.exporters.base import Level
from markitect_tool.pipeline.exporters.merging import FRAGMENTS, MergingExporter
from markitect_tool.pipeline.exporters.rows import lines_of, rows_of
from markitect_tool.pipeline.exporters.tables import COLUMNS, LONG_TEXTS, row_of, schema_of
from markitect_tool.pipeline.records import DocumentRecord
from markitect_tool.pipeline.storage_errors import StorageUnavailableError

# A row group is what readers take into memory at once, and what is held here until it is written.
ROW_GROUP_ROWS = 10_000  # a document may add more
ROW_GROUP_BYTES = 32 * 1024 * 1024  # of JSON; a single document may be larger


@dataclass(frozen=True, slots=True)
class ParquetExporter(MergingExporter):
    """Files compressed with Zstandard; the same rows give the same bytes with one version of pyarrow.

    A fragment holds the cells of its rows as lines of JSON, so that to merge them takes no work in Python.
    """

    level: Level = "document"
    shards: int = 1
    format: ClassVar[str] = "parquet"
    suffix: ClassVar[str] = ".parquet"

    def lines(self, record: DocumentRecord) -> bytes:
        return lines_of(row_of(row, self.level) for row in rows_of(record, self.level))

    def merge(self, stream: IO[bytes]) -> ParquetMerge:
        return ParquetMerge(stream, self.level)


class ParquetMerge:
    """Gathers fragments into row groups."""

    def __init__(self, stream: IO[bytes], level: Level) -> None:
        from pyarrow.parquet import ParquetWriter

        self._schema = schema_of(level)
        self._held: list[bytes] = []
        self._rows = 0
        self._bytes = 0
        short = [name for name in COLUMNS[level] if name not in LONG_TEXTS]
        self._writer = ParquetWriter(
            stream, self._schema, compression="zstd", use_dictionary=short, write_statistics=short
        )

    def add(self, fragment: bytes) -> None:
        if not fragment:
            return
        self._held.append(fragment)
        self._rows += fragment.count(b"\n")  # JSON holds none within a line
        self._bytes += len(fragment)
        if self._rows >= ROW_GROUP_ROWS or self._bytes >= ROW_GROUP_BYTES:
            self._write_group()

    def close(self) -> None:
        try:
            if self._held:
                self._write_group()
        finally:
            self._writer.close()

    def _write_group(self) -> None:
        import pyarrow
        from pyarrow.json import ParseOptions, ReadOptions, read_json

        try:
            table = read_json(
                pyarrow.BufferReader(b"".join(self._held)),
                # One block, as no line may be longer than one; nor do the parts of a table depend on threads then.
                ReadOptions(use_threads=False, block_size=self._bytes + 1),
                ParseOptions(explicit_schema=self._schema, unexpected_field_behavior="error"),
            )
        except pyarrow.ArrowInvalid as error:
            raise StorageUnavailableError(
                f"A file below {FRAGMENTS} is damaged: {error}.",
                hint="Resume without --quick, which makes it anew; with --prune, if its document is gone.",
            ) from error
        self._writer.write_table(table.replace_schema_metadata(self._schema.metadata), row_group_size=self._rows)
        self._held, self._rows, self._bytes = [], 0, 0
