"""Stage 4: the places of the book that links can point at.

A place is a pair (member, fragment); the fragment of a whole document is empty. Keyed by full member path, so that
documents of the same name in two folders stay apart.
"""

from __future__ import annotations

from lxml import etree
from markitect_tool.record import Struct, field

from markitect_filter.documents.attributes import ID, XML_ID, A, Attributes
from markitect_filter.documents.percent import percent_decode
from markitect_filter.markdown.marks import ANCHOR, Late, mark

Place = tuple[str, str]


class DocumentAnchors:
    """The anchors of one document: fragments in document order, and the element of each (the first, if repeated)."""

    __slots__ = ("elements", "member")

    def __init__(self, member: str) -> None:
        self.member = member
        self.elements: dict[str, etree._Element] = {}


def find_anchors(member: str, body: etree._Element, attributes: Attributes) -> DocumentAnchors:
    """Every `id`, `xml:id` and `a name` of a document; of a repeated one the first. Those above the body are its."""
    found = DocumentAnchors(member)
    elements = found.elements
    for ancestor in body.iterancestors():
        if name := (ancestor.get(ID) or ancestor.get(XML_ID) or "").strip():
            elements.setdefault(name, body)
    for element in attributes.ids:
        if name := element.get(ID, "").strip():
            elements.setdefault(name, element)
    for element in dict.fromkeys(attributes.names):
        for other in (element.get(XML_ID), element.get("name") if element.tag == A else None):
            if other and (name := other.strip()):
                elements.setdefault(name, element)
    for name in [name for name in elements if "%" in name]:  # links are decoded before they are looked up
        elements.setdefault(percent_decode(name), elements[name])
    return found


def mark_anchors(anchors: DocumentAnchors, body: etree._Element, late: Late) -> dict[etree._Element, str]:
    """The marks of the places of a document, by element: what the writer puts where it comes to one."""
    member = anchors.member
    first = late.enter([(member, ""), *[(member, fragment) for fragment in anchors.elements]])
    marks: dict[etree._Element, str] = {}
    for number, element in enumerate((body, *anchors.elements.values()), first):
        marks[element] = marks.get(element, "") + mark(ANCHOR, number)
    return marks


class Places(Struct):
    """All places of the book, filled document by document in the order in which they are read."""

    documents: frozenset[str]  # members of the reading order
    texts: frozenset[str] = frozenset()  # other documents that the book holds: read when a link leads there
    structural: frozenset[str] = frozenset()  # members that make the book but hold none of its text
    fragments: dict[str, frozenset[str]] = field(default_factory=dict)  # of the documents that were read
    stand_ins: dict[str, str] = field(default_factory=dict)  # member without text -> the one that takes its links
    left_out: set[str] = field(default_factory=set)  # members that were left out: links to them are dropped
    aliases: dict[str, str] = field(default_factory=dict)  # spine item's member -> its fallback that is read
    linked: dict[str, None] = field(default_factory=dict)  # those of `texts` that a link leads to, in that order

    def holds(self, member: str) -> bool:
        """Is `member` a document whose text is, or may come to be, in the output?"""
        return member in self.documents or member in self.texts

    def reach(self, member: str) -> None:
        """A link leads to `member`: outside of the reading order that is what brings its text in."""
        if member in self.texts:
            self.linked.setdefault(member)

    def register(self, anchors: DocumentAnchors) -> None:
        """Enter a document."""
        self.fragments[anchors.member] = frozenset(anchors.elements)

    def resolve(self, place: Place) -> tuple[Place | None, bool]:
        """The place that a link to `place` leads to, None if there is none; and whether that is what was asked for."""
        return (None, False) if place[0] in self.left_out else self.nearest(place)

    def nearest(self, place: Place) -> tuple[Place | None, bool]:
        """As `resolve`, but for a document that was left out what follows stands in: for a table of contents."""
        member, fragment = place
        if member in self.stand_ins:
            return (self.stand_ins[member], ""), True
        if member not in self.fragments:
            return None, False
        if fragment and fragment not in self.fragments[member]:
            return (member, ""), False
        return place, True
