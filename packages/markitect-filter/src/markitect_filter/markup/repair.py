"""Small repairs on the text of a document, each of them linear in its length."""

from __future__ import annotations

import re
import sys

XHTML = "http://www.w3.org/1999/xhtml"

_DECLARATION = re.compile(r"[\s\ufeff]*<\?xml\s[^>]*>", re.IGNORECASE)
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMERIC_REFERENCE = re.compile(r"&#(?:([0-9]++)|[xX]([0-9a-fA-F]++));?")
_QUOTED = r"(?>(?:[^<>\"'/]++|\"[^\"]*+\"|'[^']*+'|/(?!>))*)"
_TAG = re.compile(
    r"<!--(?:.*?-->|.*\Z)|<!\[CDATA\[(?:.*?\]\]>|.*\Z)|<\?(?:.*?\?>|.*\Z)"
    rf"|<(?P<end>/?)[^\s<>/!?\"'=]++{_QUOTED}(?P<empty>/?)>",
    re.DOTALL,
)
_ROOT = re.compile(rf"(?>(?:\s++|<\?.*?\?>|<!--.*?-->)*)<(?P<name>[A-Za-z][\w.-]*+)(?P<rest>{_QUOTED})", re.DOTALL)
_XMLNS = re.compile(r"\sxmlns\s*=\s*(?P<quote>[\"'])(?P<uri>.*?)(?P=quote)", re.DOTALL)
_HTML_ROOTS = frozenset({"html", "body", "div", "section", "article", "p", "nav"})
_ISLANDS = {"svg": "http://www.w3.org/2000/svg", "math": "http://www.w3.org/1998/Math/MathML"}
_ISLAND = re.compile(r"<(svg|math)(?![\w.:-])(?![^<>]*\sxmlns\s*=)")
_UPPER_CASE_TAG = re.compile(r"<[A-Z]")


def remove_declaration(text: str) -> str:
    """Blanks the XML declaration, and what stands before it, but keeps the line numbers."""
    match = _DECLARATION.match(text)
    if match is None:
        return text.lstrip("\ufeff")
    return "\n" * match[0].count("\n") + text[match.end() :]


def remove_illegal_characters(text: str) -> tuple[str, int]:
    """`text` without characters (or references to them) that XML 1.0 section 2.2 excludes, and how many."""
    text, removed = _ILLEGAL.subn("", text)
    if "&#" not in text:
        return text, removed
    references = 0

    def legal(match: re.Match[str]) -> str:
        nonlocal references
        digits = (match[1] or match[2]).lstrip("0")
        number = int(digits or "0", 10 if match[1] else 16) if len(digits) < 8 else sys.maxunicode + 1
        if number > sys.maxunicode or _ILLEGAL.match(chr(number)):
            references += 1
            return ""
        return match[0]

    text = _NUMERIC_REFERENCE.sub(legal, text)
    return text, removed + references


def declare_html_namespace(text: str) -> tuple[str, bool]:
    """`text` with an HTML root element in the namespace of XHTML, and whether it declared none before.

    A wrong namespace on `html` is replaced. Where none was declared, `svg` and `math` get theirs too.
    """
    root = _ROOT.match(text)
    if root is None or root["name"].lower() not in _HTML_ROOTS:
        return text, False
    declared = _XMLNS.search(root["rest"])
    if declared is None:
        at = root.end("name")
        rest = _ISLAND.sub(lambda match: match[0] + f' xmlns="{_ISLANDS[match[1]]}"', text[at:])
        return f'{text[:at]} xmlns="{XHTML}"{rest}', True
    if root["name"] != "html" or declared["uri"] == XHTML:  # DocBook has a `section`, too
        return text, False
    start = root.start("rest")
    return f'{text[: start + declared.start()]} xmlns="{XHTML}"{text[start + declared.end() :]}', False


def has_upper_case_tags(text: str) -> bool:
    """Whether a tag's name starts with a capital, as HTML allows and XHTML does not."""
    return _UPPER_CASE_TAG.search(text) is not None


def flatten(text: str, depth: int) -> tuple[str, int]:
    """Well-formed `text` without the tags nested deeper than `depth`, and how many elements that were.

    What the tags enclose stays, so no text is lost. On text that is not well-formed the result is of no use.
    """
    level = 0
    dropped = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal level, dropped
        tag = match[0]
        if match["end"] is None:
            return tag
        if match["end"]:
            level -= 1
            return "" if level >= depth else tag
        if not match["empty"]:
            level += 1
            if level <= depth:
                return tag
        elif level < depth:
            return tag
        dropped += 1
        return ""

    return _TAG.sub(keep, text), dropped
