"""Where the sections of a Markdown text begin.

Finds the ATX and setext headings of CommonMark 0.31 (4.2, 4.3) that stand outside fenced code (4.5), raw
HTML (4.6; kinds 3 to 5 are not looked for), YAML front matter, lists and quotes (5). What a list item that
begins empty or with indented code contains is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markitect_tool.named_tuple import NamedTuple

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|\Z)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)\Z")
_CONTAINER = re.compile(r"( {0,3}(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|\Z)))")
_INTERRUPTING = re.compile(r"( {0,3}(?:>|(?:[-+*]|1[.)])(?=[ \t]+\S)))")  # what may end a paragraph
_NO_TEXT = re.compile(r"[ \t]*(?:#{1,6}(?:[ \t]|\Z)|```|~~~|<)")  # in an item: not a paragraph that goes on
_THEMATIC_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
HTML_RAW = re.compile(r" {0,3}<(?:(pre|script|style|textarea)(?=[\s>]|\Z)|!--)", re.IGNORECASE)
HTML_BLOCK = re.compile(  # ends at a blank line: kinds 6 and 7
    r" {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details"
    r"|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html"
    r"|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section"
    r"|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s>]|/>|\Z)",
    re.IGNORECASE,
)
HTML_TAG = re.compile(r" {0,3}(?:<[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>|</[a-z][a-z0-9-]*\s*>)\s*\Z", re.IGNORECASE)
_INDENTED = re.compile(r" {4}| {0,3}\t")


class Heading(NamedTuple):
    """A heading and the 0-based index of its first line."""

    line: int
    level: int
    text: str


def headings(lines: list[str]) -> Iterator[Heading]:
    """The headings of a Markdown text in order; `lines` have no line ends."""
    index = front_matter_length(lines)
    paragraph: int | None = None  # first line of the paragraph that is open outside lists and quotes
    in_text = False  # the line above is paragraph text, of whatever container
    item = 0  # columns by which a line belongs to the list item above; 0 outside lists
    while index < len(lines):
        line = lines[index]
        if in_text and line[:1].isalpha():
            pass  # most lines: text that goes on, and a letter begins no block
        elif not line.strip():
            paragraph, in_text = None, False
        elif item and _indent(line) >= item:
            in_text = not _NO_TEXT.match(line)
        elif not in_text and _INDENTED.match(line):
            item = 0  # indented code
        elif (after := _verbatim_end(lines, index, in_text)) is not None:
            index, paragraph, in_text, item = after, None, False, 0
            continue
        elif atx := _ATX.match(line):
            yield Heading(index, len(atx[1]), _unclosed(line[atx.end() :]))
            paragraph, in_text, item = None, False, 0
        elif paragraph is not None and (underline := _UNDERLINE.match(line)):
            text = " ".join(part.strip() for part in lines[paragraph:index])
            yield Heading(paragraph, 1 if underline[1][0] == "=" else 2, text)
            paragraph, in_text = None, False
        elif _THEMATIC_BREAK.match(line):
            paragraph, in_text, item = None, False, 0
        elif marker := (_INTERRUPTING if paragraph is not None else _CONTAINER).match(line):
            paragraph, in_text, item = None, bool(line[marker.end() :].strip()), _content_column(marker, line)
        elif not in_text:
            paragraph, in_text, item = index, True, 0
        index += 1


def _indent(line: str) -> int:
    """Columns of blanks in front."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _content_column(marker: re.Match[str], line: str) -> int:
    """Where the text of a list item begins; 0 for a quote, which marks each of its lines."""
    if marker[1].strip() == ">":
        return 0
    rest = line[marker.end(1) :].expandtabs(4)
    blanks = len(rest) - len(rest.lstrip(" "))
    return len(marker[1]) + (blanks if rest.strip() and blanks <= 4 else 1)


def front_matter_length(lines: list[str]) -> int:
    """How many lines YAML front matter takes at the top; 0 without one."""
    if lines and lines[0].rstrip() == "---":
        for index in range(1, len(lines)):
            if lines[index].rstrip() in ("---", "..."):
                return index + 1
    return 0


def _unclosed(text: str) -> str:
    """Heading text without its closing sequence, which a blank has to precede; of `## #` nothing is left."""
    text = text.strip(" \t")
    content = text.rstrip("#")
    return content.rstrip(" \t") if not content or content[-1] in " \t" else text


def _verbatim_end(lines: list[str], start: int, in_text: bool) -> int | None:
    """The index after the fenced code or raw HTML that `start` opens, or None when it opens none."""
    line = lines[start]
    if (fence := _FENCE.match(line)) and not (fence[1][0] == "`" and "`" in fence[2]):
        closing = re.compile(rf" {{0,3}}{fence[1][0]}{{{len(fence[1])},}}[ \t]*\Z")
        index = start + 1
        while index < len(lines) and not closing.match(lines[index]):
            index += 1
        return index + 1
    if html := HTML_RAW.match(line):
        end = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE) if html[1] else re.compile("-->")
        index = start
        while index < len(lines) and not end.search(lines[index]):
            index += 1
        return index + 1
    if HTML_BLOCK.match(line) or (not in_text and HTML_TAG.match(line)):
        return next((index for index in range(start, len(lines)) if not lines[index].strip()), len(lines))
    return None
