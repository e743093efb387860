"""The adapters at hand, by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from markitect_tool.errors import DuplicateAdapterError, UnknownAdapterError

if TYPE_CHECKING:
    from markitect_tool.diagnostics import Diagnostic
    from markitect_tool.extension import ExtensionCatalog
    from markitect_tool.source.protocol import SourceAdapterDescriptor, SourceReadAdapter

UNNAMED_ORIGIN = "this program"


class SourceAdapterRegistry:
    """Adapter descriptors by id, and the adapters made from them.

    Iteration is in the order of the ids, so that nothing depends on the order of registration. `diagnostics`
    holds what discovery had to say.
    """

    def __init__(self, descriptors: Iterable[SourceAdapterDescriptor] = ()) -> None:
        self._descriptors: dict[str, SourceAdapterDescriptor] = {}
        self._origins: dict[str, str] = {}
        self._adapters: dict[str, SourceReadAdapter] = {}
        self._complete: set[str] = set()  # adapters that lack no library
        self.diagnostics: list[Diagnostic] = []
        for descriptor in descriptors:
            self.register(descriptor)

    def register(self, descriptor: SourceAdapterDescriptor, *, origin: str = UNNAMED_ORIGIN) -> None:
        """Add a descriptor that `origin` (a distribution) offers; the same object twice is harmless.

        Raises `DuplicateAdapterError`, naming both origins, when another descriptor has its id.
        """
        held = self._descriptors.setdefault(descriptor.id, descriptor)
        if held is not descriptor:
            first = self._origins[descriptor.id]
            raise DuplicateAdapterError(
                f"The adapter id {descriptor.id} is claimed by {first} and by {origin}.",
                hint=f"Remove one of the two; the adapter of {first} is used meanwhile.",
                adapter=descriptor.id,
                distributions=[first, origin],
            )
        self._origins.setdefault(descriptor.id, origin)

    def get(self, adapter_id: str) -> SourceAdapterDescriptor:
        """The descriptor of that id. Raises `UnknownAdapterError`, which names the known ids."""
        descriptor = self._descriptors.get(adapter_id)
        if descriptor is None:
            raise self._unknown(adapter_id)
        return descriptor

    def origin(self, adapter_id: str) -> str:
        """The distribution that offers the adapter. Raises `UnknownAdapterError`."""
        return self._origins[self.get(adapter_id).id]

    def adapter(self, adapter_id: str) -> SourceReadAdapter:
        """The adapter of that id, made on first use.

        Raises `UnknownAdapterError`; `MissingDependencyError` when its factory cannot import a library.
        """
        descriptor = self.get(adapter_id)
        if adapter_id not in self._adapters:
            try:
                self._adapters[adapter_id] = descriptor.factory()
            except ImportError as error:
                raise descriptor.import_failure(error) from error
        return self._adapters[adapter_id]

    def missing_dependencies(self, adapter_id: str) -> list[Diagnostic]:
        """One `source.missing_dependency` per library that the adapter lacks; once it lacks none, nobody looks again.

        Raises `UnknownAdapterError`.
        """
        if adapter_id in self._complete:
            return []
        missing = self.get(adapter_id).missing_dependency_diagnostics()
        if not missing:
            self._complete.add(adapter_id)
        return missing

    def extensions(self) -> ExtensionCatalog:
        """The adapters as a catalogue of extensions."""
        from markitect_tool.extension import ExtensionCatalog

        catalog = ExtensionCatalog()
        for descriptor in self:
            catalog.register(descriptor.to_extension())
        return catalog

    def __iter__(self) -> Iterator[SourceAdapterDescriptor]:
        return iter(self._descriptors[key] for key in sorted(self._descriptors))

    def __len__(self) -> int:
        return len(self._descriptors)

    def __contains__(self, adapter_id: object) -> bool:
        return adapter_id in self._descriptors

    def _unknown(self, adapter_id: str) -> UnknownAdapterError:
        from difflib import get_close_matches

        known = sorted(self._descriptors)
        close = get_close_matches(adapter_id, known, n=1)
        hint = f"Did you mean {close[0]}? " if close else ""
        hint += f"Known adapters: {', '.join(known)}." if known else "No adapter is installed."
        return UnknownAdapterError(f"No adapter has the id {adapter_id!r}.", hint=hint, adapter=adapter_id, known=known)
