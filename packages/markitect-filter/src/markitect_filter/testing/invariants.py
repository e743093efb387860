"""What must hold for the result of reading any source whatever: `violations` names what does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markitect_tool.diagnostics import CATALOGUE, has_errors
from markitect_tool.source.messages import SourceInspectResult, SourceReadResult
from markitect_tool.source.model import NormalizedMarkdownDocument

_LINK = re.compile(r"\]\(#([^)\s]+)")
_ANCHOR = re.compile(r'<a id="([^"]*)"></a>')
_NOTE = re.compile(r"(?<!\\)\[\^([^\]\s]+)\](:?)")
_NOT_PROSE = re.compile(
    r"^[^`\n]*(?P<fence>`{3,})[^`\n]*\n.*?^[ >]*(?P=fence)`*$"  # fenced code
    r"|\\[!-/:-@\[-`{-~]"  # an escaped character
    r"|(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)*?(?<!`)(?P=ticks)(?!`)",  # a code span
    re.DOTALL | re.MULTILINE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]")


def violations(result: SourceReadResult) -> list[str]:
    """What is wrong with the result of a read; empty when nothing is."""
    found = [
        f"code {entry.code} is not in the catalogue" for entry in result.diagnostics if entry.code not in CATALOGUE
    ]
    if result.valid == has_errors(result.diagnostics):
        found.append(f"valid is {result.valid} with errors {has_errors(result.diagnostics)}")
    if result.valid != (result.document is not None):
        found.append("a valid result without a document, or an invalid one with one")
    if SourceReadResult.from_dict(result.to_dict()) != result:
        found.append("the result does not survive to_dict and from_dict")
    if result.document is not None:
        found.extend(_of_document(result.document))
    return found


def violations_of_inspection(result: SourceInspectResult) -> list[str]:
    """What is wrong with the result of an inspection."""
    found = []
    if result.valid == has_errors(result.diagnostics):
        found.append("an inspection that is valid with errors, or invalid without one")
    if SourceInspectResult.from_dict(result.to_dict()) != result:
        found.append("the inspection does not survive to_dict and from_dict")
    return found


def _of_document(document: NormalizedMarkdownDocument) -> Iterator[str]:
    ledger = document.quality.metadata.get("ledger")
    if ledger is not None:
        skipped = sum(ledger["skipped"].values())
        if ledger["emitted"] + skipped != ledger["total"] or min(ledger["skipped"].values(), default=0) < 0:
            yield f"the ledger does not balance: {ledger}"
    if document.markdown != "\n\n".join(segment.markdown for segment in document.segments):
        yield "the document is not its segments joined with a blank line"
    ids = [segment.segment_id for segment in document.segments]
    if len(set(ids)) != len(ids):
        yield "two segments have one id"
    if [segment.order for segment in document.segments] != list(range(len(ids))):
        yield "the segments are not numbered in order"
    for segment in document.segments:
        if not segment.markdown or segment.markdown != segment.markdown.strip("\n"):
            yield f"segment {segment.segment_id} is empty or has blank lines around it"
        for span in segment.provenance:
            start, end = span.start_offset, span.end_offset
            if start is not None and end is not None and not 0 <= start <= end <= len(segment.markdown):
                yield f"segment {segment.segment_id} has an offset outside of it"
    text = document.markdown
    if (control := _CONTROL.search(text)) is not None:
        yield f"the Markdown holds the character {control[0]!r}"
    if re.search(r"[ \t]$", text, re.MULTILINE) and "```" not in text and "    " not in text:
        yield "a line ends with a blank"
    yield from _references(text)


def _references(text: str) -> Iterator[str]:
    """Links and notes that lead nowhere, or places that are there twice. Code may look like them and is left out."""
    if "](#" not in text and "[^" not in text and "<a id" not in text:
        return
    prose = _NOT_PROSE.sub("", text)
    anchors = _ANCHOR.findall(prose)
    if len(set(anchors)) != len(anchors):
        yield "an anchor is there twice"
    dead = set(_LINK.findall(prose)) - set(anchors)
    if dead:
        yield f"links lead nowhere: {sorted(dead)[:5]}"
    used = {label.lower() for label, colon in _NOTE.findall(prose) if not colon}
    defined = [label.lower() for label, colon in _NOTE.findall(prose) if colon]
    if used - set(defined):
        yield f"note references without a note: {sorted(used - set(defined))[:5]}"
