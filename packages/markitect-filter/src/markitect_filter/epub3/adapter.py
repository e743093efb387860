"""The EPUB adapter, its stages in order.

1 container -> 2 package, metadata -> 3 navigation, roles, reading order -> 4 content, anchors -> 5 notes, pages,
links -> 6 documents (the writer) -> 7 segments -> 8 assembly. What pages of the web go through as well is in
`markitect_filter.documents`. Whatever stops a book is raised as a `SourceError` and
becomes a diagnostic here and nowhere else. What one operation needs is imported when it runs: looking at a book takes
less time than loading what writes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
from markitect_tool.record import replace
from markitect_tool.source.messages import (
    SourceAdapterMatch,
    SourceAdapterMatchRequest,
    SourceInspectRequest,
    SourceInspectResult,
    SourceReadRequest,
    SourceReadResult,
)

from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.sniff import SIGNED, begins_like_epub, epub_evidence
from markitect_filter.epub3.opening import open_book
from markitect_filter.epub3.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from markitect_tool.source.attachments import ReadAttachment
    from markitect_tool.source.pages import SourcePage
    from markitect_tool.source.protocol import SourceAdapterDescriptor

Request = SourceAdapterMatchRequest | SourceInspectRequest | SourceReadRequest


class Epub3Adapter:
    """Reads EPUB 3 and EPUB 2."""

    def __init__(self, descriptor: SourceAdapterDescriptor) -> None:
        self.descriptor = descriptor

    def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        """Is it an EPUB by its content? The suffix alone says nothing."""
        if begins_like_epub(_bytes_of(request)):
            return SourceAdapterMatch(self.descriptor.id, True, 95, f"An EPUB: {SIGNED}.")
        try:
            with Archive.open(_bytes_of(request), limits=Limits(), sink=DiagnosticSink()) as archive:
                evidence = epub_evidence(archive)
        except SourceError as error:
            named = (
                request.asset.media_type in self.descriptor.media_types
                or request.asset.extension in self.descriptor.extensions
            )
            # a damaged book is still ours to explain; anything else is not
            ours = named and error.diagnostic.code in ("source.archive_truncated", "source.limit_exceeded")
            return SourceAdapterMatch(self.descriptor.id, ours, 20 if ours else 0, str(error))
        if evidence is None:
            return SourceAdapterMatch(self.descriptor.id, False, 0, "A ZIP archive, but nothing in it says EPUB.")
        return SourceAdapterMatch(self.descriptor.id, True, 95, f"An EPUB: {evidence}.")

    def inspect(self, request: SourceInspectRequest) -> SourceInspectResult:
        """Metadata, counts, roles and features, without reading any chapter."""
        from markitect_filter.epub3.inspect import inspect_book

        sink = DiagnosticSink(request.asset.uri)
        try:
            options, limits = Options.from_mapping(request.options), Limits.from_options(request.options)
            with Archive.open(_bytes_of(request), limits=limits, sink=sink) as archive:
                found = inspect_book(open_book(archive, options, sink))
        except SourceError as error:
            _stop(sink, error)
            return SourceInspectResult(False, request.asset, self._adapter(request), diagnostics=list(sink))
        return SourceInspectResult(
            not sink.has_errors,
            request.asset,
            adapter=self._adapter(request),
            metadata=found.metadata,
            capabilities=found.capabilities,
            diagnostics=list(sink),
            quality=found.quality,
        )

    def read(self, request: SourceReadRequest) -> SourceReadResult:
        """The whole book."""
        from markitect_filter.epub3.convert import convert_book

        sink = DiagnosticSink(request.asset.uri)
        try:
            options, limits = Options.from_mapping(request.options), Limits.from_options(request.options)
            with Archive.open(_bytes_of(request), limits=limits, sink=sink) as archive:
                document = convert_book(
                    open_book(archive, options, sink), request.asset, self.descriptor, request.options
                )
        except SourceError as error:
            _stop(sink, error)
            return SourceReadResult(False, None, list(sink))
        valid = not sink.has_errors
        return SourceReadResult(valid, document if valid else None, document.diagnostics)

    def source_pages(self, request: SourceReadRequest) -> Iterator[SourcePage]:
        """The text of every page, in reading order. Raises a `SourceError` for a book that `read` refuses too."""
        from markitect_filter.epub3.page_texts import page_texts

        options, limits = Options.from_mapping(request.options), Limits.from_options(request.options)
        with Archive.open(_bytes_of(request), limits=limits, sink=DiagnosticSink()) as archive:
            yield from page_texts(open_book(archive, options, DiagnosticSink()))

    def open_attachments(self, request: SourceReadRequest) -> AbstractContextManager[ReadAttachment]:
        """The members that a document of this book lists as attachments."""
        from markitect_filter.epub3.attachments import open_members

        return open_members(_bytes_of(request), Limits.from_options(request.options))

    def _adapter(self, request: Request) -> dict[str, Any]:
        return {"id": self.descriptor.id, "version": self.descriptor.version, "options": dict(request.options)}


def _bytes_of(request: Request) -> str | bytes:
    return request.content if request.content is not None else request.asset.path or request.asset.uri


def _stop(sink: DiagnosticSink, error: SourceError) -> None:
    """What stopped a book is an error, also where the same finding in another member is a warning."""
    sink.add(replace(error.diagnostic, severity="error"))
