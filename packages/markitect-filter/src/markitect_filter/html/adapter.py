"""The HTML adapter: whatever stops a page is raised as a `SourceError` and becomes a diagnostic here, nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
from markitect_tool.record import replace
from markitect_tool.source.loading import read_bytes
from markitect_tool.source.messages import (
    SourceAdapterMatch,
    SourceAdapterMatchRequest,
    SourceInspectRequest,
    SourceInspectResult,
    SourceReadRequest,
    SourceReadResult,
)
from markitect_tool.source.pages import SourcePage
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.selection import Claim, claim_of

from markitect_filter.documents.limits import Limits
from markitect_filter.html.convert import convert_page
from markitect_filter.html.inspect import inspect_page
from markitect_filter.html.options import Options, limits_from
from markitect_filter.html.page import Page, foreign_format, open_page, starts_like_html
from markitect_filter.pagetext import PageText

_SNIFFED = 4096  # bytes that matching looks at

Request = SourceInspectRequest | SourceReadRequest


class HtmlAdapter:
    """Reads HTML and XHTML pages."""

    def __init__(self, descriptor: SourceAdapterDescriptor) -> None:
        self.descriptor = descriptor

    def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        """By media type or suffix, unless the bytes are plainly something else; without these, by the bytes."""
        adapter_id = self.descriptor.id
        claim = claim_of(self.descriptor, request.asset)
        if claim is Claim.CONTENT and (request.asset.media_type or request.asset.extension):
            return SourceAdapterMatch(adapter_id, False, 0, "neither media type nor suffix is one of HTML")
        try:
            start = read_bytes(request, _SNIFFED)
        except SourceError as error:
            return SourceAdapterMatch(adapter_id, False, 0, str(error))
        foreign = foreign_format(start)
        if foreign is not None:
            return SourceAdapterMatch(adapter_id, False, 0, f"the bytes are no HTML but {foreign}")
        if claim is Claim.MEDIA_TYPE:
            return SourceAdapterMatch(adapter_id, True, 90, "the media type is one of HTML")
        if claim is Claim.EXTENSION:
            return SourceAdapterMatch(adapter_id, True, 80, "the suffix is one of HTML")
        if starts_like_html(start):
            return SourceAdapterMatch(adapter_id, True, 60, "the first element is that of a page")
        return SourceAdapterMatch(adapter_id, False, 0, "the bytes do not start like a page")

    def inspect(self, request: SourceInspectRequest) -> SourceInspectResult:
        """Metadata, what would be converted, counts and features."""
        sink = DiagnosticSink(request.asset.uri)
        try:
            page, _ = _open(request, sink)
            found = inspect_page(page, request.asset, Options.from_mapping(request.options), sink)
        except SourceError as error:
            sink.add(replace(error.diagnostic, severity="error"))
            return SourceInspectResult(False, request.asset, self._adapter(request), diagnostics=list(sink))
        return SourceInspectResult(
            True,
            replace(request.asset, media_type=request.asset.media_type or page.media_type),
            adapter=self._adapter(request),
            metadata=found.metadata,
            capabilities=found.capabilities,
            diagnostics=list(sink),
            quality=found.quality,
        )

    def read(self, request: SourceReadRequest) -> SourceReadResult:
        """The whole page."""
        sink = DiagnosticSink(request.asset.uri)
        try:
            page, limits = _open(request, sink)
            document = convert_page(page, request.asset, self.descriptor, request.options, limits, sink)
        except SourceError as error:
            sink.add(replace(error.diagnostic, severity="error"))
            return SourceReadResult(False, None, list(sink))
        return SourceReadResult(True, document, document.diagnostics)

    def source_pages(self, request: SourceReadRequest) -> Iterator[SourcePage]:
        """The text of the page, also of what is left out. Raises what stops `read`."""
        page, _ = _open(request, DiagnosticSink())
        found = PageText(page.body)
        yield SourcePage(None, found.text, found.anchors, found.formulas)

    def _adapter(self, request: Request) -> dict[str, Any]:
        return {"id": self.descriptor.id, "version": self.descriptor.version, "options": dict(request.options)}


def _open(request: Request, sink: DiagnosticSink) -> tuple[Page, Limits]:
    limits = limits_from(request.options)
    data = read_bytes(request, limits.text_bytes + 1)
    return open_page(data, request.asset, request.options.get("encoding"), limits, sink), limits
