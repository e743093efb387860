"""Stage 5: notes and the references to them, across the documents of a book.

A reference is marked (`epub:type="noteref"`, `role="doc-noteref"`), or a link with a short label such as `12` or `*`.
A note is marked (`footnote`, `endnote`, `rearnote`, or an item of a section of them), or an unmarked block that such
a link points at, if a second signal agrees: a link back to the reference, or a raised reference whose label the block
repeats at its start. Marked notes that nothing refers to, and links that only look like references, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from lxml import etree

from markitect_filter.epub3.anchors import DocumentAnchors, Place
from markitect_filter.epub3.note_labels import at_start, bare, take_label
from markitect_filter.epub3.semantics import Typed
from markitect_filter.epub3.xml_names import OPS, XHTML, local_name

Resolve = Callable[[str], Place | None]

_TYPE = f"{{{OPS}}}type"
_LINKS = etree.XPath("descendant::h:a[@href]", namespaces={"h": XHTML})
_NOTEREF = frozenset({"noteref", "doc-noteref", "annoref"})
_BACKLINK = frozenset({"backlink", "doc-backlink"})
_NOTE = frozenset({"footnote", "endnote", "rearnote", "note", "doc-footnote", "doc-endnote", "annotation"})
_NOTES = frozenset({"footnotes", "endnotes", "rearnotes", "notes", "doc-endnotes", "doc-footnotes"})
_LABEL = re.compile(r"[\[({]?(?:[0-9]{1,4}|[*†‡§¶‖#⁎∗]{1,4}|[A-Za-z]|[ivxlIVXL]{1,7}|[¹²³⁰⁴-⁹]{1,4})[\])}.]?")
_MAX_LABEL = 9
_BACK = re.compile(
    r"[\s\[({]*(?:[↩↑↵⏎←⤴⬆^▲↥]\ufe0e?\ufe0f?(?:\s*[0-9a-z]{1,3})?|back|return|zurück|retour|volver)[\s\])}.]*", re.I
)
_NOTE_NAME = re.compile(r"(?:foot|end|rear)?note|fn|ftn|endn|annot", re.I)
_NOTE_CLASS = re.compile(r"(?:foot|end|rear)[-_]?note", re.I)
_BLOCKS = frozenset(["p", "li", "div", "aside", "dd", "section", "article", "blockquote", "td", "th"])
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_WRAPPERS = frozenset(["li", "aside", "dd", "div"])


@dataclass(frozen=True, slots=True)
class NoteRef:
    """A link that is, or may be, a reference to a note at `target`."""

    element: etree._Element | None  # None once its document is no longer in memory
    member: str
    target: Place
    label: str
    marked: bool
    raised: bool
    ids: frozenset[str]  # anchors of the reference itself, where a note may link back to
    leading: bool = False  # nothing stands before it: the way from a note back to the text looks like this


@dataclass(frozen=True, slots=True)
class Note:
    """A note that leaves the flow: `element` with all it holds, under `key`."""

    element: etree._Element
    key: Place
    backlinks: tuple[etree._Element, ...]
    label_chars: int  # characters of its own label, taken out of the tree


@dataclass(slots=True)
class NoteIndex:
    """References by target, and which places name which note, for the whole book."""

    references: dict[Place, list[NoteRef]] = field(default_factory=dict)
    keys: dict[Place, Place] = field(default_factory=dict)  # any place of a note -> the note's key
    scanned: set[str] = field(default_factory=set)
    marked: set[Place] = field(default_factory=set)  # targets of references that are marked as such

    def enter(self, member: str, references: list[NoteRef]) -> None:
        """Remember the references of a document (not its elements)."""
        if member in self.scanned:
            return
        self.scanned.add(member)
        for ref in references:
            if ref.marked:
                self.marked.add(ref.target)
            kept = replace(ref, element=None)
            self.references.setdefault(ref.target, []).append(kept)


def types_of(element: etree._Element) -> set[str]:
    """The element's `epub:type` values and ARIA roles."""
    kinds = element.get(_TYPE)
    role = element.get("role")
    return set((kinds or "").split()) | set((role or "").split())


def find_references(member: str, body: etree._Element, resolve: Resolve) -> list[NoteRef]:
    """Every link that is marked as a reference to a note or has the label of one."""
    found = []
    for link in _LINKS(body):
        marked = bool(types_of(link) & _NOTEREF) if link.get(_TYPE) or link.get("role") else False
        if not marked and not _short(link):
            continue
        label = " ".join("".join(link.itertext()).split())
        if not marked and not _LABEL.fullmatch(label):
            continue
        place = resolve(link.get("href") or "")
        if place is None or not place[1]:
            continue
        parent = link.getparent()
        raised = _is_raised(link)
        if not (marked or raised or not label.isalnum() or _NOTE_NAME.search(f"{place[1]} {link.get('class') or ''}")):
            continue  # a bare number is more often a page or a chapter
        ids = {link.get("id"), link.get("name")}
        ids.update(child.get("id") for child in link.iterdescendants(etree.Element))
        if parent is not None and link.getprevious() is None and link.getnext() is None:
            ids.add(parent.get("id"))
        leading = not marked and at_start(link, _enclosing(link, body))
        found.append(NoteRef(link, member, place, label, marked, raised, frozenset(i for i in ids if i), leading))
    return found


def _short(link: etree._Element) -> bool:
    text = link.text
    if text is not None and len(text.strip()) > _MAX_LABEL:
        return False
    return len(link) <= 2


def find_notes(
    anchors: DocumentAnchors, body: etree._Element, typed: Iterable[Typed], index: NoteIndex, resolve: Resolve
) -> tuple[list[Note], list[etree._Element], bool]:
    """The notes of a document; the marked ones that nothing refers to so far; and whether a document that was not
    scanned yet could still turn one of its blocks into a note."""
    member = anchors.member
    notes: list[Note] = []
    taken: dict[etree._Element, Place] = {}
    for fragment, element in anchors.elements.items():
        place = (member, fragment)
        references = index.references.get(place)
        if not references:
            continue
        block = _block(element, fragment, anchors, index)
        if block is None or block is body:
            continue
        if block in taken:
            index.keys[place] = taken[block]
            continue
        backlinks = _backlinks(block, references, resolve)
        if not (_is_marked(block) or _is_marked(element) or _agrees(block, references, backlinks)):
            continue
        if any(ancestor in taken for ancestor in block.iterancestors()):
            continue
        taken[block] = place
        index.keys[place] = place
        removed = take_label(block, {ref.label for ref in references}, backlinks)
        notes.append(Note(block, place, tuple(backlinks), removed))
    unused = [
        element
        for element in (entry.element for entry in typed if entry.is_any(_NOTE))
        if element not in taken
        and not any(note in taken for note in element.iterdescendants(etree.Element))
        and not any(ancestor in taken for ancestor in element.iterancestors())
    ]
    pending = bool(unused) or _could_hold_notes(body, index, resolve, taken)
    return notes, unused, pending


def _block(element: etree._Element, fragment: str, anchors: DocumentAnchors, index: NoteIndex) -> etree._Element | None:
    """The block that a note's anchor stands for: the nearest one, or the item that starts with it."""
    block: etree._Element | None = element
    while block is not None and local_name(block) not in _BLOCKS:
        block = block.getparent()
    if block is None or local_name(block) in ("td", "th"):
        return None
    if local_name(block) in ("section", "article", "blockquote"):
        # a whole section only when the anchor is its own, and it is no chapter
        has_heading = any(local_name(e) in _HEADINGS for e in block.iterdescendants(etree.Element))
        return block if block is element and not has_heading else None
    while True:
        parent = block.getparent()
        if parent is None or (parent.text or "").strip() or block.getprevious() is not None:
            return block
        name = local_name(parent)
        if name not in _WRAPPERS:
            return block
        if name == "div" and not _is_marked(parent):
            return parent if _is_named(parent) and _holds_only(fragment, parent, anchors.member, index) else block
        block = parent


def _is_named(element: etree._Element) -> bool:
    """Does its class call it a note, one and not several?"""
    return any(_NOTE_CLASS.fullmatch(name) for name in (element.get("class") or "").split())


def _holds_only(fragment: str, element: etree._Element, member: str, index: NoteIndex) -> bool:
    """Is `fragment` the only place inside of `element` that something refers to?"""
    names = {name for inner in element.iter(etree.Element) for name in (inner.get("id"), inner.get("name")) if name}
    return not any((member, name) in index.references for name in names - {fragment})


def _is_marked(element: etree._Element) -> bool:
    if types_of(element) & _NOTE:
        return True
    parent = element.getparent()
    depth = 0
    while parent is not None and depth < 3:
        if types_of(parent) & _NOTES:
            return local_name(element) in ("li", "aside", "dd", "p", "div")
        parent = parent.getparent()
        depth += 1
    return False


def _backlinks(block: etree._Element, references: list[NoteRef], resolve: Resolve) -> list[etree._Element]:
    """The links of a note that lead back to where it is referred to."""
    found = []
    own = {(ref.member, anchor) for ref in references for anchor in ref.ids}
    members = {ref.member for ref in references}
    labels = {bare(ref.label) for ref in references}
    for link in _LINKS(block):
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
        if leads_back and (_BACK.fullmatch(text) or repeats_label or (place in own and not own_label)):
            found.append(link)
    return found


def _agrees(block: etree._Element, references: list[NoteRef], backlinks: list[etree._Element]) -> bool:
    """Do the signals for an unmarked note suffice?"""
    if all(ref.leading for ref in references):
        # two links to each other: the one that something stands before is the reference, else the raised one
        raised = any(ref.raised for ref in references) and not any(_is_raised(link) for link in backlinks)
        return any(raised or _BACK.fullmatch("".join(link.itertext())) for link in backlinks)
    if backlinks or any(ref.marked for ref in references):
        return True
    start = bare("".join(block.itertext())[:12].strip().partition(" ")[0])
    return any(start == bare(ref.label) and (ref.raised or not start.isalnum()) for ref in references)


def _is_raised(link: etree._Element) -> bool:
    parent = link.getparent()
    return (parent is not None and local_name(parent) == "sup") or any(
        local_name(child) == "sup" for child in link.iterchildren(etree.Element)
    )


def _enclosing(link: etree._Element, body: etree._Element) -> etree._Element:
    """The block that `link` stands in."""
    for ancestor in link.iterancestors():
        if ancestor is body or local_name(ancestor) in _BLOCKS or local_name(ancestor) in _HEADINGS:
            return ancestor
    return body


def _could_hold_notes(
    body: etree._Element, index: NoteIndex, resolve: Resolve, taken: dict[etree._Element, Place]
) -> bool:
    """Does a block start with a short link to a document whose references aren't known yet?"""
    for link in _LINKS(body):
        if not _short(link):
            continue
        label = " ".join("".join(link.itertext()).split())
        if not (_LABEL.fullmatch(label) or _BACK.fullmatch(label)):
            continue
        place = resolve(link.get("href") or "")
        if place is None or not place[1] or place[0] in index.scanned:
            continue
        block = link.getparent()
        while block is not None and local_name(block) not in _BLOCKS:
            block = block.getparent()
        if block is not None and block not in taken and at_start(link, block):
            return True
    return False
