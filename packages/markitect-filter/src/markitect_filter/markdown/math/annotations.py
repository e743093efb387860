"""TeX that the source brings along: annotations and alttext.

An annotation says by its encoding that it is TeX. An alttext does not: it is often prose ("x squared plus one",
"no alternative text"). It counts as TeX when it is well formed and

* has a control word (`\\frac`), or a script on something that is no word (`x^2`, `a_{ij}`), and
* has no two words of four or more letters side by side, outside of control words and `\\text{…}`.

Anything else is prose or says no more than the presentation does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TEX_ENCODINGS = frozenset(
    ("application/x-tex", "application/x-latex", "application/tex", "application/latex", "text/x-tex", "text/x-latex",
     "text/tex", "text/latex", "tex", "latex", "amslatex", "amstex", "plaintex")
)  # fmt: skip

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n|$)")
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])")
_WRAPPER = re.compile(
    r"\$\$(?P<a>.*)\$\$|\$(?P<b>[^$]*)\$|\\\[(?P<c>.*)\\\]|\\\((?P<d>.*)\\\)"
    r"|\\begin\{(?P<name>equation\*?|displaymath|math)\}(?P<e>.*)\\end\{(?P=name)\}"
    r"|\{\\displaystyle(?![A-Za-z])(?P<f>.*)\}|\\displaystyle(?![A-Za-z])(?P<g>.*)",
    re.DOTALL,
)
#: So many delimiters around one another are taken off, such as `$${\displaystyle … }$$`.
_WRAPPERS_DEEP = 3
_INNER_ENVIRONMENTS = {"align": "aligned", "flalign": "aligned", "gather": "gathered", "multline": "gathered"}
_OUTER = re.compile(r"\\(begin|end)\{(align|flalign|gather|multline)\*?\}")
_PART = re.compile(r"\\begin\s*\{([^{}]*)\}|\\end\s*\{([^{}]*)\}|\\[A-Za-z]+\*?|\\.|[{}$|]|[^\\{}$|]+", re.DOTALL)
_TEXT_COMMANDS = frozenset(
    (r"\text", r"\textrm", r"\textbf", r"\textit", r"\texttt", r"\textsf", r"\textnormal", r"\mbox", r"\hbox",
     r"\operatorname", r"\tag")
)  # fmt: skip
_HAS_COMMAND = re.compile(r"\\[A-Za-z]+")
_HAS_SCRIPT = re.compile(r"(?<![A-Za-z])[A-Za-z0-9)\]}][_^][A-Za-z0-9({\\+\-*']|[)\]}][_^]")
_NOT_WORDS = re.compile(r"\\(?:text|mbox|mathrm|operatorname|begin|end)[a-z]*\*?\s*\{[^{}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(r"\b[^\W\d_]{4,}[,;]?\s+[^\W\d_]{4,}")


def is_tex_encoding(encoding: str | None) -> bool:
    """Whether the encoding of an annotation names a TeX dialect."""
    return (encoding or "").split(";")[0].strip().lower() in _TEX_ENCODINGS


def looks_like_tex(alttext: str) -> bool:
    """Whether an alttext is TeX by the rule of this module. It is not checked here that it is well formed."""
    if not _HAS_COMMAND.search(alttext) and not _HAS_SCRIPT.search(alttext):
        return False
    return not _PROSE.search(_NOT_WORDS.sub(" ", alttext))


def normalized(tex: str) -> str | None:
    """`tex` as it may stand between dollars: one line, balanced, no bare `$` or `|`. None when it can't."""
    tex = _COMMENT.sub(r"\1", tex)
    tex = " ".join(_LABEL.sub(" ", tex).split())
    for _ in range(_WRAPPERS_DEEP):
        match = _WRAPPER.fullmatch(tex)
        if not match:
            break
        inner = next(group for name, group in match.groupdict().items() if name != "name" and group is not None)
        if _rewritten(inner) is None:
            break
        tex = inner.strip()
    tex = _OUTER.sub(lambda match: rf"\{match[1]}{{{_INNER_ENVIRONMENTS[match[2]]}}}", tex)
    return _rewritten(tex)


def _rewritten(tex: str) -> str | None:
    pieces: list[str] = []
    groups: list[str] = []
    fences = 0
    dollars = False
    previous = ""
    for piece, opened, closed in _parts(tex):
        if opened:
            groups.append("begin " + opened)
        elif closed:
            if not groups or groups.pop() != "begin " + closed:
                return None
        elif piece == "{":
            groups.append(_group_kind(previous))
        elif piece == "}":
            if not groups or groups.pop().startswith("begin "):
                return None
        elif piece == "$":
            # Math inside text: \( and \) mean the same and do not end the formula.
            if "text" not in groups:
                return None
            piece = r"\)" if dollars else r"\("
            dollars = not dollars
        elif piece == "|":
            if not groups or groups[-1] != "columns":
                piece = r"\textbar{}" if groups and groups[-1] == "text" and not dollars else r"\vert "
        elif piece == r"\|":
            piece = r"\Vert "
        elif piece == r"\left":
            fences += 1
        elif piece == r"\right":
            fences -= 1
        pieces.append(piece)
        if not piece.isspace():
            previous = piece
    if groups or dollars or fences:
        return None
    while pieces and (pieces[-1].isspace() or pieces[-1] == "\\ "):
        pieces.pop()
    result = re.sub(" {2,}", " ", "".join(pieces)).strip()
    return result if result and result.isprintable() else None


def _parts(tex: str) -> Iterator[tuple[str, str | None, str | None]]:
    for match in _PART.finditer(tex):
        yield match[0], match[1], match[2]


def _group_kind(previous: str) -> str:
    if previous in _TEXT_COMMANDS:
        return "text"
    return "columns" if previous.startswith((r"\begin{array", r"\begin{tabular", r"\begin{subarray")) else "group"
