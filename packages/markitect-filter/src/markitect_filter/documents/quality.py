"""How much of a source is in its Markdown: by a fixed rule (docs/quality.md), from ledger and diagnostics alone."""

from __future__ import annotations

from typing import Literal

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.record import Record, replace
from markitect_tool.source.model import NormalizationQuality

from markitect_filter.documents.limits import Limits
from markitect_filter.markdown.ledger import Ledger
from markitect_filter.markdown.table import TOO_LARGE
from markitect_filter.markdown.writer import Written

Lossiness = Literal["none", "low", "medium", "high"]

# What a diagnostic says about the fidelity of the text. Text that is missing is high; text that may be wrong, or lost
# structure, medium; what only links, pictures and the look of tables suffered is low.
MEDIUM = frozenset(
    {
        "source.markup_recovered",
        "source.encoding_recovered",
        "source.content_flattened",
        "source.math_unconverted",
        "source.member_corrupt",
        "source.fallback_missing",
    }
)
LOW = frozenset(
    {
        "source.table_flattened",
        "source.link_target_missing",
        "source.asset_missing",
        "source.note_unmatched",
        "source.toc_target_missing",
        "source.link_nested",
    }
)


class Fidelity(Record):
    """How much of the book's text is in the output."""

    documents: int  # of the reading order
    unread: int  # of those, missing or unreadable
    degraded: int  # read by the tolerant parser
    replaced: int  # characters that could not be decoded
    ledger: Ledger
    verified: bool = True  # False where another library wrote the Markdown
    guessed: int = 0  # documents that nothing says the encoding of


def quality_of(fidelity: Fidelity, sink: DiagnosticSink, skipped_items: int) -> NormalizationQuality:
    """Lossiness and confidence by a fixed rule (docs/quality.md), from the ledger and the diagnostics alone."""
    warnings = sum(1 for entry in sink if entry.severity == "warning")
    if not fidelity.verified:
        return NormalizationQuality("unknown", skipped_items=skipped_items, warnings=warnings)
    codes = {entry.code for entry in sink}
    unread = fidelity.unread / max(1, fidelity.documents)
    lossiness: Lossiness = "none"
    if fidelity.unread or not fidelity.ledger.balanced:
        lossiness = "high"
    elif codes & MEDIUM or fidelity.replaced:
        lossiness = "medium"
    elif codes & LOW:
        lossiness = "low"
    doubtful = fidelity.replaced / max(1, fidelity.ledger.total)
    repaired = fidelity.degraded / max(1, fidelity.documents)
    guessed = fidelity.guessed / max(1, fidelity.documents)
    confidence = (1 - unread) * (1 - min(1.0, 10 * doubtful)) * (1 - 0.5 * guessed) * (1 - 0.25 * repaired)
    return NormalizationQuality(
        lossiness=lossiness,
        confidence=round(max(0.0, confidence), 4),
        skipped_items=skipped_items,
        warnings=warnings,
        metadata={"ledger": fidelity.ledger.to_dict()},
    )


def report_flattened(written: Written, limits: Limits, sink: DiagnosticSink, member: str | None = None) -> None:
    """Report what Markdown could not say of a document."""
    if not written.flattened:
        return
    tables = {what: n for what, n in written.flattened.items() if "table" in what or "cell" in what}
    others = {what: n for what, n in written.flattened.items() if what not in tables}
    for code, message, what in (
        ("source.table_flattened", "Tables were simplified", tables),
        ("source.content_flattened", "Markdown has no form for", others),
    ):
        if what:
            sink.report(code, f"{message}: {', '.join(sorted(what))}.", path=member, what=dict(sorted(what.items())))
    if f"table {TOO_LARGE}" in written.flattened:
        error = limits.exceeded(
            "table_cells", "The spans of a table would make too many cells and were left out", path=member
        )
        sink.add(replace(error.diagnostic, severity="warning"))
