"""Markup that HTML tokenizers read in different ways, rewritten so that all of them read it alike.

The versions of Python's `html.parser` differ in comments, raw text and declarations, and none of them knows
that `<script/>` ends itself. After `tidy` there are only complete tags and text left.
"""

from __future__ import annotations

import re
from html import escape

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input"} | {"link", "meta", "param", "source", "track", "wbr"}
)
_RAW = frozenset({"script", "style"})  # their content is no text of the page
_TEXT_ONLY = frozenset({"title", "textarea"})  # no tags inside

_NAME = r"[A-Za-z][^\s<>/\"'=]*+"
_ATTRIBUTES = (  # no branch can give back what it took, so that no tag is scanned twice
    r"(?>(?:[^<>\"'/=]++|=\s*+(?>(?:\"[^\"]*+\"|'[^']*+'|[^\s<>\"'][^\s<>\"']*+)?)"
    r"|\"[^\"]*+\"|'[^']*+'|/(?!>)|[\"'])*)"
)
_ATTRIBUTE = re.compile(
    r"(?P<name>[^\s<>/\"'=]++)(?>(?:\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<bare>[^\s<>\"']++)))?)"
)
_TOKEN = re.compile(
    rf"<(?:(?P<name>{_NAME})(?P<attributes>{_ATTRIBUTES})(?P<empty>/?)>"
    rf"|(?P<close>/{_NAME}[^<>]*+>)"
    r"|(?P<comment>!--)|(?P<cdata>!\[CDATA\[)|(?P<other>[?!][^<>]*+>))?"
)


def tidy(text: str) -> str:
    """`text` with only complete tags in it; its visible text is unchanged.

    * comments, declarations and processing instructions go; unclosed ones lose only their opening mark
    * CDATA sections become text
    * `<x/>` becomes `<x></x>`, but for HTML's void elements
    * `script` and `style` lose their content, `title` and `textarea` the tags inside; when they are never
      closed they end at once instead of swallowing the page
    * a `<` that opens nothing becomes `&lt;`
    """
    parts: list[str] = []
    closers = _Closers(text)
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        parts.append(text[position : token.start()])
        position = token.end()
        name = token["name"]
        if name is not None:
            parts.append(f"<{name}{_tidy_attributes(token['attributes'])}>")
            lower = name.lower()
            if token["empty"]:
                if lower not in VOID:
                    parts.append(f"</{name}>")
            elif lower in _RAW or lower in _TEXT_ONLY:
                end = closers.find(f"</{lower}", position)
                if end < 0:
                    parts.append(f"</{name}>")
                else:
                    if lower in _TEXT_ONLY:
                        parts.append(text[position:end].replace("<", "&lt;"))
                    position = end
        elif token["close"] is not None:
            parts.append(token[0])
        elif token["comment"] is not None:
            end = closers.find("-->", position)
            position = end + len("-->") if end >= 0 else position
        elif token["cdata"] is not None:
            end = closers.find("]]>", position)
            if end >= 0:
                parts.append(escape(text[position:end], quote=False))
                position = end + len("]]>")
        elif token["other"] is None:
            parts.append("&lt;")
    parts.append(text[position:])
    return "".join(parts)


def _tidy_attributes(attributes: str) -> str:
    """Every attribute in double quotes, with nothing in its value that could end a tag."""
    written = []
    for attribute in _ATTRIBUTE.finditer(attributes):
        value = attribute["double"] or attribute["single"] or attribute["bare"] or ""
        value = value.replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
        written.append(f' {attribute["name"]}="{value}"')
    return "".join(written)


class _Closers:
    """Finds closing marks; remembers which ones do not occur again, so that no search repeats in vain."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lower: str | None = None
        self._absent: set[str] = set()

    def find(self, mark: str, start: int) -> int:
        if mark in self._absent:
            return -1
        text = self._text
        if mark.startswith("</"):
            if self._lower is None:
                self._lower = re.sub("[A-Z]+", lambda match: match[0].lower(), text)  # keeps every offset
            text = self._lower
        found = text.find(mark, start)
        if found < 0:
            self._absent.add(mark)
        return found
