"""One load by the rules that no adapter can be trusted to keep by itself.

An adapter is other people's code: it may raise anything or nothing, never return, return rubbish, or call a failure
harmless. Whatever it does, a load ends, with bytes whose digest was checked or with an error.
"""

from __future__ import annotations

from typing import Any

from markitect_tool.context.errors import (
    ContextError,
    ManifestError,
    OfflineError,
    SourceUnavailableError,
    TooSlowError,
)
from markitect_tool.context.guard import sha256_uri
from markitect_tool.context.model import Adapter, AdapterContext, AdapterResult, Trust, lower
from markitect_tool.context.waiting import attempt
from markitect_tool.diagnostics import Diagnostic
from markitect_tool.installed import in_words

LONGEST_SECONDS = 60.0  # for an adapter without a time cap of the operator's
GRACE_SECONDS = 0.5  # for the adapter to notice its time cap itself, and say more about it
_DAY_MS = 86_400_000
# What a load may end with; an adapter that names another code could pass its failure off as something harmless.
_FAILURES = frozenset(
    {
        "source-unavailable",
        "unknown-scheme",
        "path-traversal",
        "digest-mismatch",
        "missing-digest",
        "context.manifest_invalid",
    }
)


def load_checked(adapter: Adapter, uri: str, ctx: AdapterContext) -> AdapterResult:
    """The bytes behind `uri`, with the trust that the adapter and `ctx.config` both grant.

    Raises a `ContextError` for every failure; an offline or disabled adapter is not called at all.
    """
    enabled = ctx.config.get("enabled", True)
    if not isinstance(enabled, bool):
        raise ManifestError(f"adapters.{adapter.name}.enabled is true or false, not {enabled!r}.")
    if not enabled:
        raise SourceUnavailableError(
            f"The adapter {adapter.name} is disabled.", hint=f"Remove `enabled: false` under adapters.{adapter.name}."
        )
    if ctx.offline and adapter.remote:
        raise OfflineError(
            f"{uri} needs the network, and this run is offline.",
            hint="Run without --offline, or put the content into the object.",
        )
    ceiling = Trust.parse(ctx.config.get("trust", Trust.TRUSTED.value), f"adapters.{adapter.name}.trust")
    timeout_ms = ctx.config.get("timeout_ms") if ctx.timeout_ms is None else ctx.timeout_ms
    if timeout_ms is not None:
        ctx = AdapterContext(ctx.dir, ctx.offline, ctx.config, _milliseconds(adapter, timeout_ms))
    return _checked(adapter, _called(adapter, uri, ctx), ceiling)


def _milliseconds(adapter: Adapter, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ManifestError(f"adapters.{adapter.name}.timeout_ms is a positive number of milliseconds, not {value!r}.")
    return min(value, _DAY_MS)  # what waits cannot be told a number of any size


def _called(adapter: Adapter, uri: str, ctx: AdapterContext) -> object:
    """What the adapter returns. Raises a `ContextError` for whatever else it does."""
    seconds = LONGEST_SECONDS if ctx.timeout_ms is None else ctx.timeout_ms / 1000 + GRACE_SECONDS
    try:
        result, error = attempt(lambda: adapter.load(uri, ctx), seconds)
    except TimeoutError:
        raise TooSlowError(
            f"The adapter {adapter.name} takes longer than {seconds:g} seconds.",
            hint=f"Raise timeout_ms under adapters.{adapter.name}.",
        ) from None
    if error is None:
        return result
    if isinstance(error, ContextError) and _is_failure(error, ctx):
        raise error
    found = getattr(error, "diagnostic", None)
    if isinstance(found, Diagnostic):
        raise SourceUnavailableError(found.message, hint=found.hint) from error
    raise SourceUnavailableError(f"The adapter {adapter.name} failed ({in_words(error)}).") from error


def _is_failure(error: ContextError, ctx: AdapterContext) -> bool:
    found = getattr(error, "diagnostic", None)
    if isinstance(error, OfflineError) and not ctx.offline:
        return False
    return isinstance(found, Diagnostic) and found.severity == "error" and found.code in _FAILURES


def _checked(adapter: Adapter, result: object, ceiling: Trust) -> AdapterResult:
    """`result` as a plain `AdapterResult` with at most the trust `ceiling`: a subclass could be anything."""
    if not isinstance(result, AdapterResult):
        raise SourceUnavailableError(f"The adapter {adapter.name} returned {type(result).__name__} for a result.")
    try:
        plain = AdapterResult(
            result.content,
            result.content_type,
            result.digest,
            result.retrieved_at,
            lower(result.trust, ceiling),
            result.metadata,
        )
    except ContextError:
        raise
    except Exception as error:  # the object is other people's
        raise SourceUnavailableError(
            f"The adapter {adapter.name} returned no sound result ({in_words(error)})."
        ) from error
    if plain.digest != sha256_uri(plain.content):
        raise SourceUnavailableError(f"The adapter {adapter.name} states the digest of other bytes.")
    return plain
