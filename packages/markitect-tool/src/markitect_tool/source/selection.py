"""Which adapter reads a source: the five rules of the contract.

1. An explicit adapter id is used, and nothing else is considered.
2. A media type match comes before a match by suffix alone.
3. Then the higher `can_read().confidence`.
4. Then adapters whose required dependencies are installed.
5. Then the first id in ascending order, with the warning `source.adapter_ambiguous`.

`can_read` may look at the bytes. It can decline what the descriptor's media types and suffixes claim (to
raise a `SourceError` is to decline), and when no descriptor claims a source (no known suffix, no declared
type) it alone decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.errors import MissingDependencyError, SourceError, UnsupportedFormatError
from markitect_tool.record import Record, replace
from markitect_tool.source.messages import SourceAdapterMatch, SourceAdapterMatchRequest
from markitect_tool.source.model import SourceAsset
from markitect_tool.source.options import parse_assignments
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.registry import SourceAdapterRegistry


class Claim(IntEnum):
    """What speaks for an adapter, before it has seen the source."""

    CONTENT = 0
    EXTENSION = 1
    MEDIA_TYPE = 2


class Selection(Record):
    """The chosen adapter, and what choosing it had to say."""

    descriptor: SourceAdapterDescriptor
    diagnostics: list[Diagnostic]


class _Candidate(Record):
    descriptor: SourceAdapterDescriptor
    match: SourceAdapterMatch
    importable: bool

    @property
    def rank(self) -> tuple[int, bool]:
        """Ascending: the best first."""
        return (-self.match.confidence, not self.importable or bool(self.descriptor.missing_dependencies()))


def claim_of(descriptor: SourceAdapterDescriptor, asset: SourceAsset) -> Claim:
    """What the descriptor's media types and suffixes say about `asset`. Media type parameters are ignored."""
    media_type = (asset.media_type or "").partition(";")[0].strip().lower()
    if media_type and media_type in descriptor.media_types:
        return Claim.MEDIA_TYPE
    if asset.extension and asset.extension.lower() in descriptor.extensions:
        return Claim.EXTENSION
    return Claim.CONTENT


def select_adapter(
    registry: SourceAdapterRegistry,
    asset: SourceAsset,
    *,
    adapter_id: str | None = None,
    options: Mapping[str, Any] | None = None,
    option_texts: Sequence[tuple[str, str]] = (),
    content: bytes | None = None,
) -> Selection:
    """The adapter for `asset` by the rules above; the result does not depend on the order of registration.

    Each adapter gets `option_texts` as values of the types that its own schema declares.
    Raises `UnknownAdapterError` for an id that nobody has, `UnsupportedFormatError` when nothing matches.
    """
    if adapter_id is not None:
        return Selection(registry.get(adapter_id), [])
    request = SourceAdapterMatchRequest(asset, dict(options or {}), content)
    declined: dict[str, str] = {}
    objections: list[str] = []  # of adapters that the media type or the suffix speaks for
    claims = [(claim_of(descriptor, asset), descriptor) for descriptor in registry]
    for claim in (Claim.MEDIA_TYPE, Claim.EXTENSION, Claim.CONTENT):
        candidates = []
        for claimed, descriptor in claims:
            if claimed is claim:
                candidate = _ask(registry, descriptor, _with_texts(request, descriptor, option_texts), claim)
                if candidate.match.matched:
                    candidates.append(candidate)
                    continue
                declined[descriptor.id] = candidate.match.reason or "declined"
                if claim is not Claim.CONTENT:
                    objections.append(f"{descriptor.id}: {declined[descriptor.id].rstrip('.')}")
        if candidates:
            return _best(candidates, asset)
    why = f" ({'; '.join(objections)})" if objections else ""
    raise UnsupportedFormatError(
        f"No adapter reads {asset.name or asset.uri}{why}.", source=asset.uri, hint=_hint(asset), declined=declined
    )


def _hint(asset: SourceAsset) -> str | None:
    """What to do about bytes of which nothing is known; None where the catalogue's remedy will do."""
    if asset.path is not None or asset.media_type or asset.extension:
        return None
    return "The source has neither name nor media type: say what it is with --media-type, --uri or --adapter."


def _with_texts(
    request: SourceAdapterMatchRequest, descriptor: SourceAdapterDescriptor, texts: Sequence[tuple[str, str]]
) -> SourceAdapterMatchRequest:
    if not texts:
        return request
    parsed, _ = parse_assignments(descriptor, texts)  # what is wrong with them is told once an adapter is chosen
    return replace(request, options={**request.options, **parsed})


def _ask(
    registry: SourceAdapterRegistry,
    descriptor: SourceAdapterDescriptor,
    request: SourceAdapterMatchRequest,
    claim: Claim,
) -> _Candidate:
    """The adapter's own answer; what its descriptor claims, at confidence 0, when it cannot be loaded."""
    importable = True
    try:
        match = registry.adapter(descriptor.id).can_read(request)
    except (ImportError, MissingDependencyError):
        claimed = claim is not Claim.CONTENT
        match = SourceAdapterMatch(descriptor.id, claimed, 0, "a library that it needs is not installed")
        importable = False
    except SourceError as error:
        match = SourceAdapterMatch(descriptor.id, False, 0, str(error))
    return _Candidate(descriptor, match, importable)


def _best(candidates: list[_Candidate], asset: SourceAsset) -> Selection:
    if len(candidates) == 1:  # no need to look for the libraries of each
        return Selection(candidates[0].descriptor, list(candidates[0].match.diagnostics))
    best = min(candidates, key=lambda candidate: (candidate.rank, candidate.descriptor.id))
    tied = sorted(candidate.descriptor.id for candidate in candidates if candidate.rank == best.rank)
    diagnostics = list(best.match.diagnostics)
    if len(tied) > 1:
        diagnostics.append(
            diagnostic(
                "source.adapter_ambiguous",
                f"{' and '.join(tied)} match equally well; {best.descriptor.id} was used.",
                source=asset.uri,
                adapters=tied,
            )
        )
    return Selection(best.descriptor, diagnostics)
