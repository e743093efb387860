"""Names in parsed XML: local names, namespaces, attributes and text as the EPUB specifications compare them.

Undeclared prefixes survive the recovering parser as part of the name ("dc:title"), so both forms are split
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from lxml import etree

CONTAINER = "urn:oasis:names:tc:opendocument:xmlns:container"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
NCX = "http://www.daisy.org/z3986/2005/ncx/"
OPF = "http://www.idpf.org/2007/opf"
OPS = "http://www.idpf.org/2007/ops"
XHTML = "http://www.w3.org/1999/xhtml"
XML = "http://www.w3.org/XML/1998/namespace"

_WHITE = re.compile("[ \t\r\n\f]+")


@lru_cache(maxsize=1024)  # a book has some dozens of names and asks for each of them thousands of times
def split_tag(tag: str) -> tuple[str, str]:
    """A tag's namespace and local name."""
    space, _, name = tag[1:].rpartition("}") if tag[0] == "{" else ("", "", tag)
    return space, name.rpartition(":")[2]


def local_name(element: etree._Element) -> str:
    """The element's name without namespace or prefix."""
    return split_tag(str(element.tag))[1]


def namespace(element: etree._Element) -> str:
    """The element's namespace, "" for none."""
    return split_tag(str(element.tag))[0]


def children(parent: etree._Element, namespaces: frozenset[str]) -> Iterator[etree._Element]:
    """The child elements in one of the namespaces, in order."""
    for child in parent.iterchildren(etree.Element):
        if namespace(child) in namespaces:
            yield child


def descendants(parent: etree._Element, namespaces: frozenset[str], name: str) -> Iterator[etree._Element]:
    """The elements of that name below `parent`, at any depth, in one of the namespaces, in order."""
    for element in parent.iterdescendants(etree.Element):
        space, local = split_tag(str(element.tag))
        if local == name and space in namespaces:
            yield element


def attribute(element: etree._Element, name: str) -> str | None:
    """An attribute's value, trimmed and its white space collapsed; None when absent or blank."""
    value = element.get(name)
    if not value or (value.isprintable() and " " not in value):  # the usual case: nothing to collapse
        return value or None
    return collapse(value) or None


def attributes_of(element: etree._Element) -> dict[str, str]:
    """What `attribute` gives, of all attributes at once: cheaper where more than two are asked for."""
    found = {}
    for name, written in element.items():
        value = written if written.isprintable() and " " not in written else collapse(written)
        if value:
            found[name] = value
    return found


def tokens(element: etree._Element, name: str) -> tuple[str, ...]:
    """The space-separated values of an attribute."""
    return tuple((element.get(name) or "").split())


def language_of(given: Mapping[str, str]) -> str | None:
    """`xml:lang` (or `lang`) of an element with these `attributes_of`, None when absent or blank."""
    return given.get(f"{{{XML}}}lang") or given.get("lang")


def epub_types(element: etree._Element) -> tuple[str, ...]:
    """The values of `epub:type`, also where its prefix was never declared."""
    value = element.get(f"{{{OPS}}}type") or element.get("epub:type")
    return tuple(value.split()) if value else ()


def collapse(text: str) -> str:
    """ASCII white space collapsed to single spaces and trimmed; other spaces are content and stay."""
    if text.isascii():
        return " ".join(text.split())
    return _WHITE.sub(" ", text).strip(" ")


def text_of(element: etree._Element) -> str:
    """All text inside, collapsed."""
    return collapse("".join(element.itertext()) if len(element) else element.text or "")
