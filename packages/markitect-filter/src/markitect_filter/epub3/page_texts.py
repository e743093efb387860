"""The text of every page of an open book, in reading order: what its Markdown can be compared with."""

from __future__ import annotations

from collections.abc import Iterator

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import LimitExceededError, SourceError
from markitect_tool.source.pages import SourcePage

from markitect_filter.epub3.content.xhtml import read_content
from markitect_filter.epub3.opening import OpenBook
from markitect_filter.pagetext import PageText


def page_texts(opened: OpenBook) -> Iterator[SourcePage]:
    """Each page once. One that cannot be read is passed over: the conversion reports it. A limit ends the book."""
    unheard = DiagnosticSink()
    seen: set[str] = set()
    for step in opened.order:
        if step.member is None or step.member in seen:
            continue
        seen.add(step.member)
        try:
            content = read_content(opened.archive, step, unheard, opened.budget)
        except LimitExceededError:
            return
        except SourceError:
            continue
        found = PageText(content.body)
        yield SourcePage(step.member, found.text, found.anchors, found.formulas)
