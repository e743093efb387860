"""Documents to make files of."""

from collections.abc import Callable
from typing import Any

import pytest
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceAsset,
    SourceMetadata,
)

Make = Callable[..., NormalizedMarkdownDocument]


@pytest.fixture(scope="session")
def make() -> Make:
    """A document of texts; each may be a pair of a text and the fields of its segment."""

    def document(
        *texts: str | tuple[str, dict[str, Any]],
        attachments: tuple[str, ...] = (),
        media_types: tuple[str | None, ...] = (),
        **metadata: Any,
    ) -> NormalizedMarkdownDocument:
        segments = []
        for order, entry in enumerate(texts):
            text, fields = (entry, {}) if isinstance(entry, str) else entry
            segments.append(NormalizedMarkdownSegment(f"s{order + 1}", order, text, **fields))
        types = [*media_types, *[None] * (len(attachments) - len(media_types))]
        return NormalizedMarkdownDocument.assemble(
            asset=SourceAsset("book:1", name="book.epub", digest="sha256:00"),
            adapter_id="source.fake",
            adapter_version="1",
            options={},
            segments=segments,
            quality=NormalizationQuality("none"),
            metadata=SourceMetadata(**metadata),
            attachments=[
                SourceAsset(f"book:1#{uri}" if "://" not in uri else uri, media_type=media_type)
                for uri, media_type in zip(attachments, types, strict=True)
            ],
        )

    return document
