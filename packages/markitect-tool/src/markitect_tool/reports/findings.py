"""Diagnostics for a person: by severity and code, each code with its hint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from markitect_tool.diagnostics import CATALOGUE, SEVERITIES, Diagnostic
from markitect_tool.reports.shell import count, phrase, text

MOST_PER_CODE = 60
_LONGEST = 600  # characters of a message
_NAMES = {"error": "Error", "warning": "Warning", "info": "Note"}


def findings(diagnostics: Sequence[Diagnostic], place: Callable[[Diagnostic], str | None] = lambda entry: None) -> str:
    """A part that opens for each code, the gravest first. `place` gives the fragment where a finding can be seen."""
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for severity in SEVERITIES:
        for entry in diagnostics:
            if entry.severity == severity:
                groups.setdefault((severity, entry.code), []).append(entry)
    return "".join(_group(severity, code, entries, place) for (severity, code), entries in groups.items())


def times(entry: Diagnostic) -> int:
    """How many findings an entry stands for."""
    found = entry.details.get("count")
    return found if isinstance(found, int) and found > 0 else 1


def level(severity: str) -> str:
    """The severity as a label."""
    return f'<span class="level {severity}">{_NAMES[severity]}</span>'


def brief(message: str) -> str:
    """A message that may hold a whole chapter, at a length that can be read."""
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"


def _group(severity: str, code: str, entries: Sequence[Diagnostic], place: Callable[[Diagnostic], str | None]) -> str:
    known = CATALOGUE.get(code)
    total = sum(map(times, entries))
    hints = list(dict.fromkeys(entry.hint for entry in entries if entry.hint))
    shown = entries[:MOST_PER_CODE]
    rest = len(entries) - len(shown)
    return "".join(
        (
            f'<details class="item"{" open" if severity == "error" else ""}><summary>{level(severity)}',
            f'<span>{text(known.summary if known else code)}</span><span class="where"><code>{text(code)}</code> · ',
            f'{count(total, "time")}</span></summary><div class="body">',
            *(f'<p class="hint">{text(brief(hint))}</p>' for hint in hints[:3]),
            f"<ul>{''.join(_entry(entry, place(entry)) for entry in shown)}</ul>",
            f'<p class="more">and {count(rest, "more", "more")}</p>' if rest else "",
            "</div></details>",
        )
    )


def _entry(entry: Diagnostic, fragment: str | None) -> str:
    repeated = times(entry)
    where = ""
    if entry.path:
        line = f":{entry.line}" if entry.line is not None else ""
        shown = f"<code>{phrase(brief(entry.path))}{line}</code>"
        where = f'<a href="#{text(fragment)}">{shown}</a>' if fragment else shown
        where = f' <span class="where">{where}</span>'
    more = f' <span class="where">({count(repeated, "time")})</span>' if repeated > 1 else ""
    return f"<li>{phrase(brief(entry.message))}{more}{where}</li>"


def totals(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """How many findings there are of each severity."""
    found = dict.fromkeys(SEVERITIES, 0)
    for entry in diagnostics:
        found[entry.severity] += times(entry)
    return {str(severity): number for severity, number in found.items()}
