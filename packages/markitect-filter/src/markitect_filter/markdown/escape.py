"""Literal text that looks like Markdown gets a backslash, and only where leaving it out would change the parse.

Two positions matter: inside a line (`Escaper`), judged with the characters on both sides, and the start of a line
(`escape_line`), where block markers live. References are to CommonMark 0.31 and the GFM specification.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

SPECIAL = re.compile(r"[\\`*_\[\]<&$~|!^]")
_RUNS = re.compile(r"\\|`+|\*+|_+|\[|\]|<|&|\$|~+|\||[!^]$")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")  # CommonMark 6.2, entities
_OPEN_ENTITY = re.compile(r"&[#A-Za-z0-9]*$")
_LINK_TEXT = re.compile(r"\][(\[:]")
_LONG = 200_000  # characters: nobody wrote such a text; it is escaped without looking at every place
_EVERYTHING = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<&$~|!^"})
ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

EDGY = frozenset("#>+-*=|:_[0123456789\x10")  # what a line that starts a block may begin with, after marks perhaps
_INVISIBLE = r"(?:\x10[APLM][0-9]+\x11)*"  # marks that may come to nothing, so that what follows starts the line
_MARKER = re.compile(
    rf"({_INVISIBLE})(?:"
    r"(#{1,6}(?=[ \t]|$))"  # ATX heading, 4.2
    r"|(>)"  # block quote, 5.1
    r"|([-+*](?=[ \t]|$))"  # bullet, 5.2
    r"|[0-9]{1,9}([.)])(?=[ \t]|$)"  # ordered list marker, 5.2
    r"|((?:\*[ \t]*){3,}$|(?:-[ \t]*){2,}$|(?:_[ \t]*){3,}$)"  # thematic break, 4.1; after a bullet it takes two
    r"|(\[)[ xX]\](?=[ \t]|$)"  # task list item, GFM 5.3
    r")"
)
_UNDERLINE = re.compile(rf"({_INVISIBLE})(=+[ \t]*$|-+[ \t]*$|[|:-][-|: \t]*$)")  # setext, 4.3; table rule, GFM 4.10
_CLOSING = re.compile(rf"((?:^|[ \t]){_INVISIBLE})#(?:#|\x10[APLM][0-9]+\x11)*\Z")
_RUN = re.compile(r"(.)\1*")


@lru_cache(maxsize=4096)
def is_space(char: str) -> bool:
    """Unicode white space in CommonMark's sense (2.1); the edge of a line (an empty string) counts."""
    return char == "" or char in "\t\n\f\r " or unicodedata.category(char) == "Zs"


@lru_cache(maxsize=4096)
def is_punctuation(char: str) -> bool:
    """Punctuation for every parser: ASCII punctuation and Unicode's P categories (CommonMark up to 0.30)."""
    return char in ASCII_PUNCTUATION or (char != "" and unicodedata.category(char)[0] == "P")


@lru_cache(maxsize=4096)
def may_be_punctuation(char: str) -> bool:
    """Punctuation for some parser: Unicode's S categories count since CommonMark 0.31."""
    return char in ASCII_PUNCTUATION or (char != "" and unicodedata.category(char)[0] in "PS")


def has_reference(char: str) -> bool:
    """Do parsers accept a character reference for `char`? Not for control characters and noncharacters."""
    code = ord(char)
    return not (0x7F <= code <= 0x9F or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE)


class Escaper:
    """Escapes the text of one paragraph; what needs escaping depends on all that the paragraph contains."""

    __slots__ = ("backtick", "bracket", "dollar", "pipe", "star", "tilde", "underscore")

    def __init__(self, plain: str, *, emphasis: bool, code: bool, math: bool, strike: bool, cell: bool) -> None:
        """`plain` is the paragraph's text without marks; the flags say what else it holds."""
        self.star = emphasis or plain.count("*") > 1
        self.underscore = emphasis or plain.count("_") > 1
        self.backtick = code or plain.count("`") > 1
        self.dollar = math or plain.count("$") > 1
        self.tilde = strike or plain.count("~") > 1
        self.bracket = _LINK_TEXT.search(plain) is not None
        self.pipe = cell

    def escape(self, text: str, before: str = "", after: str = "", *, in_link: bool = False, bang: bool = False) -> str:
        """`text` as literal Markdown. `before` and `after` are the visible neighbours ("" at the edge of a line);
        `bang` says that a bracket of ours follows, which a final `!` or `^` would turn into an image or note."""
        if SPECIAL.search(text) is None:
            return text
        if len(text) > _LONG:
            return text.translate(_EVERYTHING)
        return _RUNS.sub(self._rule(before, after, in_link, bang), text)

    def _rule(self, before: str, after: str, in_link: bool, bang: bool) -> Callable[[re.Match[str]], str]:
        brackets = self.bracket or in_link

        def rule(match: re.Match[str]) -> str:
            run, text = match[0], match.string
            char = run[0]
            following = text[match.end()] if match.end() < len(text) else after
            if char in "*_":
                if not (self.star if char == "*" else self.underscore):
                    return run
                preceding = text[match.start() - 1] if match.start() else before
                if is_space(preceding) and is_space(following):
                    return run
                if char == "_" and _is_letter(preceding) and _is_letter(following):
                    return run
                needed = True
            elif char == "\\":
                needed = following == "" or following in ASCII_PUNCTUATION
            elif char == "[":
                preceding = text[match.start() - 1] if match.start() else before
                needed = brackets or following == "^" or preceding == "^"  # [^note], ^[inline note]
            elif char == "<":
                needed = following in ("/", "!", "?") or (following.isascii() and following.isalpha())
            elif char == "&":
                open_end = after not in ("", "\\") and _OPEN_ENTITY.match(text, match.start()) is not None
                needed = open_end or _ENTITY.match(text, match.start()) is not None
            elif char in "!^":
                needed = bang
            else:
                needed = {
                    "`": self.backtick, "]": brackets, "$": self.dollar, "~": self.tilde, "|": self.pipe,
                }[char]  # fmt: skip
            return "".join(f"\\{c}" for c in run) if needed else run

        return rule


def _is_letter(char: str) -> bool:
    return not is_space(char) and not may_be_punctuation(char)


def escape_line(line: str, *, first: bool) -> str:
    """`line` with a backslash where its start would be read as a block marker; `first` line of its paragraph?"""
    if not line or line[0] not in EDGY:
        return line
    match = _MARKER.match(line)
    if match is None and not first:
        match = _UNDERLINE.match(line)
    if match is None:
        return line
    if match.re is _MARKER and match[5]:
        return f"{line[: match.start(5)]}\\{line[match.start(5) :]}"
    start = match.end(1)
    run = _RUN.match(line, start)
    assert run is not None  # the match has at least one character after its marks
    return line[:start] + "".join(f"\\{c}" for c in run[0]) + line[run.end() :]


def escape_closing(heading: str) -> str:
    """A heading whose text ends in `#` keeps them: a closing sequence of hashes is not text (CommonMark 4.2)."""
    match = _CLOSING.search(heading) if "#" in heading else None
    return f"{heading[: match.end(1)]}\\{heading[match.end(1) :]}" if match is not None else heading


_NOT_IN_URLS = re.compile('[\x00-\x20\x7f"<>\\\\^`{|}]')  # RFC 3986; a parser of Markdown encodes them as well
_BINDS_TIGHTER = re.compile(r"[\\`$]")  # than a link: code spans, formulas


def destination(url: str) -> str:
    """`url` as a link destination (CommonMark 6.3): the parser gets back the same URL. What no URL may contain is
    percent-encoded."""
    if not url:
        return "<>"
    out = url
    if _NOT_IN_URLS.search(out):
        out = _NOT_IN_URLS.sub(lambda match: f"%{ord(match[0]):02X}", out)
    if "$" in out:
        out = out.replace("$", "\\$")
    if "&" in out:
        out = _ENTITY.sub(lambda match: f"\\{match[0]}", out)
    if not _balanced(out):
        out = out.replace("(", "\\(").replace(")", "\\)")
    return out


def _balanced(url: str) -> bool:
    """Are the parentheses balanced, and nested no deeper than every parser follows (32, CommonMark 6.3)?"""
    if "(" not in url and ")" not in url:
        return True
    depth = 0
    for char in url:
        if char == "(":
            depth += 1
            if depth > 30:
                return False
        elif char == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def title(text: str | None, *, cell: bool = False) -> str:
    """The ` "title"` part of a link or image, or nothing."""
    if not text or not (words := text.split()):
        return ""
    out = " ".join(words)
    if _BINDS_TIGHTER.search(out) is not None:
        out = _BINDS_TIGHTER.sub(r"\\\g<0>", out)
    out = out.replace('"', '\\"')
    if "&" in out:
        out = _ENTITY.sub(lambda match: f"\\{match[0]}", out)
    if cell:
        out = out.replace("|", "\\|")
    return f' "{out}"'
