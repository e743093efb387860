"""Stages 4 to 8 in order: an open book -> the document of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import LimitExceededError, MalformedSourceError, SourceError
from markitect_tool.record import Struct, field, replace
from markitect_tool.source.model import NormalizedMarkdownDocument, SourceAsset, SourceProvenance
from markitect_tool.source.protocol import SourceAdapterDescriptor

from markitect_filter.documents.anchors import DocumentAnchors, Places
from markitect_filter.documents.contract import contract_segments
from markitect_filter.documents.media_type import HTML, NCX, XHTML, guess_media_type
from markitect_filter.documents.packed import pack
from markitect_filter.documents.placing import return_orphans
from markitect_filter.documents.quality import Fidelity, quality_of
from markitect_filter.documents.resolve import resolve_all
from markitect_filter.documents.text import name_segments
from markitect_filter.epub3.assembly.assemble import (
    attachments,
    describe,
    place_holders,
    report_unreached,
    toc_tree,
)
from markitect_filter.epub3.assembly.document import Book, BookDocument, convert, drop_emptied, gap
from markitect_filter.epub3.assembly.foreign import converter_named
from markitect_filter.epub3.assembly.segments import BookSegment, TocIndex, place_segments, segments_of
from markitect_filter.epub3.container.unpack import EncryptedMemberError
from markitect_filter.epub3.navigation.spine import SpineItem
from markitect_filter.epub3.opening import OpenBook
from markitect_filter.epub3.package.package_model import ItemRef
from markitect_filter.epub3.roles.skipping import SkipPolicy
from markitect_filter.markdown.escape import Escaper
from markitect_filter.markdown.ledger import Ledger
from markitect_filter.markdown.marks import ANCHOR


def convert_book(
    opened: OpenBook, asset: SourceAsset, descriptor: SourceAdapterDescriptor, options: Mapping[str, Any]
) -> NormalizedMarkdownDocument:
    """Convert a book. Raises `MalformedSourceError` or `EncryptedSourceError` when no document of it can be read, and
    `LimitExceededError`."""
    policy = SkipPolicy.from_options(opened.options.skip, opened.options.keep)
    members = _toc_members(opened)
    toc = TocIndex.of(opened.navigation.toc, members)
    book, documents = _convert_all(opened, policy, toc)
    book.notes.references.clear()  # what was found by them is told by the other fields
    segments: list[BookSegment] = []
    for document in documents:
        segments += _segments(document, toc, book)
        if document.written is not None:
            document.written.clear()  # no second copy of the book's text
    _stand_in(documents, segments, book)
    anchors = [fragment for fragments in book.places.fragments.values() for fragment in fragments]
    name_segments(segments, anchors)
    place_segments(segments, toc)
    ledger = Ledger()
    for document in documents:
        ledger.add(document.ledger)
    holders = place_holders(toc, segments, book)
    resolved = resolve_all(book, segments, ledger)
    finished = contract_segments(segments, resolved, asset.uri, partial(describe, asset.uri))
    tree = toc_tree(toc, segments, holders, book, members, opened.sink)
    report_unreached(toc, segments, opened.sink)
    if not segments:
        opened.sink.report(
            "source.text_empty", "The book can be read but holds no text and no picture.", severity="warning"
        )
    unread = sum(1 for document in documents if document.problem is not None)
    skipped = sum(1 for document in documents if document.problem is None and document.written is None)
    fidelity = Fidelity(
        len(documents),
        unread,
        sum(1 for document in documents if document.degraded),
        sum(document.replaced for document in documents),
        ledger,
        verified=book.converter is None,
        guessed=sum(1 for document in documents if document.guessed),
    )
    texts = frozenset(book.places.documents)
    found = attachments(opened.package, book, book.assets, texts, opened.navigation, asset.uri)
    if tree:
        opened.metadata.raw["toc"] = tree  # the model is still ours alone
    return NormalizedMarkdownDocument.assemble(
        asset=asset,
        adapter_id=descriptor.id,
        adapter_version=descriptor.version,
        options=options,
        segments=finished,
        quality=quality_of(fidelity, opened.sink, skipped),
        metadata=opened.metadata,
        diagnostics=opened.sink,
        provenance=[SourceProvenance(source_uri=asset.uri, package_path=opened.package.member)],
        attachments=found,
    )


def _convert_all(opened: OpenBook, policy: SkipPolicy, toc: TocIndex) -> tuple[Book, list[BookDocument]]:
    """Every document. Where leaving out cover and contents leaves nothing at all, they are kept."""
    paths = _gap_paths(opened)
    foreign = opened.options.renderer == "markdownify"
    converter = converter_named(opened.options.renderer_class) if foreign else None
    for keep_all in (False, True):
        book = _new_book(opened, replace(policy, roles=policy.asked) if keep_all else policy, toc)
        book.converter = converter
        try:
            documents = _convert_documents(opened.order, book, paths)
        except SourceError:
            opened.sink.extend(book.sink)
            raise
        empty = all(document.written is None or not document.written.kinds for document in documents)
        if not (empty and any(document.written is None and document.problem is None for document in documents)):
            break
    opened.sink.extend(book.sink)
    book.sink = opened.sink
    return book, documents


def _toc_members(opened: OpenBook) -> dict[int, str]:
    """The member that each entry of the table of contents leads to, as far as there is one or a gap in its place."""
    found = {}
    used = _used_members(opened)
    gaps = set(_gap_paths(opened).values())
    for number, entry in enumerate(opened.navigation.toc):
        if entry.target is None:
            continue
        member = opened.archive.member(entry.target)
        if member is not None:
            found[number] = used.get(member, member)
        elif entry.target.path in gaps:
            found[number] = entry.target.path
    return found


def _used_members(opened: OpenBook) -> dict[str, str]:
    """For spine items that are read through a fallback: their own member -> the one that is read."""
    found = {}
    for step in opened.order:
        if step.is_fallback and step.item is not None and step.member is not None:
            target = step.item.target
            if target is not None and (own := opened.archive.member(target)) is not None:
                found[own] = step.member
    return found


def _gap_paths(opened: OpenBook) -> dict[int, str]:
    """Where the documents should be that the book does not hold: position in the reading order -> path."""
    found = {}
    for step in opened.order:
        if step.member is None:
            target = step.item.target if step.item is not None else None
            found[step.position] = target.path if target is not None else step.itemref.idref
    return found


def _new_book(opened: OpenBook, policy: SkipPolicy, toc: TocIndex) -> Book:
    documents = frozenset(step.member for step in opened.order if step.member is not None)
    aliases = _used_members(opened)
    sink = DiagnosticSink(opened.sink.source)
    pages: dict[str, dict[str, str]] = {}
    for page in opened.navigation.pages:
        member = opened.archive.member(page.target) if page.target is not None else None
        member = aliases.get(member, member) if member is not None else None
        if page.target is not None and member is not None and member in documents:
            pages.setdefault(member, {}).setdefault(page.target.fragment or "", page.label)
        else:
            sink.report(
                "source.page_conflict",
                f"The page list's entry {page.label!r} leads to no document of the reading order.",
                once=("page_conflict", "documents"),
                href=page.href,
            )
    texts, structural = _outside(opened, documents)
    places = Places(documents, texts, structural, aliases=aliases)
    roles = dict(opened.roles)
    for own, used in aliases.items():
        if own in roles:
            roles.setdefault(used, roles[own])  # a cover stays one when its fallback is read
    return Book(
        sink,
        opened.budget,
        places,
        archive=opened.archive,
        options=opened.options,
        policy=policy,
        roles=roles,
        cuts=toc.cuts(),
        pages=pages,
    )


def _outside(opened: OpenBook, documents: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What the book holds outside of the reading order: other documents, told by the manifest, else by their names;
    and the package and navigation documents, in which there is nothing to be read."""
    texts = {name for name in opened.archive.names if guess_media_type(name) in (XHTML, HTML)}
    structural = {opened.package.member}
    for item in opened.package.manifest:
        member = opened.archive.member(target) if (target := item.target) is not None else None
        if member is None:
            continue
        if item.media_type in (XHTML, HTML):
            texts.add(member)
        else:
            texts.discard(member)
        if "nav" in item.properties or item.media_type == NCX:
            structural.add(member)
    structural -= documents
    return frozenset(texts - documents - structural), frozenset(structural)


def _convert_documents(order: tuple[SpineItem, ...], book: Book, gaps: Mapping[int, str]) -> list[BookDocument]:
    """Every document of the reading order. Those with notes that later documents may refer to are read last."""
    run = _Run(book, order, gaps)
    documents: list[BookDocument | None] = [run.convert(step, wait=True) for step in order]
    steps = list(order)
    _follow_links(run, steps, documents)
    for number, step in enumerate(steps):
        if documents[number] is None:
            documents[number] = run.convert(step, wait=False)
    _follow_links(run, steps, documents)
    done = [document for document in documents if document is not None]
    if done and all(document.problem is not None for document in done):
        if run.encrypted is not None:
            raise run.encrypted
        raise MalformedSourceError(
            f"Not one of the {len(done)} documents of the book can be read; the first: {done[0].problem}",
            path=done[0].member,
        )
    return_orphans(book, done)
    for document in done:
        drop_emptied(document, book.sink)
    return done


def _follow_links(run: _Run, steps: list[SpineItem], documents: list[BookDocument | None]) -> None:
    """Read the documents outside of the reading order that links lead to: they come at the end."""
    seen = {step.member for step in steps}
    while (member := next((name for name in run.book.places.linked if name not in seen), None)) is not None:
        seen.add(member)
        step = SpineItem(
            len(steps), ItemRef(member, linear=False), None, member=member, media_type=guess_media_type(member)
        )
        run.book.sink.report(
            "source.spine_item_nonlinear",
            f"{member!r} is not in the reading order but a link leads there: its text comes at the end.",
            path=member,
        )
        steps.append(step)
        documents.append(run.convert(step, wait=False))


class _Run(Struct):
    """Converts documents within the budgets of one book."""

    book: Book
    order: tuple[SpineItem, ...]
    gaps: Mapping[int, str]  # see `_gap_paths`
    encrypted: EncryptedMemberError | None = None
    reached: set[int] = field(default_factory=set)  # positions

    def convert(self, step: SpineItem, *, wait: bool) -> BookDocument | None:
        book = self.book
        if step.member is None:
            # reported with the reading order
            return gap(step, step.problem or "it is not in the book", self.gaps[step.position])
        try:
            document = convert(step, book, wait=wait)
            if document is not None and (written := document.written) is not None:
                book.budget.wrote(written.size, document.member)
        except LimitExceededError:
            self._report_not_reached(step)
            raise
        except EncryptedMemberError as error:
            self.encrypted = self.encrypted or error
            book.sink.add(replace(error.diagnostic, severity="warning"))
            return gap(step, "it is encrypted", step.member)
        except SourceError as error:
            book.sink.report(
                "source.spine_item_unreadable",
                f"A part of the book is missing from the text: {error}.",
                path=step.member,
                line=error.diagnostic.line,
            )
            return gap(step, str(error), step.member)
        if document is not None:
            self.reached.add(step.position)
        return document

    def _report_not_reached(self, step: SpineItem) -> None:
        left = [other.member for other in self.order if other.member and other.position not in self.reached]
        self.book.sink.report(
            "source.not_reached",
            f"Conversion stopped at document {step.position + 1} of {len(self.order)}; {len(left):,} were not reached.",
            path=step.member,
            position=step.position,
            not_reached=len(left),
            documents=left[:50],
        )


def _segments(document: BookDocument, toc: TocIndex, book: Book) -> list[BookSegment]:
    if document.problem is None:
        found = segments_of(document, toc, book.options)
        if not found and document.written is not None and not document.written.notes:
            book.sink.report("source.text_empty", "A document holds no text and no picture.", path=document.member)
        return found
    escaper = Escaper(document.member, emphasis=True, code=True, math=True, strike=True, cell=False)
    name = escaper.escape(document.member, in_link=True)
    entries = [n for numbers in toc.places.get(document.member, {}).values() for n in numbers]
    anchor = ""
    if document.step.member is not None:
        book.places.register(DocumentAnchors(document.member))
        anchor = book.late.add(ANCHOR, (document.member, ""))
    return [BookSegment(document, pack(f"{anchor}*\\[Missing from this copy of the book: {name}\\]*"), entries=entries)]


def _stand_in(documents: list[BookDocument], segments: list[BookSegment], book: Book) -> None:
    """Links to a document without text of its own lead to the next one that has some, else to the one before."""
    with_text = {segment.document.member for segment in segments} & book.places.fragments.keys()
    book.places.left_out.update(d.member for d in documents if d.problem is None and d.written is None)
    following: str | None = None
    waiting: list[str] = []
    for document in reversed(documents):
        if document.member in with_text:
            following = document.member
        elif following is not None:
            book.places.stand_ins[document.member] = following
        else:
            waiting.append(document.member)
    last = next((d.member for d in reversed(documents) if d.member in with_text), None)
    for member in waiting:
        if last is not None:
            book.places.stand_ins[member] = last
