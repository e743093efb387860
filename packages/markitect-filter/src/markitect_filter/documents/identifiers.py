"""Book identifiers: what scheme a value belongs to, and its canonical spelling."""

from __future__ import annotations

import re

from markitect_tool.named_tuple import NamedTuple

from markitect_filter.patterns import compiled

#: ONIX code list 5 (product identifier types), as far as it names schemes in general use.
_ONIX_SCHEMES = {
    "01": "proprietary",
    "02": "isbn",
    "03": "ean",
    "04": "upc",
    "05": "ismn",
    "06": "doi",
    "13": "lccn",
    "14": "gtin",
    "15": "isbn",
    "22": "urn",
    "23": "oclc",
    "24": "isbn",
    "25": "ismn",
    "26": "doi",
    "35": "ark",
}
#: Scheme names as they are written in `opf:scheme` and before a colon, by lower-case spelling.
_SCHEME_NAMES = {
    "isbn-10": "isbn",
    "isbn-13": "isbn",
    "isbn10": "isbn",
    "isbn13": "isbn",
    "eisbn": "isbn",
    "guid": "uuid",
    "uri": "url",
    "web": "url",
    "mobi-asin": "asin",
    "amazon": "asin",
}
_UUID = r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_DOI = r"10\.\d{4,9}(?:\.\d+)*/\S+"
_DOI_PREFIX = r"(?i)(?:https?://(?:dx\.)?doi\.org/|info:doi/|(?:urn:)?doi:)\s*"
_PREFIXED = r"(?i)(?:urn:)?(isbn|issn|uuid|asin|oclc|lccn|ark)[:\s]\s*(.+)"
_URL = r"(?i)https?://\S+"


class Identifier(NamedTuple):
    """A recognised identifier: `scheme` in lower case ("id" when unknown), `value` in the scheme's own
    spelling.

    `sound` is False when the book states a scheme whose check the value fails.
    """

    scheme: str
    value: str
    sound: bool = True


def identify(value: str, stated_scheme: str | None = None, code_list: str | None = None) -> Identifier:
    """What an identifier is. The value's own form decides first, then the scheme that the book states.

    `stated_scheme` is `opf:scheme` or the text of an `identifier-type` refinement, whose `code_list` may say
    that it is an ONIX code (`onix:codelist5`).
    """
    stated = _stated(stated_scheme, code_list)
    if found := _by_form(value, stated):
        return found
    if stated == "isbn":
        return Identifier("id", value, sound=False)
    return Identifier(stated or "id", value)


def _stated(scheme: str | None, code_list: str | None) -> str:
    if not scheme:
        return ""
    name = scheme.strip().lower()
    if "codelist5" in (code_list or "").lower():
        return _ONIX_SCHEMES.get(name.zfill(2), "")
    return _SCHEME_NAMES.get(name, re.sub("[^a-z0-9]+", "-", name).strip("-"))


def _by_form(value: str, stated: str) -> Identifier | None:
    if "10." in value:
        doi = compiled(_DOI_PREFIX).sub("", value, count=1)
        if compiled(_DOI).fullmatch(doi) and (doi != value or stated in ("", "doi")):
            return Identifier("doi", doi)
    if prefixed := compiled(_PREFIXED).fullmatch(value):
        scheme, rest = prefixed[1].lower(), prefixed[2].strip()
        if scheme == "isbn":
            return Identifier("isbn", isbn) if (isbn := valid_isbn(rest)) else Identifier("id", value, sound=False)
        if scheme == "uuid":
            return Identifier("uuid", rest.lower())
        return Identifier(scheme, rest)
    if value.count("-") == 4 and compiled(_UUID).fullmatch(value):
        return Identifier("uuid", value.lower())
    isbn = valid_isbn(value)
    if isbn and (stated == "isbn" or (not stated and isbn.startswith(("978", "979")))):
        return Identifier("isbn", isbn)  # ten bare digits are an ISBN only where the book says so
    if value.lower().startswith("urn:"):
        return Identifier("urn", value)
    if compiled(_URL).fullmatch(value):
        return Identifier("url", value)
    return None


def valid_isbn(text: str) -> str | None:
    """The bare digits of an ISBN-10 or ISBN-13 whose check digit is right, else None."""
    bare = re.sub("[\\s\u2010-\u2015-]", "", text).upper()
    if re.fullmatch(r"97[89]\d{10}", bare, re.ASCII):
        total = sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(bare))
        return bare if total % 10 == 0 else None
    if re.fullmatch(r"\d{9}[\dX]", bare, re.ASCII):
        digits = [10 if digit == "X" else int(digit) for digit in bare]
        total = sum(weight * digit for weight, digit in zip(range(10, 0, -1), digits, strict=True))
        return bare if total % 11 == 0 else None
    return None
