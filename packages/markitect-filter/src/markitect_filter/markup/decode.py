"""Bytes of a document to text, by the order: BOM, XML declaration, UTF-8, `meta` of a page, last resort.

A `meta` element only counts for bytes that are not UTF-8: pages are converted and keep the old one. The last resort
is a guess, windows-1252. Bytes that are mostly UTF-8 stay UTF-8, with U+FFFD for each bad sequence; so do bytes that
do not fit the encoding they declare. The number of U+FFFD that decoding put in is always reported.
"""

from __future__ import annotations

import codecs
import re
from typing import Literal

from markitect_tool.named_tuple import NamedTuple

from .charsets import codec_for
from .parse import declared_encoding

EncodingSource = Literal["bom", "declaration", "default", "meta", "fallback"]
"""`default` is UTF-8, or what is told from the first bytes; `fallback` is a guess."""

LAST_RESORT = "windows-1252"

_BOMS = (  # UTF-32 before UTF-16: its little-endian mark starts with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META_WINDOW = 2048  # bytes; HTML asks for 1024, but XHTML has longer prologs
_META = re.compile(r"<!--.*?(?:-->|\Z)|<meta(?=[\s/])(?P<attributes>[^<>]*+)>", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(
    r"([^\s=/\"']++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"']++))"  # of a meta element: name and value
)
_CONTENT_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s;\"']+)", re.IGNORECASE)

_UNINFORMATIVE = ("utf-8", "ascii")  # what bytes that are not UTF-8 are not in
_DAMAGE = 10  # so many characters of UTF-8 for each bad byte say more than a `meta` element


class Decoded(NamedTuple):
    """The text of a document without its byte order mark, and how its encoding was found."""

    text: str
    encoding: str
    """The name as declared, lower-case, or the one that was assumed."""
    source: EncodingSource
    replaced: int
    """U+FFFD that decoding put in the place of bytes that mean nothing."""


def decode(data: bytes, *, html: bool = False) -> Decoded:
    """`data` as text. `html` says that it is a page, whose `meta` elements may name its charset. Never fails."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            text, replaced = _lenient(data[len(mark) :], name)
            return Decoded(text, name, "bom", replaced)
    unmarked = _unmarked_wide(data)
    if unmarked is not None:
        text, replaced = _lenient(data, unmarked)
        return Decoded(text, unmarked, "default", replaced)
    declared = declared_encoding(data)
    if declared is not None:
        codec = codec_for(declared)
        if codec is not None and codec not in _UNINFORMATIVE:
            text, replaced = _lenient(data, codec)
            return Decoded(text, declared, "declaration", replaced)
    meta = _meta_charset(data) if html else None
    if meta is not None and b"\x1b" in data and meta[1].startswith("iso2022"):  # ASCII only, with escapes
        return _by_meta(data, *meta)
    text, replaced = _lenient(data, "utf-8")
    if replaced:
        wide = sum(map(len, re.findall(r"[^\x00-\x7f\ufffd]+", text)))
        if meta is not None and wide < replaced * _DAMAGE:
            return _by_meta(data, *meta)
        if wide < replaced:
            text, replaced = _lenient(data, "cp1252")
            return Decoded(text, LAST_RESORT, "fallback", replaced)
        # UTF-8 with some damage: reading it as anything else would garble the rest
    return Decoded(text, "utf-8", "declaration" if declared else "default", replaced)


def _meta_charset(data: bytes) -> tuple[str, str] | None:
    """The label and codec of the first `meta` element at the start of a page that says what its bytes are in."""
    for element in _META.finditer(data[:_META_WINDOW].decode("latin-1")):
        attributes = {
            name.lower(): double or single or bare
            for name, double, single, bare in _ATTRIBUTE.findall(element["attributes"] or "")
        }
        label = attributes.get("charset")
        if label is None and attributes.get("http-equiv", "").strip().lower() == "content-type":
            content = _CONTENT_CHARSET.search(attributes.get("content", ""))
            label = content[1] if content else None
        codec = codec_for(label) if label else None
        if label and codec is not None and codec not in _UNINFORMATIVE:
            return label.strip().lower(), codec
    return None


def _by_meta(data: bytes, label: str, codec: str) -> Decoded:
    text, replaced = _lenient(data, codec)
    return Decoded(text, label, "meta", replaced)


def _lenient(data: bytes, codec: str) -> tuple[str, int]:
    try:
        return data.decode(codec), 0
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        # A document may hold U+FFFD of its own; strictly ignoring the bad bytes shows how many it has.
        return text, text.count("\ufffd") - data.decode(codec, "ignore").count("\ufffd")


def _unmarked_wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark, told by the zero bytes around the first `<` (XML, appendix F)."""
    for start, name in (
        (b"<\0\0\0", "utf-32-le"),
        (b"\0\0\0<", "utf-32-be"),
        (b"<\0", "utf-16-le"),
        (b"\0<", "utf-16-be"),
    ):
        if data.startswith(start):
            return name
    return None
