"""LlamaIndex: `MarkitectReader().load_data("book.epub")`. Needs `pip install markitect-tool[llamaindex]`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

try:
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import Document
except ImportError as error:
    raise ImportError(f"{error}; pip install markitect-tool[llamaindex]", name=error.name) from error

from markitect_tool.loaders.records import Report, SourceOptions, load_segments
from markitect_tool.source.loading import Source
from markitect_tool.source.registry import SourceAdapterRegistry

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

#: Metadata that a model reads with the text and that counts for its embedding; the rest is for filters and citations.
SHOWN = ("title", "heading_path", "pages")


class MarkitectReader(BaseReader):
    """One document for each segment of a source, with an id that stays and flat metadata; see `loaders.records`.

    The arguments are those of `normalize_source`; `report` hears of every diagnostic. Fits `SimpleDirectoryReader` as
    a `file_extractor`.
    """

    def __init__(
        self,
        *,
        media_type: str | None = None,
        adapter_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        registry: SourceAdapterRegistry | None = None,
        report: Report | None = None,
    ) -> None:
        self._how = SourceOptions(media_type, adapter_id, options, registry, report)

    def lazy_load_data(
        self,
        source: Source,
        *,
        uri: str | None = None,
        extra_info: Mapping[str, Any] | None = None,
        fs: AbstractFileSystem | None = None,
    ) -> Iterable[Document]:
        """The documents in reading order. `extra_info` is metadata of the caller's, and wins; `fs` is where a path
        lies that is not on this machine.

        Raises `SourceError` for a source that cannot be read.
        """
        if fs is not None and not isinstance(source, bytes):
            uri = uri or fs.unstrip_protocol(str(source))
            source = fs.cat_file(str(source))
        for record in load_segments(source, uri, self._how):
            metadata = {**record.metadata, **(extra_info or {})}
            unseen = [name for name in metadata if name not in SHOWN]
            yield Document(
                id_=record.id,
                text=record.text,
                metadata=metadata,
                excluded_embed_metadata_keys=unseen,
                excluded_llm_metadata_keys=unseen,
            )
