"""A segment as HTML: the text of the source's page beside the rendered Markdown, differences marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.outputs.segments import pages_of
from markitect_tool.reports.comparing import Row, View
from markitect_tool.reports.findings import brief
from markitect_tool.reports.pages import Mark, Page, overlapping
from markitect_tool.reports.shell import count, language_of, number, phrase, text
from markitect_tool.reports.sides import Pair, page_path
from markitect_tool.source.model import NormalizedMarkdownSegment

_TAGS = {"missing": ("<del>", "</del>"), "added": ("<ins>", "</ins>"), "rewritten": ('<span class="w">', "</span>")}
_INVISIBLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_EXCERPT = 20_000  # characters
_LONGEST = 120  # characters of a path, of the label of a page


@dataclass(frozen=True, slots=True)
class Part:
    """A segment on the page."""

    pair: Pair
    title: str
    remarks: Sequence[str]  # on its page of the source
    language: str | None
    opens: bool

    def html(self, amount: Literal["all", "differences", "nothing"]) -> Iterator[str]:
        """All of it, only what differs, or only how much that is."""
        pair = self.pair
        where = [phrase(_short(entry)) for entry in (page_path(pair.segment), _printed(pair.segment)) if entry]
        yield (
            f'<details class="seg{" has" if pair.differences else ""}"{" open" if self.opens else ""}>'
            f"<summary><h3>{phrase(self.title)}</h3>"
            f'<span class="where">{" · ".join(where)}</span>'
        )
        if pair.differences:
            yield f'<span class="badge">{count(pair.differences, "difference")}</span>'
        yield f'</summary><div class="inner" id="s-{pair.order + 1}">'  # inside, so that a link to it opens the part
        yield from (_more(brief(remark)) for remark in self.remarks)
        if pair.view is None:
            size = number(len(pair.segment.markdown))
            yield _more(f"Too long to compare: {size} characters of Markdown, which begin like this.")
            yield f'<pre class="excerpt" dir="auto" tabindex="0">{visible(pair.segment.markdown[:_EXCERPT])}</pre>'
        elif amount == "nothing":
            yield _more("Not shown: the report is full.")
        else:
            if pair.compared:
                yield '<div class="r heads"><div>Source</div><div>Markdown</div></div>'
            yield from self._rows(pair.view, only_differences=amount == "differences")
        yield "</div></details>"

    def _rows(self, view: View, *, only_differences: bool) -> Iterator[str]:
        language = language_of(self.language)
        passed = 0
        for row in view.rows:
            if only_differences and not row.different:
                passed += 1
                continue
            if passed:
                yield _more(f"{count(passed, 'paragraph')} without differences")
                passed = 0
            yield f'<div class="r{" d" if row.different else ""}">'
            if self.pair.compared:
                yield f'<div class="s"{language}>{_source(row)}</div>'
            yield f'<div class="m"{language}>'
            for block in row.made:
                yield from made_html(view, block.parts)
            yield "</div></div>"
        if passed:
            yield _more(f"{count(passed, 'paragraph')} without differences")


def unwritten_html(page: Page, reasons: Sequence[Diagnostic], language: str | None) -> str:
    """A page of which no segment was made: why, and what of it stands nowhere."""
    spans = page.remaining()
    characters = sum(end - start for start, end in spans)
    said = "".join(f"<li>{phrase(brief(entry.message))}</li>" for entry in reasons[:10])
    if not spans:
        rest = "<p>It holds no text.</p>" if not page.taken else "<p>All of its text stands as footnotes.</p>"
    else:
        shown = "".join(f'<p dir="auto">{visible(page.text[a : min(b, a + _EXCERPT)])}</p>' for a, b in spans[:200])
        cut = len(spans) > 200 or any(b - a > _EXCERPT for a, b in spans)
        rest = f'<div class="s"{language_of(language)}>{shown}</div>' + ('<p class="more">and more</p>' if cut else "")
    return (
        f'<details class="item"><summary><span>{phrase(_short(page.path or "page"))}</span>'
        f'<span class="where">{count(characters, "character") if spans else "nothing left"}</span></summary>'
        f'<div class="body"><ul>{said}</ul>{rest}</div></details>'
    )


def _printed(segment: NormalizedMarkdownSegment) -> str | None:
    labels = pages_of(segment)
    if not labels:
        return None
    first, last = labels[0][:_LONGEST], labels[-1][:_LONGEST]
    return f"p. {first}" if len(labels) == 1 else f"pp. {first}–{last}"


def _short(name: str) -> str:
    """A name that stands at every segment; of a long path, the end tells most."""
    return name if len(name) <= _LONGEST else f"…{name[-_LONGEST:]}"


def made_html(view: View, parts: Sequence[str | tuple[int, int]]) -> Iterator[str]:
    """Rendered Markdown with what the source lacks marked."""
    for part in parts:
        if isinstance(part, str):
            yield part
        else:
            yield from marked(view.rendered.text, *part, view.marks)


def marked(whole: str, start: int, end: int, marks: Sequence[Mark]) -> Iterator[str]:
    """The span of a text as HTML with its marks."""
    at = start
    for mark in overlapping(marks, start, end):
        before, after = _TAGS[mark.kind]
        yield f"{visible(whole[at : mark.start])}{before}{visible(whole[mark.start : mark.end])}{after}"
        at = mark.end
    yield visible(whole[at:end])


def visible(words: str) -> str:
    """Text with characters that HTML has no place for made visible."""
    return text(_INVISIBLE.sub("\ufffd", words))


def _source(row: Row) -> str:
    if row.page is None:
        return ""
    parts = [f'<p dir="auto">{"".join(marked(row.page.text, *span, row.marks))}</p>' for span in row.source]
    if parts and row.made and row.made[0].note is not None:
        parts.insert(0, f'<span class="from">{phrase(_short(row.page.path or "note"))}</span>')
    return "".join(parts)


def _more(remark: str) -> str:
    return f'<p class="more">{phrase(remark)}</p>'
