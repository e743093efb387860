"""Small questions to an lxml tree."""

from __future__ import annotations

import re

from lxml import etree

from .ledger import nonblank


def local_name(element: etree._Element) -> str:
    """The element's name without its namespace; empty for a comment or processing instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def text_of(element: etree._Element) -> str:
    """All text of the element in document order, comments left out."""
    if not len(element):
        return element.text or ""
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def utf8_of(element: etree._Element) -> bytes:
    """The same in UTF-8, which costs less for much text."""
    return etree.tostring(element, method="text", encoding="utf-8", with_tail=False)


def count_text(element: etree._Element) -> int:
    """Characters of the element's text, blanks not counted."""
    return nonblank(text_of(element))


def integer(value: str | None) -> int | None:
    """An integer attribute as HTML reads it (2.3.4.1), None if there is none."""
    match = re.match(r"\s*([+-]?[0-9]{1,12})", value) if value else None
    return int(match[1]) if match else None
