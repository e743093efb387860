"""Document types and entity references, resolved without loading a DTD.

`resolve` takes the document type declaration out of a document and replaces what only it, or HTML, defines:

* entities declared in the internal subset, within a budget and without recursion
* the named characters of HTML (`&nbsp;`, `&hellip;`), with or without their semicolon
* ampersands that start nothing, and names that nobody declared: they stay visible, as text

Parameter and external entities are never read, so a reference to one stays visible as text too. Comments,
CDATA sections and processing instructions are left alone. Line numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.entities import html5

from markitect_tool.named_tuple import NamedTuple

from .limits import MarkupLimitError, MarkupLimits

_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})
_NUMBERS = {"amp": "&#38;", "lt": "&#60;", "gt": "&#62;", "quot": "&#34;", "apos": "&#39;"}
_MAX_NESTING = 16  # entities inside entities; real documents have one level

# What has no references in it. An unclosed construct takes the rest, so that no start is ever scanned twice.
# A processing instruction without a name is text to whoever recovers.
_OPAQUE = (
    r"<!--(?:.*?-->|(?P<open_comment>.*\Z))|<!\[CDATA\[(?:.*?\]\]>|(?P<open_cdata>.*\Z))"
    r"|<\?(?=[A-Za-z_:])[^>]*+>?"
)
_NAMED = r"&(?:#(?:[0-9]++|[xX][0-9a-fA-F]++);|(?P<name>[A-Za-z_:][\w.:-]*+)(?P<end>;?))?"
_REFERENCE = re.compile(_NAMED)
_REFERENCE_OR_OPAQUE = re.compile(f"(?P<opaque>{_OPAQUE})|{_NAMED}", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_PROLOG = re.compile(r"(?>(?:\s++|<\?.*?\?>|<!--.*?-->)*)", re.DOTALL)
_SUBSET_TOKEN = re.compile(
    r"<!--(?:.*?-->|.*\Z)|<\?(?:.*?\?>|.*\Z)"
    r"|<!ENTITY\s++(?P<name>[\w.:-]++)\s++(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')\s*+>"
    r"|\"[^\"]*+\"|'[^']*+'|[\[\]>]",
    re.DOTALL,
)
_MARKUP_CHARACTERS = str.maketrans({"&": "&amp;", "<": "&lt;"})


class Resolved(NamedTuple):
    """A document that needs no DTD, and the first reference in it that nothing declares."""

    text: str
    unknown: str | None
    unknown_line: int | None
    expanded: int = 0
    """Characters that the document's own entities expanded to."""


def resolve(text: str, limits: MarkupLimits) -> Resolved:
    """`text` without document type and with the references above replaced.

    Raises `MarkupLimitError` (`entity_chars`) when the document's own entities expand past their budget.
    """
    text, declared = _take_document_type(text)
    if "&" not in text:
        return Resolved(text, None, None)
    expander = _Expander(declared, limits.entity_chars)
    text = _REFERENCE_OR_OPAQUE.sub(expander.around_opaque, text)
    return Resolved(text, expander.unknown, expander.unknown_line, expander.spent)


def as_numbers(text: str) -> str:
    """Resolved `text` with the predefined names as numbers: libxml2 drops names behind the first error."""

    def number(match: re.Match[str]) -> str:
        return _NUMBERS.get(match["name"] or "", match[0]) if match["end"] else match[0]

    return _REFERENCE_OR_OPAQUE.sub(number, text) if "&" in text else text


def _take_document_type(text: str) -> tuple[str, dict[str, str]]:
    """Blanks the document type declaration out; returns the entities of its internal subset."""
    prolog = _PROLOG.match(text)
    start = prolog.end() if prolog else 0
    if _DOCTYPE.match(text, start) is None:
        return text, {}
    entities: dict[str, str] = {}
    inside_subset = False
    end = len(text)
    for token in _SUBSET_TOKEN.finditer(text, start + len("<!DOCTYPE")):
        if token["name"] is not None:
            value = token["double"] if token["double"] is not None else token["single"]
            if token["name"] not in _PREDEFINED:
                entities.setdefault(token["name"], value)  # the first declaration binds (XML 4.2)
        elif token[0] == "[":
            inside_subset = True
        elif token[0] == "]":
            inside_subset = False
        elif token[0] == ">" and not inside_subset:
            end = token.end()
            break
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:], entities


class _Expander:
    """The replacement for each reference, within one document's budget."""

    def __init__(self, declared: Mapping[str, str], budget: int) -> None:
        self._declared = declared
        self._budget = budget
        self.spent = 0
        self._expanded: dict[str, str] = {}
        self.unknown: str | None = None
        self.unknown_line: int | None = None

    def around_opaque(self, match: re.Match[str]) -> str:
        """As a call, but for comments and the like; one that is never closed is text to whoever recovers."""
        if match["opaque"] is None:
            return self(match)
        rest = match["open_comment"] or match["open_cdata"]
        if not rest:
            return match[0]
        return match[0][: -len(rest)] + _REFERENCE.sub(self, rest)

    def __call__(self, match: re.Match[str]) -> str:
        whole = match[0]
        name = match["name"]
        if name is None:
            return whole if len(whole) > 1 else self._literal("&", match)
        if match["end"]:
            if name in _PREDEFINED:
                return whole
            if name in self._declared:
                return self._own_entity(name, 0)
            character = html5.get(name + ";")
            return character.translate(_MARKUP_CHARACTERS) if character else self._literal(whole, match)
        character = html5.get(name)  # a name that HTML also knows without the semicolon
        follower = match.string[match.end() : match.end() + 1]
        if character and follower != "=":  # `?a=1&copy=2` is a query, not a copyright sign
            return character.translate(_MARKUP_CHARACTERS)
        return self._literal(whole, match)

    def _literal(self, whole: str, match: re.Match[str]) -> str:
        if self.unknown is None:
            self.unknown = whole
            self.unknown_line = match.string.count("\n", 0, match.start()) + 1
        return "&amp;" + whole[1:]

    def _own_entity(self, name: str, nesting: int) -> str:
        """The expansion of a declared entity; its length counts each time that it is used."""
        if name not in self._expanded:
            if nesting > _MAX_NESTING:
                raise self._over_budget(f"entity &{name}; refers to others more than {_MAX_NESTING} deep")
            self._expanded[name] = _REFERENCE.sub(
                lambda match: (
                    self._own_entity(match["name"], nesting + 1) if match["name"] in self._declared else self(match)
                ),
                self._declared[name],
            )
        text = self._expanded[name]
        self.spent += len(text)
        if self.spent > self._budget:
            raise self._over_budget(f"its entities expand to more than {self._budget:,} characters")
        return text

    def _over_budget(self, message: str) -> MarkupLimitError:
        return MarkupLimitError("entity_chars", self._budget, message)
