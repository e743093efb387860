"""The label of a navigation entry: its text as a person would read it on one line."""

from __future__ import annotations

from collections.abc import Container

from lxml import etree

from markitect_filter.documents.xml_names import attribute, collapse, local_name

_LONGEST = 1000  # characters; a label stands in every segment below its entry
_SILENT = frozenset({"rt", "rp", "script", "style", "template"})
_BREAKS = frozenset({"br", "div", "li", "p", "td", "th", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6"})
#: Elements that stand for text which is in an attribute (EPUB 3.3 section 7.2: labels may be images or
#: formulas).
_ALTERNATIVES = {"img": ("alt", "title"), "math": ("alttext",), "area": ("alt",), "svg": ("aria-label",)}


def label_of(element: etree._Element, without: Container[str] = ()) -> str:
    """The text inside, white space collapsed, images and formulas by their alternative text, ruby by its
    base; where there is none, the `title` or `aria-label`. Elements named in `without` are left out."""
    text = collapse(element.text or "") if len(element) == 0 else collapse(_text(element, without))
    return text[:_LONGEST] or (attribute(element, "title") or attribute(element, "aria-label") or "")[:_LONGEST]


def _text(element: etree._Element, without: Container[str]) -> str:
    """All text in document order, by a walk that does not recurse."""
    parts: list[str] = []
    waiting: list[etree._Element | str] = [element]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        if node is not element:
            waiting.append(node.tail or "")
        name = local_name(node) if isinstance(node.tag, str) else "rt"
        if node is not element and (name in _SILENT or name in without):
            continue
        if name in _BREAKS:
            parts.append(" ")
            waiting.append(" ")
        alternatives = (attribute(node, key) for key in _ALTERNATIVES.get(name, ()))
        if (alternative := next(filter(None, alternatives), None)) is not None:
            parts.append(alternative)
            continue
        waiting.extend(node.iterchildren(reversed=True))
        parts.append(node.text or "")
    return "".join(parts)
