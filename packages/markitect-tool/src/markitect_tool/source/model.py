"""The data model of the contract: what an adapter is given and what it hands back.

Frozen dataclasses; `markitect_tool.serialization` says how they become JSON and come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal, Self, cast

from markitect_tool.canonical import cache_key, document_id
from markitect_tool.diagnostics import Diagnostic
from markitect_tool.errors import ModelError
from markitect_tool.record import field, replace
from markitect_tool.serialization import Model
from markitect_tool.source.held import AS_JOINED, JoinedText, Utf8Text, held

SCHEMA_VERSION = "markitect.source.v1"

Lossiness = Literal["none", "low", "medium", "high", "unknown"]
LOSSINESS_LEVELS: tuple[Lossiness, ...] = ("none", "low", "medium", "high", "unknown")


class SourceAsset(Model):
    """Identity of a source, or of a binary asset that a document refers to."""

    uri: str
    path: str | None = None
    name: str | None = None
    media_type: str | None = None
    extension: str | None = None  # lower-case, with the dot
    size: int | None = None  # bytes
    mtime_ns: int | None = None  # of the local file; no part of any id
    digest: str | None = None  # sha256:<hex> of the bytes
    metadata: dict[str, Any] = field(default_factory=dict)  # about the asset, not about the document

    REQUIRED: ClassVar[tuple[str, ...]] = ("uri",)


class SourceMetadata(Model):
    """What the source says about itself."""

    title: str | None = None
    creators: list[str] = field(default_factory=list)  # in source order
    language: str | None = None  # BCP 47
    rights: str | None = None
    source_url: str | None = None
    publication_date: str | None = None  # as written in the source
    publisher: str | None = None
    identifiers: dict[str, str] = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict)


class SourceProvenance(Model):
    """Where a piece of Markdown comes from."""

    source_uri: str
    source_path: str | None = None
    source_href: str | None = None  # package-internal or document-relative
    package_path: str | None = None  # member of the archive
    anchor: str | None = None
    page: str | None = None  # label, not necessarily a number
    section: str | None = None
    start_offset: int | None = None  # the adapter defines the unit
    end_offset: int | None = None
    digest: str | None = None  # of that component
    metadata: dict[str, Any] = field(default_factory=dict)

    REQUIRED: ClassVar[tuple[str, ...]] = ("source_uri",)


@held("markdown", Utf8Text)
class NormalizedMarkdownSegment(Model):
    """A consecutive piece of the document; `order` is authoritative for reading. `markdown` is decoded each time that
    it is asked for."""

    segment_id: str  # unique in the document
    order: int  # from 0
    markdown: str
    heading: str | None = None
    heading_level: int | None = None
    anchors: list[str] = field(default_factory=list)
    provenance: list[SourceProvenance] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)

    NESTED: ClassVar[Mapping[str, type[Model]]] = {"provenance": SourceProvenance}
    REQUIRED: ClassVar[tuple[str, ...]] = ("segment_id", "order", "markdown")
    KEPT_WHEN_EMPTY: ClassVar[frozenset[str]] = frozenset({"markdown"})
    MADE_WHEN_ASKED: ClassVar[frozenset[str]] = frozenset({"markdown"})

    @classmethod
    def of_utf8(cls, markdown: bytes, **fields: Any) -> Self:
        """The segment with the other `fields` whose Markdown an adapter has in UTF-8 already."""
        segment = cls(markdown="", **fields)
        segment._text().hold(segment, markdown)
        return segment

    def markdown_utf8(self, errors: str = "replace") -> bytes:
        """The Markdown in UTF-8, as it is held. `errors` says what becomes of half a surrogate pair, as for
        `str.encode`: UTF-8 has no form for it."""
        return self._text().utf8(self, errors)

    def _text(self) -> Utf8Text:
        field: Any = type(self).markdown
        return cast(Utf8Text, field)


class NormalizationQuality(Model):
    """How much of the source survived.

    Raises `ModelError` for a lossiness outside `LOSSINESS_LEVELS` or a confidence outside 0.0 to 1.0.
    """

    lossiness: Lossiness
    confidence: float | None = None  # 0.0 to 1.0
    skipped_items: int | None = None
    warnings: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    REQUIRED: ClassVar[tuple[str, ...]] = ("lossiness",)

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        if self.lossiness not in LOSSINESS_LEVELS:
            raise ModelError(f"lossiness is one of {', '.join(LOSSINESS_LEVELS)}, not {self.lossiness!r}")
        if self.confidence is not None and not 0.0 <= self.confidence <= 1.0:
            raise ModelError(f"confidence lies between 0.0 and 1.0; got {self.confidence}")


@held("markdown", JoinedText)
class NormalizedMarkdownDocument(Model, kw_only=True):
    """A source as canonical Markdown, with its segments and everything known about how it was made.

    Where `markdown` is that of the segments, joined, it is made when somebody first asks for it: whom the segments or
    `markdown_utf8` serve, a large book takes much less memory.
    """

    schema_version: str = SCHEMA_VERSION
    document_id: str
    asset: SourceAsset
    metadata: SourceMetadata = field(default_factory=SourceMetadata)
    markdown: str
    segments: list[NormalizedMarkdownSegment] = field(default_factory=list)
    quality: NormalizationQuality
    diagnostics: list[Diagnostic] = field(default_factory=list)
    provenance: list[SourceProvenance] = field(default_factory=list)
    attachments: list[SourceAsset] = field(default_factory=list)
    adapter: dict[str, Any]  # id, version, options
    cache_key: str

    NESTED: ClassVar[Mapping[str, type[Model]]] = {
        "asset": SourceAsset,
        "metadata": SourceMetadata,
        "segments": NormalizedMarkdownSegment,
        "quality": NormalizationQuality,
        "diagnostics": Diagnostic,
        "provenance": SourceProvenance,
        "attachments": SourceAsset,
    }
    REQUIRED: ClassVar[tuple[str, ...]] = (
        "schema_version",
        "document_id",
        "asset",
        "markdown",
        "quality",
        "adapter",
        "cache_key",
    )
    KEPT_WHEN_EMPTY: ClassVar[frozenset[str]] = frozenset({"markdown"})
    MADE_WHEN_ASKED: ClassVar[frozenset[str]] = frozenset({"markdown"})

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        self._text().release(self)

    def _text(self) -> JoinedText:
        field: Any = type(self).markdown
        return cast(JoinedText, field)

    def markdown_utf8(self) -> Iterator[bytes]:
        """The full Markdown in UTF-8, in pieces; half a surrogate pair, which UTF-8 has no form for, is a `?`."""
        return self._text().utf8(self)

    def but(self, **changes: Any) -> Self:
        """As `dataclasses.replace`, which would join the text of all segments for a moment."""
        if "segments" not in changes:
            changes.setdefault("markdown", self._text().given(self))
        return replace(self, **changes)

    @classmethod
    def assemble(
        cls,
        *,
        asset: SourceAsset,
        adapter_id: str,
        adapter_version: str,
        options: Mapping[str, Any],
        segments: Iterable[NormalizedMarkdownSegment],
        quality: NormalizationQuality,
        metadata: SourceMetadata | None = None,
        diagnostics: Iterable[Diagnostic] = (),
        provenance: Iterable[SourceProvenance] = (),
        attachments: Iterable[SourceAsset] = (),
    ) -> Self:
        """The document made of these parts, with id, cache key and full Markdown computed by the contract.

        Segments are put into the order of their `order`. Raises `ModelError` when two share an order or an
        id.
        """
        ordered = sorted(segments, key=lambda segment: segment.order)
        if [segment.order for segment in ordered] != list(range(len(ordered))):
            raise ModelError("segment orders must count from 0 without gaps or repetition")
        if len({segment.segment_id for segment in ordered}) != len(ordered):
            raise ModelError("segment ids must be unique in the document")
        return cls(
            document_id=document_id(asset.uri, asset.digest, adapter_id, adapter_version),
            asset=asset,
            metadata=metadata or SourceMetadata(),
            markdown=AS_JOINED,
            segments=ordered,
            quality=quality,
            diagnostics=list(diagnostics),
            provenance=list(provenance),
            attachments=list(attachments),
            adapter={"id": adapter_id, "version": adapter_version, "options": dict(options)},
            cache_key=cache_key(asset.uri, asset.digest, adapter_id, adapter_version, options, SCHEMA_VERSION),
        )
