"""Bytes to an element tree: strict XML first, then whatever keeps the text.

Safety does not rest on parser switches: a document that declares entities or default attributes never
reaches the parser with its declarations (see `entities`), so nothing can expand, be fetched or be included,
and lifting libxml2's size ceilings (`huge_tree`) is safe where a long text needs it. Depth is bounded here
and not by libxml2, whose own ceiling differs between versions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from lxml import etree

from .balance import balance_end_tags
from .decode import Decoded, EncodingSource, declared_encoding, decode
from .entities import as_numbers, needs_resolving, resolve
from .limits import (
    DEFAULT_MARKUP_LIMITS,
    MarkupError,
    MarkupLimitError,
    MarkupLimits,
)
from .repair import (
    XHTML,
    declare_html_namespace,
    flatten,
    has_upper_case_tags,
    remove_declaration,
    remove_illegal_characters,
)
from .tolerant import parse_tolerantly


def _parser(*, huge_tree: bool = False, recover: bool = False) -> etree.XMLParser:
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


_STRICT = _parser()
_STRICT_LONG = _parser(huge_tree=True)  # only for text that no longer declares anything
_RECOVERING = _parser(huge_tree=True, recover=True)
_UTF8_DECLARATIONS = (None, "utf-8", "utf8", "us-ascii", "ascii")
_BLANK = re.compile(rb"[ \t\r\n\0\xef\xbb\xbf\xff\xfe]*+")
_TOLERANT_SHARE = 4  # an attribute costs the tolerant parser so many times the memory
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0", b"<\0")


@dataclass(frozen=True, slots=True)
class ParsedMarkup:
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
    document = _Document(data, limits, html=False)
    parsed = document.parse_strictly()
    if parsed is not None:
        return parsed
    try:
        root = etree.fromstring(as_numbers(balance_end_tags(document.text)).encode(), _RECOVERING)
    except etree.XMLSyntaxError:  # nothing that even recovery takes for an element
        root = None
    if root is None:
        raise MarkupError(document.error or "no element", line=document.line)
    _write_out_references(root)
    return document.result(root, tolerant=True)


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
    document = _Document(data, limits, html=True)
    document.declare_namespace()
    parsed = document.parse_strictly()
    if parsed is not None:
        return parsed
    if document.text.count("<") > limits.tolerant_tags:
        raise MarkupLimitError(
            "tolerant_tags",
            limits.tolerant_tags,
            f"not well-formed ({document.error}) and over {limits.tolerant_tags:,} tags",
        )
    attributes = limits.attributes // _TOLERANT_SHARE
    if document.text.count("=") > attributes:
        raise MarkupLimitError(
            "attributes",
            limits.attributes,
            f"not well-formed ({document.error}) and over {attributes:,} attributes, a quarter of what others may have",
        )
    if not document.text.strip():
        raise MarkupError("the document is empty but for its declarations", line=document.line)
    root, flattened = parse_tolerantly(document.text, limits.depth)
    return document.result(root, tolerant=True, flattened=flattened)


def _is_placed(root: etree._Element) -> bool:
    """Whether the root is in a namespace, and an `html` root in that of XHTML."""
    tag = str(root.tag)
    return tag.startswith("{") and (not tag.endswith("}html") or tag == f"{{{XHTML}}}html")


def _check_size(data: bytes, limits: MarkupLimits) -> None:
    if _BLANK.fullmatch(data):
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
    if data.count(b"<") > limits.depth and _is_deeper(root, limits.depth):
        return None
    source: EncodingSource = "declaration" if declared else "default"
    return ParsedMarkup(root, "utf-8", "bom" if data.startswith(b"\xef\xbb\xbf") else source)


@lru_cache(maxsize=8)
def _elements_below(depth: int) -> etree.XPath:
    return etree.XPath(f"boolean({'/*' * (depth + 1)})")


def _is_deeper(root: etree._Element, depth: int) -> bool:
    """Whether an element is nested deeper than `depth`: level by level, without a walk in Python."""
    return bool(_elements_below(depth)(root))


def _write_out_references(root: etree._Element) -> None:
    """Makes text of the references that recovery found where markup seemed to be; neighbours go in one step."""
    runs: list[list[etree._Element]] = []
    for node in root.iter(etree.Entity):
        if runs and node.getprevious() is runs[-1][-1]:
            runs[-1].append(node)
        else:
            runs.append([node])
    for run in runs:
        text = "".join(f"{node.text or ''}{node.tail or ''}" for node in run)
        parent, previous = run[0].getparent(), run[0].getprevious()
        if parent is None:
            continue
        if previous is None:
            parent.text = (parent.text or "") + text
        else:
            previous.tail = (previous.tail or "") + text
        for node in run:
            parent.remove(node)


class _Document:
    """A document on its way through the repairs; remembers what the strict parser said first."""

    def __init__(self, data: bytes, limits: MarkupLimits, *, html: bool) -> None:
        self._decoded: Decoded = decode(data, html=html)
        self._limits = limits
        text = remove_declaration(self._decoded.text)
        text, self._removed = remove_illegal_characters(text)
        resolved = resolve(text, limits)
        self.text = resolved.text
        self.error: str | None = None
        self.line = resolved.unknown_line
        self._expanded = resolved.expanded
        self._was_bare = False
        if self._removed:
            self.error = f"it has {self._removed} characters that XML does not allow"
        if resolved.unknown is not None:
            self.error = f"{resolved.unknown} refers to nothing that is declared"

    def declare_namespace(self) -> None:
        """Makes XHTML of a document that is HTML but for its namespace."""
        self.text, self._was_bare = declare_html_namespace(self.text)

    def parse_strictly(self) -> ParsedMarkup | None:
        """The tree, if the document is well-formed but for what was repaired on the way here."""
        if self._was_bare and has_upper_case_tags(self.text):
            self.error = "it is HTML with upper-case names, not XHTML"
            return None
        text, flattened = self.text, 0
        try:
            root = etree.fromstring(text.encode("utf-8", "replace"), _STRICT)
            if _is_deeper(root, self._limits.depth):
                text, flattened = flatten(text, self._limits.depth)
                root = etree.fromstring(text.encode("utf-8", "replace"), _STRICT)
        except etree.XMLSyntaxError as problem:
            text, flattened = flatten(text, self._limits.depth)
            try:
                root = etree.fromstring(text.encode("utf-8", "replace"), _STRICT_LONG)
            except etree.XMLSyntaxError as remaining:
                problem = remaining if flattened else problem
                self.error, self.line = _first_line(problem), problem.lineno
                return None
        return self.result(root, tolerant=False, flattened=flattened)

    def result(self, root: etree._Element, *, tolerant: bool, flattened: int = 0) -> ParsedMarkup:
        decoded = self._decoded
        parsed = ParsedMarkup(
            root,
            decoded.encoding,
            decoded.source,
            tolerant=tolerant,
            error=self.error,
            line=self.line,
            replaced=decoded.replaced,
            removed=self._removed,
            flattened=flattened,
            expanded=self._expanded,
        )
        if flattened and parsed.error is None:
            return replace(parsed, error=f"elements nested deeper than {self._limits.depth}")
        return parsed


def _first_line(problem: etree.XMLSyntaxError) -> str:
    """The parser's message without the position that it appends and we keep apart."""
    return re.sub(r", line \d+, column \d+.*", "", problem.msg or "not well-formed", flags=re.DOTALL)
