"""The contents of a report: a link to each segment, and how much of it differs."""

from __future__ import annotations

from collections.abc import Sequence

from markitect_tool.reports.shell import count, text
from markitect_tool.reports.sides import Pair

_DEEPEST = 4
_LONGEST = 90  # characters of a title
_OPENING = 400  # characters in which the first words are looked for


class Contents:
    """Collects the segments as they come, and what there is to count."""

    def __init__(self, paths: Sequence[Sequence[str]]) -> None:
        """`paths` has the headings above each segment and its own."""
        self._paths = paths
        self._entries: list[str] = []
        self.differing = 0  # segments
        self.differences = 0  # paragraphs
        self.uncompared = 0  # segments

    def add(self, pair: Pair) -> str:
        """Enter a segment; returns the title by which it goes."""
        path = self._paths[pair.order]
        title = _cut(self._title(pair, path))
        self.differing += pair.differences > 0
        self.differences += pair.differences
        self.uncompared += pair.view is None
        level = min(max(1, len(path)), _DEEPEST)
        badge = ""
        if pair.differences:
            badge = f'<span class="badge">{pair.differences}<span class="vh"> different</span></span>'
        elif pair.view is None:
            badge = '<span class="badge calm">not compared</span>'
        self._entries.append(
            f'<li class="l{level}"><a href="#s-{pair.order + 1}"><bdi>{text(title)}</bdi></a>{badge}</li>'
        )
        return title

    def html(self) -> str:
        """The list, as a landmark."""
        return (
            f'<nav class="toc" aria-labelledby="h-toc"><section><h2 id="h-toc">Contents</h2>'
            f'<p class="vh">{count(len(self._entries), "segment")}</p>'
            '<div class="toc-list" tabindex="0" role="group" aria-labelledby="h-toc">'
            f"<ol>{''.join(self._entries)}</ol></div></section></nav>"
        )

    def __len__(self) -> int:
        return len(self._entries)

    def _title(self, pair: Pair, path: Sequence[str]) -> str:
        if pair.segment.heading:
            return pair.segment.heading
        if path and (pair.order == 0 or list(self._paths[pair.order - 1]) != list(path)):
            return path[-1]
        words = pair.view.rendered.text if pair.view is not None else pair.segment.markdown
        opening = " ".join(words[:_OPENING].split())
        return f"“{opening}”" if any(map(str.isalnum, opening)) else pair.segment.segment_id


def _cut(title: str) -> str:
    title = " ".join(title.split())
    if len(title) <= _LONGEST:
        return title
    kept = title[:_LONGEST].rpartition(" ")[0] or title[:_LONGEST]
    return f"{kept}…”" if title.startswith("“") else f"{kept}…"
