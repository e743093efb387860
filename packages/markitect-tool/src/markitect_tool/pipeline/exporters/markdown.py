"""One Markdown file for each document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from markitect_tool.pipeline.exporters.base import Carriers, written
from markitect_tool.pipeline.exporters.naming import document_name
from markitect_tool.pipeline.records import DocumentRecord
from markitect_tool.pipeline.stages import ExportedFile, expect
from markitect_tool.pipeline.storage import Storage


@dataclass(frozen=True, slots=True)
class MarkdownExporter(Carriers):
    """`shelf/emma.epub.md` holds the canonical Markdown of `shelf/emma.epub`, and a line end."""

    format: ClassVar[str] = "markdown"

    def fingerprint(self) -> str:
        return "markdown/1"

    def export(self, record: DocumentRecord, storage: Storage) -> tuple[ExportedFile, ...]:
        record = expect(self, DocumentRecord, record)
        text = record.normalized().markdown
        return written(storage, {f"{document_name(record.provenance.key)}.md": f"{text}\n".encode()})

    def finalize(self, storage: Storage, keys: Iterable[str]) -> tuple[ExportedFile, ...]:
        return ()  # each file is complete
