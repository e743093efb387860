"""A segment as HTML: the text of the source's page beside the rendered Markdown, differences marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.outputs.segments import pages_of
from markitect_tool.reports.comparing import Row, View
from markitect_tool.reports.findings import brief
from markitect_tool.reports.pages import Mark, Page, overlapping
from markitect_tool.reports.shell import count, number, phrase, text
from markitect_tool.reports.sides import Pair, page_path
from markitect_tool.source.model import NormalizedMarkdownSegment

_TAGS = {"missing": ("<del>", "</del>"), "added": ("<ins>", "</ins>"), "rewritten": ('<span class="w">', "</span>")}
_INVISIBLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


_EXCERPT = 20_000  # characters


def segment_html(
    pair: Pair, title: str, language: str | None, *, opens: bool, full: bool, shown: bool
) -> Iterator[str]:
    """One segment as a part that opens. Without `full` only its differences are in it, without `shown` only numbers."""
    view, segment = pair.view, pair.segment
    differences = view.differences if view is not None else 0
    where = [phrase(entry) for entry in (page_path(segment), _printed(segment)) if entry]
    yield (
        f'<details class="seg{" has" if differences else ""}" id="s-{pair.order + 1}"{" open" if opens else ""}>'
        f'<summary><h3><bdi>{text(title)}</bdi></h3><span class="where">{" · ".join(where)}</span>'
    )
    if differences:
        yield f'<span class="badge">{count(differences, "difference")}</span>'
    yield f'</summary><div class="inner"{_lang(language)}>'
    if view is None:
        yield (
            f'<p class="more" lang="en">Too long to compare: {number(len(segment.markdown))} characters of Markdown. '
            "It begins like this.</p>"
        )
        yield f'<pre class="excerpt" dir="auto" tabindex="0">{visible(segment.markdown[:_EXCERPT])}</pre>'
    elif not shown:
        yield '<p class="more" lang="en">Not shown, since the report is full.</p>'
    else:
        if pair.compared:
            yield '<div class="r heads" lang="en"><div>Source</div><div>Markdown</div></div>'
        yield from rows_html(view, compared=pair.compared, only_differences=not full)
    yield "</div></details>"


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
        rest = f'<div class="s"{_lang(language)}>{shown}</div>' + ('<p class="more">and more</p>' if cut else "")
    return (
        f'<details class="item"><summary><span>{phrase(page.path or "page")}</span>'
        f'<span class="where">{count(characters, "character") if spans else "nothing left"}</span></summary>'
        f'<div class="body"><ul>{said}</ul>{rest}</div></details>'
    )


def _printed(segment: NormalizedMarkdownSegment) -> str | None:
    labels = pages_of(segment)
    if not labels:
        return None
    return f"p. {labels[0]}" if len(labels) == 1 else f"pp. {labels[0]}–{labels[-1]}"


def _lang(language: str | None) -> str:
    return f' lang="{text(language)}"' if language else ""


def rows_html(view: View, *, compared: bool, only_differences: bool = False) -> Iterator[str]:
    """The rows of a segment; with `only_differences` the others are counted."""
    passed = 0
    for row in view.rows:
        if only_differences and not row.different:
            passed += 1
            continue
        if passed:
            yield _passed(passed)
            passed = 0
        yield f'<div class="r{" d" if row.different else ""}">'
        if compared:
            yield f'<div class="s">{_source(row, view)}</div>'
        yield '<div class="m">'
        for block in row.made:
            yield from made_html(view, block.parts)
        yield "</div></div>"
    if passed:
        yield _passed(passed)


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


def _source(row: Row, view: View) -> str:
    if row.page is None:
        return ""
    parts = [f'<p dir="auto">{"".join(marked(row.page.text, *span, row.marks))}</p>' for span in row.source]
    if parts and row.made and row.made[0].note is not None:
        parts.insert(0, f'<span class="from">{phrase(row.page.path or "note")}</span>')
    return "".join(parts)


def _passed(passed: int) -> str:
    return f'<p class="more" lang="en">{count(passed, "paragraph")} without differences</p>'
