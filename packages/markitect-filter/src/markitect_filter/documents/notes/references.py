"""Stage 5: references to notes: links that are marked as such, or have a short label such as `12` or `*`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from lxml import etree
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import Struct, field

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.notes.blocks import BLOCKS, HEADINGS, types_of
from markitect_filter.documents.notes.labels import at_start, follows_text, is_label, is_number, is_words, says_back
from markitect_filter.documents.xml_names import local_name
from markitect_filter.patterns import compiled

Resolve = Callable[[str], Place | None]

_NOTEREF = frozenset({"noteref", "doc-noteref", "annoref"})
_MAX_LABEL = 9
_NOTE_NAME = r"(?i)(?:foot|end|rear)?note|fn|ftn|endn|annot"


class NoteRef(NamedTuple):
    """A link that is, or may be, a reference to a note at `target`."""

    element: etree._Element | None  # None once its document is no longer in memory
    member: str
    target: Place
    label: str
    marked: bool
    raised: bool
    ids: frozenset[str]  # anchors of the reference itself, where a note may link back to
    leading: bool = False  # nothing stands before it: the way from a note back to the text looks like this

    @property
    def worded(self) -> bool:
        """What it says is part of the sentence, and no sign for the note."""
        return not self.raised and is_words(self.label)

    def own_superscript(self) -> etree._Element | None:
        """The `sup` around the reference, if it holds nothing but links and brackets."""
        parent = self.element.getparent() if self.raised and self.element is not None else None
        if parent is None or local_name(parent) != "sup":
            return None
        outside = (parent.text or "") + "".join(child.tail or "" for child in parent)
        alone = not outside.strip(" \t\r\n,;[]()") and all(local_name(child) == "a" for child in parent)
        return parent if alone else None


class NoteIndex(Struct):
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
            self.references.setdefault(ref.target, []).append(ref._replace(element=None))


def find_references(
    member: str, body: etree._Element, links: Iterable[etree._Element], resolve: Resolve
) -> list[NoteRef]:
    """Every one of a document's `links` that is marked as a reference to a note or has the label of one."""
    found = []
    for link in links:
        marked = bool(types_of(link) & _NOTEREF)
        if not marked and not is_short(link):
            continue
        label = label_of(link)
        if not marked and not is_label(label):
            continue
        place = resolve(link.get("href") or "")
        if place is None or not place[1]:
            continue
        parent = link.getparent()
        raised = is_raised(link)
        if not (
            marked
            or raised
            or not is_number(label)
            or compiled(_NOTE_NAME).search(f"{place[1]} {link.get('class') or ''}")
        ):
            continue  # a bare number is more often a page or a chapter
        ids = {link.get("id"), link.get("name")}
        if len(link):
            ids.update(child.get("id") for child in link.iterdescendants(etree.Element))
        if parent is not None and link.getprevious() is None and link.getnext() is None:
            ids.add(parent.get("id"))
        leading = not marked and at_start(link, _enclosing(link, body))
        found.append(NoteRef(link, member, place, label, marked, raised, frozenset(i for i in ids if i), leading))
    return found


def could_hold_notes(
    links: Iterable[etree._Element], index: NoteIndex, resolve: Resolve, taken: Mapping[etree._Element, object]
) -> bool:
    """Does a block start with a short link to a document whose references aren't known yet?"""
    for link in links:
        href = link.get("href") or ""
        # its own document is known, and a note's own link has no text right before it
        if href[:1] == "#" or follows_text(link) or not is_short(link):
            continue
        label = label_of(link)
        if not (is_label(label) or says_back(label)):
            continue
        place = resolve(href)
        if place is None or not place[1] or place[0] in index.scanned:
            continue
        block = link.getparent()
        while block is not None and local_name(block) not in BLOCKS:
            block = block.getparent()
        if block is not None and block not in taken and at_start(link, block):
            return True
    return False


def label_of(link: etree._Element) -> str:
    """What a link says, its blanks collapsed."""
    return " ".join(("".join(link.itertext()) if len(link) else link.text or "").split())


def is_short(link: etree._Element) -> bool:
    """May it hold a label, and not more?"""
    text = link.text
    if text is not None and len(text.strip()) > _MAX_LABEL:
        return False
    return len(link) <= 2


def is_raised(link: etree._Element) -> bool:
    """Does it stand in superscript?"""
    parent = link.getparent()
    if parent is not None and local_name(parent) == "sup":
        return True
    return len(link) > 0 and any(local_name(child) == "sup" for child in link.iterchildren(etree.Element))


def _enclosing(link: etree._Element, body: etree._Element) -> etree._Element:
    """The block that `link` stands in."""
    for ancestor in link.iterancestors():
        if ancestor is body or local_name(ancestor) in BLOCKS or local_name(ancestor) in HEADINGS:
            return ancestor
    return body
