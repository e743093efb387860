"""The report on one source: what it says of itself, what was kept, what was found, and its text beside the Markdown.

A report is for looking, so it is bounded: a page that is too long is shown in part, and once the report is large, only
paragraphs with differences follow. Both are said where they happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from markitect_tool.reports.segments import segment_html, unwritten_html
from markitect_tool.reports.shell import page as whole_page
from markitect_tool.reports.shell import section
from markitect_tool.reports.sides import DEFAULT_BOUNDS, Bounds, page_path, pairs
from markitect_tool.source.attachments import ReadAttachment, attachment_path, open_attachments
from markitect_tool.source.loading import Source
from markitect_tool.source.messages import SourceReadResult
from markitect_tool.source.model import NormalizedMarkdownDocument
from markitect_tool.source.pages import source_pages
from markitect_tool.source.registry import SourceAdapterRegistry

_SMALL = 800_000  # characters: a text up to this length is shown open
_OPEN = 30  # segments with differences that are shown open in any case

_TOOLS = (
    '<div class="tools"><label><input type="checkbox" id="only">Only differences</label>'
    '<label class="for-phone"><input type="checkbox" id="both">Source of every paragraph</label>'
    '<span class="go" hidden><output aria-live="polite"></output><button type="button">Previous <kbd>p</kbd></button>'
    '<button type="button">Next difference <kbd>n</kbd></button></span></div>'
)
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
    pages = {page.path: Page(page) for page in offered or ()}
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
        body += (_LEGEND, _TOOLS) if self._pages else (_ALONE,)
        body += self._text
        body.append('<p class="none">No other paragraph differs.</p></section></main></div>')
        return whole_page(f"{document.metadata.title or document.asset.name or document.asset.uri} – report", body)

    def _add_segments(self) -> None:
        bounds = self._bounds
        room, more = bounds.shown, bounds.differences
        small = sum(len(segment.markdown) for segment in self._document.segments) <= _SMALL
        opened = 0
        for pair in pairs(self._document, self._pages, self._renderer, bounds):
            differences = pair.view.differences if pair.view is not None else 0
            full = pair.size <= room
            room -= pair.size if full else 0
            shown = full or more > 0
            more -= 0 if full else min(pair.size, 50_000)
            opens = small or (differences > 0 and opened < _OPEN)
            opened += differences > 0
            title = self._contents.add(pair)
            self._text += segment_html(
                pair, title, self._document.metadata.language, opens=opens, full=full, shown=shown
            )

    def _unwritten(self, written: Mapping[str | None, int]) -> Iterator[str]:
        for path, page in self._pages.items():
            if path not in written:
                reasons = [entry for entry in self._diagnostics if entry.path == path]
                yield unwritten_html(page, reasons, self._document.metadata.language)


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
