"""Bytes of a document to text, by the order: BOM, declaration, UTF-8, last resort.

The last resort is windows-1252 for bytes that are not UTF-8 at all. Bytes that are mostly UTF-8 stay UTF-8,
with U+FFFD for each bad sequence; so do bytes that do not fit the encoding they declare. The number of
U+FFFD that decoding put in is always reported.

Labels follow the Encoding Standard where XML and practice part: `iso-8859-1` and `us-ascii` mean
windows-1252, because nobody writes the C1 controls that Latin-1 has in the place of quotes and dashes.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Literal

EncodingSource = Literal["bom", "declaration", "default", "fallback"]

LAST_RESORT = "windows-1252"

_BOMS = (  # UTF-32 before UTF-16: its little-endian mark starts with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_XML_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]{0,400}?encoding\s*=\s*[\"']\s*([A-Za-z0-9._:-]+)")
_META_CHARSET = re.compile(rb"<meta\s[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]+)", re.IGNORECASE)
_META_WINDOW = 1024  # bytes of an HTML page in which a charset declaration counts (HTML, "prescan")

_WINDOWS_1252_LABELS = frozenset({"iso8859-1", "ascii"})
_TEXT_CODECS = re.compile(  # Python has codecs that are not charsets at all (rot13, zip, unicode_escape)
    r"utf-(8|8-sig|16|16-le|16-be|32|32-le|32-be)|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|tis-620|hz"
    r"|shift_jis\w*|euc_\w+|iso2022_\w+|gb2312|gbk|gb18030|big5\w*|johab|ptcp154|kz1048"
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a document without its byte order mark, and how its encoding was found."""

    text: str
    encoding: str
    """The name as declared, lower-case, or the one that was assumed."""
    source: EncodingSource
    replaced: int
    """U+FFFD that decoding put in the place of bytes that mean nothing."""


def declared_encoding(data: bytes, *, html: bool = False) -> str | None:
    """The encoding that the XML declaration (or an HTML page's `meta`) names, lower-case."""
    match = _XML_DECLARATION.match(data)
    if match is None and html:
        match = _META_CHARSET.search(data, 0, _META_WINDOW)
    return match[1].decode("ascii").lower() if match else None


def decode(data: bytes, *, html: bool = False) -> Decoded:
    """`data` as text. `html` also looks for a `meta` element's charset. Never fails."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            text, replaced = _lenient(data[len(mark) :], name)
            return Decoded(text, name, "bom", replaced)
    unmarked = _unmarked_wide(data)
    if unmarked is not None:
        text, replaced = _lenient(data, unmarked)
        return Decoded(text, unmarked, "default", replaced)
    declared = declared_encoding(data, html=html)
    if declared is not None and declared not in ("utf-8", "utf8"):
        codec = _codec(declared)
        if codec is not None:
            text, replaced = _lenient(data, codec)
            return Decoded(text, declared, "declaration", replaced)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", "declaration" if declared else "default", 0)
    except UnicodeDecodeError:
        return _last_resort(data)


def _last_resort(data: bytes) -> Decoded:
    text, replaced = _lenient(data, "utf-8")
    wide = sum(map(len, re.findall(r"[^\x00-\x7f\ufffd]+", text)))
    if wide and wide >= replaced:  # UTF-8 with some damage: reading it as anything else would garble the rest
        return Decoded(text, "utf-8", "fallback", replaced)
    text, replaced = _lenient(data, "cp1252")
    return Decoded(text, LAST_RESORT, "fallback", replaced)


def _lenient(data: bytes, codec: str) -> tuple[str, int]:
    try:
        return data.decode(codec), 0
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        # A document may hold U+FFFD of its own; strictly ignoring the bad bytes shows how many it has.
        return text, text.count("\ufffd") - data.decode(codec, "ignore").count("\ufffd")


def _codec(label: str) -> str | None:
    """Python's codec for a declared label, or None when it names no charset that this data can have."""
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    if name in _WINDOWS_1252_LABELS:
        return "cp1252"
    if name.startswith(("utf-16", "utf-32")):  # the declaration was readable one byte at a time: a lie
        return None
    return name if _TEXT_CODECS.fullmatch(name) else None


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
