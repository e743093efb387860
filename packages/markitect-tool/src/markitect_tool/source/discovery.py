"""Finding adapters in the installed distributions.

An adapter package names its descriptors in the entry-point group `markitect_tool.source_adapters`; the
built-in adapter comes through the same door. What one distribution does wrong becomes a
`source.discovery_failed` diagnostic that names it, and takes nothing away from the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from markitect_tool.diagnostics import diagnostic
from markitect_tool.errors import DuplicateAdapterError
from markitect_tool.installed import found
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.registry import SourceAdapterRegistry

ENTRY_POINT_GROUP = "markitect_tool.source_adapters"
_OWN_DISTRIBUTION = "markitect-tool"
_MOST_DESCRIPTORS = 1000  # of one entry point: an iterable may be endless


@cache
def default_source_adapter_registry() -> SourceAdapterRegistry:
    """The registry that the API and the command use unless given another: all installed adapters.

    Made on first use and kept for the life of the process.
    """
    return discover_source_adapters()


def discover_source_adapters(registry: SourceAdapterRegistry | None = None) -> SourceAdapterRegistry:
    """Add every installed adapter to `registry` (default: a new one) and return it.

    Problems are in its `diagnostics`. Never raises for what a distribution does. Where two distributions
    claim one id, this package goes first and the others follow by name; the later one is refused.
    """
    registry = SourceAdapterRegistry() if registry is None else registry
    for distribution, descriptors, problem in found(ENTRY_POINT_GROUP, _OWN_DISTRIBUTION, _descriptors):
        if problem:
            registry.diagnostics.append(
                diagnostic(
                    "source.discovery_failed",
                    f"The adapters of {distribution} are not available: {problem}.",
                    hint=f"Upgrade or remove {distribution}; the other adapters work.",
                    distribution=distribution,
                )
            )
        for descriptor in descriptors or ():
            _register(registry, descriptor, distribution)
    return registry


def _register(registry: SourceAdapterRegistry, descriptor: SourceAdapterDescriptor, distribution: str) -> None:
    try:
        registry.register(descriptor, origin=distribution)
    except DuplicateAdapterError as error:
        registry.diagnostics.append(
            diagnostic("source.discovery_failed", str(error), hint=error.diagnostic.hint, **error.diagnostic.details)
        )


def _descriptors(loaded: Any) -> list[SourceAdapterDescriptor]:
    """What an entry point loaded to, as descriptors. Raises `TypeError` for anything else."""
    offered = loaded() if callable(loaded) else loaded
    if isinstance(offered, SourceAdapterDescriptor):
        return [offered]
    descriptors: list[SourceAdapterDescriptor] = []
    for descriptor in offered if isinstance(offered, Iterable) and not isinstance(offered, str | bytes) else ():
        if not isinstance(descriptor, SourceAdapterDescriptor):
            raise TypeError(f"it gives a {type(descriptor).__name__} instead of an adapter descriptor")
        if len(descriptors) == _MOST_DESCRIPTORS:
            raise TypeError(f"it gives more than {_MOST_DESCRIPTORS} descriptors")
        descriptors.append(descriptor)
    if not descriptors:
        raise TypeError(f"it gives a {type(offered).__name__} instead of adapter descriptors")
    return descriptors
