"""What exporters have in common: their carriers, and how files are written and told of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from markitect_tool.canonical import digest_bytes
from markitect_tool.pipeline.records import DocumentRecord
from markitect_tool.pipeline.stages import ExportedFile
from markitect_tool.pipeline.storage import Storage

Level = Literal["document", "segment"]


class Carriers:
    """Base of the exporters: from records to files."""

    __slots__ = ()

    consumes: ClassVar[type[DocumentRecord]] = DocumentRecord
    produces: ClassVar[type[ExportedFile]] = ExportedFile


def written(storage: Storage, files: Mapping[str, bytes]) -> tuple[ExportedFile, ...]:
    """Write `files` durably, and say what was written."""
    storage.write_all(files)
    return tuple(ExportedFile(name, digest_bytes(data), len(data)) for name, data in files.items())
