"""One paragraph: the joined text and marks that the walker collected -> a string of Markdown.

Most paragraphs have neither marks nor special characters; they leave through the first door of `render`, and those
with plain marks through the second (`quick`). The others are cut into `items`, get delimiters for their `emphasis`,
and are written here with each item knowing its neighbours.
"""

from __future__ import annotations

import re

from . import quick
from .alphabet import ANY, Alphabet
from .emphasis import delimit
from .escape import EDGY, SPECIAL, Escaper, escape_closing, escape_line
from .items import Collector, Item, Kind, Place, collapse
from .ledger import EVERY_SPACE
from .marks import ANCHOR, BREAK, CODE, LINK, MARK, NOTE, PAGE, SOFT_BREAK, STRIKE, URL, Late

_TOUCHY = re.compile(rf"{SPECIAL.pattern}|^[(:\d]|\d$")  # text that its neighbours may make something else of
_VISIBLE = (Kind.TEXT, Kind.CODE, Kind.ATOM)
_NOTE = f"{MARK}{NOTE}"
_LEADING = re.compile(rf"(?:{MARK}[{ANCHOR}{PAGE}][0-9]+\x11[\s{BREAK}]*)+")
_AFTER = {NOTE: "(:[", URL: "^", LINK: "^"}  # what would make something else of a note reference, of a link


# A paragraph as Markdown; whether anything in it can be seen, if not it holds only anchors and page marks; how many
# source characters were written, blanks not counted; for how many spans no delimiters could be found.
Inline = tuple[str, bool, int, int]


def render(
    source: str,
    late: Late,
    place: Place = "paragraph",
    alphabet: Alphabet = ANY,
    *,
    anchors: str = "",
    marked: bool = True,
) -> Inline:
    """Write one paragraph. `source` is text with marks, `late` what numbered marks stand for, `anchors` are more of
    them that stand before it. A caller who knows more saves time: `alphabet`, what may occur in the text, and `marked`,
    whether there are marks in it."""
    text, given = source, anchors
    if place == "heading" and CODE not in source:  # there a line break is a blank
        text = text.replace(BREAK, " ").replace(SOFT_BREAK, " ")
    text = collapse(text).strip()
    if marked:
        if BREAK in text or SOFT_BREAK in text:
            text = quick.join_breaks(text).strip(f"{EVERY_SPACE}{BREAK}")
        if MARK in text:
            text = quick.move_anchors(text).strip(" ")
        if text[:1] == MARK and (match := _LEADING.match(text)) is not None:
            anchors += "".join(match[0].replace(BREAK, "").split())  # breaks between them say nothing
            text = text[match.end() :]
    if not text:
        return anchors, False, 0, 0
    hard = anchors and text[0] in "*_"  # a delimiter run has another neighbour than the quick way sees
    spelled = quick.spell(text, late, place, alphabet.specials, marked=marked) if not hard else None
    if spelled is None:
        return _render_items(source, late, place, given)
    markdown, marks = spelled
    emitted = len(text) - text.count(" ") - marks
    for space in alphabet.other_spaces:
        if space in text:
            emitted -= text.count(space)
    if markdown[0] in EDGY or "\n" in markdown or place == "heading":
        markdown = _edges(markdown, place)
    return anchors + markdown, True, emitted, 0


def _render_items(source: str, late: Late, place: Place, anchors: str = "") -> Inline:
    """The long way, for any paragraph."""
    paragraph = Collector(source, late, place)
    items = paragraph.items
    if not any(item.kind in _VISIBLE and not item.text.isspace() for item in items):
        return anchors + "".join([i.text for i in items if i.kind is Kind.ZERO]), False, paragraph.emitted, 0
    if anchors:  # only now: there may be as many before each of thousands of paragraphs with nothing to be seen
        paragraph = Collector(f"{anchors}{source}", late, place)
        items = paragraph.items
    lost = delimit(items, place)
    text = _Spelling(items, paragraph.plain, place).text()
    return _edges(text, place), True, paragraph.emitted, lost


def _edges(text: str, place: Place) -> str:
    """What the edges of lines would make of the text escaped: block markers, the closing hashes of a heading."""
    if place == "cell":
        return text
    if place == "heading":
        return escape_closing(text)
    if "\n" not in text:
        return escape_line(text, first=True)
    return "\n".join([escape_line(line, first=not n) for n, line in enumerate(text.split("\n"))])


class _Spelling:
    """Writes items: text escaped where its neighbours ask for it."""

    def __init__(self, items: list[Item], plain: str, place: Place) -> None:
        self.items = items
        self.cell = place == "cell"
        emphasis = code = math = strike = False
        for item in items:
            if item.delimiter is not None:
                emphasis = True
                strike = strike or item.mark == STRIKE
            elif item.kind is not Kind.TEXT:
                math = math or item.is_formula
                code = code or item.kind is Kind.CODE or "`" in item.text
        self.escaper = Escaper(plain, emphasis=emphasis, code=code, math=math, strike=strike, cell=self.cell)

    def text(self) -> str:
        out: list[str] = []
        links = 0
        last = ""
        for n, item in enumerate(self.items):
            if item.kind is Kind.TEXT:
                text = self._escape(n, item, links > 0)
            elif item.kind is Kind.CODE:
                text = code_span(item.text, cell=self.cell)
            elif item.delimiter is not None:
                text = item.delimiter.text
            else:
                if item.mark in (URL, LINK):
                    links += 1 if item.kind is Kind.OPEN else -1
                text = item.text
                if last == "$" and item.is_formula:
                    text = f" {text}"  # two formulas that touch would be read as one
            if text:
                out.append(text)
                last = text[-1]
        return "".join(out)

    def _escape(self, n: int, item: Item, in_link: bool) -> str:
        text = item.text
        if not (item.first_as_reference or item.last_as_reference or _TOUCHY.search(text)):
            return text
        before = self._beside(n - 1, -1)
        after = self._beside(n + 1, 1)
        previous = self.items[n - 1] if n else None
        following = self.items[n + 1] if n + 1 < len(self.items) else None
        first = last = ""
        # `$1$2` and `2$1$` are no formulas
        as_first = item.first_as_reference or (previous is not None and previous.is_formula and text[0].isdigit())
        as_last = item.last_as_reference or (following is not None and following.is_formula and text[-1].isdigit())
        if as_last:
            last, text, after = f"&#{ord(text[-1])};", text[:-1], "&"
        if as_first and text:
            first, text, before = f"&#{ord(text[0])};", text[1:], ";"
        elif text and previous is not None:
            if text[0] in _AFTER.get(_kind_of_bracket(previous), ()):
                first, text, before = f"\\{text[0]}", text[1:], text[0]
            elif previous.may_vanish and text[0] in "*_":
                run = text[: len(text) - len(text.lstrip(text[0]))]
                first, text, before = _escaped(run), text[len(run) :], run[0]
        if text and following is not None and following.may_vanish and text[-1] in "*_\\":
            run = text[len(text.rstrip(text[-1])) :]
            last, text, after = _escaped(run), text[: -len(run)], run[0]
        if text:
            bang = not last and _starts_with_bracket(self.items, n + 1)
            text = self.escaper.escape(text, before, after, in_link=in_link, bang=bang)
        return f"{first}{text}{last}"

    def _beside(self, n: int, step: int) -> str:
        """The visible character of the item beside: what may vanish is looked through, see `_escape`."""
        items = self.items
        while 0 <= n < len(items):
            item = items[n]
            if item.kind is Kind.TEXT:
                return item.text[0 if step > 0 else -1]
            if item.kind is Kind.BREAK:
                if self.cell:
                    return "<" if step > 0 else ">"
                return "\\" if step > 0 else ""  # a hard break is a backslash and the next line
            if item.delimiter is not None:
                if not item.delimiter.dropped:
                    return item.delimiter.char
            elif item.kind is Kind.CODE:
                return "`"
            elif not item.may_vanish:
                if item.text[:1] == MARK:
                    return "[" if step > 0 else "]"
                return item.text[0 if step > 0 else -1]
            n += step
        return ""


def _escaped(run: str) -> str:
    return "".join(f"\\{char}" for char in run)


def _kind_of_bracket(item: Item) -> str:
    if item.kind is Kind.OPEN:
        return item.mark
    return NOTE if item.text.startswith(_NOTE) else ""


def _starts_with_bracket(items: list[Item], n: int) -> bool:
    """Would what follows start with `[` in some outcome?"""
    while n < len(items):
        item = items[n]
        if item.kind is Kind.OPEN:
            return item.mark in (URL, LINK)
        if item.kind is not Kind.ZERO:
            return item.kind is Kind.ATOM and (item.text[:1] == "[" or item.text.startswith(_NOTE))
        n += 1
    return False


def code_span(text: str, *, cell: bool = False) -> str:
    """`text` as a code span (CommonMark 6.1): one backtick more than its longest run, blanks at the edges kept."""
    fence = "`" * (longest_run(text, "`") + 1)
    if text[0] == "`" or text[-1] == "`" or (text[0] == " " == text[-1] and text.strip(" ")):
        text = f" {text} "
    if cell:
        text = text.replace("|", "\\|")
    return f"{fence}{text}{fence}"


def longest_run(text: str, char: str) -> int:
    """How long is the longest run of `char`?"""
    if char not in text:
        return 0
    return max(len(run) for run in re.findall(f"{re.escape(char)}+", text))
