"""What all sources share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
from markitect_tool.pipeline.records import ParserInput
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage import Storage


class BaseSource:
    """A source by its `items` and `load`."""

    @property
    def consumes(self) -> type[Any]:
        return Storage

    @property
    def produces(self) -> type[ParserInput]:
        return ParserInput

    def items(self, storage: Storage) -> Iterator[SourceItem]:
        """All documents, by ascending key and without their content."""
        raise NotImplementedError

    def load(self, storage: Storage, item: SourceItem) -> ParserInput:
        """The document with its content."""
        raise NotImplementedError

    def produce(self, storage: Storage, problems: DiagnosticSink | None = None) -> Iterator[ParserInput]:
        """Every document with its content, one in memory at a time.

        What cannot be loaded is told to `problems` and passed by; without these, its `SourceError` is raised.
        """
        for item in self.items(storage):
            try:
                given = self.load(storage, item)
            except SourceError as error:
                if problems is None:
                    raise
                problems.add(error.diagnostic)
                continue
            yield given
