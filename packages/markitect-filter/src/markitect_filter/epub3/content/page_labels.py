"""Stage 4: what numbers of printed pages look like: their text, and the names that markup has for them."""

from __future__ import annotations

import re

_NUMBER = r"(?:[0-9]{1,5}[a-z]?|[ivxlcdm]{1,12}|[a-z]{1,2}[-.–]?[0-9]{1,4})"
_WORD = r"(?:pages?|page\s+n[o°]\.?|pag\.?|pgs?\.?|p\.?|seite|s\.)(?:\s+|(?<=\.)|(?=[0-9]))"
PAGE_LABEL = re.compile(rf"[\s\[({{|—–-]*(?:{_WORD})?(?P<number>{_NUMBER})[\s\])}}|—–.-]*", re.I)
_BRACKETED = re.compile(rf"\s*(?:[\[({{|].*[\])}}|]|{_WORD}{_NUMBER}\.?)\s*", re.I)
_CLASS = re.compile(r"(?:x-ebookmaker-)?(?:page[-_]?(?:num|no|nr|number|break)s?|pgnum|pg[-_]?no)", re.I)
PAGE_ID = re.compile(r"_?(?P<word>page|pg|p)[-_.]?0*(?P<number>[0-9]{1,5}|[ivxlcdm]{1,12})", re.I)
_IN_BYTES = re.compile(rb"class\s*=\s*[\"'][^\"'<>]*[Pp](?:age[-_]?[NnBb]|g[-_]?n)")


def page_number(text: str) -> str:
    """The number in a label such as `Page 12.` or `[Pg 12]`; other labels are taken as they are."""
    text = " ".join(text.split())
    match = PAGE_LABEL.fullmatch(text)
    return match["number"] if match is not None else text


def is_bracketed(text: str) -> bool:
    """Is a label set apart by brackets or the word page?"""
    return _BRACKETED.fullmatch(text) is not None


def is_page_class(name: str) -> bool:
    """Is it a class for the numbers of printed pages?"""
    return _CLASS.fullmatch(name) is not None


def may_number_pages(data: bytes) -> bool:
    """Could a document have elements of such a class?"""
    return _IN_BYTES.search(data) is not None
