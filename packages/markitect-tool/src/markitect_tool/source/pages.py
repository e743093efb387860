"""The text of a source's pages as its readers see it: what its Markdown can be compared with.

Optional: an adapter that can, offers it as a `SourcePages`. The text comes from another way than the Markdown, so that
each can judge the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from markitect_tool.errors import UnreadableSourceError
from markitect_tool.source.discovery import default_source_adapter_registry
from markitect_tool.source.loading import Source, identify, measure
from markitect_tool.source.messages import SourceReadRequest
from markitect_tool.source.model import NormalizedMarkdownDocument
from markitect_tool.source.registry import SourceAdapterRegistry


@dataclass(frozen=True, slots=True)
class SourcePage:
    """The text of one page. An empty line parts blocks, a line break lines and a tab the cells of a table."""

    path: str | None  # `package_path` in the provenance of what comes from it; None for a source of one page
    text: str
    anchors: Mapping[str, int] = field(default_factory=dict)  # fragment -> where in `text` it is, in characters
    formulas: Sequence[tuple[int, int]] = ()  # spans of `text` that are formulas, whose words are only their signs


@runtime_checkable
class SourcePages(Protocol):
    """What a `SourceReadAdapter` has besides when it can give the text of the source's pages."""

    def source_pages(self, request: SourceReadRequest) -> Iterator[SourcePage]:
        """Every page in reading order, once, also of what `read` leaves out; but not what cannot be read.

        Raises a `SourceError` for a source that `read` refuses too.
        """
        ...


def source_pages(
    source: Source, document: NormalizedMarkdownDocument, *, registry: SourceAdapterRegistry | None = None
) -> Iterator[SourcePage] | None:
    """The pages of the source that `document` was made from; None if its adapter offers none.

    Raises a `SourceError`, here or on the way, for a source that cannot be read or has changed.
    """
    if registry is None:
        registry = default_source_adapter_registry()
    adapter = registry.adapter(str(document.adapter["id"]))
    if not isinstance(adapter, SourcePages):
        return None
    known = document.asset
    asset, content = measure(source, identify(source, uri=known.uri, media_type=known.media_type, name=known.name))
    if asset.digest != known.digest:
        raise UnreadableSourceError("The source has changed since it was read.", source=asset.uri)
    return adapter.source_pages(SourceReadRequest(asset, dict(document.adapter.get("options", {})), content))
