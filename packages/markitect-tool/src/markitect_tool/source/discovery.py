"""Finding adapters in the installed distributions.

An adapter package names its descriptors in the entry-point group `markitect_tool.source_adapters`; the
built-in adapter comes through the same door. What one distribution does wrong becomes a
`source.discovery_failed` diagnostic that names it, and takes nothing away from the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from markitect_tool.diagnostics import diagnostic
from markitect_tool.errors import DuplicateAdapterError
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.registry import SourceAdapterRegistry

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "markitect_tool.source_adapters"
_OWN_DISTRIBUTION = "markitect-tool"


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
    offers: list[tuple[str, EntryPoint]] = []
    for name, entry_points, error in _distributions():
        if error is not None:
            _report(registry, name, "its entry points cannot be read", error)
        offers.extend((name, entry_point) for entry_point in entry_points)
    offers.sort(key=lambda offer: (offer[0] != _OWN_DISTRIBUTION, offer[0], offer[1].name, offer[1].value))
    for name, entry_point in offers:
        _register(registry, name, entry_point)
    return registry


def _distributions() -> Iterator[tuple[str, list[EntryPoint], Exception | None]]:
    """Each distribution that mentions the group: its name, entry points, and what failed.

    Written on `distributions()` because `entry_points()` gives up altogether at the first distribution
    whose file does not parse, and because the text search spares parsing a hundred others.
    """
    from importlib.metadata import distributions

    seen: set[str] = set()
    for distribution in distributions():
        name = "an unnamed distribution"
        try:
            if ENTRY_POINT_GROUP not in (distribution.read_text("entry_points.txt") or ""):
                continue
            name = distribution.metadata["Name"] or name
            key = name.lower().replace("_", "-").replace(".", "-")
            if key in seen:  # the first on the path is the one that imports find
                continue
            seen.add(key)
            yield name, list(distribution.entry_points.select(group=ENTRY_POINT_GROUP)), None
        except Exception as error:  # noqa: BLE001 - metadata is other people's, and one bad file must not end discovery
            yield name, [], error


def _register(registry: SourceAdapterRegistry, name: str, entry_point: EntryPoint) -> None:
    try:
        descriptors = list(_descriptors(entry_point.load()))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - importing runs other people's code, which may raise anything
        _report(registry, name, f"its entry point {entry_point.name} = {entry_point.value} failed", error)
        return
    for descriptor in descriptors:
        try:
            registry.register(descriptor, origin=name)
        except DuplicateAdapterError as error:
            registry.diagnostics.append(
                diagnostic(
                    "source.discovery_failed",
                    str(error),
                    hint=error.diagnostic.hint,
                    **error.diagnostic.details,
                )
            )


def _descriptors(loaded: Any) -> Iterable[SourceAdapterDescriptor]:
    """What an entry point loaded to, as descriptors. Raises `TypeError` for anything else."""
    offered = loaded() if callable(loaded) else loaded
    if isinstance(offered, SourceAdapterDescriptor):
        return [offered]
    descriptors = list(offered) if isinstance(offered, Iterable) and not isinstance(offered, str | bytes) else []
    if not descriptors:
        raise TypeError(f"it gives a {type(offered).__name__} instead of adapter descriptors")
    for descriptor in descriptors:
        if not isinstance(descriptor, SourceAdapterDescriptor):
            raise TypeError(f"it gives a {type(descriptor).__name__} instead of an adapter descriptor")
    return descriptors


def _report(registry: SourceAdapterRegistry, name: str, what: str, error: BaseException) -> None:
    registry.diagnostics.append(
        diagnostic(
            "source.discovery_failed",
            f"The adapters of {name} are not available: {what} ({type(error).__name__}: {error}).",
            hint=f"Upgrade or remove {name}; the other adapters work.",
            distribution=name,
        )
    )
