"""LangChain: `MarkitectLoader("book.epub").load()`. Needs `pip install markitect-tool[langchain]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

try:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
except ImportError as error:
    raise ImportError(f"{error}; pip install markitect-tool[langchain]", name=error.name) from error

from markitect_tool.loaders.records import Report, SourceOptions, load_segments
from markitect_tool.source.loading import Source
from markitect_tool.source.registry import SourceAdapterRegistry


class MarkitectLoader(BaseLoader):
    """One document for each segment of a source, with an id that stays and flat metadata; see `loaders.records`.

    `source` is a path or bytes. The other arguments are those of `normalize_source`; `report` hears of every
    diagnostic. The source is read when the documents are asked for, and each time anew.
    """

    def __init__(
        self,
        source: Source,
        *,
        uri: str | None = None,
        media_type: str | None = None,
        adapter_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        registry: SourceAdapterRegistry | None = None,
        report: Report | None = None,
    ) -> None:
        self._source = source
        self._uri = uri
        self._how = SourceOptions(media_type, adapter_id, options, registry, report)

    def lazy_load(self) -> Iterator[Document]:
        """The documents in reading order. Raises `SourceError` for a source that cannot be read."""
        for record in load_segments(self._source, self._uri, self._how):
            yield Document(id=record.id, page_content=record.text, metadata=record.metadata)
