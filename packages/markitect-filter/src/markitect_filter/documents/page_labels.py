"""Stage 4: what numbers of printed pages look like: their text, and the names that markup has for them."""

from __future__ import annotations

import re

from markitect_filter.patterns import compiled

_NUMBER = r"(?:[0-9]{1,5}[a-z]?|[ivxlcdm]{1,12}|[a-z]{1,2}[-.–]?[0-9]{1,4})"
_WORD = r"(?:pages?|page\s+n[o°]\.?|pag\.?|pgs?\.?|p\.?|seite|s\.)(?:\s+|(?<=\.)|(?=[0-9]))"
PAGE_LABEL = rf"(?i)[\s\[({{|—–-]*(?:{_WORD})?(?P<number>{_NUMBER})[\s\])}}|—–.-]*"
_BRACKETED = rf"(?i)\s*(?:[\[({{|].*[\])}}|]|{_WORD}{_NUMBER}\.?)\s*"
_CLASS = r"(?i)(?:x-ebookmaker-)?(?:page[-_]?(?:num|no|nr|number|break)s?|pgnum|pg[-_]?no)"
PAGE_ID = r"(?i)_?(?P<word>page|pg|p)[-_.]?0*(?P<number>[0-9]{1,5}|[ivxlcdm]{1,12})"


def page_number(text: str) -> str:
    """The number in a label such as `Page 12.` or `[Pg 12]`; other labels are taken as they are."""
    text = " ".join(text.split())
    match = re.fullmatch(PAGE_LABEL, text)
    return match["number"] if match is not None else text


def is_bracketed(text: str) -> bool:
    """Is a label set apart by brackets or the word page?"""
    return compiled(_BRACKETED).fullmatch(text) is not None


def is_page_class(name: str) -> bool:
    """Is it a class for the numbers of printed pages?"""
    return compiled(_CLASS).fullmatch(name) is not None
