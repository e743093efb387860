"""The two helpers that take a source and give a result: `inspect_source` and `normalize_source`.

Neither raises for a bad source, option or installation: the result is invalid and its diagnostics say why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from markitect_tool.diagnostics import Diagnostic, diagnostic, has_errors
from markitect_tool.errors import InvalidOptionError, ModelError, RegistryError, SourceError, UnsupportedFormatError
from markitect_tool.record import replace
from markitect_tool.serialization import plain_json
from markitect_tool.source.discovery import default_source_adapter_registry
from markitect_tool.source.loading import Measurement, Source, identify
from markitect_tool.source.messages import (
    SourceInspectRequest,
    SourceInspectResult,
    SourceReadRequest,
    SourceReadResult,
)
from markitect_tool.source.model import SourceAsset
from markitect_tool.source.options import parse_assignments, resolve_options
from markitect_tool.source.protocol import SourceAdapterDescriptor, SourceReadAdapter
from markitect_tool.source.registry import SourceAdapterRegistry
from markitect_tool.source.selection import select_adapter

_Result = TypeVar("_Result", SourceInspectResult, SourceReadResult)


class _Job:
    """A source on its way to an adapter; without `adapter`, the diagnostics say what stopped it."""

    def __init__(self, asset: SourceAsset) -> None:
        self.asset = asset
        self.content: bytes | None = None
        self.descriptor: SourceAdapterDescriptor | None = None
        self.adapter: SourceReadAdapter | None = None
        self.options: dict[str, Any] = {}
        self.diagnostics: list[Diagnostic] = []

    def add(self, found: Diagnostic) -> None:
        """Every diagnostic of a job names its source."""
        self.diagnostics.append(found if found.source else replace(found, source=self.asset.uri))

    def fail(self, error: SourceError) -> None:
        self.add(error.diagnostic)


def inspect_source(
    source: Source,
    *,
    uri: str | None = None,
    media_type: str | None = None,
    name: str | None = None,
    adapter_id: str | None = None,
    options: Mapping[str, Any] | None = None,
    option_texts: Iterable[tuple[str, str]] = (),
    registry: SourceAdapterRegistry | None = None,
) -> SourceInspectResult:
    """Structure, metadata and expected quality of a source, without converting it.

    Takes what `normalize_source` takes.
    """
    job = _prepare(source, uri, media_type, name, adapter_id, options, option_texts, registry)
    result = None
    if job.adapter is not None:
        request = SourceInspectRequest(job.asset, job.options, job.content)
        result = _call(job, SourceInspectResult, lambda adapter: adapter.inspect(request))
    if result is None:
        identity = {"id": job.descriptor.id, "version": job.descriptor.version} if job.descriptor else {}
        return SourceInspectResult(False, job.asset, identity, diagnostics=job.diagnostics)
    if uri is not None:
        result = replace(result, asset=_unplaced(result.asset))
    return _complete(result, job)


def normalize_source(
    source: Source,
    *,
    uri: str | None = None,
    media_type: str | None = None,
    name: str | None = None,
    adapter_id: str | None = None,
    options: Mapping[str, Any] | None = None,
    option_texts: Iterable[tuple[str, str]] = (),
    registry: SourceAdapterRegistry | None = None,
) -> SourceReadResult:
    """A source as canonical Markdown with metadata, provenance, quality and diagnostics.

    `source` is a path, or the bytes themselves. `uri` is its identity in document id, cache key and
    provenance; without one, `markitect_tool.source.loading` derives it. Where it is given, the result names
    neither the local path nor the file's time, so that it is the same wherever a copy of the file lies.
    `media_type` and `name` help to choose the adapter; `adapter_id` decides it. `options` are checked against
    the adapter's schema, and so are `option_texts`, `(name, text)` pairs as on a command line. `registry`
    replaces the installed adapters.
    """
    job = _prepare(source, uri, media_type, name, adapter_id, options, option_texts, registry)
    result = None
    if job.adapter is not None:
        request = SourceReadRequest(job.asset, job.options, job.content)
        result = _call(job, SourceReadResult, lambda adapter: adapter.read(request))
    if result is None:
        return SourceReadResult(False, diagnostics=job.diagnostics)
    if uri is not None and result.document is not None:
        result = replace(result, document=result.document.but(asset=_unplaced(result.document.asset)))
    return _complete(result, job)


def _unplaced(asset: SourceAsset) -> SourceAsset:
    """`asset` without what only holds for one copy of the file on one machine."""
    return replace(asset, path=None, mtime_ns=None)


def _prepare(
    source: Source,
    uri: str | None,
    media_type: str | None,
    name: str | None,
    adapter_id: str | None,
    options: Mapping[str, Any] | None,
    option_texts: Iterable[tuple[str, str]],
    registry: SourceAdapterRegistry | None,
) -> _Job:
    """The job with everything decided that does not need the adapter to run."""
    job = _Job(identify(source, uri=uri, media_type=media_type, name=name))
    texts = list(option_texts)
    measurement = None
    try:
        given = _json_options(options or {})
        measurement = Measurement(source, job.asset)
        job.content = measurement.content
        if registry is None:
            registry = default_source_adapter_registry()
        selection = select_adapter(
            registry, job.asset, adapter_id=adapter_id, options=given, option_texts=texts, content=job.content
        )
        job.descriptor = selection.descriptor
        job.diagnostics += selection.diagnostics
        parsed, misread = parse_assignments(job.descriptor, texts)
        job.options, misfits = resolve_options(job.descriptor, {**given, **parsed})
        for found in [*misread, *misfits, *registry.missing_dependencies(job.descriptor.id)]:
            job.add(found)
        if not has_errors(job.diagnostics):
            job.adapter = registry.adapter(job.descriptor.id)
    except SourceError as error:
        job.fail(error)
        if registry is not None and isinstance(error, UnsupportedFormatError | RegistryError):
            job.diagnostics += registry.diagnostics  # the adapter may be one that failed to load
    if measurement is not None:  # the digest of a large file is ready when its adapter is, or soon after
        try:
            job.asset = measurement.result()
        except SourceError as error:
            job.fail(error)
            job.adapter = None
    return job


def _json_options(options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return dict(plain_json(dict(options), "options"))
    except ModelError as error:
        raise InvalidOptionError(f"{error}.", hint="Give values that JSON has: texts, numbers, lists.") from error


def _call(job: _Job, kind: type[_Result], action: Callable[[SourceReadAdapter], _Result]) -> _Result | None:
    """The adapter's result, or None with the reason among the job's diagnostics.

    Raises `TypeError` for an adapter that returns something else.
    """
    assert job.adapter is not None
    assert job.descriptor is not None
    try:
        result = action(job.adapter)
        if not isinstance(result, kind):
            raise TypeError(f"the adapter {job.descriptor.id} returns {result!r:.80} instead of a {kind.__name__}")
        return result
    except SourceError as error:
        job.fail(error)
    except ImportError as error:
        job.fail(job.descriptor.import_failure(error))
    return None


def _complete(result: _Result, job: _Job) -> _Result:
    """`result` with what was found before the adapter ran in front of its own diagnostics."""
    diagnostics = [*job.diagnostics, *result.diagnostics]
    if not result.valid and not has_errors(diagnostics):
        diagnostics.append(_unexplained(job))
    return replace(result, diagnostics=diagnostics) if len(diagnostics) > len(result.diagnostics) else result


def _unexplained(job: _Job) -> Diagnostic:
    """Stands for the error that an adapter owes whoever gave it a source that it refuses."""
    assert job.descriptor is not None
    return diagnostic(
        "source.malformed",
        f"The adapter {job.descriptor.id} refuses the source without a reason.",
        source=job.asset.uri,
        adapter=job.descriptor.id,
    )
