"""A small adapter for tests that need one: it keeps the contract, and a test varies what it claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markitect_tool.diagnostics import diagnostic
from markitect_tool.source.loading import read_bytes
from markitect_tool.source.messages import (
    SourceAdapterMatch,
    SourceAdapterMatchRequest,
    SourceInspectRequest,
    SourceInspectResult,
    SourceReadRequest,
    SourceReadResult,
)
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceMetadata,
    SourceProvenance,
)
from markitect_tool.source.options import resolve_options
from markitect_tool.source.protocol import OptionalDependency, SourceAdapterDescriptor
from markitect_tool.source.selection import Claim, claim_of

OPTION_SCHEMA: Mapping[str, Any] = {
    "properties": {"upper": {"type": "boolean", "default": False, "description": "Put the text in capitals."}},
    "additionalProperties": False,
}


def fake_descriptor(
    adapter_id: str = "source.fake",
    *,
    media_types: Sequence[str] = ("text/x-fake",),
    extensions: Sequence[str] = (".fake",),
    confidence: int = 60,
    optional_dependencies: Sequence[OptionalDependency] = (),
) -> SourceAdapterDescriptor:
    """A descriptor whose adapter claims `media_types` and `extensions` with `confidence` (0 to 100)."""

    def factory() -> FakeAdapter:
        return FakeAdapter(descriptor, confidence)

    descriptor = SourceAdapterDescriptor(
        id=adapter_id,
        version="1",
        name="Fake",
        operations=["read"],
        media_types=list(media_types),
        extensions=list(extensions),
        factory=factory,
        summary="Paragraphs below a line that says FAKE.",
        option_schema=dict(OPTION_SCHEMA),
        optional_dependencies=list(optional_dependencies),
        safety={"network": False},
    )
    return descriptor


class FakeAdapter:
    """Reads UTF-8 text whose first line is `FAKE title`; each further paragraph becomes a segment."""

    def __init__(self, descriptor: SourceAdapterDescriptor, confidence: int = 60) -> None:
        self.descriptor = descriptor
        self._confidence = confidence

    def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        """Matches by declared media type or suffix; opens nothing."""
        matched = claim_of(self.descriptor, request.asset) is not Claim.CONTENT
        return SourceAdapterMatch(
            self.descriptor.id,
            matched,
            self._confidence if matched else 0,
            "suffix or media type" if matched else None,
        )

    def inspect(self, request: SourceInspectRequest) -> SourceInspectResult:
        """The title, without splitting the text."""
        options, problems = resolve_options(self.descriptor, request.options)
        title = _title(read_bytes(request))
        if title is None:
            problems.append(_malformed(request.asset.uri))
        return SourceInspectResult(
            valid=not problems,
            asset=request.asset,
            adapter={"id": self.descriptor.id, "version": self.descriptor.version, "options": options},
            metadata=SourceMetadata(title=title),
            diagnostics=problems,
            quality=NormalizationQuality("none"),
        )

    def read(self, request: SourceReadRequest) -> SourceReadResult:
        """The paragraphs as segments; the title is the heading of the first."""
        options, problems = resolve_options(self.descriptor, request.options)
        content = read_bytes(request)
        title = _title(content)
        if title is None:
            problems.append(_malformed(request.asset.uri))
        if problems:
            return SourceReadResult(False, diagnostics=problems)
        text = content.decode("utf-8").partition("\n")[2]
        paragraphs = [f"# {title}", *(part.strip() for part in text.split("\n\n") if part.strip())]
        document = NormalizedMarkdownDocument.assemble(
            asset=request.asset,
            adapter_id=self.descriptor.id,
            adapter_version=self.descriptor.version,
            options=options,
            metadata=SourceMetadata(title=title),
            segments=[
                NormalizedMarkdownSegment(
                    segment_id=f"seg-{order + 1:04}",
                    order=order,
                    markdown=paragraph.upper() if options["upper"] else paragraph,
                    heading=title if order == 0 else None,
                    heading_level=1 if order == 0 else None,
                    provenance=[SourceProvenance(request.asset.uri, source_path=request.asset.path)],
                )
                for order, paragraph in enumerate(paragraphs)
            ],
            quality=NormalizationQuality("none", confidence=1.0),
        )
        return SourceReadResult(True, document)


def _title(content: bytes) -> str | None:
    """What follows FAKE in the first line; None when the bytes are not a fake source."""
    try:
        first = content.decode("utf-8").partition("\n")[0]
    except UnicodeDecodeError:
        return None
    marker, _, title = first.partition(" ")
    return title.strip() if marker == "FAKE" and title.strip() and "\r" not in content.decode() else None


def _malformed(uri: str) -> Any:
    return diagnostic("source.malformed", "The first line does not say FAKE and a title.", source=uri)
