"""From raw documents to Markdown: plain text, and every format that an installed source adapter reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from markitect_tool.canonical import canonical_json, sha256_hex
from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.errors import OptionError, SourceError, UnknownOptionError
from markitect_tool.pipeline.records import CharacterSpan, DocumentRecord, ParserInput, in_short
from markitect_tool.pipeline.stages import Parser, expect
from markitect_tool.record import replace
from markitect_tool.source.api import normalize_source
from markitect_tool.source.discovery import default_source_adapter_registry
from markitect_tool.source.loading import identify
from markitect_tool.source.messages import SourceReadResult
from markitect_tool.source.options import resolve_options
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.registry import SourceAdapterRegistry
from markitect_tool.source.selection import Selection, select_adapter

PLAIN_TEXT = "source.plaintext"


@dataclass(frozen=True)
class _BaseParser:
    """`options` are those of source adapters; `registry` replaces the installed adapters."""

    options: Mapping[str, Any] = field(default_factory=dict)
    registry: SourceAdapterRegistry | None = None

    consumes = ParserInput
    produces = DocumentRecord

    @property
    def adapters(self) -> SourceAdapterRegistry:
        return default_source_adapter_registry() if self.registry is None else self.registry


@dataclass(frozen=True)
class AdapterParser(_BaseParser):
    """Parses with the source adapter `adapter`.

    Hints of a document that are options of the adapter (`encoding`) come before `options`; other hints are passed by.
    Raises `UnknownAdapterError`, and `OptionError` for options that no document could be parsed with.
    """

    adapter: str = PLAIN_TEXT

    def __post_init__(self) -> None:
        _, problems = resolve_options(self.adapters.get(self.adapter), self.options)
        if problems:
            raise OptionError.of(problems[0])

    @property
    def id(self) -> str:
        return self.adapter

    def fingerprint(self) -> str:
        return _fingerprint(self.id, [self.adapters.get(self.adapter)], self.options)

    def parse(self, inputs: Iterable[ParserInput]) -> Iterator[DocumentRecord]:
        for given in inputs:
            yield self._record(expect(self, ParserInput, given))

    def _record(self, given: ParserInput, chosen: Iterable[Diagnostic] = ()) -> DocumentRecord:
        data = given.data
        result = normalize_source(
            data,
            uri=given.provenance.uri,
            media_type=_media_type(given),
            name=given.provenance.name,
            adapter_id=self.adapter,
            options={**self.options, **self._hints(given)},
            registry=self.adapters,
        )
        return _record(given, result, chosen, self._span(data, result))

    def _hints(self, given: ParserInput) -> dict[str, Any]:
        hints = {
            name: value for name, value in given.config.items() if _declares(self.adapters.get(self.adapter), name)
        }
        if isinstance(given.content, str) and self.adapter == PLAIN_TEXT:
            hints["encoding"] = "utf-8"  # the hint speaks of bytes that somebody has decoded already
        return hints

    def _span(self, data: bytes, result: SourceReadResult) -> CharacterSpan | None:
        """The characters of the text that was decoded; only the adapter of plain text decodes the whole as one."""
        if result.document is None or self.adapter != PLAIN_TEXT:
            return None
        text = data.decode(result.document.metadata.raw["encoding"], "replace").removeprefix("\ufeff")
        return CharacterSpan(start=0, end=len(text) - text.count("\r\n"))  # a line end is one character


@dataclass(frozen=True)
class PlainTextParser(AdapterParser):
    """Parses text: decodes it (by the hint `encoding` if there is one), and fills in the span of characters.

    Characters are counted in the decoded text without byte-order mark, with one character for each line end, as the
    offsets in the provenance of segments are.
    """


@dataclass(frozen=True)
class AnyParser(_BaseParser):
    """Parses each document with the adapter that the registry chooses for it.

    An option goes to those adapters that declare it. Raises `OptionError` for one that none declares.
    """

    def __post_init__(self) -> None:
        for name, value in self.options.items():
            declaring = [descriptor for descriptor in self.adapters if _declares(descriptor, name)]
            if not declaring:
                raise UnknownOptionError(f"No adapter has the option {name!r}.", option=name)
            for descriptor in declaring:
                _, problems = resolve_options(descriptor, {name: value})
                if problems:
                    raise OptionError.of(problems[0])

    @property
    def id(self) -> str:
        return "source.any"

    def fingerprint(self) -> str:
        return _fingerprint(self.id, self.adapters, self.options)

    def parse(self, inputs: Iterable[ParserInput]) -> Iterator[DocumentRecord]:
        for given in inputs:
            expect(self, ParserInput, given)
            try:
                selection = _select(given, self.options, self.adapters)
            except SourceError as error:
                failed = SourceReadResult(False, diagnostics=[error.diagnostic, *self.adapters.diagnostics])
                yield _record(given, failed)
            else:
                yield self._parser(selection)._record(given, selection.diagnostics)

    def _parser(self, selection: Selection) -> AdapterParser:
        return _parser(selection.descriptor, self.options, self.registry)


def choose_parser(
    given: ParserInput, options: Mapping[str, Any] | None = None, registry: SourceAdapterRegistry | None = None
) -> Parser:
    """The parser for a document, by media type, then suffix, then content, as the contract of adapters orders them.

    Of `options`, it gets those that its adapter declares. Raises `UnsupportedFormatError`.
    """
    adapters = default_source_adapter_registry() if registry is None else registry
    return _parser(_select(given, options or {}, adapters).descriptor, options or {}, registry)


def parser_of(
    adapter: str | None, options: Mapping[str, Any] | None = None, registry: SourceAdapterRegistry | None = None
) -> Parser:
    """The parser of a run: the one of `adapter`, or without it one that chooses for each document."""
    if adapter is None:
        return AnyParser(options or {}, registry)
    kind = PlainTextParser if adapter == PLAIN_TEXT else AdapterParser
    return kind(options or {}, registry, adapter)


def _parser(
    descriptor: SourceAdapterDescriptor, options: Mapping[str, Any], registry: SourceAdapterRegistry | None
) -> AdapterParser:
    own = {name: value for name, value in options.items() if _declares(descriptor, name)}
    kind = PlainTextParser if descriptor.id == PLAIN_TEXT else AdapterParser
    return kind(own, registry, descriptor.id)


def _select(given: ParserInput, options: Mapping[str, Any], adapters: SourceAdapterRegistry) -> Selection:
    data = given.data
    origin = given.provenance
    asset = identify(data, uri=origin.uri, media_type=_media_type(given), name=origin.name)
    asset = replace(asset, size=len(data), digest=origin.digest)
    return select_adapter(adapters, asset, options={**options, **given.config}, content=data)


def _media_type(given: ParserInput) -> str | None:
    """The type that somebody declared; the naive one is no evidence beside suffix and content."""
    if isinstance(given.content, str):
        return f"{given.classification.media_type.partition(';')[0].strip()}; charset=utf-8"
    declared = given.config.get("media_type")
    return declared if isinstance(declared, str) else None


def _record(
    given: ParserInput,
    result: SourceReadResult,
    chosen: Iterable[Diagnostic] = (),
    span: CharacterSpan | None = None,
) -> DocumentRecord:
    """The record of a result; of one that no record can hold, the record that says so."""
    try:
        return DocumentRecord.of(given, result.document, [*chosen, *result.diagnostics], span=span)
    except ValueError as error:
        found = diagnostic(
            "pipeline.record_invalid",
            f"{given.provenance.key} cannot travel as a record: {in_short(error)}.",
            source=given.provenance.uri,
        )
        return DocumentRecord.of(given, None, [found])


def _declares(descriptor: SourceAdapterDescriptor, name: str) -> bool:
    return name in descriptor.option_schema.get("properties", {})


def _fingerprint(id: str, descriptors: Iterable[SourceAdapterDescriptor], options: Mapping[str, Any]) -> str:
    versions = {descriptor.id: descriptor.version for descriptor in descriptors}
    return sha256_hex(canonical_json([id, versions, dict(options)]).encode("utf-8", "surrogatepass"))
