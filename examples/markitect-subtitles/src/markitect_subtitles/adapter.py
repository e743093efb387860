"""The adapter: cues to passages to a document. Errors become diagnostics here and nowhere else."""

import re
from collections.abc import Iterable

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
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
    SourceProvenance,
)
from markitect_tool.source.options import resolve_options
from markitect_tool.source.protocol import SourceAdapterDescriptor
from markitect_tool.source.selection import Claim, claim_of

from markitect_subtitles.cues import Cue, decode, parse

MARKUP = re.compile(r"</?(?:i|b|u|font)\b[^<>]*>|\{\\an?\d+\}", re.IGNORECASE)
SPECIAL = re.compile(r"([\\`*_\[\]<>&])")
LEADING = re.compile(r"^(\d*)([-+#=~.)])")  # would start a list, heading, rule or fence


class SubRipAdapter:
    """Reads `.srt` files."""

    def __init__(self, descriptor: SourceAdapterDescriptor) -> None:
        self.descriptor = descriptor

    def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        """Sure of the media type, nearly sure of the suffix; opens nothing."""
        claim = claim_of(self.descriptor, request.asset)
        if claim is Claim.MEDIA_TYPE:
            return SourceAdapterMatch(self.descriptor.id, True, 90, f"media type {request.asset.media_type}")
        if claim is Claim.EXTENSION:
            return SourceAdapterMatch(self.descriptor.id, True, 80, f"suffix {request.asset.extension}")
        return SourceAdapterMatch(self.descriptor.id, False)

    def inspect(self, request: SourceInspectRequest) -> SourceInspectResult:
        """How many cues there are and how long they run; makes no Markdown."""
        options, problems = resolve_options(self.descriptor, request.options)
        sink = DiagnosticSink()
        sink.extend(problems)
        capabilities = {}
        if not sink.has_errors:
            try:
                cues = self._cues(request, sink)
                capabilities = {"cues": len(cues), "milliseconds": max(cue.end for cue in cues)}
            except SourceError as error:
                sink.add(error.diagnostic)
        return SourceInspectResult(
            valid=not sink.has_errors,
            asset=request.asset,
            adapter={"id": self.descriptor.id, "version": self.descriptor.version, "options": options},
            capabilities=capabilities,
            diagnostics=list(sink),
            quality=NormalizationQuality("low", warnings=warnings(sink)),
        )

    def read(self, request: SourceReadRequest) -> SourceReadResult:
        """The transcript, one segment for each passage."""
        options, problems = resolve_options(self.descriptor, request.options)
        sink = DiagnosticSink()
        sink.extend(problems)
        if sink.has_errors:
            return SourceReadResult(False, diagnostics=list(sink))
        try:
            cues = self._cues(request, sink)
        except SourceError as error:
            sink.add(error.diagnostic)
            return SourceReadResult(False, diagnostics=list(sink))
        segments = [
            NormalizedMarkdownSegment(
                segment_id=f"seg-{order + 1:04}",
                order=order,
                markdown=to_markdown(passage, options["times"], sink, request.asset.uri),
                provenance=[
                    SourceProvenance(
                        request.asset.uri,
                        source_path=request.asset.path,
                        start_offset=passage[0].start,
                        end_offset=passage[-1].end,
                        metadata={"unit": "milliseconds"},
                    )
                ],
            )
            for order, passage in enumerate(passages(cues, options["pause"] * 1000))
        ]
        document = NormalizedMarkdownDocument.assemble(
            asset=request.asset,
            adapter_id=self.descriptor.id,
            adapter_version=self.descriptor.version,
            options=options,
            segments=segments,
            quality=NormalizationQuality("low", warnings=warnings(sink)),
            diagnostics=sink,
        )
        return SourceReadResult(True, document, list(sink))

    def _cues(self, request: SourceInspectRequest | SourceReadRequest, sink: DiagnosticSink) -> list[Cue]:
        uri = request.asset.uri
        return parse(decode(read_bytes(request), sink, uri), sink, uri)


def passages(cues: Iterable[Cue], pause: float) -> list[list[Cue]]:
    """Runs of cues between which there is never a silence of `pause` milliseconds or more."""
    runs: list[list[Cue]] = []
    for cue in cues:
        if runs and cue.start - runs[-1][-1].end < pause:
            runs[-1].append(cue)
        else:
            runs.append([cue])
    return runs


def to_markdown(passage: list[Cue], times: bool, sink: DiagnosticSink, uri: str) -> str:
    """A passage as one paragraph. Colours and positions on the screen are dropped, and counted."""
    text = " ".join(cue.text for cue in passage if cue.text)
    plain, dropped = MARKUP.subn("", text)
    for _ in range(dropped):
        sink.report("source.feature_unsupported", "Styling of subtitles was left out.", once="styling", source=uri)
    escaped = SPECIAL.sub(r"\\\1", " ".join(plain.split()))
    if not times:
        return LEADING.sub(r"\1\\\2", escaped)
    seconds = passage[0].start // 1000
    return f"**{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}** {escaped}".rstrip()


def warnings(sink: DiagnosticSink) -> int:
    """How many warnings were reported."""
    return sum(entry.severity == "warning" for entry in sink)
