"""What a Markdown text refers to and what it names: links, pictures, anchors, footnotes, with their exact places.

Brackets are matched as CommonMark 0.31 says (section 6 and its appendix), so what only looks like a link (in code, in
raw HTML, escaped, in a formula) is none here. Of every find the place of its name alone is told: whoever changes that
changes nothing else. What is left is plain text, and where that is can be told, too.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from markitect_tool.outputs.blocks import Block, Blocks

Kind = Literal["link", "image", "anchor", "note"]

_SPECIAL = re.compile(r"[\\`$\[\]]|!\[|<(?=[A-Za-z/!?])")
_TICKS = re.compile(r"`+")
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[A-Za-z0-9.-]+)>")
_TAG = re.compile(
    r"<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?){0,500}\s*/?>"
    r"|</[A-Za-z][A-Za-z0-9-]*\s*>"
)
_ANCHOR = re.compile(r"<[Aa](?=\s)[^>]*?\s(?:id|name)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REMARKS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"))
_DECLARATION = re.compile(r"<![A-Za-z][^>]*>|<!--?->")
_FORMULA = re.compile(r"\$\$[^$\\]*(?:\\.[^$\\]*)*\$\$|\$(?=[^\s$])[^$\\]*(?:\\.[^$\\]*)*(?<=\S)\$(?!\d)", re.DOTALL)
_NOTE = re.compile(r"\[\^([^\]\[\s]+)\]")
_BLANKS = re.compile(r"[ \t\n]*")
_BRACED = re.compile(r"<([^<>\n\\]*(?:\\.[^<>\n\\]*)*)>")
_TITLE = re.compile(r"\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'[^'\\]*(?:\\.[^'\\]*)*'|\([^()\\]*(?:\\.[^()\\]*)*\)", re.DOTALL)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_DEFINITION = re.compile(r"\[((?:[^\[\]\\]|\\.){1,999})\]:", re.DOTALL)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_STOP = re.compile(r"\\[!-/:-@\[-`{-~]|[\\()\x00-\x20\x7f]")  # in a destination
_DEEPEST = 32  # nested parentheses in a destination

TAKEN = "\x00"
LINK_OPENING = "\x01"


@dataclass(frozen=True, slots=True)
class Reference:
    """A link, picture, anchor or reference to a footnote. `start` to `end` is its destination, id or label as written,
    without brackets; `name` what that means."""

    kind: Kind
    start: int
    end: int
    name: str
    block: Block


def references(text: str, blocks: Blocks, known_notes: Iterable[str] = ()) -> Iterator[Reference]:
    """The references in `text`, whose blocks are `blocks`, block by block.

    Footnotes are those that `text` defines, and `known_notes` besides.
    """
    notes = {*known_notes, *(note.label for note in blocks.notes)}
    spans, labels = _spans(text, blocks)
    for span in spans:
        if span.is_worth_reading():
            yield from _Reader(span, notes, labels).read()


def plain_texts(text: str, blocks: Blocks, wanted: re.Pattern[str]) -> Iterator[PlainText]:
    """The plain text of those blocks of `text` in which `wanted` is found."""
    notes = {note.label for note in blocks.notes}
    spans, labels = _spans(text, blocks)
    for span in spans:
        # behind link definitions, code and HTML may start that could not interrupt a paragraph
        start = span.offset(span.begin)
        if span.begin and (text.startswith("<", start) or text.endswith(("    ", "\t"), 0, start)):
            continue
        if wanted.search(span.text):
            reader = _Reader(span, notes, labels)
            for _ in reader.read():
                pass
            yield reader.plain_text()


def _spans(text: str, blocks: Blocks) -> tuple[list[_Span], set[str]]:
    """The blocks, and the labels of the link definitions in them."""
    spans = [_Span(text, block) for block in blocks.blocks]
    labels: set[str] = set()
    if "]:" in text:
        for span in spans:
            span.take_definitions(labels)
    return spans, labels


@dataclass(frozen=True, slots=True)
class PlainText:
    """The inline content of a block; of what is no plain text (code, formulas, HTML, escaped characters, footnotes,
    links but for their words) each character is `TAKEN`, and `LINK_OPENING` where a bracket opens a link or picture."""

    text: str
    block: Block
    closings: dict[int, int]  # of brackets that are plain text, where that is which closes the one that opens there
    offset: Callable[[int], int]  # in the whole text, of a position in this one


class _Span:
    """The inline content of a block as one string, and the way back to where it stands."""

    def __init__(self, text: str, block: Block) -> None:
        self.block = block
        self.text = "\n".join([text[start:end] for start, end in block.pieces])
        self.begin = 0  # behind the link definitions
        self.definitions: list[Reference] = []
        self._starts: list[int] | None = None

    def is_worth_reading(self) -> bool:
        return bool(self.definitions) or "[" in self.text or "<" in self.text

    def offset(self, position: int) -> int:
        """The offset in the whole text of a position in this one."""
        pieces = self.block.pieces
        if len(pieces) == 1:
            return pieces[0][0] + position
        if self._starts is None:
            self._starts = [0]
            for start, end in pieces[:-1]:
                self._starts.append(self._starts[-1] + end - start + 1)
        number = bisect_right(self._starts, position) - 1
        return pieces[number][0] + position - self._starts[number]

    def reference(self, kind: Kind, start: int, end: int, name: str) -> Reference:
        return Reference(kind, self.offset(start), self.offset(start) + end - start, name, self.block)

    def take_definitions(self, labels: set[str]) -> None:
        """Link definitions (CommonMark 4.7) stand at the start of a paragraph."""
        if self.block.kind != "paragraph":
            return
        while match := _DEFINITION.match(self.text, self.begin):
            place = destination(self.text, _BLANKS.match(self.text, match.end()).end())  # type: ignore[union-attr]
            if place is None or not match[1].strip():
                return
            start, end, after = place
            if start == end and self.text[start - 1 : start] != "<":
                return
            stop = _line_end(self.text, after)
            blanks = _BLANKS.match(self.text, after)
            assert blanks is not None
            if blanks.end() > after and (title := _TITLE.match(self.text, blanks.end())):
                stop = _line_end(self.text, title.end()) or stop
            if stop is None:
                return
            labels.add(_folded(match[1]))
            self.definitions.append(self.reference("link", start, end, unescaped(self.text[start:end])))
            self.begin = stop


class _Reader:
    """Finds the references of one block."""

    def __init__(self, span: _Span, notes: set[str], labels: set[str]) -> None:
        self._span = span
        self._text = span.text
        self._notes = notes
        self._labels = labels
        self._brackets: list[tuple[int, bool]] = []  # of those that are open: behind the bracket; is it a picture's?
        self._dead = 0  # the links among the first so many cannot be any more: a link holds no links
        self._ticks: dict[int, list[int]] | None = None
        self._unended: set[str] = set()
        self._taken: list[tuple[int, int]] = [(0, span.begin)]
        self._openings: list[int] = []  # of links and pictures
        self._closings: dict[int, int] = {}  # of other brackets

    def plain_text(self) -> PlainText:
        """What `read` left, which must have come to its end."""
        chars = list(self._text)
        for position in self._openings:
            chars[position] = LINK_OPENING
        for start, end in self._taken:
            chars[start:end] = TAKEN * (end - start)
        return PlainText("".join(chars), self._span.block, self._closings, self._span.offset)

    def read(self) -> Iterator[Reference]:
        yield from self._span.definitions
        text, position = self._text, self._span.begin
        while found := _SPECIAL.search(text, position):
            start, char = found.start(), found[0]
            position = start + len(char)
            if char == "\\":
                position += text[position : position + 1] in _ESCAPABLE
            elif char == "`":
                position = self._past_code(start)
            elif char == "$":
                formula = _FORMULA.match(text, start)
                position = formula.end() if formula else position
            elif char == "<":
                position = self._past_html(start)
                if (anchor := _ANCHOR.match(text, start, position)) is not None:
                    group = 1 if anchor[1] is not None else 2
                    name = html.unescape(anchor[group])
                    yield self._span.reference("anchor", anchor.start(group), anchor.end(group), name)
            elif char in ("[", "!["):
                note = _NOTE.match(text, start)
                if note is None or note[1] not in self._notes:
                    self._brackets.append((position, char == "!["))
                    continue
                yield self._span.reference("note", note.start(1), note.end(1), note[1])
                position = note.end()
            else:
                position, reference = self._close(start)
                if reference is not None:
                    yield reference
                continue
            if position > start + 1:
                self._taken.append((start, position))

    def _close(self, position: int) -> tuple[int, Reference | None]:
        """A closing bracket: where to go on, and the link or picture that it ends."""
        text, after = self._text, position + 1
        if not self._brackets:
            return after, None
        opened, picture = self._brackets.pop()
        self._closings[opened - 1] = position
        alive = picture or len(self._brackets) >= self._dead
        self._dead = min(self._dead, len(self._brackets))
        if not alive:
            return after, None
        reference, end, words_are_free = None, None, True
        if text.startswith("(", after) and (place := _inline_destination(text, after + 1)):
            start, stop, end = place
            kind: Kind = "image" if picture else "link"
            reference = self._span.reference(kind, start, stop, unescaped(text[start:stop]))
        elif self._labels:
            label = _LABEL.match(text, after)
            if label is not None and label[1].strip():
                end = label.end() if _folded(label[1]) in self._labels else None
            elif _folded(text[opened:position]) in self._labels:
                end, words_are_free = label.end() if label is not None else after, False
        if end is None:
            return after, None
        if not picture:
            self._dead = len(self._brackets)
        del self._closings[opened - 1]
        self._openings.append(opened - 1)
        # what a link to a definition is called by must stay as it is
        self._taken.append((position if words_are_free else opened, end))
        return end, reference

    def _past_code(self, position: int) -> int:
        """Behind the code span that starts at `position`, or behind the backticks if none does."""
        if self._ticks is None:
            self._ticks = {}
            for run in _TICKS.finditer(self._text):
                self._ticks.setdefault(len(run[0]), []).append(run.start())
        opening = _TICKS.match(self._text, position)
        assert opening is not None
        runs = self._ticks.get(len(opening[0]), [])
        number = bisect_left(runs, opening.end())
        return runs[number] + len(opening[0]) if number < len(runs) else opening.end()

    def _past_html(self, position: int) -> int:
        for pattern in (_AUTOLINK, _TAG, _DECLARATION):
            if match := pattern.match(self._text, position):
                return match.end()
        for start, stop in _REMARKS:
            if self._text.startswith(start, position) and stop not in self._unended:
                end = self._text.find(stop, position + len(start))
                if end >= 0:
                    return end + len(stop)
                self._unended.add(stop)  # nor does any later one end
        return position + 1


def destination(text: str, position: int) -> tuple[int, int, int] | None:
    """The link destination at `position` (CommonMark 6.3): where it starts and ends without its angle brackets, and
    what comes behind them. None if there is none."""
    if text.startswith("<", position):
        braced = _BRACED.match(text, position)
        return (braced.start(1), braced.end(1), braced.end()) if braced else None
    depth, end = 0, position
    while stop := _STOP.search(text, end):
        end, char = stop.start(), stop[0]
        if char == "(":
            depth += 1
            if depth > _DEEPEST:
                return None
        elif char == ")" and depth:
            depth -= 1
        elif len(char) == 1 and char != "\\":  # a blank, a control character, the end of the link
            break
        end = stop.end()
    else:
        end = len(text)
    return (position, end, end) if depth == 0 else None


def _inline_destination(text: str, position: int) -> tuple[int, int, int] | None:
    """The destination in the parentheses that open before `position`, and what comes behind them."""
    blanks = _BLANKS.match(text, position)
    assert blanks is not None
    place = destination(text, blanks.end())
    if place is None:
        return None
    start, end, after = place
    blanks = _BLANKS.match(text, after)
    assert blanks is not None
    if blanks.end() > after and (title := _TITLE.match(text, blanks.end())):
        blanks = _BLANKS.match(text, title.end())
        assert blanks is not None
    return (start, end, blanks.end() + 1) if text.startswith(")", blanks.end()) else None


def unescaped(written: str) -> str:
    """What a destination means: without its backslashes and character references."""
    if "\\" not in written:
        return html.unescape(written) if "&" in written else written
    parts = _ESCAPED.split(written)  # text, escaped character, text …
    return "".join(part if number % 2 else html.unescape(part) for number, part in enumerate(parts))


def _line_end(text: str, position: int) -> int | None:
    """Where the next line starts, if nothing but blanks stands before; else None."""
    while position < len(text) and text[position] in " \t":
        position += 1
    if position == len(text):
        return position
    return position + 1 if text[position] == "\n" else None


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()
