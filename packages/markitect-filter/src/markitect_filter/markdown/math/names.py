"""Names and text of MathML nodes."""

from __future__ import annotations

import html

from lxml import etree

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"


def local_name(node: etree._Element) -> str | None:
    """The name of a MathML element, with or without namespace or prefix; None for any other node."""
    tag = node.tag
    if not isinstance(tag, str):
        return None
    if tag.startswith("{"):
        return tag[len(NAMESPACE) :] if tag.startswith(NAMESPACE) else None
    return tag.rpartition(":")[2]


def shown_name(element: etree._Element) -> str:
    """The name of an element of any kind, without namespace and prefix."""
    return str(element.tag).rpartition("}")[2].rpartition(":")[2]


def text_of(element: etree._Element) -> str:
    """All text in an element, without comments and processing instructions."""
    if next(element.iter(etree.Entity), None) is not None:
        return resolved("".join(element.itertext()))
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)  # linear also when deep


def resolved(words: str) -> str:
    """`words` with the named entities of HTML and MathML that the parser left as references."""
    return html.unescape(words)
