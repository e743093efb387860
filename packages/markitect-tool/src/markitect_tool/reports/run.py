"""The report on a run over many sources: what became of them, and where to look first.

Every list is bounded, however many documents there are; what is not shown is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markitect_tool.diagnostics import CATALOGUE, Diagnostic
from markitect_tool.pipeline.summary import CodeCount, DocumentRow, RunSummary
from markitect_tool.reports.findings import brief, level, times
from markitect_tool.reports.head import Tile, opening
from markitect_tool.reports.ledger import bar
from markitect_tool.reports.shell import count, duration, number, page, phrase, section, share, size, text

MOST_CODES = 100
MOST_GROUPS = 40
MOST_IN_GROUP = 25
MOST_FACTS = 100

_NUMERIC = ' class="n"'

_STATES = {
    "complete": "The run is complete.",
    "interrupted": "The run was interrupted; the same command goes on where it stopped.",
    "stopped": "The run stopped, because its target could not be written to; the same command goes on from there.",
    "running": "The run is still going on.",
}


def run_report(summary: RunSummary) -> str:
    """The report on a run, as one self-contained HTML page."""
    groups = _grouped(summary.failures)
    body = [
        *_head(summary),
        '<div class="frame"><main id="main">',
        section("outcome", "What became of them", _outcome(summary.counts)),
    ]
    if groups:
        body.append(section("failures", "What failed", _failures(groups)))
    if summary.codes:
        body.append(section("codes", "What was found", _codes(summary.codes, sum(summary.counts.values()))))
    if summary.worst:
        lead = '<p class="lead">Documents that were converted, but with the most warnings.</p>'
        body.append(section("worst", "Where to look", lead + _documents(summary.worst, warnings=True)))
    if summary.slowest:
        body.append(section("slowest", "What took longest", _documents(summary.slowest, warnings=False)))
    body += (section("how", "How it ran", _facts(summary)), "</main></div>")
    return page(f"{summary.output} – run report", body)


def _head(summary: RunSummary) -> Iterator[str]:
    total = sum(summary.counts.values())
    failed, screened = summary.counts.get("failed", 0), summary.counts.get("screened", 0)
    done = summary.counts.get("done", 0)
    made = total - summary.reused
    tiles: list[Tile] = [
        ("Documents", number(total), size(summary.bytes_read)),
        ("Converted", number(done), share(done, total)),
        ("Failed", number(failed) if failed else "none", share(failed, total) if failed else ""),
        ("Screened out", number(screened) if screened else "none", "before they were parsed" if screened else ""),
        ("Time", duration(summary.seconds), f"{made / summary.seconds:,.1f} a second" if summary.seconds > 0 else ""),
        ("Memory", size(summary.peak_bytes) if summary.peak_bytes else "–", "of the largest worker"),
    ]
    if summary.reused:
        tiles.insert(4, ("From before", number(summary.reused), "their results still held"))
    return opening("A run over many sources", summary.output, "", " ".join(_verdict(summary, failed, screened)), tiles)


def _verdict(summary: RunSummary, failed: int, screened: int) -> Iterator[str]:
    yield _STATES[summary.state]
    if summary.cause is not None:
        yield brief(summary.cause.message)
    if failed or screened:
        parts = [f"{count(failed, 'document')} failed"] if failed else []
        parts += (
            [f"{count(screened, 'document')} {'was' if screened == 1 else 'were'} screened out"] if screened else []
        )
        yield f"{' and '.join(parts)}: each is listed with its reason, or counted."
    elif summary.state == "complete":
        yield "Every document was converted."
    if summary.removed:
        yield f"The output still holds {count(summary.removed, 'document')} that the sources no longer have."


def _outcome(counts: Mapping[str, int]) -> str:
    names = {"done": ("kept", "converted"), "failed": ("bad", "failed"), "screened": ("t1", "screened out")}
    parts = [(*names.get(status, ("t6", status)), found) for status, found in counts.items()]
    total = sum(counts.values())
    rows = "".join(
        f'<tr><th scope="row"><span class="key {tone}"></span>{text(name)}</th><td class="n">{number(found)}</td>'
        f'<td class="n">{share(found, total)}</td></tr>'
        for tone, name, found in parts
    )
    return (
        f'{bar([(tone, found) for tone, _, found in parts])}<table><thead><tr><th scope="col">Documents</th>'
        '<th scope="col" class="n">Number</th><th scope="col" class="n">Share</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


@dataclass(slots=True)
class _Group:
    """Documents that failed for one reason."""

    cause: Diagnostic | None
    total: int = 0
    rows: list[DocumentRow] = field(default_factory=list)


def _grouped(failures: Iterable[DocumentRow]) -> list[_Group]:
    """By the code of the first error, the most frequent first; of each only some documents are kept."""
    groups: dict[tuple[str, str], _Group] = {}
    for row in failures:
        cause = next((entry for entry in row.diagnostics if entry.severity == "error"), None)
        cause = cause or next(iter(row.diagnostics), None)
        group = groups.setdefault((row.status, cause.code if cause else ""), _Group(cause))
        group.total += 1
        if len(group.rows) < MOST_IN_GROUP:
            group.rows.append(row)
    return sorted(groups.values(), key=lambda group: (-group.total, group.cause.code if group.cause else ""))


def _failures(groups: Sequence[_Group]) -> str:
    parts = []
    for order, group in enumerate(groups[:MOST_GROUPS]):
        cause, rest = group.cause, group.total - len(group.rows)
        known = CATALOGUE.get(cause.code) if cause else None
        hints = dict.fromkeys(entry.hint for row in group.rows for entry in row.diagnostics if entry.hint)
        title = known.summary if known else "No reason was recorded."
        parts.append(
            f'<details class="item"{" open" if order < 3 else ""}><summary>{level("error")}<span>{text(title)}</span>'
            f'<span class="where">{f"<code>{text(cause.code)}</code> · " if cause else ""}'
            f'{count(group.total, "document")}</span></summary><div class="body">'
            + "".join(f'<p class="hint">{text(brief(hint))}</p>' for hint in list(hints)[:3])
            + f"<ul>{''.join(map(_failure, group.rows))}</ul>"
            + (f'<p class="more">and {count(rest, "more document")}</p>' if rest else "")
            + "</div></details>"
        )
    if rest := len(groups) - MOST_GROUPS:
        parts.append(f'<p class="more">and {count(rest, "more reason")}</p>' if rest > 0 else "")
    return "".join(parts)


def _failure(row: DocumentRow) -> str:
    said = [entry for entry in row.diagnostics if entry.severity == "error"][:3] or list(row.diagnostics[:1])
    where = "screened out" if row.status == "screened" else ""
    tries = f"{row.attempts} tries" if row.attempts > 1 else ""
    remarks = " · ".join(filter(None, (where, tries, size(row.size) if row.size is not None else "")))
    messages = "".join(f"<br>{phrase(brief(entry.message))}" for entry in said)
    key = f'<span class="code">{phrase(brief(row.key))}</span>'
    return f'<li>{key} <span class="where">{text(remarks)}</span>{messages}</li>'


def _codes(codes: Sequence[CodeCount], total: int) -> str:
    most = max((entry.documents for entry in codes), default=0) or 1
    rows = "".join(
        f'<tr><td>{level(entry.severity)}</td><th scope="row">{text(_summary_of(entry.code))}<br>'
        f'<span class="where"><code>{text(entry.code)}</code></span></th>'
        f"{_measured(entry.documents / most, entry.severity, number(entry.documents))}"
        f'<td class="n">{share(entry.documents, total)}</td><td class="n">{number(entry.diagnostics)}</td></tr>'
        for entry in codes[:MOST_CODES]
    )
    rest = len(codes) - MOST_CODES
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Diagnostics by code"><table><thead><tr>'
        '<th scope="col">Level</th><th scope="col">What</th><th scope="col" class="n">Documents</th>'
        '<th scope="col" class="n">Share</th><th scope="col" class="n">Findings</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        + (f'<p class="more">and {count(rest, "more code")}</p>' if rest > 0 else "")
    )


def _summary_of(code: str) -> str:
    known = CATALOGUE.get(code)
    return known.summary if known else code


def _measured(part: float, severity: str, figure: str) -> str:
    """A figure behind a bar of its size."""
    return (
        '<td class="n"><svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" '
        f'focusable="false"><rect class="{severity}" width="{max(1.0, 100 * part):.1f}" height="10"/></svg>'
        f'<span class="figure">{figure}</span></td>'
    )


def _documents(rows: Sequence[DocumentRow], *, warnings: bool) -> str:
    most = max((_measure(row, warnings) for row in rows), default=0.0) or 1.0
    body = "".join(
        f'<tr><th scope="row">{phrase(brief(row.title)) + "<br>" if row.title else ""}'
        f'<span class="code">{phrase(brief(row.key))}</span></th>'
        f"{_measured(_measure(row, warnings) / most, 'warning' if warnings else 'info', _figure(row, warnings))}"
        f"<td>{_kinds(row) if warnings else text(row.status)}</td>"
        f'<td class="n">{size(row.peak_bytes) if row.peak_bytes else "–"}</td>'
        f'<td class="n">{size(row.size) if row.size is not None else "–"}</td></tr>'
        for row in rows
    )
    columns = (
        ("Document", "Warnings", "Which", "Memory", "Size")
        if warnings
        else ("Document", "Time", "Status", "Memory", "Size")
    )
    heads = "".join(
        f'<th scope="col"{"" if name in ("Document", "Which", "Status") else _NUMERIC}>{name}</th>' for name in columns
    )
    label = "Documents with the most warnings" if warnings else "Slowest documents"
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _measure(row: DocumentRow, warnings: bool) -> float:
    if not warnings:
        return row.seconds
    return sum(times(entry) for entry in row.diagnostics if entry.severity == "warning")


def _figure(row: DocumentRow, warnings: bool) -> str:
    return number(int(_measure(row, warnings))) if warnings else duration(row.seconds)


def _kinds(row: DocumentRow) -> str:
    found = [entry for entry in row.diagnostics if entry.severity == "warning"][:6]
    return "<br>".join(
        f'<span class="where"><code>{text(entry.code)}</code> {number(times(entry))}</span>' for entry in found
    )


def _facts(summary: RunSummary) -> str:
    pairs: list[tuple[str, object]] = [
        *(("Source", source) for source in summary.sources[:MOST_FACTS]),
        ("Output", summary.output),
        ("Format", f"{summary.format}, {summary.level}" if summary.level else summary.format),
        ("Engine", f"{summary.engine}, {count(summary.workers, 'worker')}"),
        ("Started", summary.started),
        ("Time", duration(summary.seconds)),
        *((f"Version of {name}", version) for name, version in list(summary.versions.items())[:MOST_FACTS]),
        *((f"Option {name}", value) for name, value in list(summary.options.items())[:MOST_FACTS]),
    ]
    shown = "".join(
        f"<dt>{phrase(brief(name))}</dt><dd>{phrase(brief(str(value)))}</dd>"
        for name, value in pairs
        if value not in (None, "")
    )
    return f'<dl class="facts">{shown}</dl>'
