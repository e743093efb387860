"""The blocks of a Markdown text that hold inline content, and where in the text they stand.

Reads CommonMark 0.31 with tables, footnote definitions and display formulas (`docs/canonical-markdown.md`). Code, raw
HTML and formulas hold no inline content, so nothing in them is ever found. Each line is looked at once, the way that
the specification's appendix describes: first the containers that are open, then those that the line opens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from markitect_tool.source.headings import HTML_BLOCK, HTML_RAW, HTML_TAG, front_matter_length

Kind = Literal["paragraph", "heading", "cell"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?:( +)(?=\S)|(?=[ \t]*\Z)|(?=\t))")
_NOTE = re.compile(r"\[\^([^\]\s]+)\]:[ \t]*")
_FENCE = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_DELIMITERS = re.compile(r"[ \t>]*([|: \t-]*)\Z")
_DELIMITER = re.compile(r"[ \t]*:?-+:?[ \t]*\Z")
_PIPE = re.compile(r"\\.|(\|)")
_HTML_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_COMMENT_END = re.compile(r"-->")
_BLANK_LINE = re.compile(r"[ \t]*\Z")
_TELLING = re.compile(r"[\[<%=#^]")
_FORMULA_END = re.compile(r"\$\$[ \t]*\Z")
_NOTE_INDENT = 4


@dataclass(frozen=True, slots=True)
class Block:
    """Inline content that belongs together; `pieces` are its lines without the marks of what contains them."""

    kind: Kind
    pieces: list[tuple[int, int]]  # offsets into the text, half-open
    quotes: int = 0  # how many quotes it is in
    items: int = 0  # how many list items it is in
    note: str | None = None  # the label of the footnote that it is in


@dataclass(frozen=True, slots=True)
class NoteDefinition:
    """Where a footnote is defined, without the empty lines behind it."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Container:
    """A quote, or a list item or footnote, to which lines belong that are indented by `width` columns."""

    width: int = 0  # 0: a quote
    marker: str = ">"  # of a list item: `-`, `2.`
    note: str | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class ContainedLine:
    """A line in containers: its marks for them go from `start` to `content`; `opened` of the containers, the innermost,
    begin in it."""

    start: int
    content: int
    containers: tuple[Container, ...]
    opened: int


@dataclass(slots=True)
class _Verbatim:
    """Code, raw HTML or a formula, up to a line with `end`; `depth` containers are around it."""

    end: re.Pattern[str]
    depth: int
    anywhere: bool = False  # in a line, else it is the line


@dataclass(slots=True)
class Blocks:
    """What `read_blocks` found, in the order of the text."""

    blocks: list[Block] = field(default_factory=list)
    notes: list[NoteDefinition] = field(default_factory=list)
    contained: list[ContainedLine] = field(default_factory=list)  # no lines without marks: empty ones, lazy ones


def read_blocks(text: str) -> Blocks:
    """The blocks and footnote definitions of `text`, whose line ends are LF."""
    reader = _Reader(text)
    reader.read()
    return reader.found


class _Reader:
    def __init__(self, text: str) -> None:
        self.found = Blocks()
        self._text = text
        self._containers: list[Container] = []
        self._paragraph: Block | None = None  # the one that the next line may go on with
        self._verbatim: _Verbatim | None = None
        self._table: Literal["delimiters", "rows"] | None = None
        self._end = 0  # of the last line that was not blank

    def read(self) -> None:
        spans = [(match.start(), match.end() - match[0].endswith("\n")) for match in _LINE.finditer(self._text)]
        skipped = 0
        if self._text.startswith("---"):
            skipped = front_matter_length([self._text[start:end] for start, end in spans])
        spans.append((len(self._text), len(self._text)))
        for number in range(skipped, len(spans) - 1):
            start, end = spans[number]
            self._line(start, end, spans[number + 1])
        self._leave(0)

    def _line(self, start: int, end: int, following: tuple[int, int]) -> None:
        position, matched = self._match(start, end)
        if self._verbatim is not None:
            if matched >= self._verbatim.depth:
                self._contain(start, position, end, matched)
                self._in_verbatim(position, end)
                return
            self._verbatim = None
        if self._table == "delimiters":
            self._table = "rows"
            self._contain(start, position, end, matched)
            return
        kept = matched
        if matched < len(self._containers):
            self._table = None
        while True:
            blanks, begin = self._indent(position, end)
            if begin == end:
                self._blank(matched)
                self._contain(start, begin, end, kept)
                return
            if blanks >= 4:
                if self._paragraph is None:
                    self._leave(matched)  # indented code
                    self._contain(start, position, end, kept)
                    self._end = end
                    return
                break
            inner = self._open(begin, end, blanks, matched)
            if inner is None:
                break
            if inner < 0:
                self._contain(start, position, end, kept)
                self._end = end
                return
            position, matched = inner, len(self._containers)
        lazy = self._paragraph is not None and matched < len(self._containers)
        may_head_table = blanks < 4 and not lazy
        self._text_line(begin, end, matched, following if may_head_table else None)
        if matched == len(self._containers):
            self._contain(start, position, end, kept)
        self._end = end

    def _contain(self, start: int, position: int, end: int, kept: int) -> None:
        """Note a line whose containers are all that are open, `kept` of them from the line before."""
        if self._containers and start < end:
            inside = tuple(self._containers)
            self.found.contained.append(ContainedLine(start, position, inside, len(inside) - kept))

    def _match(self, position: int, end: int) -> tuple[int, int]:
        """Past the marks of the containers that the line goes on with, and how many those are."""
        for number, container in enumerate(self._containers):
            blanks, begin = self._indent(position, end)
            if container.width:
                if begin == end:
                    position = end
                elif blanks >= container.width:
                    position = self._advance(position, container.width)
                else:
                    return position, number
            elif begin < end and blanks < 4 and self._text[begin] == ">":
                position = begin + 1
                if self._text.startswith(" ", position):
                    position += 1
            else:
                return position, number
        return position, len(self._containers)

    def _indent(self, position: int, end: int) -> tuple[int, int]:
        """The columns of blanks from `position`, and where they end."""
        columns = 0
        while position < end and (char := self._text[position]) in " \t":
            columns += 1 if char == " " else 4
            position += 1
        return columns, position

    def _advance(self, position: int, columns: int) -> int:
        while columns > 0 and self._text[position : position + 1] in (" ", "\t"):
            columns -= 1 if self._text[position] == " " else 4
            position += 1
        return position

    def _open(self, begin: int, end: int, blanks: int, matched: int) -> int | None:
        """What starts at `begin`: where the inside of a container starts; -1 for a block that takes the rest of the
        line; None for text."""
        text = self._text
        char = text[begin]
        if char.isalpha():
            return None
        line = text[begin:end]
        going_on = self._paragraph is not None and matched == len(self._containers)  # it would interrupt that paragraph
        if char == ">":
            self._enter(matched, Container())
            return begin + 2 if text.startswith(" ", begin + 1) else begin + 1
        if char in "`~" and (fence := _FENCE.match(line)):
            marks = fence[1] or fence[2]
            self._begin(_Verbatim(re.compile(rf"{marks[0]}{{{len(marks)},}}[ \t]*\Z"), matched))
            return -1
        if char == "$" and _FORMULA_END.match(line):
            self._begin(_Verbatim(_FORMULA_END, matched))
            return -1
        if char == "#" and (heading := _HEADING.match(line)):
            self._leave(matched)
            self._add("heading", begin + heading.end(), end)
            return -1
        if char in "=-" and going_on and _UNDERLINE.match(line):
            self._paragraph = None
            return -1
        if char in "*-_" and _RULE.match(line):
            self._leave(matched)
            return -1
        if item := _ITEM.match(line):
            gap = len(item[2] or "")
            if going_on and (begin + item.end() >= end or item[1] not in (None, "1")):
                return None
            marker = item.end() - gap
            used = gap if 1 <= gap <= 4 else 1  # more is indented code in the item
            self._enter(matched, Container(blanks + marker + used, line[:marker]))
            return min(begin + marker + used, end)
        if char == "[" and (note := _NOTE.match(line)):
            self._enter(matched, Container(_NOTE_INDENT, "", note[1], begin))
            return begin + note.end()
        if char == "<" and (verbatim := _raw_html(line, matched, going_on)):
            self._begin(verbatim)
            if verbatim.anywhere and verbatim.end.search(line):
                self._verbatim = None
            return -1
        return None

    def _text_line(self, begin: int, end: int, matched: int, following: tuple[int, int] | None) -> None:
        if self._table == "rows":
            self._add_row(begin, end)
        elif following is not None and self._heads_table(begin, end, following):
            self._leave(matched)
            self._add_row(begin, end)
            self._table = "delimiters"
        elif self._paragraph is not None:  # perhaps without the marks of its containers: a lazy line
            self._paragraph.pieces.append((begin, end))
        else:
            self._leave(matched)
            self._paragraph = self._add("paragraph", begin, end)

    def _heads_table(self, begin: int, end: int, following: tuple[int, int]) -> bool:
        """Is the line the head of a table (GFM 4.10): delimiters follow, one for each cell?"""
        delimiters = _DELIMITERS.match(self._text, following[0], following[1])
        if delimiters is None or "-" not in delimiters[1] or "|" not in self._text[begin:end]:
            return False
        ruled = 0
        for start, stop in self._cells(delimiters.start(1), delimiters.end(1)):
            if not _DELIMITER.match(self._text, start, stop):
                return False
            ruled += 1
        return ruled == sum(1 for _ in self._cells(begin, end))

    def _add_row(self, begin: int, end: int) -> None:
        """The first cell, which stands for the row, and those that may refer or mean something to some program."""
        for number, (start, stop) in enumerate(self._cells(begin, end)):
            if number == 0 or _TELLING.search(self._text, start, stop):
                self._add("cell", start, stop)

    def _cells(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """The cells of a row: a `|` that no backslash precedes parts them, also in code."""
        while end > begin and self._text[end - 1] in " \t":
            end -= 1
        if self._text.startswith("|", begin, end):
            begin += 1
        for match in _PIPE.finditer(self._text, begin, end):
            if match[1]:
                yield begin, match.start()
                begin = match.end()
        if begin < end:
            yield begin, end

    def _add(self, kind: Kind, begin: int, end: int) -> Block:
        block = Block(
            kind,
            [(begin, end)],
            quotes=sum(not container.width for container in self._containers),
            items=sum(container.width > 0 and container.note is None for container in self._containers),
            note=next((container.note for container in self._containers if container.note is not None), None),
        )
        self.found.blocks.append(block)
        return block

    def _begin(self, verbatim: _Verbatim) -> None:
        self._leave(verbatim.depth)
        self._verbatim = verbatim

    def _in_verbatim(self, position: int, end: int) -> None:
        verbatim = self._verbatim
        assert verbatim is not None
        _, begin = self._indent(position, end)
        if begin < end:
            self._end = end
        if verbatim.anywhere:
            ended = verbatim.end.search(self._text, position, end)
        else:
            ended = verbatim.end.match(self._text, begin, end)
        if ended:
            self._verbatim = None

    def _blank(self, matched: int) -> None:
        """An empty line ends paragraphs, tables, and the quotes that it does not go on with."""
        self._paragraph = self._table = None
        if matched < len(self._containers):
            self._leave(matched)

    def _enter(self, matched: int, container: Container) -> None:
        self._leave(matched)
        self._containers.append(container)

    def _leave(self, depth: int) -> None:
        """End whatever is open, and all containers inside of the first `depth`."""
        self._paragraph = self._table = None
        for container in self._containers[depth:]:
            if container.note is not None:
                self.found.notes.append(NoteDefinition(container.note, container.start, self._end))
        del self._containers[depth:]


def _raw_html(line: str, depth: int, going_on: bool) -> _Verbatim | None:
    """The raw HTML that starts with `line`, if it does (CommonMark 4.6; kinds 3 to 5 are not looked for)."""
    if raw := HTML_RAW.match(line):
        return _Verbatim(_HTML_END if raw[1] else _COMMENT_END, depth, anywhere=True)
    if HTML_BLOCK.match(line) or (not going_on and HTML_TAG.match(line)):
        return _Verbatim(_BLANK_LINE, depth)
    return None
