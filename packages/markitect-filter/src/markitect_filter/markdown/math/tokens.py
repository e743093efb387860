"""Token elements (mi, mn, mo, mtext, ms, mspace) to fragments: everything that depends on text alone.

MathML 3, chapter 3.2. Whitespace at the edges of a token is not part of it; inside it collapses to one blank.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import cycle

from . import symbols
from .fragment import EMPTY, GAP, TIMES, Fragment, Kind, command

_XML_SPACE = " \t\r\n"
_NUMBER = re.compile(r"[0-9.]+")
_PLAIN_NUMBER = re.compile(r"(?:[0-9.]|\{,\}|\\,)+")
_LATIN = re.compile(r"[A-Za-z]+")
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+")
_LONGEST_LENGTH = 100  # characters of a length; the pattern tries every way to split its digits
_LENGTH = re.compile(r"\s*([+-]?[0-9]*\.?[0-9]+)\s*([a-z%]*)\s*")

_TEXT_ESCAPES = str.maketrans(
    {
        **{char: "\\" + char for char in "#$%&_{}"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "|": r"\textbar{}",
    }
)
#: Symbols that TeX has in mathematics only: they interrupt the text.
_SYMBOLS_IN_TEXT = re.compile(
    "([\u203c\u2100-\u214f\u2190-\u22ff\u231c-\u231f\u27c0-\u27ff\u2900-\u2aff\U0001d400-\U0001d7ff])"
)

#: Lengths in em: named ones of MathML, units, and the TeX spaces they are rounded to.
_NAMED_LENGTHS = {
    "veryverythinmathspace": 1 / 18,
    "verythinmathspace": 2 / 18,
    "thinmathspace": 3 / 18,
    "mediummathspace": 4 / 18,
    "thickmathspace": 5 / 18,
    "verythickmathspace": 6 / 18,
    "veryverythickmathspace": 7 / 18,
}
_EM_PER_UNIT = {"em": 1.0, "ex": 0.5, "px": 1 / 16, "pt": 1 / 12, "pc": 1.0, "cm": 2.4, "mm": 0.24, "in": 6.0}
_SPACES = ((0.04, ""), (0.19, r"\,"), (0.25, r"\:"), (0.4, r"\;"), (0.75, r"\enspace"), (1.5, r"\quad"))

_SCRIPTS_BY_NAME = (
    ("DOUBLE-STRUCK", "double-struck"),
    ("SCRIPT", "script"),
    ("FRAKTUR", "fraktur"),
    ("BLACK-LETTER", "fraktur"),
    ("SANS-SERIF", "sans-serif"),
    ("MONOSPACE", "monospace"),
)
_COMBINING_BASE = re.compile("(.)([\u0300-\u0338\u20d0-\u20e1])", re.DOTALL)

#: Longer tokens are not kept: the cache must not hold a hostile book in memory.
_CACHED_LENGTH = 40


def text(raw: str) -> Fragment:
    """Words: `\\text{…}` with the specials of TeX escaped.

    A blank at an edge is kept, since authors write `<mtext>if </mtext>`; a line break is layout of the source.
    """
    words = " ".join(raw.split())
    if not words:
        return _blank(raw.strip(_XML_SPACE))
    before = " " if _has_blank(raw[: len(raw) - len(raw.lstrip())]) else ""
    after = " " if _has_blank(raw[len(raw.rstrip()) :]) else ""
    words = before + words + after
    if words.isascii() or not _SYMBOLS_IN_TEXT.search(words):
        return Fragment(r"\text{" + words.translate(_TEXT_ESCAPES) + "}")
    pieces = [
        character(piece).tex if odd else r"\text{" + piece.translate(_TEXT_ESCAPES) + "}"
        for odd, piece in zip(cycle((False, True)), _SYMBOLS_IN_TEXT.split(words))
        if piece
    ]
    return Fragment("".join(pieces), Kind.ROW)


def _has_blank(edge: str) -> bool:
    return bool(edge.strip(_XML_SPACE)) or bool(edge and "\n" not in edge)


def _blank(blanks: str) -> Fragment:
    if not blanks:
        return EMPTY
    return Fragment("~" if len(blanks) == 1 else r"\quad" + GAP, Kind.SPACE)


def space(width: str | None) -> Fragment:
    """mspace, rounded to the nearest space TeX has a command for."""
    value = _length(width or "0")
    if value < 0:
        return Fragment(r"\!", Kind.SPACE)
    for limit, tex in _SPACES:
        if value < limit:
            return Fragment(command(tex), Kind.SPACE) if tex else EMPTY
    return Fragment(r"\qquad" + GAP, Kind.SPACE)


def _length(width: str) -> float:
    """A MathML length in em; 0 when it is none."""
    if width in _NAMED_LENGTHS:
        return _NAMED_LENGTHS[width]
    match = _LENGTH.fullmatch(width) if len(width) <= _LONGEST_LENGTH else None
    return float(match[1]) * _EM_PER_UNIT.get(match[2], 0.0) if match else 0.0


def token(name: str, raw: str, variant: str | None = None, form: str | None = None) -> Fragment:
    """Fragment of the token element `name` (mi, mn, mo, mtext) with this text, mathvariant and form."""
    if len(raw) > _CACHED_LENGTH:
        return _token(name, raw, variant, form)
    return _cached_token(name, raw, variant, form)


def _token(name: str, raw: str, variant: str | None, form: str | None) -> Fragment:
    if name == "mtext":
        return text(raw)
    content = " ".join(raw.split())
    if not content:
        return EMPTY
    if name == "mo":
        return operator(content, form)
    return number(content, variant) if name == "mn" else identifier(content, variant)


_cached_token = lru_cache(maxsize=2048)(_token)


def identifier(name: str, variant: str | None = None) -> Fragment:
    """mi: a letter, a symbol, or the name of a function."""
    known = symbols.NAMES.get(name)
    if known and variant in (None, "normal"):
        return Fragment(command(known[0]), known[1], core=name)
    if variant in symbols.VARIANTS:
        return _styled(name, variant)
    if len(name) == 1:
        return character(name)
    if _LATIN.fullmatch(name):
        return Fragment(r"\operatorname{" + name + "}", Kind.NAME)
    if _ALPHANUMERIC.fullmatch(name):
        return Fragment(r"\mathrm{" + name + "}")
    return _characters(name) or text(name)


def _styled(name: str, variant: str) -> Fragment:
    """An identifier whose letters stand in another alphabet."""
    before, after = symbols.VARIANTS[variant]
    if len(name) == 1 and not name.isascii():
        plain, own = _alphabet(name)
        if not plain.isascii():
            symbol = character(name)
            if variant.startswith("bold") and symbol.kind is Kind.ATOM:
                return symbol._replace(tex=r"\boldsymbol{" + symbol.tex.rstrip(GAP) + "}")
            return symbol
        name = plain
        if own != variant and variant == "normal":
            before, after = symbols.VARIANTS[own]
    if _ALPHANUMERIC.fullmatch(name):
        if variant == "italic" and len(name) == 1:
            return Fragment(name)
        return Fragment(before + name + after)
    return identifier(name)


def _alphabet(char: str) -> tuple[str, str]:
    """A letter of the mathematical alphabets as plain letter and mathvariant; ("", "") for any other."""
    name = unicodedata.name(char, "")
    plain = unicodedata.normalize("NFKC", char)
    if len(plain) != 1 or plain == char or not plain.isalnum():
        return char, "normal"
    parts = ["bold"] if " BOLD " in name else []
    parts += [variant for word, variant in _SCRIPTS_BY_NAME if word in name]
    parts += ["italic"] if " ITALIC " in name else []
    variant = "-".join(parts)
    if variant.startswith("bold-sans-serif-"):
        variant = "sans-serif-bold-italic"
    return (plain, variant) if variant in symbols.VARIANTS else (char, "normal")


def number(digits: str, variant: str | None = None) -> Fragment:
    """mn: digits as they are; a comma or blank between digits keeps its width."""
    if _NUMBER.fullmatch(digits):
        tex = digits
    elif _ALPHANUMERIC.fullmatch(digits):
        return Fragment(r"\mathrm{" + digits + "}")
    else:
        tex = "".join(_NUMBER_PARTS.get(char) or character(char).tex for char in digits)
        if _combining(digits):
            return text(digits)
    if variant in symbols.VARIANTS and variant != "normal":
        before, after = symbols.VARIANTS[variant]
        return Fragment(before + tex + after)
    return Fragment(tex, Kind.ATOM if _PLAIN_NUMBER.fullmatch(tex) else Kind.ROW)


_NUMBER_PARTS = {",": "{,}", " ": r"\,", "−": "-", "-": "-", "+": "+", "/": "/", ":": ":"}


def operator(chars: str, form: str | None = None) -> Fragment:
    """mo: its kind tells the row how to space it and what it pairs with."""
    known = _known_operator(symbols.SAME_FENCE.get(chars, chars), form)
    if known:
        return known
    if len(chars) == 1:
        return character(chars)
    if _LATIN.fullmatch(chars):
        return Fragment(r"\operatorname{" + chars + "}", Kind.NAME)
    return _characters(chars) or text(chars)


def _known_operator(chars: str, form: str | None = None) -> Fragment | None:
    fence = _fence(chars, form) if chars in symbols.DELIMITERS else None
    if fence:
        return fence
    for table, kind in _OPERATOR_KINDS:
        if chars in table:
            return Fragment(command(table[chars]), kind, kind is Kind.LARGE, chars)
    if chars in symbols.NAMES:
        tex, kind = symbols.NAMES[chars]
        return Fragment(command(tex), kind, core=chars)
    if chars in symbols.PRIMES:
        return Fragment("{}" + symbols.PRIMES[chars], Kind.PRIME, core=chars)
    if chars in symbols.INVISIBLE:
        return Fragment(TIMES, Kind.SPACE, core=chars)
    return None


_OPERATOR_KINDS = (
    (symbols.BINARY, Kind.BINARY),
    (symbols.RELATIONS, Kind.RELATION),
    (symbols.PUNCTUATION, Kind.PUNCTUATION),
    (symbols.LARGE, Kind.LARGE),
    (symbols.ARROWS, Kind.ARROW),
)


def _fence(char: str, form: str | None) -> Fragment | None:
    """The fragment of a fence; None for a delimiter which is only one when mfenced says so (/, ↑)."""
    opening, closing, _ = symbols.DELIMITERS[char]
    if char in symbols.BARS:
        if form == "prefix":
            return Fragment(command(opening), Kind.OPEN, core=char)
        if form == "postfix":
            return Fragment(command(closing), Kind.CLOSE, core=char)
        return Fragment(command(symbols.DELIMITERS[char][2]), Kind.BAR, core=char)
    if char in symbols.OPENING:
        kind = Kind.CLOSE if form == "postfix" else Kind.OPEN
    elif char in symbols.CLOSING:
        kind = Kind.OPEN if form == "prefix" else Kind.CLOSE
    else:
        return None
    return Fragment(command(opening), kind, core=char)


def character(char: str) -> Fragment:
    """One character where an identifier or an ordinary symbol is meant."""
    if char.isascii() and char.isalnum():
        return Fragment(char)
    if char in symbols.LETTERS:
        tex = symbols.LETTERS[char]
        return Fragment(command(tex), Kind.SCRIPTED if tex.startswith("{}") else Kind.ATOM, core=char)
    known = _known_operator(symbols.SAME_FENCE.get(char, char))
    if known:  # an identifier that looks like an operator is none
        infix = known.kind in (Kind.BINARY, Kind.RELATION, Kind.PUNCTUATION)
        return known._replace(kind=Kind.ATOM) if infix else known
    if _combining(char):
        return Fragment(r"\text{ " + char + "}", core=char)
    plain, variant = _alphabet(char)
    if plain == char:
        return Fragment(char, core=char)
    if variant == "italic":
        return Fragment(plain if plain.isascii() else character(plain).tex)
    return _styled(plain, variant)


def _combining(chars: str) -> bool:
    return any(unicodedata.combining(char) for char in chars)


def _characters(chars: str) -> Fragment | None:
    """Several characters which are no word: each as its symbol. None when they are better kept as text."""
    accented = _COMBINING_BASE.fullmatch(chars)
    if accented and accented[2] in symbols.OVER_ACCENTS:
        return Fragment(symbols.OVER_ACCENTS[accented[2]][0] + "{" + character(accented[1]).tex + "}")
    if " " in chars or _combining(chars) or any(char.isalpha() and char.isascii() for char in chars):
        return None
    return Fragment("".join(character(char).tex for char in chars), Kind.ROW)
