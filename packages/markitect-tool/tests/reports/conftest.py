"""What the tests of reports share: an adapter whose Markdown and pages are given, and the report made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from markitect_tool.diagnostics import Diagnostic
from markitect_tool.reports.sides import DEFAULT_BOUNDS, Bounds
from markitect_tool.reports.source_report import source_report
from markitect_tool.source.api import normalize_source
from markitect_tool.source.messages import SourceAdapterMatch, SourceInspectResult, SourceReadResult
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceMetadata,
    SourceProvenance,
)
from markitect_tool.source.pages import SourcePage
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.registry import SourceAdapterRegistry

Segment = tuple[str, str]  # the page's path, Markdown


class GivenAdapter:
    """Reads anything as the document that it was made with."""

    def __init__(self, segments, pages, metadata, quality, diagnostics):
        self.segments, self.metadata, self.quality, self.diagnostics = segments, metadata, quality, diagnostics
        self.pages = pages
        self.descriptor = SourceAdapterDescriptor(
            "given", "1", "Given", ["read"], ["text/given"], [".given"], factory=lambda: self
        )

    def can_read(self, request):
        return SourceAdapterMatch("given", True, 100)

    def inspect(self, request):
        return SourceInspectResult(True, request.asset)

    def read(self, request):
        document = NormalizedMarkdownDocument.assemble(
            asset=request.asset,
            adapter_id="given",
            adapter_version="1",
            options={},
            segments=[segment(order, request.asset.uri, *given) for order, given in enumerate(self.segments)],
            quality=self.quality,
            metadata=self.metadata,
        )
        return SourceReadResult(True, document, list(self.diagnostics))


class PagedAdapter(GivenAdapter):
    """The same, with the text of its pages."""

    def source_pages(self, request):
        yield from self.pages


def segment(order, uri, path, markdown, notes=()):
    """A segment from `path`; `notes` are `(path, anchor, definition)` of the footnotes in its Markdown."""
    provenance = [SourceProvenance(uri, package_path=path)]
    for member, anchor, definition in notes:
        start = markdown.index(definition)
        provenance.append(
            SourceProvenance(
                uri,
                package_path=member,
                anchor=anchor,
                start_offset=start,
                end_offset=start + len(definition),
                metadata={"kind": "note"},
            )
        )
    return NormalizedMarkdownSegment(f"seg-{order + 1}", order, markdown, provenance=provenance)


@pytest.fixture
def report() -> Callable[..., str]:
    """The report on segments and the pages that they come from; without pages the adapter offers none."""

    def make(
        segments: Sequence[tuple[object, ...]],
        pages: Sequence[SourcePage] | None = None,
        *,
        metadata: SourceMetadata | None = None,
        quality: NormalizationQuality | None = None,
        diagnostics: Sequence[Diagnostic] = (),
        bounds: Bounds = DEFAULT_BOUNDS,
    ) -> str:
        kind = GivenAdapter if pages is None else PagedAdapter
        adapter = kind(segments, pages, metadata, quality or NormalizationQuality("none"), diagnostics)
        registry = SourceAdapterRegistry([adapter.descriptor])
        result = normalize_source(b"given", uri="given:source", registry=registry)
        return source_report(result, b"given", name="given", registry=registry, bounds=bounds)

    return make


@pytest.fixture
def marks() -> Callable[[str], list[str]]:
    """The differences in a report's text: `-lost`, `+new`, `~in another form`."""

    def find(html: str) -> list[str]:
        text = html.partition('<details class="seg')[2]
        signs = {"del": "-", "ins": "+", 'span class="w"': "~"}
        return [signs[tag] + words for tag, words in re.findall(r"<(del|ins|span class=\"w\")>(.*?)</", text, re.S)]

    return find
