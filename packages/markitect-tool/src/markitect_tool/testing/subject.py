"""The adapter that a contract suite examines: what its author states about it, and the ways to run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

from markitect_tool.canonical import canonical_json, digest_bytes
from markitect_tool.source.api import inspect_source, normalize_source
from markitect_tool.source.messages import SourceInspectResult, SourceReadResult
from markitect_tool.source.model import NormalizedMarkdownDocument, SourceAsset
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.registry import SourceAdapterRegistry


@dataclass(frozen=True, slots=True)
class Sample:
    """A source small enough to sit in a test: a file name, whose suffix counts, and its bytes."""

    name: str
    content: bytes

    @property
    def uri(self) -> str:
        """The URI under which the suite reads the sample, the same on every machine."""
        return f"sample:{self.name}"

    @property
    def asset(self) -> SourceAsset:
        """The sample as a source without a file."""
        return SourceAsset(
            uri=self.uri,
            name=self.name,
            extension=Path(self.name).suffix.lower() or None,
            size=len(self.content),
            digest=digest_bytes(self.content),
        )

    def write(self, folder: Path) -> Path:
        """Store the sample in `folder` and return its path."""
        path = folder / self.name
        path.write_bytes(self.content)
        return path


def load_descriptor(entry_point: str) -> SourceAdapterDescriptor:
    """The descriptor that `package.module:attribute` leads to, called if it is a function."""
    module, _, attribute = entry_point.partition(":")
    found = attrgetter(attribute)(import_module(module))
    descriptor = found() if callable(found) else found
    assert isinstance(descriptor, SourceAdapterDescriptor), (
        f"{entry_point} is a {type(descriptor).__name__}; name a descriptor or a function that returns one"
    )
    return descriptor


class Subject:
    """Base of the rule classes: what an adapter's author states, and how the rules run the adapter."""

    entry_point: ClassVar[str]
    """Where the descriptor is, written as in the package's entry points: `package.module:attribute`."""
    good: ClassVar[Sample]
    """A source that the adapter reads without error; it should have several segments and a heading."""
    malformed: ClassVar[Sample]
    """A source with the right suffix that the adapter must refuse as malformed."""
    large: ClassVar[Sample | None] = None
    """A good source of some hundred segments, on which inspecting must be far cheaper than reading."""
    options: ClassVar[Mapping[str, Any]] = {}
    """Valid options that differ from the defaults. Required when the adapter declares any."""
    invalid_options: ClassVar[Mapping[str, Any]] = {}
    """One declared option with a value of the wrong type. Required when the adapter declares any."""

    @property
    def descriptor(self) -> SourceAdapterDescriptor:
        """The descriptor, loaded as discovery does."""
        return load_descriptor(self.entry_point)

    def read(
        self, source: Sample | Path, options: Mapping[str, Any] | None = None, *, uri: str | None = None
    ) -> SourceReadResult:
        """Normalize with this adapter alone; a sample as bytes, a path as a file."""
        return normalize_source(**self._arguments(source, options, uri))

    def inspect(
        self, source: Sample | Path, options: Mapping[str, Any] | None = None, *, uri: str | None = None
    ) -> SourceInspectResult:
        """Inspect with this adapter alone; a sample as bytes, a path as a file."""
        return inspect_source(**self._arguments(source, options, uri))

    def document(
        self, source: Sample | Path, options: Mapping[str, Any] | None = None, *, uri: str | None = None
    ) -> NormalizedMarkdownDocument:
        """The document of a read that must succeed."""
        result = self.read(source, options, uri=uri)
        assert result.valid, [entry.message for entry in result.diagnostics]
        assert result.document is not None
        return result.document

    def _arguments(self, source: Sample | Path, options: Mapping[str, Any] | None, uri: str | None) -> dict[str, Any]:
        descriptor = self.descriptor
        return {
            "source": source.content if isinstance(source, Sample) else source,
            "uri": uri or (source.uri if isinstance(source, Sample) else None),
            "adapter_id": descriptor.id,
            "options": dict(options or {}),
            "registry": SourceAdapterRegistry([descriptor]),
        }


def as_json(result: SourceReadResult | SourceInspectResult | NormalizedMarkdownDocument) -> str:
    """A result in the form in which two must agree byte for byte."""
    return canonical_json(result.to_dict())
