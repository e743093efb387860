"""Stage 4: what the attributes of a document's elements say, all of it found in one walk over the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lxml import etree

from markitect_filter.documents.xml_names import OPS, XHTML, XML

ID, XML_ID, TYPE = "id", f"{{{XML}}}id", f"{{{OPS}}}type"
A = f"{{{XHTML}}}a"
# a step to attributes: libxml2 takes as long for a single condition on each element
_ALL = etree.XPath("descendant-or-self::*/@*")


class Attributes(NamedTuple):
    """The attributes of the body and everything below it that later stages look for, in document order. Each is a text
    that knows its element (`getparent`)."""

    ids: list[Any]
    names: list[Any]  # `xml:id` and `name`
    types: list[Any]  # `epub:type` and `role`
    links: list[Any]
    classes: list[Any]
    hidden: list[Any]


def read_attributes(body: etree._Element) -> Attributes:
    """Sort the attributes of a document by what they are about."""
    found = Attributes([], [], [], [], [], [])
    takers: dict[str, Callable[[Any], None]] = {
        ID: found.ids.append,
        XML_ID: found.names.append,
        "name": found.names.append,
        TYPE: found.types.append,
        "role": found.types.append,
        "href": found.links.append,
        "class": found.classes.append,
        "hidden": found.hidden.append,
    }
    for value in _ALL(body):
        if (take := takers.get(value.attrname)) is not None:
            take(value)
    return found


def links_of(body: etree._Element, attributes: Attributes) -> list[etree._Element]:
    """The links below the body."""
    elements = [value.getparent() for value in attributes.links]
    return [element for element in elements if element.tag == A and element is not body]
