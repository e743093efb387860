"""Stage 6: one document of the reading order -> blocks of Markdown.

The stages before find what is special in a document: anchors, notes, page breaks, what to leave out. Here their
findings become directives by element, and the writer does the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.record import field

from markitect_filter.documents.anchors import DocumentAnchors, find_anchors, mark_anchors
from markitect_filter.documents.attributes import Attributes, find_attributes, links_of
from markitect_filter.documents.notes.marking import mark_notes
from markitect_filter.documents.notes.notes import find_notes
from markitect_filter.documents.notes.references import find_references
from markitect_filter.documents.packed import PackedDocument, is_bare
from markitect_filter.documents.pages import find_page_breaks
from markitect_filter.documents.quality import report_flattened
from markitect_filter.documents.semantics import Typed, find_typed
from markitect_filter.documents.text import Document, Text
from markitect_filter.documents.xml_names import XHTML, epub_types, local_name
from markitect_filter.epub3.assembly.foreign import write_with
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.content.links import Assets, DocumentReferences
from markitect_filter.epub3.content.xhtml import Content, read_content
from markitect_filter.epub3.navigation.spine import SpineItem
from markitect_filter.epub3.options import Options
from markitect_filter.epub3.roles.boilerplate import find_boilerplate
from markitect_filter.epub3.roles.roles import ROLES, RoleDecision, role_of_element, role_of_spine_item
from markitect_filter.epub3.roles.skipping import SkipPolicy
from markitect_filter.markdown.layout import HEADING, RULE
from markitect_filter.markdown.ledger import nonblank
from markitect_filter.markdown.markdownify_renderer import Converter
from markitect_filter.markdown.marks import MARK, NOTE
from markitect_filter.markdown.references import Directive
from markitect_filter.markdown.tree import count_text
from markitect_filter.markdown.writer import Writer, Written

Directives = dict[etree._Element, Directive]
_NAV = f"{{{XHTML}}}nav"
_REFERENCE = re.compile(f"{MARK}{NOTE}")


class Book(Text, kw_only=True):
    """What the conversion of every document needs and adds to."""

    archive: Archive
    options: Options
    policy: SkipPolicy
    roles: Mapping[str, RoleDecision]  # what the package settles, by member
    cuts: Mapping[str, Collection[str]]  # member -> fragments that the table of contents leads to
    pages: Mapping[str, Mapping[str, str]]  # member -> fragment -> label of the page list
    assets: Assets = field(default_factory=Assets)
    converter: Converter | None = None  # another library writes the Markdown


class BookDocument(Document):
    """A document of the reading order, its `member` the one that was read or should have been (`problem`)."""

    __slots__ = ("buried", "cut_roles", "degraded", "guessed", "parts", "problem", "replaced", "role", "step")

    def __init__(self, member: str, step: SpineItem, role: RoleDecision, problem: str | None = None) -> None:
        super().__init__(member)
        self.step = step
        self.role = role
        self.problem = problem
        self.parts: tuple[str, ...] = ()  # roles of parts that are kept, boilerplate mostly
        self.degraded = self.guessed = False  # as for `Content`
        self.replaced = 0
        self.cut_roles: dict[str, RoleDecision] = {}  # of segments that start inside of it
        self.buried: set[str] = set()  # targets of the contents inside of notes or of what is left out


def convert(step: SpineItem, book: Book, *, wait: bool) -> BookDocument | None:
    """Read and write one document. With `wait` the answer is None for one whose notes depend on documents that come
    later; call again when they have been scanned. Raises what `read_content` raises."""
    found = _convert(step, book, wait=wait)
    if found is None:
        return None
    document, written = found
    if written is not None:
        document.written = PackedDocument(written)  # here, where the tree is gone
        book.take(document.member, document.written)
    return document


def _convert(step: SpineItem, book: Book, *, wait: bool) -> tuple[BookDocument, Written | None] | None:
    """The document, and its text unless it is left out. None as for `convert`."""
    content = read_content(book.archive, step, book.sink, book.budget)
    body = content.body
    attributes = find_attributes(body)
    anchors = find_anchors(content.member, body, attributes)
    references = DocumentReferences(content.member, content.base, book.archive, book.places, book.assets, book.sink)
    role = role_of_spine_item(content.member, book.roles, body)
    document = BookDocument(content.member, step, role)
    document.own_id = _own_id(body)
    document.degraded, document.replaced, document.guessed = content.degraded, content.replaced, content.guessed
    if book.policy.skips_document(role, body):
        book.notes.scanned.add(content.member)
        return _left_out(document, body, book), None
    directives: Directives = {}

    def directive(element: etree._Element) -> Directive:
        found = directives.get(element)
        if found is None:
            found = directives[element] = Directive()
        return found

    typed = find_typed(body, attributes)
    taken_labels = 0
    if book.options.notes == "footnotes" and book.converter is None:
        links = links_of(body, attributes)
        refs = find_references(content.member, body, links, references.place)
        book.notes.enter(content.member, refs)
        all_notes = role.role == "notes"
        found = find_notes(
            anchors, body, typed, links, refs, book.notes, references.place, all_notes=all_notes, wait=wait
        )
        if wait and found.pending:
            return None
        for ref in refs:
            book.places.reach(ref.target[0])
        taken_labels = mark_notes(found, refs, directive)
        for element in found.unused:
            book.sink.report(
                "source.note_unreferenced",
                "A note that nothing refers to stays where it is.",
                path=content.member,
                line=element.sourceline,
                once=("note_unreferenced", content.member),
            )
    book.places.register(anchors)
    _mark_pages(body, anchors, typed, attributes, book, directive)
    document.parts = _mark_parts(content, typed, attributes, book, directive)
    del attributes  # as many as there are elements
    _mark_cuts(document, body, anchors, book, directives)
    if book.converter is not None:
        written = write_with(book.converter, body, directives, references)
    else:
        places = mark_anchors(anchors, body, book.late)
        written = Writer(references, book.late, directives, places, book.archive.limits.table_cells).write(body)
    written.ledger.total += taken_labels
    written.ledger.skip("note-label", taken_labels)
    document.ledger = written.ledger
    report_flattened(written, book.archive.limits, book.sink, content.member)
    return document, written


def _own_id(body: etree._Element) -> str | None:
    """The id of the body, or of the one element that fills it."""
    element = body
    while True:
        if value := (element.get("id") or "").strip():
            return value
        if len(element) != 1 or (element.text or "").strip():
            return None
        element = element[0]
        if not isinstance(element.tag, str) or local_name(element) not in ("section", "div", "article", "main"):
            return None


def _left_out(document: BookDocument, body: etree._Element, book: Book) -> BookDocument:
    characters = count_text(body)
    document.ledger.total += characters
    document.ledger.skip(document.role.role, characters)
    book.sink.report(
        "source.item_skipped",
        f"Left out as {document.role.role} (by {document.role.ground}); --option keep={document.role.role} keeps it.",
        path=document.member,
        role=document.role.role,
        ground=document.role.ground,
        characters=characters,
    )
    return document


def _mark_pages(
    body: etree._Element,
    anchors: DocumentAnchors,
    typed: Sequence[Typed],
    attributes: Attributes,
    book: Book,
    get: Callable[[etree._Element], Directive],
) -> None:
    member = anchors.member
    listed = book.pages.get(member, {})
    for page in find_page_breaks(member, body, typed, attributes.classes, anchors.elements, listed, book.sink):
        entry = get(page.element)
        entry.page = page.label or None
        if page.marker:
            entry.skip = "page-label"
    if "" in listed:
        get(body).page = listed[""]


def _mark_cuts(
    document: BookDocument, body: etree._Element, anchors: DocumentAnchors, book: Book, directives: Directives
) -> None:
    """Segments may start at the targets of the table of contents, except inside of notes and of what is left out.
    Their role is that of the innermost element around them that has one."""
    for fragment in book.cuts.get(document.member, ()):
        target = anchors.elements.get(fragment)
        if target is None or target is body:
            continue
        around = [target]
        while around[-1] is not body and (parent := around[-1].getparent()) is not None:
            around.append(parent)
        marks = [directives[element] for element in around if element in directives]
        if any(mark.note is not None or mark.skip in ROLES for mark in marks):
            document.buried.add(fragment)
            continue
        directives.setdefault(target, Directive()).cut = fragment
        decisions = (role_of_element(epub_types(e), (e.get("role") or "").split()) for e in around)
        if (decision := next(filter(None, decisions), None)) is not None:
            document.cut_roles[fragment] = decision


def _mark_parts(
    content: Content,
    typed: Sequence[Typed],
    attributes: Attributes,
    book: Book,
    get: Callable[[etree._Element], Directive],
) -> tuple[str, ...]:
    """Leave out what is hidden and what has a role that is left out. Returns the roles of parts that stay."""
    policy, body = book.policy, content.body
    kept: dict[str, None] = {}
    for element in attributes.hidden:
        get(element).skip = "hidden"
    for entry in typed:
        element = entry.element
        decision = role_of_element(entry.types, entry.roles)
        if decision is None:
            continue
        asked = decision.role in policy.asked
        if policy.skips(decision.role) and (asked or element.tag == _NAV):
            get(element).skip = decision.role
            _report_part(decision, content.member, element, book.sink)
        else:
            kept[decision.role] = None
    for found in find_boilerplate(body) if content.may_hold_boilerplate else ():
        if policy.skips(found.role):
            for element in found.elements:
                get(element).skip = found.role
            _report_part(RoleDecision(found.role, found.ground), content.member, found.elements[0], book.sink)
        else:
            kept[found.role] = None
    return tuple(kept)


def _report_part(decision: RoleDecision, member: str, element: etree._Element, sink: DiagnosticSink) -> None:
    sink.report(
        "source.item_skipped",
        f"A part was left out as {decision.role} (by {decision.ground}); --option keep={decision.role} keeps it.",
        path=member,
        line=element.sourceline,
        role=decision.role,
        ground=decision.ground,
        once=("part", member, decision),
    )


def drop_emptied(document: BookDocument, sink: DiagnosticSink) -> None:
    """A document whose text became footnotes elsewhere, and has nothing left but headings: they go as well. Only to be
    asked when notes without references have gone back to their documents."""
    written = document.written
    if written is None or not written.notes:
        return
    left = zip(written.kinds, map(bytes.decode, written.blocks()), strict=True)
    if any(not is_bare(text) and (kind not in (HEADING, RULE) or _REFERENCE.search(text)) for kind, text in left):
        return
    characters = sum(nonblank(heading.text) for heading in written.headings)
    document.ledger.emitted -= characters
    document.ledger.skip("note-heading", characters)
    written.clear()
    sink.report(
        "source.note_document_emptied",
        "All its notes stand with the text that refers to them; only headings were left, so it is not a segment.",
        path=document.member,
    )


def gap(step: SpineItem, problem: str, path: str) -> BookDocument:
    """A document that could not be read from `path`: the text says so at its place."""
    return BookDocument(step.member or path, step, RoleDecision("body", "default"), problem)
