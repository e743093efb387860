"""Stage 5: notes and the references to them, across the documents of a book.

A reference is marked (`epub:type="noteref"`, `role="doc-noteref"`), or a link with a short label such as `12` or `*`.
A note is marked (`footnote`, `endnote`, `rearnote`, or an item of a section of them), or an unmarked block that such
a link points at, if a second signal agrees: a link back to the reference, or a raised reference whose label the block
repeats at its start. Marked notes that nothing refers to, and links that only look like references, stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lxml import etree
from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.anchors import DocumentAnchors, Place
from markitect_filter.documents.attributes import A
from markitect_filter.documents.notes.blocks import (
    HEADINGS,
    NOTE,
    block_of,
    has_id_of_note,
    is_called_notes,
    is_marked,
    is_named,
    is_only_label,
    types_of,
    wrapper_of,
)
from markitect_filter.documents.notes.labels import (
    at_start,
    bare,
    is_circled,
    repeats,
    says_back,
    take_label,
)
from markitect_filter.documents.notes.references import (
    NoteIndex,
    NoteRef,
    Resolve,
    could_hold_notes,
    is_raised,
)
from markitect_filter.documents.semantics import Typed
from markitect_filter.documents.xml_names import local_name

if TYPE_CHECKING:
    from markitect_filter.documents.notes.runs import Candidate

_BACKLINK = frozenset({"backlink", "doc-backlink"})
_MAX_PLACES = 16  # a block with more places that links lead to is text, whatever they look like


class Note(NamedTuple):
    """A note that leaves the flow: its `blocks` with all they hold, under `key`."""

    blocks: tuple[etree._Element, ...]
    key: Place
    backlinks: tuple[etree._Element, ...]
    label: etree._Element | None  # an element that holds only its label
    label_chars: int  # characters of its own label, taken out of the tree


class Found(NamedTuple):
    """What one document has of notes."""

    notes: list[Note]
    unused: list[etree._Element]  # marked notes that nothing refers to so far
    remains: list[etree._Element]  # headings and rules that have nothing under them when the notes are gone
    pending: bool  # could a document that was not scanned yet turn one of its blocks into a note?


def find_notes(
    anchors: DocumentAnchors,
    body: etree._Element,
    typed: Iterable[Typed],
    links: Iterable[etree._Element],
    references: Iterable[NoteRef],
    index: NoteIndex,
    resolve: Resolve,
    *,
    all_notes: bool = False,
    wait: bool = True,
) -> Found:
    """The notes of a document, whose own `references` have been entered into `index`. `all_notes`: the package calls
    it one of notes. Without `wait` nobody asks what is pending. Takes the labels of the notes out of the tree."""
    own: dict[Place, list[etree._Element]] = {}
    for ref in references:
        if ref.element is not None:
            own.setdefault(ref.target, []).append(ref.element)
    finder = _Finder(anchors, body, own, index, resolve)
    taken = finder.candidates() if index.references else {}
    member = anchors.member

    def is_target(element: etree._Element) -> bool:
        return any((member, name) in index.references for name in (element.get("id"), element.get("name")) if name)

    if taken:
        from markitect_filter.documents.notes.runs import extend_notes

        extend_notes(taken, finder.holders(taken), is_target, all_notes=all_notes)
    notes = []
    for block, candidate in list(taken.items()):
        if candidate.only_label and not candidate.more:
            del taken[block]  # there would be nothing in it: it stays where it is
            continue
        notes.append(_note(candidate, index, resolve))
    _move_anchors(anchors, notes)
    gone = {block for note in notes for block in (*note.blocks, note.label) if block is not None}
    remains: list[etree._Element] = []
    if gone:
        from markitect_filter.documents.notes.remains import emptied_headings, keep_numbers

        keep_numbers(gone)
        remains = emptied_headings(body, gone, [link for same in own.values() for link in same])
    unused = [
        element
        for element in (entry.element for entry in typed if entry.is_any(NOTE))
        if element not in gone
        and not any(note in gone for note in element.iterdescendants(etree.Element))
        and not any(ancestor in gone for ancestor in element.iterancestors())
    ]
    pending = wait and (bool(unused) or could_hold_notes(links, index, resolve, taken))
    return Found(notes, unused, remains, pending)


class _Finder:
    """Looks for the notes of one document; `own` has its references by target."""

    def __init__(
        self,
        anchors: DocumentAnchors,
        body: etree._Element,
        own: dict[Place, list[etree._Element]],
        index: NoteIndex,
        resolve: Resolve,
    ) -> None:
        self.anchors = anchors
        self.body = body
        self.own = own
        self.index = index
        self.resolve = resolve
        self.named: dict[etree._Element, frozenset[str]] = {}  # see `_targets_in`

    def candidates(self) -> dict[etree._Element, Candidate]:
        """The notes by their first block, in document order."""
        from markitect_filter.documents.notes.runs import Candidate  # imported late: few books have notes

        taken: dict[etree._Element, Candidate] = {}
        tried: Counter[etree._Element] = Counter()
        for fragment, element in self.anchors.elements.items():
            place = (self.anchors.member, fragment)
            references = self.index.references.get(place)
            if not references:
                continue
            block = self._block(element, fragment)
            if block is None or block is self.body:
                continue
            if block in taken:
                taken[block].places.append(place)
                continue
            tried[block] += 1
            if tried[block] > _MAX_PLACES:
                continue
            labels = {bare(ref.label) for ref in references}
            term = _term_of(block, labels)
            if term is None and local_name(element) == "dt":
                continue  # a term, not a label
            backlinks = _backlinks(block, references, labels, self.resolve)
            if term is not None:
                backlinks += _backlinks(term, references, labels, self.resolve)
            marked = is_marked(block) or is_marked(element)
            if not marked and not _agrees(block if term is None else term, references, backlinks):
                continue
            if not taken.keys().isdisjoint(block.iterancestors()):
                continue
            only_label = is_only_label(block, labels, backlinks)
            taken[block] = Candidate(block, [place], references, labels, backlinks, only_label, term)
        return taken

    def _block(self, element: etree._Element, fragment: str) -> etree._Element | None:
        """The block that a note's anchor stands for: the nearest one, or the item that starts with it."""
        block = block_of(element)
        if block is None or local_name(block) in ("section", "article", "blockquote"):
            return block
        while (parent := wrapper_of(block)) is not None and parent is not self.body:
            if is_called_notes(parent) or (local_name(parent) != "li" and self._targets_in(parent) - {fragment}):
                return block
            if local_name(parent) == "div" and not is_marked(parent):
                return parent if self._is_whole_note(parent, (self.anchors.member, fragment)) else block
            block = parent
        return block

    def _targets_in(self, element: etree._Element) -> frozenset[str]:
        """Places inside of `element` that something refers to: all that matter, which are no more than two."""
        found = self.named.get(element)
        if found is None:
            names: set[str] = set()
            for inner in element.iter(etree.Element):
                for name in (inner.get("id"), inner.get("name")):
                    if name and (self.anchors.member, name) in self.index.references:
                        names.add(name)
                if len(names) > 1:
                    break
            found = self.named[element] = frozenset(names)
        return found

    def _is_whole_note(self, division: etree._Element, place: Place) -> bool:
        """May a division that starts with a note be the note? By its name; or as one of several or the last in its
        place, without a heading and without the reference. Others may be a page whose text follows."""
        if is_named(division) or has_id_of_note(division):
            return True
        parent = division.getparent()
        if parent is None or len(parent) < 2:
            return False
        after = next(division.itersiblings(etree.Element), None)
        before = next(division.itersiblings(etree.Element, preceding=True), None)
        if after is not None and not self._starts_with_target(after) and not self._starts_with_target(before):
            return False
        if any(local_name(inner) in ("hr", *HEADINGS) for inner in division.iterdescendants(etree.Element)):
            return False
        return not any(division in link.iterancestors() for link in self.own.get(place, ()))

    def _starts_with_target(self, element: etree._Element | None) -> bool:
        """Does a reference lead to the start of a division?"""
        if element is None or local_name(element) != "div":
            return False
        inner: etree._Element | None = element
        while inner is not None:
            for name in (inner.get("id"), inner.get("name")):
                if name and (self.anchors.member, name) in self.index.references:
                    return True
            inner = None if (inner.text or "").strip() else next(inner.iterchildren(etree.Element), None)
        return False

    def holders(self, taken: dict[etree._Element, Candidate]) -> dict[etree._Element, set[etree._Element]]:
        """For each parent of notes those of its children that hold references to them."""
        found: dict[etree._Element, set[etree._Element]] = {}
        for candidate in taken.values():
            parent = candidate.block.getparent()
            if parent is None:
                continue
            for link in (link for place in candidate.places for link in self.own.get(place, ())):
                child: etree._Element | None = link
                while child is not None and child not in taken:
                    above = child.getparent()
                    if above is parent:
                        found.setdefault(parent, set()).add(child)
                        break
                    child = above
        return found


def _term_of(block: etree._Element, labels: set[str]) -> etree._Element | None:
    """The term before a definition, if it is nothing but one of `labels`."""
    if local_name(block) != "dd":
        return None
    term = next(block.itersiblings(etree.Element, preceding=True), None)
    if term is None or local_name(term) != "dt" or bare("".join(term.itertext())) not in labels:
        return None
    return term


def _note(candidate: Candidate, index: NoteIndex, resolve: Resolve) -> Note:
    block, backlinks = candidate.block, candidate.backlinks
    for place in candidate.places:
        index.keys[place] = candidate.places[0]
    blocks = (block, *candidate.more)
    label, removed = candidate.term, 0
    if candidate.only_label:
        label, blocks = block, blocks[1:]
    else:
        removed = take_label(block, candidate.labels, backlinks)
    for further in candidate.more:
        backlinks = [*backlinks, *_backlinks(further, candidate.references, candidate.labels, resolve)]
    return Note(blocks, candidate.places[0], tuple(backlinks), label, removed)


def _move_anchors(anchors: DocumentAnchors, notes: Iterable[Note]) -> None:
    """What links lead to in an element that holds only a note's label is the start of the note's text."""
    labels = ((note.label, note.blocks[0]) for note in notes if note.label is not None)
    moved = {inner: block for label, block in labels for inner in label.iter(etree.Element)}
    if moved:
        for fragment, element in anchors.elements.items():
            anchors.elements[fragment] = moved.get(element, element)


def _backlinks(
    block: etree._Element, references: list[NoteRef], labels: set[str], resolve: Resolve
) -> list[etree._Element]:
    """The links of a note that lead back to where it is referred to. `labels` are those of its `references`, bare."""
    found: list[etree._Element] = []
    links = [link for link in block.iterdescendants(A) if link.get("href") is not None]
    if not links:
        return found
    own = {(ref.member, anchor) for ref in references for anchor in ref.ids}
    members = {ref.member for ref in references}
    for link in links:
        if types_of(link) & _BACKLINK:
            found.append(link)
            continue
        place = resolve(link.get("href") or "")
        if place is None or place == references[0].target:
            continue
        text = "".join(link.itertext())
        own_label = bare(text)
        leads_back = place in own or place[0] in members
        # a label of its own ("23.", a line number) is text of the note and stays a link
        repeats_label = own_label in labels and (place in own or at_start(link, block))
        if leads_back and (says_back(text) or repeats_label or (place in own and not own_label)):
            found.append(link)
    return found


def _agrees(block: etree._Element, references: list[NoteRef], backlinks: list[etree._Element]) -> bool:
    """Do the signals for an unmarked note suffice?"""
    if all(ref.leading for ref in references):
        # two links to each other: the one that something stands before is the reference, else the raised one
        raised = any(ref.raised for ref in references) and not any(is_raised(link) for link in backlinks)
        return any(raised or says_back("".join(link.itertext())) for link in backlinks)
    if backlinks or any(ref.marked for ref in references):
        return True
    return any(
        repeats(block, ref.label) and (ref.raised or not bare(ref.label).isalnum() or is_circled(ref.label))
        for ref in references
    )
