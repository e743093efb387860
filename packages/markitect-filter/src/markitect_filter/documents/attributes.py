"""Stage 4: which elements have the attributes that later stages look for: one walk over a document's tree for all."""

from __future__ import annotations

from lxml import etree
from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.xml_names import OPS, XHTML, XML

ID, XML_ID, TYPE = "id", f"{{{XML}}}id", f"{{{OPS}}}type"
A = f"{{{XHTML}}}a"


class Attributes(NamedTuple):
    """The elements of a document by what they have, in document order; twice where it is two attributes of a kind."""

    ids: list[etree._Element]
    names: list[etree._Element]  # `xml:id` and `name`
    types: list[etree._Element]  # `epub:type` and `role`
    links: list[etree._Element]  # `href`
    classes: list[etree._Element]
    hidden: list[etree._Element]


def find_attributes(body: etree._Element) -> Attributes:
    """Look at the body and every element below it."""
    found = Attributes([], [], [], [], [], [])
    takers = {
        ID: found.ids.append,
        XML_ID: found.names.append,
        "name": found.names.append,
        TYPE: found.types.append,
        "role": found.types.append,
        "href": found.links.append,
        "class": found.classes.append,
        "hidden": found.hidden.append,
    }
    for element in body.iter(etree.Element):
        for name in element.keys():  # noqa: SIM118 - several times as fast as a view of its attributes
            if (take := takers.get(name)) is not None:
                take(element)
    return found


def links_of(body: etree._Element, attributes: Attributes) -> list[etree._Element]:
    """The links below the body."""
    return [element for element in attributes.links if element.tag == A and element is not body]
