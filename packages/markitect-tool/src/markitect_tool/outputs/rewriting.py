"""Changes to a finished Markdown text: only at named places, everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable

from markitect_tool.named_tuple import NamedTuple


class Edit(NamedTuple):
    """`text` in the place of what stands from `start` to before `end`."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all `edits` made, which must not overlap; those at one place are made in their order."""
    parts, last = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [text[last : edit.start], edit.text]
        last = edit.end
    return "".join([*parts, text[last:]])
