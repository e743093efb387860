"""A page that is open -> the document of the contract.

The stages find what is special on the page: content, anchors, notes, printed pages. Their findings become directives by
element, the writer does the rest, and what only the whole text decides is resolved at the end. All of it but the
landmarks is what the documents of a book go through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.record import replace
from markitect_tool.source.model import (
    NormalizedMarkdownDocument,
    SourceAsset,
    SourceProvenance,
)
from markitect_tool.source.protocol import SourceAdapterDescriptor

from markitect_filter.documents.anchors import DocumentAnchors, Places, find_anchors, mark_anchors
from markitect_filter.documents.attributes import find_attributes, links_of
from markitect_filter.documents.budget import Budget
from markitect_filter.documents.contract import contract_segments
from markitect_filter.documents.limits import Limits
from markitect_filter.documents.notes.marking import mark_notes
from markitect_filter.documents.notes.notes import find_notes
from markitect_filter.documents.notes.references import NoteRef, find_references
from markitect_filter.documents.packed import PackedDocument
from markitect_filter.documents.pages import find_page_breaks
from markitect_filter.documents.placing import return_orphans
from markitect_filter.documents.quality import Fidelity, quality_of, report_flattened
from markitect_filter.documents.resolve import resolve_all
from markitect_filter.documents.semantics import find_typed
from markitect_filter.documents.text import Document, Text
from markitect_filter.html.landmarks import OUTSIDE, Content, find_content, is_hidden
from markitect_filter.html.metadata import base_of, page_metadata
from markitect_filter.html.options import Options
from markitect_filter.html.page import Page
from markitect_filter.html.references import PAGE, PageReferences
from markitect_filter.html.segments import describe, segments_of
from markitect_filter.markdown.references import Directive
from markitect_filter.markdown.tree import count_text
from markitect_filter.markdown.writer import Writer

Get = Callable[[etree._Element], Directive]


def convert_page(
    page: Page,
    asset: SourceAsset,
    descriptor: SourceAdapterDescriptor,
    given: Mapping[str, Any],
    limits: Limits,
    sink: DiagnosticSink,
) -> NormalizedMarkdownDocument:
    """Convert a page. Raises `LimitExceededError`."""
    options = Options.from_mapping(given)
    text = Text(sink, Budget(limits), Places(frozenset({PAGE})))
    references = PageReferences(asset.uri, base_of(page), sink, lines=not page.tolerant)
    content = find_content(page.body, everything=options.content == "all")
    metadata = page_metadata(page, content.root, references)
    document = _write(page, content, references, options, limits, text)
    return_orphans(text, [document])
    segments = segments_of(document, options, text.late)
    resolved = resolve_all(text, segments, document.ledger)
    finished = contract_segments(segments, resolved, asset.uri, partial(describe, asset.uri))
    if not segments:
        sink.report("source.text_empty", "The page can be read but holds no text and no picture.", severity="warning")
    fidelity = Fidelity(1, 0, int(page.degraded), page.text.replaced, document.ledger, guessed=int(page.text.guessed))
    attachments = references.attachments()
    return NormalizedMarkdownDocument.assemble(
        asset=replace(asset, media_type=asset.media_type or page.media_type),
        adapter_id=descriptor.id,
        adapter_version=descriptor.version,
        options=given,
        segments=finished,
        quality=quality_of(fidelity, sink, 0),
        metadata=replace(metadata, raw={**metadata.raw, "content": content.kind}),
        diagnostics=sink,
        provenance=[SourceProvenance(asset.uri, digest=asset.digest)],
        attachments=attachments,
    )


def _write(
    page: Page, content: Content, references: PageReferences, options: Options, limits: Limits, text: Text
) -> Document:
    """The text of the page with its marks, and what became of every character."""
    body, sink = page.body, text.sink
    attributes = find_attributes(body)
    anchors = find_anchors(PAGE, body, attributes)
    references.fragments = frozenset(anchors.elements)
    directives: dict[etree._Element, Directive] = {}

    def directive(element: etree._Element) -> Directive:
        found = directives.get(element)
        if found is None:
            found = directives[element] = Directive()
        return found

    typed = find_typed(body, attributes)
    labels = 0
    if options.notes == "footnotes":
        links = links_of(body, attributes)
        refs = [ref for ref in find_references(PAGE, body, links, references.place) if _is_held(ref, content)]
        text.notes.enter(PAGE, refs)
        found = find_notes(anchors, body, typed, links, refs, text.notes, references.place)
        for note in found.notes:
            content.spare([*note.blocks, *([note.label] if note.label is not None else ())])
        labels = mark_notes(found, refs, directive)
        for element in filter(content.holds, found.unused):
            references.problem("source.note_unreferenced", "A note that nothing refers to stays where it is.", element)
    _leave_out(content, attributes.hidden, directive, references)
    _drop_places(anchors, directives, references)
    text.places.register(anchors)
    for break_ in find_page_breaks(PAGE, body, typed, attributes.classes, anchors.elements, {}, sink):
        if content.holds(break_.element):
            directive(break_.element).page = break_.label or None
            if break_.marker:
                directive(break_.element).skip = "page-label"
    places = mark_anchors(anchors, body, text.late)
    written = Writer(references, text.late, directives, places, limits.table_cells).write(body)
    written.ledger.total += labels
    written.ledger.skip("note-label", labels)
    packed = PackedDocument(written)
    if packed.size > limits.output_bytes:
        raise limits.exceeded("output_bytes", "The Markdown of the page is too long", size=packed.size)
    report_flattened(written, limits, sink)
    text.take(PAGE, packed)
    return Document(PAGE, written.ledger, packed)


def _is_held(ref: NoteRef, content: Content) -> bool:
    return ref.element is not None and content.holds(ref.element)


def _leave_out(content: Content, hidden: Iterable[etree._Element], directive: Get, references: PageReferences) -> None:
    """Leave out what is not content, and what is hidden in it; one report for each reason."""
    first: dict[str, etree._Element] = {}
    characters: dict[str, int] = {}
    for element, reason in content.left_out.items():
        directive(element).skip = reason
        first.setdefault(reason, element)
        characters[reason] = characters.get(reason, 0) + count_text(element)
    for reason, count in sorted(characters.items()):
        if count:
            what = "What is around the main content" if reason == OUTSIDE else f"A landmark ({reason})"
            references.problem(
                "source.item_skipped",
                f"{what} was left out; --option content=all keeps it.",
                first[reason],
                reason=reason,
                characters=count,
            )
    for element in hidden:
        if is_hidden(element):
            entry = directive(element)
            entry.skip = entry.skip or "hidden"


def _drop_places(
    anchors: DocumentAnchors, directives: dict[etree._Element, Directive], references: PageReferences
) -> None:
    """Places in what is left out of the page get no anchors."""
    gone: set[etree._Element] = set()
    for element, entry in directives.items():
        if entry.skip in _KEEPS_PLACES or entry.skip is None or element in gone:
            continue
        gone.update(element.iter(etree.Element))
    left_out = {fragment for fragment, element in anchors.elements.items() if element in gone}
    for fragment in left_out:
        del anchors.elements[fragment]
    references.left_out = frozenset(left_out)


# what goes with a note or a page break: links that lead there still lead to where it was
_KEEPS_PLACES = frozenset({"note-label", "note-backlink", "note-heading", "page-label"})
