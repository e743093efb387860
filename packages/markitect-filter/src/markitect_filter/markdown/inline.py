"""One paragraph: the joined text and marks that the walker collected -> a string of Markdown.

Most paragraphs have neither marks nor special characters; they leave through the first door of `render`. The others
are cut into items (white space collapsed and moved out of spans, touching spans merged), then written with each item
knowing its neighbours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from .delimiters import Delimiter, Run, flanking, intended, matches, needs_reference
from .escape import Escaper, destination, escape_closing, escape_line, title
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
    SOFT_BREAK,
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
_OPENING = {EM_END: EM, STRONG_END: STRONG, STRIKE_END: STRIKE, URL_END: URL, LINK_END: LINK, TAG_END: TAG}
_NEEDS_WORK = re.compile(r"[\x01-\x08\x0e-\x13\\`*_\[\]<&$~|]")
_BREAKS = {"paragraph": "\\\n", "heading": " ", "cell": "<br>"}
_MAX_SAME = 2  # spans of one kind inside each other: `*` and `_` tell two apart, a third adds nothing


@dataclass(frozen=True, slots=True)
class Inline:
    """A paragraph as Markdown. Without `visible` text holds only anchors and page marks (or nothing)."""

    text: str
    visible: bool
    emitted: int  # source characters, blanks not counted
    lost_spans: int = 0  # spans for which no delimiters could be found


class Kind(Enum):
    TEXT = auto()
    CODE = auto()
    ATOM = auto()  # finished Markdown
    ZERO = auto()  # anchors and page marks: may vanish
    OPEN = auto()  # of a link, tag or span; `text` tells which
    CLOSE = auto()
    BREAK = auto()


@dataclass(slots=True)
class Item:
    kind: Kind
    text: str
    mark: str = ""  # of OPEN and CLOSE: which kind of mark
    mate: Item | None = None
    delimiter: Delimiter | None = None
    first_as_reference: bool = False
    last_as_reference: bool = False


def collapse(text: str) -> str:
    """Runs of XML white space as one blank each; other Unicode spaces are text and stay."""
    if "\n" in text or "\t" in text or "\r" in text:
        text = text.replace("\n", " ").replace("\t", " ").replace("\r", " ")
    if "  " in text:
        text = _squeeze(text)
    return text


def _squeeze(text: str) -> str:
    joined = " ".join([word for word in text.split(" ") if word])
    if text[0] == " ":
        joined = f" {joined}"
    return f"{joined} " if text[-1] == " " and joined != " " else joined


def render(source: str, late: Late, place: Place = "paragraph") -> Inline:
    """Write one paragraph. `source` is text with marks, `late` what numbered marks stand for."""
    if _NEEDS_WORK.search(source) is None:
        text = collapse(source).strip(" ")
        return Inline(_edges(text, place), bool(text) and not text.isspace(), nonblank(text))
    return _Paragraph(source, late, place).write()


def _edges(text: str, place: Place) -> str:
    """Line starts that look like block markers escaped; blanks at the edges, which parsers strip, as references."""
    if not text or place == "cell":
        return _keep_outer_space(text)
    if place == "heading":
        return _keep_outer_space(escape_closing(text))
    if "\n" not in text:
        return _keep_outer_space(escape_line(text, first=True))
    lines = text.split("\n")
    return _keep_outer_space("\n".join([escape_line(line, first=not n) for n, line in enumerate(lines)]))


def _keep_outer_space(text: str) -> str:
    if text and text[0].isspace():
        text = f"&#{ord(text[0])};{text[1:]}"
    if text and text[-1].isspace():
        text = f"{text[:-1]}&#{ord(text[-1])};"
    return text


class _Paragraph:
    """The slow way, in two steps: `_collect` makes the items, `_spell` the string."""

    def __init__(self, source: str, late: Late, place: Place) -> None:
        self.tokens = TOKENS.split(source)
        self.late = late
        self.place = place
        self.items: list[Item] = []
        self.pending: list[Item] = []  # openings that wait for text: white space goes before them
        self.open: list[Item | None] = []  # openings written; None for one that is left out
        self.space = False
        self.code = False
        self.emitted = 0
        self.lost = 0

    def write(self) -> Inline:
        plain = "".join(self.tokens[::2])
        self._collect()
        items = self.items
        while items and items[-1].kind is Kind.BREAK:
            items.pop()
        visible = any(i.kind in (Kind.TEXT, Kind.CODE, Kind.ATOM) and not i.text.isspace() for i in items)
        if not visible:
            return Inline("".join([i.text for i in items if i.kind is Kind.ZERO]), False, self.emitted)
        self._delimit()
        text = self._spell(plain)
        return Inline(_edges(text, self.place), True, self.emitted, self.lost)

    # -- items

    def _collect(self) -> None:
        for n, token in enumerate(self.tokens):
            if not token:
                continue
            if not n % 2:
                self._text(token)
            elif token[0] == MARK:
                self._numbered(token)
            elif token in _WEIGHT:
                self._opening(Item(Kind.OPEN, "", token))
            elif token in _OPENING:
                self._closing(_OPENING[token], "")
            elif token == CODE:
                self.code = True
            elif token == CODE_END:
                self.code = False
            else:
                self._break(token)

    def _text(self, token: str) -> None:
        text = collapse(token)
        if text[0] == " ":
            self.space = True
            text = text[1:]
        if not text:
            return
        trailing = text[-1] == " "
        if trailing:
            text = text[:-1]
        self.emitted += nonblank(text)
        kind = Kind.CODE if self.code else Kind.TEXT
        if self.pending and text[0].isspace():  # other Unicode spaces: outside of the span as well
            stripped = text.lstrip()
            held, self.pending = self.pending, []
            self._place(Item(Kind.TEXT, text[: len(text) - len(stripped)]))
            self.pending, text = held, stripped
        if text:
            self._place(Item(kind, text))
        self.space = self.space or trailing

    def _place(self, item: Item) -> None:
        """Write what waited, then `item`."""
        items = self.items
        if self.space:
            self.space = False
            if not self._at_line_start():
                self._append_text(" ")
        if self.pending:
            self._write_pending()
        if item.kind is Kind.TEXT:
            self._append_text(item.text)
        elif item.kind is Kind.CODE and items and items[-1].kind is Kind.CODE:
            items[-1].text += item.text
        else:
            items.append(item)

    def _at_line_start(self) -> bool:
        for item in reversed(self.items):
            if item.kind is not Kind.ZERO:
                return item.kind is Kind.BREAK
        return True

    def _append_text(self, text: str) -> None:
        if self.items and self.items[-1].kind is Kind.TEXT:
            self.items[-1].text += text
        else:
            self.items.append(Item(Kind.TEXT, text))

    def _write_pending(self) -> None:
        items = self.items
        for opening in self.pending:
            last = items[-1] if items else None
            if last is not None and last.kind is Kind.CLOSE and last.mark == opening.mark and opening.mark in _WEIGHT:
                items.pop()  # the span that just closed goes on
                self.open.append(last.mate)
                continue
            if opening.mark in _WEIGHT:
                same = sum(1 for i in self.open if i is not None and i.mark == opening.mark)
                if same >= (1 if opening.mark == STRIKE else _MAX_SAME):
                    self.open.append(None)
                    continue
                opening.delimiter = Delimiter(_WEIGHT[opening.mark], True, "~" if opening.mark == STRIKE else "*")
            items.append(opening)
            self.open.append(opening)
        self.pending = []

    def _opening(self, item: Item) -> None:
        self.pending.append(item)

    def _closing(self, mark: str, text: str) -> None:
        if self.pending:
            self.pending.pop()  # nothing was inside
            return
        opening = self.open.pop()
        if opening is None:
            return
        items = self.items
        after: list[Item] = []
        while items and items[-1].kind in (Kind.ZERO, Kind.BREAK):
            after.append(items.pop())
        if items and items[-1].kind is Kind.TEXT and items[-1].text[-1].isspace():
            stripped = items[-1].text.rstrip()
            tail = items[-1].text[len(stripped) :]
            if stripped:
                items[-1].text = stripped
                after.append(Item(Kind.TEXT, tail))
        item = Item(Kind.CLOSE, text, mark, opening)
        if opening.delimiter is not None:
            item.delimiter = Delimiter(opening.delimiter.weight, False, opening.delimiter.char, opening.delimiter)
            opening.delimiter.mate = item.delimiter
        items.append(item)
        items.extend(reversed(after))

    def _numbered(self, token: str) -> None:
        kind, number = token[1], int(token[2:-1])
        if kind in (ANCHOR, PAGE):
            place = len(self.items)
            if self.code and not self.space and place and self.items[-1].kind is Kind.CODE:
                place -= 1  # a code span is one piece
            self.items.insert(place, Item(Kind.ZERO, token))
        elif kind == TAG:
            self._opening(Item(Kind.OPEN, f"<{TAGS[number]}>", TAG))
        elif kind == TAG_END:
            self._closing(TAG, f"</{TAGS[number]}>")
        elif kind == URL:
            self._opening(Item(Kind.OPEN, "[", URL))
        elif kind == URL_END:
            target = self.late[number]
            assert isinstance(target, LinkTarget)
            cell = self.place == "cell"
            self._closing(URL, f"]({destination(target.url or '', cell=cell)}{title(target.title, cell=cell)})")
        elif kind == LINK:
            self._opening(Item(Kind.OPEN, token, LINK))
        elif kind == LINK_END:
            self._closing(LINK, token)
        elif kind == NOTE:
            self._place(Item(Kind.ATOM, token))
        else:
            text = str(self.late[number])
            if kind == DISPLAY:
                text = f"$${text}$$"
            self._place(Item(Kind.ATOM, text.replace("|", "\\|") if self.place == "cell" else text))

    def _break(self, token: str) -> None:
        self.space = False
        if self.place == "heading":
            self.space = True
            return
        if not self.items or all(i.kind is Kind.ZERO for i in self.items):
            return
        if (token == SOFT_BREAK or self.place == "cell") and self._at_line_start():
            return
        self.items.append(Item(Kind.BREAK, _BREAKS[self.place]))

    # -- delimiters

    def _delimit(self) -> None:
        """Choose characters for the spans, and prove that they are read back as they are meant."""
        ends = [i for i in self.items if i.delimiter is not None]
        if not ends:
            return
        self._choose_characters(ends)
        for attempt in range(3):
            runs = self._runs()
            for run, left, right in runs:
                before, after = needs_reference(run)
                if before and left is not None:
                    left.last_as_reference = True
                if after and right is not None:
                    right.first_as_reference = True
                run.can_open, run.can_close = flanking(run, before_is_reference=before, after_is_reference=after)
            plain = [run for run, _, _ in runs]
            wanted = intended(plain)
            got = matches(plain)
            if got == wanted:
                return
            if attempt == 0:
                for item in ends:
                    if item.mark == EM and item.delimiter is not None:
                        item.delimiter.char = "_"
            else:
                self._drop(plain, wanted, got)

    def _choose_characters(self, ends: list[Item]) -> None:
        depth = {EM: 0, STRONG: 0, STRIKE: 0}
        items = self.items
        for item in ends:
            delimiter = item.delimiter
            assert delimiter is not None
            if item.kind is Kind.OPEN:
                if item.mark != STRIKE and depth[item.mark]:
                    delimiter.char = "_"
                depth[item.mark] += 1
            else:
                depth[item.mark] -= 1
                assert delimiter.mate is not None
                delimiter.char = delimiter.mate.char
        # `***a***` is read as strong inside of emphasis: the other way round needs two characters
        for n, item in enumerate(items[:-1]):
            inner = items[n + 1]
            if item.mark == STRONG and inner.mark == EM and item.kind is inner.kind is Kind.OPEN:
                inner_end = _end_of(items, inner, n)
                outer_end = _end_of(items, item, inner_end)
                if outer_end == inner_end + 1:
                    assert item.delimiter is not None
                    for end in (inner, items[inner_end]):
                        assert end.delimiter is not None
                        end.delimiter.char = "_" if item.delimiter.char == "*" else "*"

    def _runs(self) -> list[tuple[Run, Item | None, Item | None]]:
        """Touching delimiters of one character, with the text items whose edge could be written differently."""
        found: list[tuple[Run, Item | None, Item | None]] = []
        items, n = self.items, 0
        while n < len(items):
            first = items[n].delimiter
            if first is None or first.dropped:
                n += 1
                continue
            end = n + 1
            run = [first]
            while end < len(items):
                following = items[end].delimiter
                if following is None or following.dropped or following.char != first.char:
                    break
                run.append(following)
                end += 1
            left, before = self._neighbour(n - 1, -1, any(not d.opens for d in run))
            right, after = self._neighbour(end, 1, any(d.opens for d in run))
            found.append((Run(run, before, after), left, right))
            n = end
        return found

    def _neighbour(self, n: int, step: int, inner: bool) -> tuple[Item | None, str]:
        """The item and character beside a run. Towards the inside of its span a mark that may vanish counts as
        punctuation, towards the outside as nothing: the stricter reading each time."""
        items = self.items
        while 0 <= n < len(items):
            item = items[n]
            if item.kind is Kind.TEXT:
                return item, item.text[0 if step > 0 else -1]
            if item.kind is Kind.BREAK:
                return None, " " if self.place != "cell" else "<"
            vanishing = item.kind is Kind.ZERO or (item.mark == LINK and item.kind in (Kind.OPEN, Kind.CLOSE))
            if item.delimiter is not None and not item.delimiter.dropped:
                return None, item.delimiter.char
            if not vanishing and item.delimiter is None:
                return None, "`"
            if vanishing and inner:
                return None, "["
            n += step
        return None, ""

    def _drop(self, runs: list[Run], wanted: list[tuple[int, int, int]], got: list[tuple[int, int, int]]) -> None:
        """Give up the first span that is not read back."""
        failing = next((span for n, span in enumerate(wanted) if n >= len(got) or got[n] != span), None)
        ends = [d for run in runs for d in run.delimiters if not d.opens]
        target = ends[wanted.index(failing)] if failing is not None else ends[-1]
        assert target.mate is not None
        target.dropped = target.mate.dropped = True
        self.lost += 1

    # -- text

    def _spell(self, plain: str) -> str:
        items = self.items
        escaper = Escaper(
            plain,
            emphasis=any(i.delimiter is not None for i in items),
            code=any(i.kind is Kind.CODE for i in items),
            math=any(i.kind is Kind.ATOM and i.text[0] == "$" for i in items),
            strike=any(i.mark == STRIKE for i in items),
            cell=self.place == "cell",
        )
        out: list[str] = []
        links = 0
        for n, item in enumerate(items):
            if item.kind is Kind.TEXT:
                out.append(self._escape(n, item, escaper, links > 0))
            elif item.kind is Kind.CODE:
                out.append(code_span(item.text, cell=self.place == "cell"))
            elif item.delimiter is not None:
                out.append(item.delimiter.text)
            else:
                if item.mark in (URL, LINK):
                    links += 1 if item.kind is Kind.OPEN else -1
                if item.kind is Kind.ATOM and item.text[0] == "$" and out and out[-1][-1] == "$":
                    out.append(" ")  # two formulas that touch would be read as one
                out.append(item.text)
        return "".join(out)

    def _escape(self, n: int, item: Item, escaper: Escaper, in_link: bool) -> str:
        text = item.text
        _, before = self._visible(n - 1, -1)
        following, after = self._visible(n + 1, 1)
        previous = self.items[n - 1] if n else None
        first = last = ""
        if _is_formula(previous) and text[0].isdigit():
            item.first_as_reference = True
        if _is_formula(self.items[n + 1] if n + 1 < len(self.items) else None) and text[-1].isdigit():
            item.last_as_reference = True
        if item.last_as_reference:
            last, text, after = f"&#{ord(text[-1])};", text[:-1], "&"
        if item.first_as_reference and text:
            first, text, before = f"&#{ord(text[0])};", text[1:], ";"
        elif previous is not None and previous.text.startswith(f"{MARK}{NOTE}") and text[:1] in ("(", ":", "["):
            first, text, before = f"\\{text[0]}", text[1:], text[0]
        bang = not last and following is not None and _starts_with_bracket(self.items, n + 1)
        if text:
            text = escaper.escape(text, before, after, in_link=in_link, bang=bang)
        return f"{first}{text}{last}"

    def _visible(self, n: int, step: int) -> tuple[Item | None, str]:
        """The item beside, and its visible character: what may vanish is looked through."""
        items = self.items
        while 0 <= n < len(items):
            item = items[n]
            if item.kind is Kind.TEXT:
                return item, item.text[0 if step > 0 else -1]
            if item.kind is Kind.BREAK:
                return item, "" if self.place != "cell" else "<"
            if item.kind is Kind.ZERO or item.mark == LINK:
                n += step
                continue
            if item.delimiter is not None:
                if item.delimiter.dropped:
                    n += step
                    continue
                return item, item.delimiter.char
            if item.kind is Kind.CODE:
                return item, "`"
            if item.text[:1] == MARK:
                return item, "[" if step > 0 else "]"
            return item, item.text[0 if step > 0 else -1]
        return None, ""


def _end_of(items: list[Item], opening: Item, start: int) -> int:
    return next(n for n in range(start, len(items)) if items[n].mate is opening)


def _is_formula(item: Item | None) -> bool:
    return item is not None and item.kind is Kind.ATOM and item.text[0] == "$"


def _starts_with_bracket(items: list[Item], n: int) -> bool:
    """Would what follows start with `[` in some outcome?"""
    while n < len(items):
        item = items[n]
        if item.kind is Kind.ZERO:
            n += 1
            continue
        if item.kind is Kind.OPEN:
            return item.mark in (URL, LINK)
        return item.kind is Kind.ATOM and (item.text[:1] == "[" or item.text.startswith(f"{MARK}{NOTE}"))
    return False


def code_span(text: str, *, cell: bool = False) -> str:
    """`text` as a code span (CommonMark 6.1): one backtick more than its longest run, blanks at the edges kept."""
    longest = run = 0
    if "`" in text:
        for char in text:
            run = run + 1 if char == "`" else 0
            longest = max(longest, run)
    fence = "`" * (longest + 1)
    if text[0] == "`" or text[-1] == "`" or (text[0] == " " == text[-1] and text.strip(" ")):
        text = f" {text} "
    if cell:
        text = text.replace("|", "\\|")
    return f"{fence}{text}{fence}"
