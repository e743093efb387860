"""Documents that are not well-formed UTF-8: repaired as little as it takes, then read strictly, else tolerantly."""

from __future__ import annotations

import re

from lxml import etree

from .balance import balance_end_tags
from .decode import Decoded, decode
from .entities import as_numbers, resolve
from .limits import MarkupError, MarkupLimitError, MarkupLimits
from .parse import ParsedMarkup, is_deeper, parser
from .repair import declare_html_namespace, flatten, has_upper_case_tags, remove_declaration, remove_illegal_characters

_STRICT = parser()
_STRICT_LONG = parser(huge_tree=True)  # only for text that no longer declares anything
_RECOVERING = parser(huge_tree=True, recover=True)
_TOLERANT_SHARE = 4  # an attribute costs the tolerant parser so many times the memory


def recover_xml(data: bytes, limits: MarkupLimits) -> ParsedMarkup:
    """Structural XML, see `parse_xml`. Raises `MarkupError` and `MarkupLimitError`."""
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


def recover_markup(data: bytes, limits: MarkupLimits) -> ParsedMarkup:
    """A content document, see `parse_markup`. Raises `MarkupError` and `MarkupLimitError`."""
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
    from .tolerant import parse_tolerantly  # imported late: Beautiful Soup takes a tenth of a second

    root, flattened = parse_tolerantly(document.text, limits.depth)
    return document.result(root, tolerant=True, flattened=flattened)


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
            if is_deeper(root, self._limits.depth):
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
            return parsed._replace(error=f"elements nested deeper than {self._limits.depth}")
        return parsed


def _first_line(problem: etree.XMLSyntaxError) -> str:
    """The parser's message without the position that it appends and we keep apart."""
    return re.sub(r", line \d+, column \d+.*", "", problem.msg or "not well-formed", flags=re.DOTALL)
