"""A document beside its source: every segment as something to show, in order, as far as the bounds allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markitect_tool.outputs.segments import pages_of
from markitect_tool.reports.claims import claim_notes
from markitect_tool.reports.comparing import View, compare_notes, compare_nothing, compare_page, judge
from markitect_tool.reports.pages import Page
from markitect_tool.reports.rendering import Renderer
from markitect_tool.source.model import NormalizedMarkdownDocument, NormalizedMarkdownSegment


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a report takes in and holds, in characters."""

    page: int = 4_000_000  # of a page and its Markdown together, for it to be compared
    compared: int = 30_000_000  # of all pages that are
    shown: int = 24_000_000  # of HTML; behind that, only paragraphs with differences are shown
    differences: int = 4_000_000  # of HTML for those


DEFAULT_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Pair:
    """A segment and its view; None where it is too long. `compared` tells whether there is a page to compare with."""

    order: int
    segment: NormalizedMarkdownSegment
    view: View | None
    compared: bool

    @property
    def differences(self) -> int:
        """How many of its rows differ."""
        return self.view.differences if self.view is not None else 0


def pairs(
    document: NormalizedMarkdownDocument, pages: Mapping[str | None, Page], renderer: Renderer, bounds: Bounds
) -> Iterator[Pair]:
    """Every segment, in order. A page is compared with all segments that come from it at once."""
    claims = claim_notes(document, pages)
    members: dict[str | None, list[int]] = {}
    for order, segment in enumerate(document.segments):
        members.setdefault(page_path(segment), []).append(order)
    views: dict[int, View] = {}
    left = bounds.compared
    for order, segment in enumerate(document.segments):
        path = page_path(segment)
        page = pages.get(path)
        orders = members.pop(path, ())
        size = len(page.text if page else "") + sum(len(document.segments[other].markdown) for other in orders)
        if orders and size <= min(bounds.page, left):
            left -= size
            made = [
                View(
                    other,
                    renderer.render(document.segments[other].markdown, str(other + 1)),
                    claims.get(other, ()),
                    frozenset(pages_of(document.segments[other])),
                )
                for other in orders
            ]
            _compare(page, made)
            views |= {view.number: view for view in made}
        yield Pair(order, segment, views.pop(order, None), page is not None)


def page_path(segment: NormalizedMarkdownSegment) -> str | None:
    """The page that a segment comes from."""
    return segment.provenance[0].package_path if segment.provenance else None


def _compare(page: Page | None, views: Sequence[View]) -> None:
    if page is not None:
        compare_page(page, views)
    for view in views:
        if page is None:
            compare_nothing(view)
        else:
            compare_notes(view)
        judge(view)
    if page is not None and not page.taken:  # else the notes of other segments will ask for its words
        page.forget_words()
