"""Requests to an adapter and the results it gives back.

A request's `content` holds the bytes of the source when there is no file to open; an adapter prefers it to
`asset.path`. It never leaves the process: `to_dict` leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from markitect_tool.diagnostics import Diagnostic, has_errors
from markitect_tool.errors import ModelError
from markitect_tool.record import field
from markitect_tool.serialization import Model
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    SourceAsset,
    SourceMetadata,
)

_ASSET: Mapping[str, type[Model]] = {"asset": SourceAsset}


class SourceAdapterMatchRequest(Model):
    """Can you read this? To be answered cheaply: from the first bytes at most."""

    asset: SourceAsset
    options: dict[str, Any] = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)

    NESTED: ClassVar[Mapping[str, type[Model]]] = _ASSET
    REQUIRED: ClassVar[tuple[str, ...]] = ("asset",)
    UNSERIALISED: ClassVar[frozenset[str]] = frozenset({"content"})


class SourceAdapterMatch(Model):
    """The answer to a match request. Raises `ModelError` for a confidence outside 0 to 100."""

    adapter_id: str
    matched: bool
    confidence: int = 0  # 0 to 100
    reason: str | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    NESTED: ClassVar[Mapping[str, type[Model]]] = {"diagnostics": Diagnostic}
    REQUIRED: ClassVar[tuple[str, ...]] = ("adapter_id", "matched")

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        if not 0 <= self.confidence <= 100:
            raise ModelError(f"match confidence lies between 0 and 100; got {self.confidence}")


class SourceInspectRequest(Model):
    """Validate the structure and collect metadata, without converting."""

    asset: SourceAsset
    options: dict[str, Any] = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)

    NESTED: ClassVar[Mapping[str, type[Model]]] = _ASSET
    REQUIRED: ClassVar[tuple[str, ...]] = ("asset",)
    UNSERIALISED: ClassVar[frozenset[str]] = frozenset({"content"})


class SourceReadRequest(Model):
    """Convert the whole source."""

    asset: SourceAsset
    options: dict[str, Any] = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)

    NESTED: ClassVar[Mapping[str, type[Model]]] = _ASSET
    REQUIRED: ClassVar[tuple[str, ...]] = ("asset",)
    UNSERIALISED: ClassVar[frozenset[str]] = frozenset({"content"})


class SourceInspectResult(Model):
    """What an inspection found. Raises `ModelError` when `valid` contradicts an error diagnostic."""

    valid: bool
    asset: SourceAsset
    adapter: dict[str, Any] = field(default_factory=dict)  # id, version, options; empty without an adapter
    metadata: SourceMetadata = field(default_factory=SourceMetadata)
    capabilities: dict[str, Any] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    quality: NormalizationQuality = field(default_factory=lambda: NormalizationQuality("unknown"))

    NESTED: ClassVar[Mapping[str, type[Model]]] = {
        "asset": SourceAsset,
        "metadata": SourceMetadata,
        "diagnostics": Diagnostic,
        "quality": NormalizationQuality,
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("valid", "asset")

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        _check_validity(self.valid, self.diagnostics)


class SourceReadResult(Model):
    """A normalization: a document or the errors that prevent one.

    Raises `ModelError` when it is `valid` despite an error diagnostic, its own or the document's, or when it
    has a document without being valid or is valid without one.
    """

    valid: bool
    document: NormalizedMarkdownDocument | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    NESTED: ClassVar[Mapping[str, type[Model]]] = {
        "document": NormalizedMarkdownDocument,
        "diagnostics": Diagnostic,
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("valid",)

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        _check_validity(self.valid, self.diagnostics)
        if self.valid and self.document is None:
            raise ModelError("a valid read result has a document")
        if self.document is not None:
            if not self.valid:
                raise ModelError("an invalid read result has no document")
            _check_validity(self.valid, self.document.diagnostics)


def _check_validity(valid: bool, diagnostics: list[Diagnostic]) -> None:
    if valid and has_errors(diagnostics):
        raise ModelError("a result with an error diagnostic is not valid")
