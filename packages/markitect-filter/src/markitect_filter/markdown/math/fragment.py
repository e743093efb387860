"""Fragment: the TeX of one MathML element, with what its parent must know to place it.

Two private marks stand in unfinished TeX, and :func:`finish` resolves them once, at the end:

* ``GAP`` follows a control word. It becomes a blank where a letter of any script comes next (``\\alpha x``,
  ``\\alpha ħ``; to KaTeX `@` is one too), else nothing.
* ``TIMES`` is an invisible operator. Between two digits it becomes a thin space, so that 2·3 is not 23.

Neither character is legal in XML, so no source text can contain them.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from markitect_tool.named_tuple import NamedTuple

GAP = "\x00"
TIMES = "\x01"

_GAP_BEFORE_LETTER = re.compile(f"{GAP}[{GAP}{TIMES}]*(?=[^\\W\\d_]|@)")
_TIMES_IN_NUMBER = re.compile(f"(?<=[0-9]){TIMES}+(?=[0-9])")
_MARKS = re.compile(f"[{GAP}{TIMES}]+")
_BLANKS = re.compile(r" {2,}")
_EDGE = f" {GAP}{TIMES}"


class Kind(Enum):
    """What an element is to its neighbours."""

    EMPTY = auto()
    SPACE = auto()
    ATOM = auto()  # may carry a script without braces
    ROW = auto()  # needs braces to carry a script
    SCRIPTED = auto()  # has a script: needs braces to carry another
    NAME = auto()  # \sin, \operatorname{rank}
    LARGE = auto()  # \sum, \lim: scripts may become limits
    ARROW = auto()  # stretches under or over a label
    BINARY = auto()
    RELATION = auto()
    PUNCTUATION = auto()
    OPEN = auto()
    CLOSE = auto()
    BAR = auto()  # opens or closes, by position
    PRIME = auto()
    BRACE = auto()  # \underbrace{…}, \overbrace{…}: takes its label as a script
    BINOMIAL = auto()  # a fraction without a line
    TABLE = auto()
    TABLE_ROW = auto()
    PRESCRIPTS = auto()
    FUNCTION = auto()  # an operator element of content MathML
    QUALIFIER = auto()  # bvar, lowlimit, degree …
    COMMENT = auto()  # a comment or processing instruction, not there for anybody


#: Binding strength of an expression in content MathML that never needs parentheses.
TIGHT = 100


class Fragment(NamedTuple):
    """TeX of one element. Immutable, so that fragments of equal tokens are shared."""

    tex: str
    kind: Kind = Kind.ATOM
    tall: bool = False
    """Higher than a line: fences around it have to stretch."""
    core: str = ""
    """The character of an operator, the element name of a content function or qualifier."""
    parts: tuple[Fragment, ...] = ()
    """Rows of a table, cells of a row, numerator and denominator of a binomial."""
    level: int = TIGHT
    """Binding strength, content MathML only."""


EMPTY = Fragment("", Kind.EMPTY)
COMMENT = Fragment("", Kind.COMMENT)


def command(tex: str) -> str:
    """`tex` with a GAP where it ends in a control word."""
    return tex + GAP if tex[:1] == "\\" and tex[-1].isalpha() else tex


def braced(tex: str) -> str:
    """`{tex}`, without blanks at the edges."""
    return "{" + tex.strip(_EDGE) + "}"


def bracketed(tex: str) -> str:
    """`[tex]`, an optional argument. Braces protect a bracket inside, and a brace at the start from KaTeX."""
    inner = tex.strip(_EDGE)
    return "[{" + inner + "}]" if "]" in inner or inner[:1] == "{" else "[" + inner + "]"


def finish(tex: str) -> str:
    """TeX without private marks, on one line, neither starting nor ending with a blank."""
    if TIMES in tex:
        tex = _TIMES_IN_NUMBER.sub(r"\\,", tex)
    if GAP in tex:
        tex = _GAP_BEFORE_LETTER.sub(" ", tex)
    return _BLANKS.sub(" ", _MARKS.sub("", tex)).strip(" ")
