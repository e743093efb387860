"""The context adapters at hand, by scheme, and the one way to load through them.

Installed packages name adapters in the entry-point group `markitect_tool.context_adapters`: a class, a function
that returns an adapter, or an adapter. The built-in adapters come through the same door.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

from markitect_tool.context.errors import (
    ContextError,
    DuplicateSchemeError,
    ManifestError,
    UnknownSchemeError,
)
from markitect_tool.context.loading import load_checked
from markitect_tool.context.model import Adapter, AdapterContext, AdapterResult
from markitect_tool.context.waiting import for_each
from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.installed import found

ENTRY_POINT_GROUP = "markitect_tool.context_adapters"
UNNAMED_ORIGIN = "this program"
_OWN_DISTRIBUTION = "markitect-tool"
_MOST_SCHEMES = 1000  # of one adapter: an iterable may be endless
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


class AdapterRegistry:
    """Adapters by scheme. Iteration is in the order of their names; `diagnostics` is what discovery had to say."""

    def __init__(self, adapters: Iterable[Adapter] = ()) -> None:
        self._by_scheme: dict[str, Adapter] = {}
        self._origins: dict[str, str] = {}
        self.diagnostics: list[Diagnostic] = []
        for adapter in adapters:
            self.register(adapter)

    def register(self, adapter: Adapter, *, origin: str = UNNAMED_ORIGIN) -> None:
        """Add an adapter that `origin` (a distribution) offers; the same object twice is harmless.

        Raises `DuplicateSchemeError`, naming both origins, when another adapter has one of its schemes: then none of
        them is added. Raises `TypeError` for what is no adapter.
        """
        schemes = _schemes(adapter)
        for scheme in schemes:
            held = self._by_scheme.get(scheme)
            if held is not None and held is not adapter:
                first = self._origins[scheme]
                raise DuplicateSchemeError(
                    f"The scheme {scheme} is claimed by {held.name} of {first} and by {adapter.name} of {origin}.",
                    hint=f"Remove one of the two; {held.name} of {first} is kept meanwhile.",
                    scheme=scheme,
                    distributions=[first, origin],
                )
        for scheme in schemes:
            self._by_scheme[scheme] = adapter
            self._origins.setdefault(scheme, origin)

    def extended(self, adapters: Iterable[Adapter]) -> AdapterRegistry:
        """A registry with these adapters too; this one stays as it is. Raises `DuplicateSchemeError`."""
        copy = AdapterRegistry()
        copy._by_scheme.update(self._by_scheme)
        copy._origins.update(self._origins)
        copy.diagnostics.extend(self.diagnostics)
        for adapter in adapters:
            copy.register(adapter)
        return copy

    def for_uri(self, uri: str) -> Adapter:
        """The adapter that claims the URI's scheme. Raises `UnknownSchemeError`, which names the known ones."""
        scheme = scheme_of(uri)
        adapter = self._by_scheme.get(scheme or "")
        if adapter is None:
            known = ", ".join(self.schemes())
            what = f"No adapter reads the scheme {scheme!r}." if scheme else f"{uri!r} has no scheme."
            raise UnknownSchemeError(what, source=uri, hint=f"Known schemes: {known or 'none'}.", scheme=scheme)
        return adapter

    def config_for(self, uri: str, sections: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part of the manifest's `adapters` that applies to `uri`.

        That is the section of the adapter's name with that of the scheme laid over it, so that `https` keeps to
        what `http` says. Raises `UnknownSchemeError`; `ManifestError` for a section that is no mapping.
        """
        names = dict.fromkeys([self.for_uri(uri).name, scheme_of(uri) or ""])
        merged: dict[str, Any] = {}
        for name in names:
            section = sections.get(name) or {}
            if not isinstance(section, Mapping):
                raise ManifestError(f"adapters.{name} is a mapping, not {section!r}.", source=uri)
            merged.update(section)
        return merged

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        """The bytes behind `uri`, with the trust that the adapter and `ctx.config` both grant.

        Raises a `ContextError` with `uri` as the diagnostic's source for every failure, whatever an adapter raised;
        an offline or disabled adapter is not called at all.
        """
        try:
            return load_checked(self.for_uri(uri), uri, ctx)
        except ContextError as error:
            if error.diagnostic.source is None:
                error.diagnostic = replace(error.diagnostic, source=uri)
            raise

    def load_many(
        self, requests: Iterable[tuple[str, AdapterContext]], *, limit: int = 8
    ) -> list[AdapterResult | ContextError]:
        """Load every URI, at most `limit` at a time; results and errors in the order of the requests."""

        def attempt(request: tuple[str, AdapterContext]) -> AdapterResult | ContextError:
            try:
                return self.load(*request)
            except ContextError as error:
                return error

        return for_each(attempt, requests, limit)

    def schemes(self) -> list[str]:
        """The schemes that can be loaded, sorted."""
        return sorted(self._by_scheme)

    def origin(self, scheme: str) -> str:
        """The distribution whose adapter reads the scheme. Raises `KeyError`."""
        return self._origins[scheme]

    def __iter__(self) -> Iterator[Adapter]:
        return iter(sorted({id(adapter): adapter for adapter in self._by_scheme.values()}.values(), key=_name))


def _name(adapter: Adapter) -> str:
    return adapter.name


def scheme_of(uri: str) -> str | None:
    """The lower-case scheme of `uri`, or None; a drive letter is none."""
    scheme, colon, _ = uri.partition(":")
    scheme = scheme.lower()
    return scheme if colon and len(scheme) > 1 and _SCHEME.fullmatch(scheme) else None


def _schemes(adapter: Adapter) -> list[str]:
    """What the adapter claims. Raises `TypeError` for what is no adapter."""
    if not isinstance(adapter, Adapter) or isinstance(adapter, type):
        raise TypeError(f"{adapter!r} is no adapter: it needs name, schemes, remote and load")
    if not isinstance(adapter.name, str) or not adapter.name:
        raise TypeError(f"the name of an adapter is text, not {adapter.name!r}")
    if not isinstance(adapter.remote, bool):
        raise TypeError(f"{adapter.name}.remote is True or False, not {adapter.remote!r}")
    schemes = list(islice(adapter.schemes, _MOST_SCHEMES + 1))
    if isinstance(adapter.schemes, str) or not 0 < len(schemes) <= _MOST_SCHEMES:
        raise TypeError(f"{adapter.name}.schemes is a list of 1 to {_MOST_SCHEMES} schemes, not {adapter.schemes!r}")
    for scheme in schemes:
        if not isinstance(scheme, str) or not _SCHEME.fullmatch(scheme):
            raise TypeError(f"{adapter.name} claims {scheme!r}, which is no scheme in lower case")
    return schemes


@cache
def default_context_registry() -> AdapterRegistry:
    """All installed adapters; made on first use and kept for the life of the process."""
    return discover_context_adapters()


def discover_context_adapters(registry: AdapterRegistry | None = None) -> AdapterRegistry:
    """Add every installed adapter to `registry` (default: a new one) and return it.

    What a distribution does wrong is in its `diagnostics` and takes nothing away from the others. Where two claim
    one scheme, this package goes first and the others follow by name; the later one is refused.
    """
    registry = AdapterRegistry() if registry is None else registry
    for distribution, adapter, problem in found(ENTRY_POINT_GROUP, _OWN_DISTRIBUTION, _offered):
        if problem:
            registry.diagnostics.append(
                diagnostic(
                    "context.discovery_failed",
                    f"The context adapters of {distribution} are not available: {problem}.",
                    hint=f"Upgrade or remove {distribution}; the other adapters work.",
                    distribution=distribution,
                )
            )
        if adapter is not None:
            _register(registry, adapter, distribution)
    return registry


def _offered(loaded: Any) -> Adapter:
    """What an entry point loaded to, as an adapter. Raises `TypeError` for anything else."""
    adapter: Adapter = loaded if isinstance(loaded, Adapter) and not isinstance(loaded, type) else loaded()
    _schemes(adapter)
    return adapter


def _register(registry: AdapterRegistry, adapter: Adapter, distribution: str) -> None:
    try:
        registry.register(adapter, origin=distribution)
    except DuplicateSchemeError as error:
        registry.diagnostics.append(replace(error.diagnostic, code="context.discovery_failed", severity="warning"))
