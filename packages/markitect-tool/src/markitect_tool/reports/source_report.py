"""The report on one source: what it says of itself, what was kept, what was found, and its text beside the Markdown.

A report is for looking, so it is bounded: a page that is too long is shown in part, and once the report is large, only
paragraphs with differences follow. Both are said where they happen.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from urllib.parse import unquote

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.errors import SourceError
from markitect_tool.outputs.segments import heading_paths
from markitect_tool.reports.contents import Contents
from markitect_tool.reports.findings import findings
from markitect_tool.reports.head import facts, failure_head, head
from markitect_tool.reports.ledger import Ledger
from markitect_tool.reports.pages import Page
from markitect_tool.reports.pictures import MAX_PICTURE, Pictures
from markitect_tool.reports.rendering import Renderer
from markitect_tool.reports.segments import Part, unwritten_html
from markitect_tool.reports.shell import count, section
from markitect_tool.reports.shell import page as whole_page
from markitect_tool.reports.sides import DEFAULT_BOUNDS, Bounds, page_path, pairs
from markitect_tool.source.attachments import ReadAttachment, attachment_path, open_attachments
from markitect_tool.source.loading import Source
from markitect_tool.source.messages import SourceReadResult
from markitect_tool.source.model import NormalizedMarkdownDocument
from markitect_tool.source.pages import source_pages
from markitect_tool.source.registry import SourceAdapterRegistry

_SMALL = 800_000  # characters: a text up to this length is shown open
_MOST_UNWRITTEN = 200  # pages
_MOST_REMARKS = 5  # on a page
_EXPLAINING = frozenset({"source.item_skipped", "source.note_document_emptied", "source.content_flattened"})
_OPEN = 30  # segments with differences that are shown open in any case

_BOTH = '<label class="for-phone"><input type="checkbox" id="both">Show the source</label>'
_TOOLS = (
    f'<div class="tools"><label><input type="checkbox" id="only">Only differences</label>{_BOTH}'
    '<span class="go" hidden><output aria-live="polite"></output><button type="button">Previous <kbd>p</kbd></button>'
    '<button type="button">Next<span class="wide"> difference</span> <kbd>n</kbd></button></span></div>'
)
_TOOLS_WITHOUT_DIFFERENCES = f'<div class="tools for-phone">{_BOTH}</div>'
_ALONE = '<p class="lead">The adapter offers no text of the source to compare with.</p>'
_LEGEND = (
    '<ul class="legend"><li><del>words</del> of the source that the Markdown lacks</li>'
    "<li><ins>words</ins> of the Markdown that the source lacks</li>"
    '<li><span class="w">words</span> that are there in another form: signs of notes, page numbers, formulas</li></ul>'
)


def source_report(
    result: SourceReadResult,
    source: Source,
    *,
    name: str,
    registry: SourceAdapterRegistry | None = None,
    bounds: Bounds = DEFAULT_BOUNDS,
) -> str:
    """The report on `result`, which was made from `source`; `name` stands for a source of which nothing is known.

    Raises `MissingDependencyError` without the libraries of `markitect-tool[report]`, and a `SourceError` for a source
    that can no longer be read.
    """
    document = result.document
    if document is None:
        body = (
            *failure_head(name, result.diagnostics),
            section("findings", "What was found", findings(result.diagnostics)),
        )
        return whole_page(f"{name} – report", (*body, "</main></div>"))
    offered = source_pages(source, document, registry=registry)
    pages = {page.path: Page(page, bounds.page) for page in offered or ()}
    with open_attachments(source, document, registry=registry) as read:
        renderer = Renderer(Pictures(_reader(document, read)))
        return _Report(document, result.diagnostics, pages, renderer, bounds).html()


class _Report:
    """A report in the making."""

    def __init__(
        self,
        document: NormalizedMarkdownDocument,
        diagnostics: list[Diagnostic],
        pages: Mapping[str | None, Page],
        renderer: Renderer,
        bounds: Bounds,
    ) -> None:
        self._document = document
        self._diagnostics = diagnostics
        self._pages = pages
        self._renderer = renderer
        self._bounds = bounds
        self._contents = Contents(heading_paths(document))
        self._text: list[str] = []

    def html(self) -> str:
        document = self._document
        self._add_segments()
        ledger = Ledger.of(document.quality.metadata)
        paths = {page_path(segment): segment.order for segment in reversed(document.segments)}

        def place(entry: Diagnostic) -> str | None:
            order = paths.get(entry.path) if entry.path else None
            return None if order is None else f"s-{order + 1}"

        body = [
            *head(document, self._diagnostics, ledger, self._contents, compared=bool(self._pages)),
            '<div class="frame wide">',
            self._contents.html(),
            '<main id="main">',
            section("about", "About the source", facts(document)),
        ]
        if ledger is not None:
            body.append(section("ledger", "What was kept", ledger.html()))
        shown = findings(self._diagnostics, place)
        body.append(section("findings", "What was found", shown or '<p class="lead">Nothing to report.</p>'))
        if unwritten := "".join(self._unwritten(paths)):
            lead = '<p class="lead">Pages of the source of which no segment was made.</p>'
            body.append(section("unwritten", "Pages left out", lead + unwritten))
        body.append('<section id="text" aria-labelledby="h-text"><h2 id="h-text">The text, side by side</h2>')
        if self._pages:
            body += (_LEGEND, _TOOLS if self._contents.differences else _TOOLS_WITHOUT_DIFFERENCES)
        else:
            body.append(_ALONE)
        body += self._text
        body.append('<p class="none">No other paragraph differs.</p></section></main></div>')
        return whole_page(f"{document.metadata.title or document.asset.name or document.asset.uri} – report", body)

    def _add_segments(self) -> None:
        room, more = self._bounds.shown, self._bounds.differences
        small = sum(len(segment.markdown) for segment in self._document.segments) <= _SMALL
        opened = 0
        remarks = {path: [entry.message for entry in entries] for path, entries in self._by_path(_EXPLAINING).items()}
        for pair in pairs(self._document, self._pages, self._renderer, self._bounds):
            opens = small or (pair.differences > 0 and opened < _OPEN)
            opened += pair.differences > 0
            part = Part(
                pair,
                self._contents.add(pair),
                remarks.pop(page_path(pair.segment), ())[:_MOST_REMARKS],  # where the page begins
                self._document.metadata.language,
                opens,
            )
            markup = "".join(part.html("all"))
            if len(markup) <= room:
                room -= len(markup)
            else:
                markup = "".join(part.html("differences"))
                if len(markup) <= more:
                    more -= len(markup)
                else:
                    markup = "".join(part.html("nothing"))
            self._text.append(markup)

    def _unwritten(self, written: Mapping[str | None, int]) -> Iterator[str]:
        reasons = self._by_path()
        left = [page for path, page in self._pages.items() if path not in written]
        for page in left[:_MOST_UNWRITTEN]:
            yield unwritten_html(page, reasons.get(page.path, ()), self._document.metadata.language)
        if len(left) > _MOST_UNWRITTEN:
            yield f'<p class="more">and {count(len(left) - _MOST_UNWRITTEN, "more page")}</p>'

    def _by_path(self, codes: Container[str] | None = None) -> dict[str | None, list[Diagnostic]]:
        """What was found of each page."""
        found: dict[str | None, list[Diagnostic]] = {}
        for entry in self._diagnostics:
            if entry.path and (codes is None or entry.code in codes):
                found.setdefault(entry.path, []).append(entry)
        return found


def _reader(document: NormalizedMarkdownDocument, read: ReadAttachment | None) -> Callable[[str], bytes | None]:
    """The bytes of the picture to which a destination in the Markdown leads."""
    known = {attachment_path(document, entry): entry for entry in document.attachments}

    def bytes_of(destination: str) -> bytes | None:
        entry = known.get(unquote(destination.partition("#")[0]))
        if read is None or entry is None or (entry.size or 0) > MAX_PICTURE:
            return None
        try:
            return read(entry)
        except SourceError:  # its diagnostics tell
            return None

    return bytes_of
