"""The catalogue of everything that can be plugged into Markitect, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from markitect_tool.errors import DuplicateAdapterError
from markitect_tool.record import field
from markitect_tool.serialization import Model


class ExtensionDescriptor(Model):
    """What any extension says about itself. `kind` tells which layer it plugs into."""

    id: str
    version: str
    name: str
    kind: str  # "source-adapter"
    input_contract: str
    output_contract: str
    diagnostics_namespace: str  # first word of the codes it emits
    provenance_prefix: str
    summary: str | None = None
    capabilities: list[str] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)
    safety: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    REQUIRED: ClassVar[tuple[str, ...]] = (
        "id",
        "version",
        "name",
        "kind",
        "input_contract",
        "output_contract",
        "diagnostics_namespace",
        "provenance_prefix",
    )


class ExtensionCatalog:
    """Extensions by id; listing is sorted by id, whatever the order of registration."""

    def __init__(self) -> None:
        self._entries: dict[str, ExtensionDescriptor] = {}

    def register(self, extension: ExtensionDescriptor) -> None:
        """Add `extension`. Raises `DuplicateAdapterError` when another one has its id."""
        if self._entries.setdefault(extension.id, extension) != extension:
            raise DuplicateAdapterError(f"Two extensions claim the id {extension.id!r}.", id=extension.id)

    def of_kind(self, kind: str) -> list[ExtensionDescriptor]:
        """The extensions of one kind, by id."""
        return [extension for extension in self if extension.kind == kind]

    def __iter__(self) -> Iterator[ExtensionDescriptor]:
        return iter(self._entries[key] for key in sorted(self._entries))

    def __len__(self) -> int:
        return len(self._entries)
