"""What a run came to, as text for a person or as data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

from markitect_tool.cli.output import facts, paint, printable, table
from markitect_tool.pipeline.quantities import show_seconds, show_size
from markitect_tool.pipeline.summary import DocumentRow, RunSummary

_CODES_SHOWN = 12
_WORDS = {
    "complete": "complete",
    "interrupted": "interrupted",
    "stopped": "stopped: it could not go on",
    "running": "at work now",
}


def as_text(summary: RunSummary, *, most: int | None) -> str:
    """Counts, causes, and at most so many of the documents that have no result."""
    parts = [facts(_about(summary))]
    codes = [entry for entry in summary.codes if entry.severity != "info"]
    if codes:
        rows = [(entry.severity, entry.code, f"{entry.documents:,}", f"{entry.diagnostics:,}") for entry in codes]
        shown = table(("SEVERITY", "CODE", "DOCUMENTS", "TIMES"), rows[:_CODES_SHOWN])
        parts.append(shown + (f"\n... and {len(rows) - _CODES_SHOWN} more codes" if len(rows) > _CODES_SHOWN else ""))
    lacking = summary.counts["failed"] + summary.counts["screened"]
    if lacking:
        lines = [line for row in islice(summary.failures, most) for line in _lines(row)]
        rest = lacking - most if most is not None and lacking > most else 0
        parts.append(
            "\n".join([paint("Without a result", sys.stdout, bold=True), *lines])
            + (f"\n  ... and {rest:,} more: mkt pipeline status {summary.output} --verbose" if rest else "")
        )
    return "\n\n".join(parts)


def as_data(summary: RunSummary) -> dict[str, Any]:
    """Everything but the documents that are fine."""
    data = {
        name: value
        for name, value in asdict(summary).items()  # copies the iterables as they are
        if name not in ("documents", "failures", "slowest", "worst")
    }
    for name, rows in (("slowest", summary.slowest), ("worst", summary.worst), ("failures", summary.failures)):
        data[name] = [_row_data(row) for row in rows]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


def _about(summary: RunSummary) -> Iterator[tuple[str, object]]:
    counts = summary.counts
    yield "run", _WORDS[summary.state]
    yield "results", summary.output
    yield "documents", f"{sum(counts.values()):,}"
    yield "  converted", f"{counts['done']:,}"
    yield "  failed", f"{counts['failed']:,}" if counts["failed"] else None
    yield "  screened out", f"{counts['screened']:,}" if counts["screened"] else None
    yield "unchanged", f"{summary.reused:,}, not converted again" if summary.reused else None
    yield (
        "gone",
        f"{summary.removed:,} are no longer in the sources (--prune removes theirs)" if summary.removed else None,
    )
    if summary.state != "running":
        yield "time", _time(summary)
    yield "read", show_size(summary.bytes_read)
    yield "memory", f"at most {show_size(summary.peak_bytes)} in a worker" if summary.peak_bytes else None


def _time(summary: RunSummary) -> str:
    worked_on = sum(summary.counts.values()) - summary.reused
    rate = f", {worked_on / summary.seconds:.1f} documents/s" if worked_on > 0 and summary.seconds > 1 else ""
    return f"{show_seconds(summary.seconds)}{rate}, {summary.workers} workers, {summary.engine}"


def _lines(row: DocumentRow) -> Iterator[str]:
    yield f"  {printable(row.key)}"
    cause = next((found for found in row.diagnostics if found.severity == "error"), None)
    cause = cause or next(iter(row.diagnostics), None)
    if cause is not None:
        label = "failed" if row.status == "failed" else "screened out"
        color = "red" if row.status == "failed" else "yellow"
        yield f"    {paint(label, sys.stdout, fg=color)} [{cause.code}] {printable(cause.message)}"


def _row_data(row: DocumentRow) -> dict[str, Any]:
    return {
        **{name: value for name, value in asdict(row).items() if name not in ("diagnostics", "outputs")},
        "outputs": list(row.outputs),
        "diagnostics": [found.to_dict() for found in row.diagnostics],
    }
