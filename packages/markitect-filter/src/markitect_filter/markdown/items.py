"""A paragraph as a list of items: text, code, finished pieces, ends of spans, breaks.

On the way from marks to items white space is collapsed and moved out of spans, touching spans of a kind are merged
and spans around nothing are left out.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Literal

from .delimiters import Delimiter
from .escape import destination, title
from .ledger import nonblank
from .marks import (
    ANCHOR,
    CODE,
    CODE_END,
    DISPLAY,
    EM,
    EM_END,
    LINK,
    LINK_END,
    MARK,
    NOTE,
    PAGE,
    STRIKE,
    STRIKE_END,
    STRONG,
    STRONG_END,
    TAG,
    TAG_END,
    TOKENS,
    URL,
    URL_END,
    Late,
    LinkTarget,
)

Place = Literal["paragraph", "heading", "cell"]
TAGS = ("sup", "sub", "ruby", "rt", "rb", "rtc")
_WEIGHT = {EM: 1, STRONG: 2, STRIKE: 2}
_OPENING = {EM_END: EM, STRONG_END: STRONG, STRIKE_END: STRIKE}
_INDENTATION = re.compile("\n[\n\t ]*")
_BREAKS = {"paragraph": "\\\n", "cell": "<br>"}


class Kind(Enum):
    """What an item is."""

    TEXT = auto()
    CODE = auto()
    ATOM = auto()  # finished Markdown
    ZERO = auto()  # anchors and page marks: may vanish
    OPEN = auto()  # of a link, tag or span; `mark` tells which
    CLOSE = auto()
    BREAK = auto()


class Item:
    """One piece of a paragraph. OPEN and CLOSE say which kind of `mark` they are, and CLOSE has its OPEN as `mate`."""

    __slots__ = ("delimiter", "first_as_reference", "kind", "last_as_reference", "mark", "mate", "text")

    def __init__(self, kind: Kind, text: str, mark: str = "", mate: Item | None = None) -> None:
        self.kind = kind
        self.text = text
        self.mark = mark
        self.mate = mate
        self.delimiter: Delimiter | None = None
        self.first_as_reference = False  # write the first character as a character reference
        self.last_as_reference = False

    @property
    def is_formula(self) -> bool:
        """Is it delimited by dollars?"""
        return self.kind is Kind.ATOM and self.text[:1] == "$"

    @property
    def is_blank(self) -> bool:
        """Is it nothing but white space?"""
        return self.kind is Kind.TEXT and self.text.isspace()

    @property
    def may_vanish(self) -> bool:
        """Is it nothing in some outcome: an anchor, the end of a link that may lead nowhere?"""
        return self.kind is Kind.ZERO or self.mark == LINK


def collapse(text: str) -> str:
    """Runs of XML white space (version 1.1: with U+0085) as one blank each; other Unicode spaces are text and stay."""
    if "\n" in text:
        text = _INDENTATION.sub(" ", text)
    for blank in "\t\r\x85":
        if blank in text:
            text = text.replace(blank, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


class Collector:
    """Cuts text with marks into `items`. `plain` is the text alone, `emitted` counts its characters without blanks."""

    def __init__(self, source: str, late: Late, place: Place) -> None:
        self.items: list[Item] = []
        self._late = late
        self._place = place
        self._pending: list[Item] = []  # openings that wait for text: white space goes before them
        self._open: list[Item] = []
        self._plain: list[str] = []
        self._space = False
        self._code = False
        self._line_start = True
        tokens = TOKENS.split(collapse(source))
        for n, token in enumerate(tokens):
            if not token:
                continue
            if not n % 2:
                self._text(token)
            elif token[0] == MARK:
                self._numbered(token)
            elif token in _WEIGHT:
                self._pending.append(Item(Kind.OPEN, "", token))
            elif token in _OPENING:
                self._close("")
            elif token == CODE:
                self._code = True
            elif token == CODE_END:
                self._code = False
            else:
                self._break()
        self._trim_line()
        self._drop_last_breaks()
        self.plain = "".join(self._plain)
        self.emitted = nonblank(self.plain)

    def _trim_line(self) -> None:
        """Drop the blanks at the end of the line, whatever Unicode calls so; anchors after them stay."""
        items = self.items
        n = len(items) - 1
        while n >= 0 and items[n].kind in (Kind.ZERO, Kind.TEXT):
            item = items[n]
            if item.kind is Kind.TEXT:
                if item.text[-1:].isspace():
                    item.text = item.text.rstrip()
                if item.text:
                    return
                del items[n]
            n -= 1

    def _drop_last_breaks(self) -> None:
        anchors: list[Item] = []
        while self.items and self.items[-1].kind in (Kind.BREAK, Kind.ZERO):
            item = self.items.pop()
            if item.kind is Kind.ZERO:
                anchors.append(item)
        self.items.extend(reversed(anchors))

    def _text(self, text: str) -> None:
        self._plain.append(text)
        if text[0] == " ":
            self._space = True
            text = text[1:]
        if not text:
            return
        trailing = text[-1] == " "
        if trailing:
            text = text[:-1]
        if text[:1].isspace() and (self._pending or (self._line_start and not self._code)):
            stripped = text.lstrip()  # other Unicode spaces: outside of the span as well, and not at the edge of a line
            if not self._line_start:
                held, self._pending = self._pending, []
                self._add(Item(Kind.TEXT, text[: len(text) - len(stripped)]))
                self._pending = held
            text = stripped
        if text:
            self._add(Item(Kind.CODE if self._code else Kind.TEXT, text))
        self._space = self._space or trailing

    def _add(self, item: Item) -> None:
        """Write what waited, then `item`."""
        if self._space:
            self._space = False
            if not self._line_start:
                self._append_text(" ")
        self._line_start = False
        if self._pending:
            self._write_pending()
        items = self.items
        if item.kind is Kind.TEXT:
            self._append_text(item.text)
        elif item.kind is Kind.CODE and items and items[-1].kind is Kind.CODE:
            items[-1].text += item.text
        else:
            items.append(item)

    def _append_text(self, text: str) -> None:
        if self.items and self.items[-1].kind is Kind.TEXT:
            self.items[-1].text += text
        else:
            self.items.append(Item(Kind.TEXT, text))

    def _write_pending(self) -> None:
        items = self.items
        for opening in self._pending:
            weight = _WEIGHT.get(opening.mark)
            last = items[-1] if items else None
            if weight and last is not None and last.kind is Kind.CLOSE and last.mark == opening.mark:
                items.pop()  # the span that just closed goes on
                assert last.mate is not None
                self._open.append(last.mate)
                continue
            if weight:
                opening.delimiter = Delimiter(weight, True, "~" if opening.mark == STRIKE else "*")
            items.append(opening)
            self._open.append(opening)
        self._pending = []

    def _close(self, text: str) -> None:
        """Close the innermost span, written as `text`. What can't be seen at its end stands after it."""
        if self._pending:
            self._pending.pop()  # nothing was inside
            return
        opening = self._open.pop()
        items = self.items
        after: list[Item] = []
        while items[-1].kind in (Kind.ZERO, Kind.BREAK) or items[-1].is_blank:
            after.append(items.pop())
        if items[-1].kind is Kind.TEXT and (stripped := items[-1].text.rstrip()) != items[-1].text:
            after.append(Item(Kind.TEXT, items[-1].text[len(stripped) :]))
            items[-1].text = stripped
        item = Item(Kind.CLOSE, text, opening.mark, opening)
        if opening.delimiter is not None:
            item.delimiter = Delimiter(opening.delimiter.weight, False, opening.delimiter.char, opening.delimiter)
            opening.delimiter.mate = item.delimiter
        items.append(item)
        items.extend(reversed(after))

    def _numbered(self, token: str) -> None:
        kind, number = token[1], int(token[2:-1])
        if kind in (ANCHOR, PAGE):
            place = len(self.items)
            if self._code and not self._space and place and self.items[-1].kind is Kind.CODE:
                place -= 1  # a code span is one piece
            self.items.insert(place, Item(Kind.ZERO, token))
        elif kind == TAG:
            self._pending.append(Item(Kind.OPEN, f"<{TAGS[number]}>", TAG))
        elif kind == TAG_END:
            self._close(f"</{TAGS[number]}>")
        elif kind == URL:
            self._pending.append(Item(Kind.OPEN, "[", URL))
        elif kind == URL_END:
            target = self._late[number]
            assert isinstance(target, LinkTarget)
            cell = self._place == "cell"
            self._close(f"]({destination(target.url or '')}{title(target.title, cell=cell)})")
        elif kind == LINK:
            self._pending.append(Item(Kind.OPEN, token, LINK))
        elif kind == LINK_END:
            self._close(token)
        elif kind == NOTE:
            self._add(Item(Kind.ATOM, token))
        else:
            text = str(self._late[number])
            if kind == DISPLAY:
                text = f"$${text}$$"
            self._add(Item(Kind.ATOM, text.replace("|", "\\|") if self._place == "cell" else text))

    def _break(self) -> None:
        self._space = False
        self._plain.append(" ")
        if self._place == "heading":
            self._space = True
        elif not self._line_start:
            self._trim_line()
            self.items.append(Item(Kind.BREAK, _BREAKS[self._place]))
            self._line_start = True
