"""`OpenContext`: a manifest and its objects, resolved when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from markitect_tool.context.bundle import Bundle, SkippedObject
from markitect_tool.context.collect import collect_objects
from markitect_tool.context.errors import (
    ContextError,
    InvalidContextError,
    MissingDigestError,
    ObjectNotFoundError,
    OfflineError,
    ScopesNotEnforcedError,
    UnknownSchemeError,
)
from markitect_tool.context.manifest import Manifest, find_manifest, load_manifest
from markitect_tool.context.model import Adapter, AdapterContext, AdapterResult
from markitect_tool.context.objects import ContextObject
from markitect_tool.context.registry import AdapterRegistry, default_context_registry
from markitect_tool.context.resolve import (
    FetchedObject,
    Normalizer,
    ResolvedObject,
    check_digest,
    fetch_inline,
    fetch_loaded,
    resolve_inline,
    resolve_loaded,
)
from markitect_tool.diagnostics import Diagnostic, diagnostic, has_errors

CONCURRENT_LOADS = 8
_BATCH = 32  # objects whose bytes are in memory at once


@dataclass(slots=True)
class _Outcome:
    """What became of one object."""

    declared: ContextObject
    resolved: ResolvedObject | None = None
    skipped: str | None = None  # why it was left unresolved without being wrong
    found: list[Diagnostic] = field(default_factory=list)

    def attach(self, error: ContextError, uri: str | None = None) -> None:
        found = error.diagnostic
        details = {**found.details, "id": self.declared.id, **({"uri": uri} if uri else {})}
        self.found.append(replace(found, source=self.declared.path, path=None, details=details))


class OpenContext:
    """A project: what its manifest declares. Make one with `OpenContext.load`."""

    def __init__(
        self,
        manifest: Manifest,
        *,
        adapters: Iterable[Adapter] = (),
        offline: bool = False,
        normalizer: Normalizer | None = None,
        registry: AdapterRegistry | None = None,
    ) -> None:
        self.manifest = manifest
        self.offline = offline
        self._registry = (default_context_registry() if registry is None else registry).extended(adapters)
        self._normalizer = normalizer
        self._by_id, self._object_diagnostics = collect_objects(manifest)

    @classmethod
    def load(
        cls,
        path: str | Path = ".",
        *,
        adapters: Iterable[Adapter] = (),
        offline: bool = False,
        normalizer: Normalizer | None = None,
        registry: AdapterRegistry | None = None,
    ) -> OpenContext:
        """The project of a manifest, or of the nearest one in the folder `path` and above.

        `adapters` come on top of the installed ones (or of `registry`). When `offline`, nothing opens a socket.
        `normalizer` makes Markdown of formats such as EPUB; without one, content that is no text is unavailable.

        Nothing that an object points at is loaded yet. Raises `ManifestError` (its subclasses say which) when there is
        no manifest that can be read, `DuplicateSchemeError` when `adapters` claim a scheme that another one has. All
        other problems wait for `validate`.
        """
        manifest = load_manifest(find_manifest(Path(path)))
        return cls(manifest, adapters=adapters, offline=offline, normalizer=normalizer, registry=registry)

    @property
    def objects(self) -> Sequence[ContextObject]:
        """All objects as they are declared, by id."""
        return tuple(self._by_id.values())

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the manifest, the declared objects and the adapters; nothing is loaded for it."""
        return [
            *self.manifest.diagnostics,
            *self._registry.diagnostics,
            *self._unknown_adapters(),
            *self._object_diagnostics,
        ]

    def get(self, id: str) -> ContextObject:
        """The object `id` as it is declared. Raises `ObjectNotFoundError`, which names ids much like it."""
        found = self._by_id.get(id)
        if found is None:
            near = get_close_matches(id, self._by_id, n=3, cutoff=0.75)
            hint = f"Near to it: {', '.join(near)}." if near else None
            raise ObjectNotFoundError(f"There is no object {id!r}.", hint=hint, near=near or None)
        return found

    def resolve(self, id: str) -> ResolvedObject:
        """The object `id` with its content.

        Raises `ObjectNotFoundError`, and a `ContextError` for whatever keeps its content away; never does an object
        resolve to nothing.
        """
        declared = self.get(id)
        uri = declared.content_uri
        if uri is None:
            return resolve_inline(declared, self.manifest)
        self._require_digest(declared, uri)
        result = self._registry.load(uri, self._circumstances(uri))
        return resolve_loaded(declared, result, self.manifest, self._normalizer)

    def fetch(self, id: str) -> FetchedObject:
        """The object `id` with its content as it came: what a parser is given. Raises what `resolve` raises."""
        declared = self.get(id)
        uri = declared.content_uri
        if uri is None:
            return fetch_inline(declared, self.manifest)
        self._require_digest(declared, uri)
        return fetch_loaded(declared, self._registry.load(uri, self._circumstances(uri)), self.manifest)

    def load_uri(self, uri: str) -> AdapterResult:
        """The bytes behind a URI that the caller names, by the manifest's rules for its scheme.

        Naming it opts in, where the adapter of an object's URI waits for a section in the manifest. Raises
        `ContextError`.
        """
        ctx = self._circumstances(uri)
        return self._registry.load(uri, replace(ctx, config={"enabled": True, **ctx.config}))

    def validate(self) -> list[Diagnostic]:
        """Everything that is wrong, worst or not: the manifest, the objects, and all that they point at.

        A problem of an object has the object's file as its `source`, and the `id` among its `details`. Remote sources
        are loaded too, except offline, when each is skipped with a note.
        """
        found = self.diagnostics
        for outcome in self._outcomes(self.objects, with_sources=True):
            found += outcome.found
        return found

    def bundle(self, ids: Iterable[str] | None = None, *, no_scopes: bool = False) -> Bundle:
        """The resolved objects (those of `ids`, or all) as one document with a digest.

        Raises `InvalidContextError` when anything is wrong, because a bundle without the object that failed looks
        complete; `ScopesNotEnforcedError` when something limits who may read and `no_scopes` does not say that
        everybody may; `ObjectNotFoundError`. Remote objects of an offline run are named as skipped.
        """
        chosen = self.objects if ids is None else [self._by_id[id] for id in sorted({self.get(id).id for id in ids})]
        ignored = self.require_unrestricted(chosen, no_scopes=no_scopes)
        found = self.diagnostics
        outcomes = []
        for outcome in self._outcomes(chosen, with_sources=False):
            outcomes.append(outcome)
            found += outcome.found
        if has_errors(found):
            raise InvalidContextError("The context has errors, so a bundle would be incomplete.", found)
        return Bundle(
            self.manifest.id,
            self.manifest.name,
            tuple(outcome.resolved for outcome in outcomes if outcome.resolved is not None),
            tuple(
                SkippedObject(outcome.declared.id, outcome.declared.content_uri or "", outcome.skipped)
                for outcome in outcomes
                if outcome.skipped is not None
            ),
            ignored,
            tuple(found),
        )

    def require_unrestricted(
        self, chosen: Iterable[ContextObject] | None = None, *, no_scopes: bool = False
    ) -> tuple[str, ...]:
        """What limits who may read the objects `chosen` (default: all), when `no_scopes` says that everybody may.

        Raises `ScopesNotEnforcedError` when there is any and it does not.
        """
        ignored = self._unenforced(self.objects if chosen is None else chosen)
        if ignored and not no_scopes:
            raise ScopesNotEnforcedError(
                f"{self.manifest.file_name} or its objects limit who may read: {', '.join(ignored)}.",
                source=self.manifest.file_name,
                sections=list(ignored),
            )
        return ignored

    def _unenforced(self, chosen: Iterable[ContextObject]) -> tuple[str, ...]:
        return (
            *self.manifest.unenforced,
            *(f"{declared.id}: {name}" for declared in chosen for name in declared.unenforced),
        )

    def _unknown_adapters(self) -> Iterator[Diagnostic]:
        known = {*self._registry.schemes(), *(adapter.name for adapter in self._registry)}
        for name in self.manifest.adapters:
            if name not in known:
                yield diagnostic(
                    "context.adapter_unknown",
                    f"`adapters.{name}` configures a scheme that no adapter reads.",
                    source=self.manifest.file_name,
                )

    def _circumstances(self, uri: str) -> AdapterContext:
        config = self._registry.config_for(uri, self.manifest.adapters)
        return AdapterContext(self.manifest.folder, self.offline, config)

    def _require_digest(self, declared: ContextObject, uri: str) -> None:
        if not self.manifest.require_digest or not self._registry.for_uri(uri).remote:
            return
        if not any(source.uri == uri and source.digest is not None for source in declared.sources):
            raise MissingDigestError(
                f"{declared.id} promises no digest for {uri}, and the manifest requires one.",
                hint="Add the URI to the object's `sources`, with its `digest`.",
            )

    def _outcomes(self, chosen: Sequence[ContextObject], *, with_sources: bool) -> Iterator[_Outcome]:
        """What becomes of each object, in order, with at most `CONCURRENT_LOADS` loads at a time."""
        for start in range(0, len(chosen), _BATCH):
            batch = [_Outcome(declared) for declared in chosen[start : start + _BATCH]]
            wanted = [list(self._wanted(outcome, with_sources)) for outcome in batch]
            uris = list(dict.fromkeys(uri for some in wanted for uri in some))
            requests = [(uri, self._circumstances(uri)) for uri in uris]
            loads = self._registry.load_many(requests, limit=CONCURRENT_LOADS) if requests else []
            results = dict(zip(uris, loads, strict=True))
            for outcome, some in zip(batch, wanted, strict=True):
                self._complete(outcome, {uri: results[uri] for uri in some})
                yield outcome

    def _wanted(self, outcome: _Outcome, with_sources: bool) -> Iterator[str]:
        """The URIs to load for an object; what is wrong with them before that, or skipped, is noted."""
        declared = outcome.declared
        for uri in dict.fromkeys([declared.content_uri, *(source.uri for source in declared.sources)]):
            if uri is None:
                continue
            is_content = uri == declared.content_uri
            try:
                adapter = self._registry.for_uri(uri)
                self._require_digest(declared, uri)
            except (UnknownSchemeError, MissingDigestError) as error:
                outcome.attach(error, uri)
                continue
            if not is_content and not with_sources:
                continue
            if adapter.remote and self.offline:
                self._skip(outcome, uri, "the run is offline", is_content)
            elif not is_content and self._circumstances(uri).config.get("enabled", True) is False:
                self._skip(outcome, uri, f"the adapter {adapter.name} is disabled", is_content)
            else:
                yield uri

    def _skip(self, outcome: _Outcome, uri: str, reason: str, is_content: bool) -> None:
        if is_content:
            outcome.skipped = reason
        declared = outcome.declared
        outcome.found.append(
            diagnostic(
                "context.source_skipped",
                f"{uri} of {declared.id} was not checked: {reason}.",
                source=declared.path,
                id=declared.id,
                uri=uri,
            )
        )

    def _complete(self, outcome: _Outcome, results: dict[str, AdapterResult | ContextError]) -> None:
        """Resolve the object with what was loaded for it, and check its sources."""
        declared = outcome.declared
        if declared.content_uri is None:
            outcome.resolved = resolve_inline(declared, self.manifest)
        for uri, result in results.items():
            if isinstance(result, OfflineError):  # an adapter that is remote only for some of its URIs
                self._skip(outcome, uri, "the run is offline", uri == declared.content_uri)
                continue
            try:
                if isinstance(result, ContextError):
                    raise result
                if uri == declared.content_uri:
                    outcome.resolved = resolve_loaded(declared, result, self.manifest, self._normalizer)
                    outcome.found += outcome.resolved.diagnostics
                else:
                    check_digest(declared, uri, result)
            except ContextError as error:
                outcome.attach(error, uri)
