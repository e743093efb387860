"""Bytes to an element tree: strict XML first, then whatever keeps the text.

Safety does not rest on parser switches: a document that declares entities or default attributes never
reaches the parser with its declarations (see `entities`), so nothing can expand, be fetched or be included,
and lifting libxml2's size ceilings (`huge_tree`) is safe where a long text needs it. Depth is bounded here
and not by libxml2, whose own ceiling differs between versions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree
from markitect_tool.named_tuple import NamedTuple

from markitect_filter.patterns import compiled

from .limits import (
    DEFAULT_MARKUP_LIMITS,
    MarkupError,
    MarkupLimitError,
    MarkupLimits,
)

if TYPE_CHECKING:
    from .decode import EncodingSource


def parser(*, huge_tree: bool = False, recover: bool = False) -> etree.XMLParser:
    """A parser that loads nothing and expands nothing."""
    return etree.XMLParser(
        huge_tree=huge_tree,
        recover=recover,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )


_STRICT = parser()
_UTF8_DECLARATIONS = (None, "utf-8", "utf8", "us-ascii", "ascii")
_HTML = "{http://www.w3.org/1999/xhtml}html"
_BLANKS = b" \t\r\n\0\xef\xbb\xbf\xff\xfe"  # byte order marks among them
_XML_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]{0,400}?encoding\s*=\s*[\"']\s*([A-Za-z0-9._:-]+)")
# Compiled when a document has one of them at all.
_FOREIGN_REFERENCE = rb"&(?!amp;|lt;|gt;|quot;|apos;|#)"
_DOCUMENT_TYPE = (  # anywhere else a document type is no well-formed XML
    rb"(?s)(?:\xef\xbb\xbf)?(?>(?:\s++|<\?.*?\?>|<!--.*?-->)*)"
    rb"(?:<!DOCTYPE(?>(?:[^>\[\"']++|\"[^\"]*+\"|'[^']*+')*)(?P<end>.|\Z))?"
)
_USUAL_DEPTH = 32  # elements
_NEAR = 256  # bytes, within which a document type nearly always begins
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0", b"<\0")


class ParsedMarkup(NamedTuple):
    """An element tree and what it took to get it."""

    root: etree._Element
    """Without comments, processing instructions and entity nodes; at most `MarkupLimits.depth` deep."""
    encoding: str
    encoding_source: EncodingSource
    tolerant: bool = False
    """The strict parse failed and `root` comes from a parser that repairs."""
    error: str | None = None
    """What is wrong with the document, by the strict parser; None for a well-formed one."""
    line: int | None = None
    """Where, 1-based."""
    replaced: int = 0
    """U+FFFD introduced while decoding."""
    removed: int = 0
    """Characters that XML does not allow, taken out."""
    flattened: int = 0
    """Elements unwrapped because they were nested deeper than `MarkupLimits.depth`."""
    expanded: int = 0
    """Characters that the document's own entities expanded to."""

    @property
    def guessed(self) -> bool:
        """Nothing says what the bytes are in, so that every character beyond ASCII may be a wrong one."""
        return self.encoding_source == "fallback"

    @property
    def encoding_problem(self) -> str | None:
        """What is doubtful about the characters, as the end of a sentence about the document; None for nothing."""
        if self.guessed:
            return f"is not UTF-8 and names no encoding that it could be in; {self.encoding} was assumed"
        if self.replaced:
            return f"has bytes that mean nothing in {self.encoding}; U+FFFD stands for them"
        return None


def parse_xml(data: bytes, *, limits: MarkupLimits = DEFAULT_MARKUP_LIMITS) -> ParsedMarkup:
    """Structural XML (package, navigation control, container files).

    Not well-formed input is read by libxml2's recovering parser, with `tolerant` set, after its end tags have been
    made to match.
    Raises `MarkupError` for input without an element and `MarkupLimitError` over a limit.
    """
    _check_size(data, limits)
    parsed = _parse_bytes(data, limits)
    if parsed is not None:
        return parsed
    from .recovery import recover_xml  # imported late: few documents need it, and it takes longer than reading one

    return recover_xml(data, limits)


def parse_markup(data: bytes, *, limits: MarkupLimits = DEFAULT_MARKUP_LIMITS) -> ParsedMarkup:
    """A content document: XHTML, HTML or SVG.

    HTML is still read as XML when it is well-formed. HTML elements are always in the XHTML namespace, also
    where the document forgot to declare it.
    Raises `MarkupError` for input without an element and `MarkupLimitError` over a limit.
    """
    _check_size(data, limits)
    parsed = _parse_bytes(data, limits)
    if parsed is not None and _is_placed(parsed.root):
        return parsed
    from .recovery import recover_markup  # imported late, see above

    return recover_markup(data, limits)


def _is_placed(root: etree._Element) -> bool:
    """Whether the root is in a namespace, and an `html` root in that of XHTML."""
    tag = str(root.tag)
    return tag.startswith("{") and (not tag.endswith("}html") or tag == _HTML)


def _check_size(data: bytes, limits: MarkupLimits) -> None:
    if not data.strip(_BLANKS):
        raise MarkupError("the document is empty")
    for limit, value, mark in (("tags", limits.tags, b"<"), ("attributes", limits.attributes, b"=")):
        if len(data) > value and data.count(mark) > value:
            raise MarkupLimitError(limit, value, f"the document has more than {value:,} {limit}")


def _parse_bytes(data: bytes, limits: MarkupLimits) -> ParsedMarkup | None:
    """The common case: well-formed UTF-8 that needs nothing replaced, without a copy of the text."""
    declared = declared_encoding(data)
    if declared not in _UTF8_DECLARATIONS or data.startswith(_WIDE_MARKS) or needs_resolving(data):
        return None
    try:
        root = etree.fromstring(data, _STRICT)
    except etree.XMLSyntaxError:
        return None
    if len(data) > limits.depth * len(b"<a></a>") and is_deeper(root, limits.depth):
        return None
    source: EncodingSource = "declaration" if declared else "default"
    return ParsedMarkup(root, "utf-8", "bom" if data.startswith(b"\xef\xbb\xbf") else source)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the XML declaration names, lower-case."""
    match = _XML_DECLARATION.match(data)
    return match[1].decode("ascii").lower() if match else None


def needs_resolving(data: bytes) -> bool:
    """Whether ASCII-compatible `data` has references or declarations that a parser must not see."""
    if b"<!DOCTYPE" in data[:_NEAR] or data.rfind(b"<!DOCTYPE") >= 0:  # where there is none, the faster way to search
        declared = compiled(_DOCUMENT_TYPE).match(data)
        if declared is not None and declared["end"] not in (None, b">"):
            return True  # an internal subset: entities, and default attributes, which multiply like them
    return b"&" in data and compiled(_FOREIGN_REFERENCE).search(data) is not None


@lru_cache(maxsize=8)
def _elements_below(depth: int) -> etree.XPath:
    return etree.XPath(f"boolean({'/*' * (depth + 1)})")


def is_deeper(root: etree._Element, depth: int) -> bool:
    """Whether an element is nested deeper than `depth`: level by level, without a walk in Python. Nearly any document
    has so few that the first look tells."""
    return bool(_elements_below(min(depth, _USUAL_DEPTH))(root)) and bool(_elements_below(depth)(root))
