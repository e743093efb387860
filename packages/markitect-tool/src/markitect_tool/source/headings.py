"""Where the sections of a Markdown text begin.

Finds the ATX and setext headings of CommonMark 0.31 (4.2, 4.3) that stand outside fenced code (4.5), raw
HTML of the kinds that swallow blank lines (4.6, kinds 1 and 2) and YAML front matter. Headings inside
lists and quotes do not begin a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)\Z")
_CONTAINER = re.compile(r" {0,3}(?:>|[-+*](?:[ \t]|\Z)|\d{1,9}[.)](?:[ \t]|\Z))")
_THEMATIC_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_HTML = re.compile(r" {0,3}<(?:(pre|script|style|textarea)(?=[\s>]|\Z)|!--)", re.IGNORECASE)
_INDENTED = re.compile(r" {4}| {0,3}\t")


class Heading(NamedTuple):
    """A heading and the 0-based index of its first line."""

    line: int
    level: int
    text: str


def headings(lines: list[str]) -> Iterator[Heading]:
    """The headings of a Markdown text in order; `lines` have no line ends."""
    index = front_matter_length(lines)
    paragraph: int | None = None  # first line of the paragraph that is open, if a setext underline may end it
    in_text = False  # the line above is paragraph text, of whatever container
    while index < len(lines):
        line = lines[index]
        if not line.strip():
            paragraph, in_text = None, False
        elif not in_text and _INDENTED.match(line):
            paragraph = None  # indented code
        elif (after := _verbatim_end(lines, index)) is not None:
            index, paragraph, in_text = after, None, False
            continue
        elif atx := _ATX.match(line):
            yield Heading(index, len(atx[1]), _unclosed(atx[2] or ""))
            paragraph, in_text = None, False
        elif paragraph is not None and (underline := _UNDERLINE.match(line)):
            text = " ".join(part.strip() for part in lines[paragraph:index])
            yield Heading(paragraph, 1 if underline[1][0] == "=" else 2, text)
            paragraph, in_text = None, False
        elif _THEMATIC_BREAK.match(line):
            paragraph, in_text = None, False
        elif _CONTAINER.match(line):
            paragraph, in_text = None, True
        elif not in_text:
            paragraph, in_text = index, True
        index += 1


def front_matter_length(lines: list[str]) -> int:
    """How many lines YAML front matter takes at the top; 0 without one."""
    if lines and lines[0].rstrip() == "---":
        for index in range(1, len(lines)):
            if lines[index].rstrip() in ("---", "..."):
                return index + 1
    return 0


def _unclosed(text: str) -> str:
    """Heading text; `## #` is an empty heading with a closing sequence."""
    return "" if text and not text.strip("#") else text


def _verbatim_end(lines: list[str], start: int) -> int | None:
    """The index after the fenced code or raw HTML that `start` opens, or None when it opens none."""
    line = lines[start]
    if (fence := _FENCE.match(line)) and not (fence[1][0] == "`" and "`" in fence[2]):
        closing = re.compile(rf" {{0,3}}{fence[1][0]}{{{len(fence[1])},}}[ \t]*\Z")
        index = start + 1
        while index < len(lines) and not closing.match(lines[index]):
            index += 1
        return index + 1
    if html := _HTML.match(line):
        end = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE) if html[1] else re.compile("-->")
        index = start
        while index < len(lines) and not end.search(lines[index]):
            index += 1
        return index + 1
    return None
