"""The reader behind `source.plaintext`."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markitect_tool.diagnostics import Diagnostic, DiagnosticSink, diagnostic
from markitect_tool.errors import InvalidOptionError, MalformedSourceError, SourceError
from markitect_tool.record import replace
from markitect_tool.source.headings import Heading, front_matter_length, headings
from markitect_tool.source.loading import read_bytes
from markitect_tool.source.messages import (
    SourceAdapterMatch,
    SourceAdapterMatchRequest,
    SourceInspectRequest,
    SourceInspectResult,
    SourceReadRequest,
    SourceReadResult,
)
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceAsset,
    SourceMetadata,
    SourceProvenance,
)
from markitect_tool.source.options import resolve_options
from markitect_tool.source.plaintext import plaintext_adapter_descriptor
from markitect_tool.source.selection import Claim, claim_of

LAST_RESORT = "windows-1252"
_BOMS = (  # the longer first: the UTF-16 mark begins the UTF-32 one
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SNIFFED = 4096  # bytes that `can_read` looks at


@dataclass(frozen=True, slots=True)
class _Text:
    """A decoded source: LF line ends, no byte-order mark."""

    asset: SourceAsset  # with the media type that it was read as
    options: dict[str, Any]
    text: str
    encoding: str
    diagnostics: list[Diagnostic]

    @property
    def is_markdown(self) -> bool:
        return (self.asset.media_type or "").startswith("text/markdown")


class PlainTextAdapter:
    """Reads `text/plain` and `text/markdown`; offsets in provenance count characters of the decoded text."""

    def __init__(self) -> None:
        self.descriptor = plaintext_adapter_descriptor()

    def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        """Text by media type or suffix, unless the first bytes are plainly binary."""
        adapter_id = self.descriptor.id
        claim = claim_of(self.descriptor, request.asset)
        if claim is Claim.CONTENT:
            return SourceAdapterMatch(adapter_id, False, 0, "neither media type nor suffix is one of text")
        try:
            start = read_bytes(request, _SNIFFED)
        except SourceError as error:
            return SourceAdapterMatch(adapter_id, False, 0, str(error))
        if b"\0" in start and _bom(start) is None and not request.options.get("encoding"):
            return SourceAdapterMatch(adapter_id, False, 0, "the bytes are binary")
        if claim is Claim.MEDIA_TYPE:
            return SourceAdapterMatch(adapter_id, True, 90, "the media type is one of text")
        return SourceAdapterMatch(adapter_id, True, 80, "the suffix is one of text")

    def inspect(self, request: SourceInspectRequest) -> SourceInspectResult:
        """Encoding and title; the text is decoded, not cut into segments."""
        try:
            source = self._open(request)
        except SourceError as error:
            return SourceInspectResult(
                False, request.asset, self._identity(request.options), diagnostics=[error.diagnostic]
            )
        return SourceInspectResult(
            valid=True,
            asset=source.asset,
            adapter=self._identity(source.options),
            metadata=_metadata(source, headings(source.text.split("\n")) if source.is_markdown else iter(())),
            capabilities={"segments": "headings" if source.is_markdown else "whole", "pages": False},
            diagnostics=source.diagnostics,
            quality=_quality(source),
        )

    def read(self, request: SourceReadRequest) -> SourceReadResult:
        """The text as Markdown, in one segment per heading for Markdown and in one altogether otherwise."""
        try:
            source = self._open(request)
        except SourceError as error:
            return SourceReadResult(False, diagnostics=[error.diagnostic])
        lines = source.text.split("\n")
        found = list(headings(lines)) if source.is_markdown else []
        segments = list(_segments(source, lines, found))
        diagnostics = list(source.diagnostics)
        if not segments:
            diagnostics.append(
                diagnostic("source.text_empty", "The source holds only blanks.", source=source.asset.uri)
            )
        document = NormalizedMarkdownDocument.assemble(
            asset=source.asset,
            adapter_id=self.descriptor.id,
            adapter_version=self.descriptor.version,
            options=source.options,
            segments=segments,
            quality=_quality(source),
            metadata=_metadata(source, iter(found)),
            diagnostics=diagnostics,
            provenance=[SourceProvenance(source.asset.uri, digest=source.asset.digest)],
        )
        return SourceReadResult(True, document, diagnostics)

    def _identity(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"id": self.descriptor.id, "version": self.descriptor.version, "options": options}

    def _open(self, request: SourceInspectRequest | SourceReadRequest) -> _Text:
        options, problems = resolve_options(self.descriptor, request.options)
        if problems:
            raise SourceError.of(problems[0])
        asset = request.asset
        sink = DiagnosticSink()
        text, encoding = _decode(read_bytes(request), asset, options.get("encoding"), sink)
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise MalformedSourceError("This is not text: it contains NUL characters.", source=asset.uri, line=line)
        if not (asset.media_type or "").startswith(("text/plain", "text/markdown")):
            markdown = asset.extension in (".md", ".markdown")
            asset = replace(asset, media_type="text/markdown" if markdown else "text/plain")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return _Text(asset, options, text, encoding, list(sink))


def _bom(data: bytes) -> tuple[bytes, str] | None:
    return next(((mark, encoding) for mark, encoding in _BOMS if data.startswith(mark)), None)


def _decode(data: bytes, asset: SourceAsset, wanted: str | None, sink: DiagnosticSink) -> tuple[str, str]:
    """The text and the name of its encoding, by the order that `markitect_tool.source.plaintext` gives."""
    if wanted:
        return _decode_as_asked(data, wanted, asset)
    if marked := _bom(data):
        mark, encoding = marked
        try:
            return data[len(mark) :].decode(encoding), encoding
        except UnicodeDecodeError as error:
            raise MalformedSourceError(
                f"The byte-order mark says {encoding}, but the bytes are not.",
                source=asset.uri,
                line=data.count(b"\n", 0, len(mark) + error.start) + 1,
            ) from error
    failures = []
    line = 1
    for encoding in filter(None, (_charset(asset.media_type), "utf-8")):
        try:
            return _decode_strictly(data, encoding), encoding
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            failures.append(f"not {encoding} (byte 0x{data[error.start]:02x} in line {line})")
        except UnicodeError:
            failures.append(f"not {encoding}")
        except LookupError:
            failures.append(f"declared as {encoding}, which is unknown")
    text = data.decode(LAST_RESORT, "replace")
    sink.report(
        "source.encoding_recovered",
        f"The text is {' and '.join(failures)}; it was read as {LAST_RESORT}.",
        source=asset.uri,
        line=line,
        hint="Name the encoding with --option encoding=NAME.",
        encoding=LAST_RESORT,
        replaced=text.count("\ufffd"),
    )
    return text, LAST_RESORT


def _decode_as_asked(data: bytes, wanted: str, asset: SourceAsset) -> tuple[str, str]:
    encoding = wanted
    try:
        text = _decode_strictly(data, wanted)
        encoding = codecs.lookup(wanted).name
    except LookupError as error:
        raise InvalidOptionError(
            f"There is no text encoding {wanted!r}.",
            source=asset.uri,
            hint="Give a name such as utf-8, utf-16, windows-1252 or shift_jis.",
            option="encoding",
        ) from error
    except UnicodeError as error:
        raise MalformedSourceError(
            f"The bytes are not {encoding}: {error}.",
            source=asset.uri,
            hint="Leave the encoding option out to have it detected.",
        ) from error
    return text.removeprefix("\ufeff"), encoding


def _decode_strictly(data: bytes, encoding: str) -> str:
    """`data` as text that has a UTF-8 form. Raises `LookupError` for an unknown encoding, or `UnicodeError`."""
    if not encoding.isascii() or "\0" in encoding:  # which `codecs` refuses with other errors
        raise LookupError(f"unknown encoding: {encoding!r}")
    text = data.decode(encoding)
    if surrogate := _SURROGATE.search(text):  # UTF-7 can express one, for example
        raise UnicodeError(f"half a surrogate pair, U+{ord(surrogate[0]):04X}, is no character")
    return text


def _charset(media_type: str | None) -> str | None:
    """The charset parameter of a media type."""
    for parameter in (media_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset" and value.strip():
            return value.strip().strip("\"'").lower()
    return None


def _metadata(source: _Text, found: Iterator[Heading]) -> SourceMetadata:
    """The first heading of level 1 is the title."""
    title = next((heading.text for heading in found if heading.level == 1), None)
    return SourceMetadata(title=title or None, raw={"encoding": source.encoding})


def _quality(source: _Text) -> NormalizationQuality:
    recovered = bool(source.diagnostics)
    return NormalizationQuality(
        "low" if recovered else "none",
        confidence=0.5 if recovered else 1.0,
        skipped_items=0,
        warnings=len(source.diagnostics),
    )


def _segments(source: _Text, lines: list[str], found: list[Heading]) -> Iterator[NormalizedMarkdownSegment]:
    """The pieces between the headings that begin one, without the blank lines around them."""
    starts: dict[int, Heading | None] = {0: None}
    if source.is_markdown:
        starts[front_matter_length(lines)] = None
    starts |= {each.line: each for each in found if each.level <= source.options["segment_level"]}
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    bounds = [*starts, len(lines)]
    order = 0
    for (first, heading), end in zip(starts.items(), bounds[1:], strict=True):
        while first < end and not lines[first].strip():
            first += 1
        while end > first and not lines[end - 1].strip():
            end -= 1
        if first == end:
            continue
        yield NormalizedMarkdownSegment(
            segment_id=f"seg-{order + 1:04}",
            order=order,
            markdown="\n".join(lines[first:end]),
            heading=heading.text if heading else None,
            heading_level=heading.level if heading else None,
            provenance=[
                SourceProvenance(
                    source.asset.uri,
                    section=heading.text if heading else None,
                    start_offset=offsets[first],
                    end_offset=offsets[end] - 1,
                    metadata={"start_line": first + 1, "end_line": end},
                )
            ],
        )
        order += 1
