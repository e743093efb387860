"""The quick way through a paragraph: what most paragraphs hold can be written by replacing marks one by one.

Emphasis whose delimiters can be neither missed nor mistaken, code, links and kept tags with text right at their
borders, references to notes, anchors, pictures, line breaks, and special characters that nothing around them turns
into markup. `_HARD` and `_literal` find everything else; what they let through comes out as it would the
long way (`items`, `emphasis`, `inline`), at a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markitect_filter.patterns import compiled

from .alphabet import SPECIALS
from .escape import destination, title
from .items import TAGS, Place
from .marks import (
    ANCHOR,
    BREAK,
    CODE,
    CODE_END,
    EM,
    EM_END,
    MARK,
    OPTIONAL,
    PAGE,
    SOFT_BREAK,
    STRIKE,
    STRONG,
    STRONG_END,
    TAG,
    TAG_END,
    Late,
    LinkTarget,
    mark,
)

_SINGLE = ((CODE, "`"), (CODE_END, "`"))
_SPANS = ((EM, EM_END, "*"), (STRONG, STRONG_END, "**"))
_TAGGED = tuple(
    (mark(kind, number), f"<{slash}{name}>")
    for number, name in enumerate(TAGS)
    for kind, slash in ((TAG, ""), (TAG_END, "/"))
)
_PUNCTUATION = r"[!\"'(),./:;?\[\]“”‘’—–-]"
_ZERO = r"(?:\x10[AP][0-9]+\x11)"
_ENDS = r"\x10[VMt]"


def _opening(mark: str) -> str:
    """The start of a span, unless it has a letter or digit on the inside, a blank or line break on the outside, or what
    every parser takes for punctuation on both sides."""
    return (
        rf"{mark}(?:(?<=\x11{mark})|(?=[\s\x01-\x13_]|\Z)"
        rf"|(?<=[^ {BREAK}]{mark})(?=\W)(?!(?<={_PUNCTUATION}{mark}){_PUNCTUATION}))"
    )


def _closing(mark: str) -> str:
    return (
        rf"{mark}(?:(?<=[\s\x01-\x13_]{mark})"
        rf"|(?<=\W{mark})(?=[^ {BREAK}])(?!(?<={_PUNCTUATION}{mark}){_PUNCTUATION})"
        rf"|(?=[\x01\x03])|(?=\x10[^N]))"
    )


# What is hard, by the mark without which it can't be: without any of them there is no mark at all. Every pattern starts
# with a literal, so that the engine skips to it.
_HARD = {
    MARK: (
        r"\x10(?:(?<=[!^]\x10)|[^ULTVMtNAP@]|[ULT][0-9]+\x11[\s\x07\x10^]|[VMt](?<=[\s\x07\x10]\x10[VMt])"
        rf"|N[0-9]+\x11[(:^\[]|[AP](?<=\s\x10[AP])|[AP](?<=\x07\x10[AP])[0-9]+\x11[\s\x10]"
        rf"|[AP][0-9]+\x11(?:{BREAK}|{_ENDS}))",
    ),
    EM: (_opening(EM), _closing(EM_END)),
    STRONG: (_opening(STRONG), _closing(STRONG_END)),
    CODE: (
        rf"{CODE}(?![^\x01-\x13\s](?:[^\x01-\x13]*[^\x01-\x13\s])?{CODE_END})",  # not just text inside
        CODE_END + CODE,
    ),
    BREAK: (
        rf"{BREAK}(?:(?<=[\s\x07\x01\x03]{BREAK})|(?<![\s\S]{BREAK})"
        rf"|(?={_ZERO}*(?:[\s\x02\x04\x07]|{_ENDS}|\Z)))",
    ),
    STRIKE: (STRIKE,),
    OPTIONAL: (OPTIONAL,),
}
# Marks that touch a span: where they come to nothing its neighbours are those behind them, and where they don't the
# brackets that they become do a delimiter no harm.
_BESIDE = rf"{MARK}(?:[ULAP][0-9]+\x11(?=[{EM}{STRONG}])|[VM](?<=[{EM_END}{STRONG_END}]{MARK}.)[0-9]+\x11)"
_CODED_LINK = rf"{CODE}(\x10[UL][0-9]+\x11)([^\x01-\x13]*)(\x10[VM][0-9]+\x11){CODE_END}"
_MARKS = re.compile(r"\x10([UV@])([0-9]+)\x11")
_NUMBERED = re.compile(r"\x10[^\x11]*\x11")
_MOVABLE = re.compile(rf"{MARK}[{ANCHOR}{PAGE}](?<=[ {EM}{STRONG}]{MARK}.)")
_AFTER_BLANK = rf"({MARK}[{ANCHOR}{PAGE}](?<= {MARK}.)[0-9]+\x11{_ZERO}*)"
_AFTER_BREAK = rf"({BREAK}{_ZERO}+) "
_AFTER_OPENING = rf"([{EM}{STRONG}])({_ZERO}+)"
# A border of a span with a letter or digit on the outside: its delimiter may be read as start and as end.
_IN_WORD = rf"[{EM}{STRONG}](?<=[^\W_].)|[{EM_END}{STRONG_END}](?=[^\W_])"
_BREAKS = {"paragraph": "\\\n", "cell": "<br>"}

# What makes special characters mean something; a mark next to one counts, for it may come to nothing.
_BRACKETS = r"\](?:[\x01-\x0f]|\x10[^\x11]*\x11)*[(\[:]|\^"
_LINK = r"(?s)\x10[UL][^\x11]*\x11(.*?)\x10[VM]"
_TOUCHED = r"[*_][\x01-\x13]|(?<=[\x01-\x13])[*_]"
_WRITTEN = r"\x10[U@]"  # destinations, titles and pictures may hold backticks
_TAG = r"<[A-Za-z/!?\x01-\x13]"
_ENTITY = r"&[#A-Za-z0-9]*[;\x01-\x13]"  # what has neither behind it is no reference

_PAIRED = "$~"  # mean something as soon as there are two, wherever they stand: where there is no code all are escaped
_MEANING: dict[str, Callable[[str, Place], bool]] = {
    "\\": lambda text, place: True,
    "`": lambda text, place: CODE in text or text.count("`") > 1 or compiled(_WRITTEN).search(text) is not None,
    "*": lambda text, place: (
        text.count("*") > 1 or EM in text or STRONG in text or compiled(_TOUCHED).search(text) is not None
    ),
    "_": lambda text, place: (
        text.count("_") > 1 or EM in text or STRONG in text or compiled(_TOUCHED).search(text) is not None
    ),
    "[": lambda text, place: _brackets_mean_something(text),
    "]": lambda text, place: _brackets_mean_something(text),
    "<": lambda text, place: compiled(_TAG).search(text) is not None,
    "&": lambda text, place: compiled(_ENTITY).search(text) is not None,
    "$": lambda text, place: CODE in text and text.count("$") > 1,
    "~": lambda text, place: CODE in text and text.count("~") > 1,
    "|": lambda text, place: place == "cell",
}


def _brackets_mean_something(text: str) -> bool:
    """Inside of links they do, but there `spell` takes care of them, unless some are code."""
    if compiled(_BRACKETS).search(text) is not None:
        return True
    return CODE in text and any(CODE in link and ("[" in link or "]" in link) for link in compiled(_LINK).findall(text))


def _literal(text: str, specials: str, place: Place) -> str | None:
    """`text` so that no special character in it is read as markup; None where that takes a look at neighbours."""
    written = text
    for char in specials:
        if char in text:
            if _MEANING[char](text, place):
                return None
            if char in _PAIRED and text.count(char) > 1:
                written = written.replace(char, f"\\{char}")
    return written


def join_breaks(text: str) -> str:
    """`text`, its blanks folded, with one break where there were several."""
    text = text.replace(SOFT_BREAK, BREAK).replace(f" {BREAK}", BREAK).replace(f"{BREAK} ", BREAK)
    while BREAK + BREAK in text:
        text = text.replace(BREAK + BREAK, BREAK)
    return text


def move_anchors(text: str) -> str:
    """`text` with its anchors and page marks where the long way puts them: before a blank, and before what opens a
    span; after them no blank starts a line."""
    if f"{BREAK}{MARK}" in text:
        text = compiled(_AFTER_BREAK).sub(r"\1", text)
    if _MOVABLE.search(text) is None:
        return text
    parts = compiled(_AFTER_BLANK).split(text)
    if len(parts) > 1:
        parts[:-1:2] = [part[:-1] for part in parts[:-1:2]]
        parts[1::2] = [f"{part} " for part in parts[1::2]]
        text = "".join(parts).replace("  ", " ")
    while f"{EM}{MARK}" in text or f"{STRONG}{MARK}" in text:
        text, moved = compiled(_AFTER_OPENING).subn(r"\2\1", text)
        if not moved:
            break
    return text


def spell(
    source: str, late: Late, place: Place, specials: str = SPECIALS, *, marked: bool = True
) -> tuple[str, int] | None:
    """`source`, its blanks folded and its breaks joined, as Markdown, and how many of its characters are marks; None
    where it takes the long way. `specials` are the special characters that it may hold, `marked` says whether it may
    hold marks."""
    found = [char for char in _HARD if char in source] if marked else ()
    if not found:
        literal = _literal(source, specials, place)
        return (literal, 0) if literal is not None else None
    if CODE in found and MARK in found:  # a link that is code: the code is inside of it
        source = compiled(_CODED_LINK).sub(rf"\1{CODE}\2{CODE_END}\3", source)
    spans = compiled(_BESIDE).sub("", source) if MARK in found and (EM in found or STRONG in found) else source
    for char in found:
        for hard in _HARD[char]:
            if compiled(hard).search(spans if char in (EM, STRONG) else source) is not None:
                return None
    if EM in found and STRONG in found and compiled(_IN_WORD).search(spans) is not None:
        return None  # such delimiters find each other if all are of one length
    text = _literal(source, specials, place)
    if text is None:
        return None
    marks = 0
    for single, written in _SINGLE:
        if single in text:
            marks += text.count(single)
            text = text.replace(single, written)
    for start, end, written in _SPANS:
        if start in text:
            parts = text.split(end)
            if max([part.count(start) for part in parts]) > 1:
                return None  # one inside of another of its kind takes another delimiter
            marks += 2 * len(parts) - 2
            text = written.join(parts).replace(start, written)
    if BREAK in text:
        if place == "heading":
            return None
        marks += text.count(BREAK)
        text = text.replace(BREAK, _BREAKS[place])
    if "\x10" not in text:
        return text, marks
    marks += sum(map(len, _NUMBERED.findall(text)))
    if "[" in text or "]" in text:
        text = compiled(_LINK).sub(lambda match: match[0].replace("[", "\\[").replace("]", "\\]"), text)
    if f"{MARK}{TAG}" in text:
        for tag, written in _TAGGED:
            text = text.replace(tag, written)
    if _MARKS.search(text) is None:
        return text, marks
    foreign = False

    def write(match: re.Match[str]) -> str:
        nonlocal foreign
        kind, number = match[1], int(match[2])
        if kind == "U":
            return "["
        if kind == "@":
            atom = str(late[number])
            foreign = foreign or not atom.startswith("![")
            return atom.replace("|", "\\|") if place == "cell" else atom
        target = late[number]
        assert isinstance(target, LinkTarget)
        return f"]({destination(target.url or '')}{title(target.title, cell=place == 'cell')})"

    text = _MARKS.sub(write, text)
    return None if foreign else (text, marks)
