"""From what an object points at to text: the bytes are checked, and made Markdown where they are no text yet.

`context` does not know the source adapters. Whoever has them passes a `Normalizer` in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from markitect_tool.canonical import canonical_json, digest_bytes
from markitect_tool.context.errors import DigestMismatchError, SourceUnavailableError
from markitect_tool.context.manifest import Manifest
from markitect_tool.context.model import AdapterResult, Trust
from markitect_tool.context.objects import MARKDOWN, ContextObject
from markitect_tool.diagnostics import Diagnostic

PLAIN_TYPES = frozenset(
    {"text/plain", "text/markdown", "text/x-markdown", "application/json", "text/yaml", "application/yaml"}
)
_UNTOLD_TYPES = frozenset({"", "application/octet-stream"})


@dataclass(frozen=True, slots=True)
class NormalizedContent:
    """A source as Markdown, with what its reader says about origin and losses."""

    markdown: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


Normalizer = Callable[[AdapterResult, str], NormalizedContent | None]
"""Makes Markdown of loaded bytes, given their URI; None for a format that nothing reads. Raises `ContextError`."""


@dataclass(frozen=True, slots=True)
class ResolvedObject:
    """An object with its content in hand. `trust` is the lowest level that anybody gave it."""

    declared: ContextObject
    content: Any  # text that is not blank, or a JSON mapping or list
    content_type: str
    trust: Trust
    digest: str  # of the retrieved bytes; of the content where it stands in the object itself
    loaded: AdapterResult | None = None
    normalized: Mapping[str, Any] | None = None  # provenance of the conversion to Markdown
    diagnostics: tuple[Diagnostic, ...] = ()  # what the conversion had to say

    def to_dict(self) -> dict[str, Any]:
        """This object as JSON data; only `provenance.retrieved_at` depends on when it was resolved."""
        declared = self.declared
        origin = {
            "path": declared.path,
            "uri": declared.content_uri,
            "digest": self.digest,
            "content_type": self.loaded.content_type if self.loaded else None,
            "retrieved_at": self.loaded.retrieved_at if self.loaded else None,
            "metadata": (dict(self.loaded.metadata) or None) if self.loaded else None,
            "normalized": dict(self.normalized) if self.normalized is not None else None,
        }
        facts = {
            "id": declared.id,
            "type": declared.type,
            "title": declared.title,
            "trust": self.trust.value,
            "content_type": self.content_type,
            "content": self.content,
            "sources": [source.to_dict() for source in declared.sources] or None,
            "fields": dict(declared.fields) or None,
            "provenance": {name: value for name, value in origin.items() if value is not None},
        }
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True, slots=True)
class FetchedObject:
    """An object with its content as it came, before anything reads it."""

    declared: ContextObject
    content: bytes | str  # text only where it stands in the object's own file
    content_type: str | None
    trust: Trust
    metadata: Mapping[str, Any] = field(default_factory=dict)  # what the adapter says about the load


def fetch_inline(declared: ContextObject, manifest: Manifest) -> FetchedObject:
    """The object whose content stands in its own file; what is no text there, as JSON."""
    resolved = resolve_inline(declared, manifest)
    content = resolved.content if isinstance(resolved.content, str) else canonical_json(resolved.content)
    return FetchedObject(declared, content, resolved.content_type, resolved.trust)


def fetch_loaded(declared: ContextObject, result: AdapterResult, manifest: Manifest) -> FetchedObject:
    """The object with the bytes that were loaded from its `content_uri`. Raises `DigestMismatchError`."""
    check_digest(declared, declared.content_uri or "", result)
    kind = declared.content_type or result.content_type
    return FetchedObject(declared, result.content, kind, _lowest(result.trust, declared, manifest), result.metadata)


def resolve_inline(declared: ContextObject, manifest: Manifest) -> ResolvedObject:
    """The object whose content stands in its own file."""
    content = declared.content
    text = content if isinstance(content, str) else canonical_json(content)
    digest = digest_bytes(text.encode("utf-8", "surrogatepass"))
    trust = _lowest(manifest.file_trust, declared, manifest)
    return ResolvedObject(declared, content, declared.content_type or MARKDOWN, trust, digest)


def resolve_loaded(
    declared: ContextObject, result: AdapterResult, manifest: Manifest, normalizer: Normalizer | None
) -> ResolvedObject:
    """The object with the content that was loaded from its `content_uri`.

    Raises `DigestMismatchError`, and `SourceUnavailableError` for bytes that are no text, cannot be made Markdown, or
    make a blank one.
    """
    uri = declared.content_uri or ""
    check_digest(declared, uri, result)
    plain = _plain_text(result)
    made = normalizer(result, uri) if plain is None and normalizer is not None else None
    if plain is None and made is None:
        try:
            plain = result.text()
        except SourceUnavailableError as error:
            raise _unreadable(uri, result) from error
        if "\0" in plain:
            raise _unreadable(uri, result)
    content = made.markdown if made is not None else plain or ""
    if not content.strip():
        raise SourceUnavailableError(f"{uri} holds no text.", hint="Check that the source holds what you expect.")
    return ResolvedObject(
        declared,
        content,
        MARKDOWN if made is not None else declared.content_type or result.content_type or "text/plain",
        _lowest(result.trust, declared, manifest),
        result.digest,
        result,
        made.provenance if made is not None else None,
        tuple(_attached(found, declared) for found in made.diagnostics) if made is not None else (),
    )


def _attached(found: Diagnostic, declared: ContextObject) -> Diagnostic:
    return replace(found, details={**found.details, "id": declared.id})


def check_digest(declared: ContextObject, uri: str, result: AdapterResult) -> None:
    """Raises `DigestMismatchError` when the object promises other bytes behind `uri`."""
    for source in declared.sources:
        if source.uri == uri and source.digest is not None and source.digest != result.digest:
            raise DigestMismatchError(
                f"{uri} has other bytes than {declared.id} promises.",
                expected=source.digest,
                actual=result.digest,
            )


def _lowest(start: Trust, declared: ContextObject, manifest: Manifest) -> Trust:
    """Nobody raises what somebody else lowered: an object cannot promote what it points at."""
    limits = [manifest.default_trust, declared.trust, *(source.trust for source in declared.sources)]
    return min([start, *(limit for limit in limits if limit is not None)])


def _plain_text(result: AdapterResult) -> str | None:
    """The content, if it is text that stays as it is."""
    media_type = (result.content_type or "").partition(";")[0].strip().lower()
    if media_type not in PLAIN_TYPES and media_type not in _UNTOLD_TYPES and not media_type.endswith("+json"):
        return None
    try:
        text = result.text()
    except SourceUnavailableError:
        return None
    return None if "\0" in text else text


def _unreadable(uri: str, result: AdapterResult) -> SourceUnavailableError:
    return SourceUnavailableError(
        f"{uri} is no text, and nothing here makes Markdown of it ({result.content_type or 'unknown type'}).",
        hint="Install a source adapter for the format; `mkt source adapters` lists what can be read.",
    )
