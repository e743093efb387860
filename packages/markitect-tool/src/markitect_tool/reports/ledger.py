"""The ledger of a source as a bar: how much was kept, and what was left out for which reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markitect_tool.reports.shell import number, share, text

_TONES = 6
_UNACCOUNTED = "not accounted for"

# What the reasons mean, in words; docs/quality.md has the list. Roles that were left out speak for themselves.
_REASONS = {
    "alternative-text": "what stands for a medium when another form of it is written",
    "drawing-definition": "parts of drawings that are not shown by themselves",
    "drawing-metadata": "titles and descriptions inside of drawings",
    "empty-formula": "signs of formulas that show nothing",
    "head": "the head of the page",
    "hidden": "elements that are marked as hidden",
    "note-backlink": "links from notes back to the text; Markdown writes its own",
    "note-heading": "headings over notes",
    "note-label": "numbers of notes; Markdown writes its own",
    "note-reference": "signs that refer to notes; Markdown writes its own",
    "page-label": "numbers of printed pages; they are in the provenance",
    "ruby-parenthesis": "parentheses for readers that show no ruby",
    "script": "scripts",
    "soft-hyphen": "permissions to break a line",
    "style": "style sheets",
    "switch": "the other cases of a choice",
    "template": "templates",
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """Characters of a source, white space not counted: all, those that were written, those that were left out."""

    total: int
    kept: int
    skipped: Mapping[str, int]  # by reason

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Ledger | None:
        """The ledger in the metadata of a document's quality; None if its adapter keeps none."""
        found = metadata.get("ledger")
        if not isinstance(found, dict):
            return None
        total, kept, skipped = found.get("total"), found.get("emitted"), found.get("skipped", {})
        if not isinstance(total, int) or not isinstance(kept, int) or not isinstance(skipped, dict):
            return None
        return cls(total, kept, {str(reason): count for reason, count in skipped.items() if isinstance(count, int)})

    @property
    def unaccounted(self) -> int:
        """Characters that are in neither."""
        return self.total - self.kept - sum(self.skipped.values())

    def html(self) -> str:
        """A bar, and the same as a table. The bar is not read out: the table says it all."""
        parts = [("kept", "in the Markdown", self.kept)]
        ordered = sorted(self.skipped.items(), key=lambda entry: (-entry[1], entry[0]))
        parts += [(f"t{min(order, _TONES)}", reason, count) for order, (reason, count) in enumerate(ordered, 1)]
        if self.unaccounted:
            parts.append(("bad", _UNACCOUNTED, abs(self.unaccounted)))
        rows = "".join(
            f'<tr><th scope="row"><span class="key {tone}"></span>{text(name)}'
            f'<span class="where">{_meaning(tone, name)}</span></th>'
            f'<td class="n">{number(count)}</td><td class="n">{share(count, self.total)}</td></tr>'
            for tone, name, count in parts
        )
        return (
            f"{bar([(tone, count) for tone, _, count in parts])}<table><thead><tr>"
            '<th scope="col">What</th><th scope="col" class="n">Characters</th><th scope="col" class="n">Share</th>'
            f"</tr></thead><tbody>{rows}</tbody></table>"
        )


def _meaning(tone: str, reason: str) -> str:
    if tone == "kept":
        return "text of the source that was written"
    if tone == "bad":
        return "the ledger does not balance: text may be lost or doubled"
    return text(_REASONS.get(reason, f"left out as {reason}"))


def bar(parts: list[tuple[str, int]]) -> str:
    """Lengths as attributes: the page's policy allows no style of elements."""
    whole = sum(count for _, count in parts) or 1
    widths = [max(4.0, 1000 * count / whole) if count else 0.0 for _, count in parts]  # what is there can be seen
    scale = 1000 / sum(widths) if any(widths) else 0.0
    drawn, left = [], 0.0
    for (tone, _), width in zip(parts, widths, strict=True):
        if width:
            drawn.append(f'<rect class="{tone}" x="{left:.2f}" y="0" width="{width * scale:.2f}" height="10"/>')
            left += width * scale
    return (
        '<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f"{''.join(drawn)}</svg>"
    )
