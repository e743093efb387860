"""One Markdown file for each segment, in a folder for each document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from markitect_tool.outputs.names import file_stem
from markitect_tool.pipeline.exporters.base import Carriers, written
from markitect_tool.pipeline.exporters.naming import document_name
from markitect_tool.pipeline.records import DocumentRecord
from markitect_tool.pipeline.stages import ExportedFile, expect
from markitect_tool.pipeline.storage import Storage

_SEGMENT_FILE = re.compile(r"\d{4,}-[^/]*\.md")  # a folder may hold those of other documents, one level down


@dataclass(frozen=True, slots=True)
class SegmentsExporter(Carriers):
    """`shelf/emma.epub.segments/0003-chapter-ii.md` holds the Markdown of one segment, byte for byte, and a line end.

    The number is the segment's order, so names sort as one reads.
    """

    format: ClassVar[str] = "segments"

    def fingerprint(self) -> str:
        return "segments/1"

    def export(self, record: DocumentRecord, storage: Storage) -> tuple[ExportedFile, ...]:
        record = expect(self, DocumentRecord, record)
        folder = f"{document_name(record.provenance.key)}.segments"
        files = {
            f"{folder}/{segment.order:04d}-{file_stem(segment.heading or '', fallback='segment')}.md": (
                f"{segment.markdown}\n".encode()
            )
            for segment in record.normalized().segments
        }
        exported = written(storage, files)
        # What an earlier state of the document left, even of a run that was stopped before it could say so.
        there = [file.name for file in storage.list(folder) if _SEGMENT_FILE.fullmatch(file.name[len(folder) + 1 :])]
        storage.delete([name for name in there if name not in files])
        return exported

    def finalize(self, storage: Storage, keys: Iterable[str]) -> tuple[ExportedFile, ...]:
        return ()  # each file is complete
