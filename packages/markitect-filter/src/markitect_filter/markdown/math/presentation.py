"""Handlers of presentation MathML: an element and the fragments of its children to one fragment.

MathML 3, chapter 3. What an element without a TeX form contains is kept, and its name reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lxml import etree

from . import scripts, tables
from .fragment import EMPTY, GAP, Fragment, Kind, braced
from .names import shown_name, text_of
from .rows import fenced, row
from .symbols import DELIMITERS, SAME_FENCE, VARIANTS
from .tokens import operator, space, text, token

Handler = Callable[[etree._Element, Sequence[Fragment], list[str]], Fragment]


def _group(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return row(children)


def _positional(arity: int, build: Callable[..., Fragment]) -> Handler:
    """Children by position: absent ones are empty, surplus ones follow."""

    def handler(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
        if len(children) == arity:
            return build(*children)
        result = build(*children[:arity], *[EMPTY] * (arity - len(children)))
        return row([result, *children[arity:]]) if len(children) > arity else result

    return handler


def _fraction(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    style = "frac"
    if element.get("bevelled") == "true":
        style = "bevelled"
    elif (element.get("linethickness") or "").strip().rstrip("empxtcin%") in ("0", "0.0"):
        style = "binomial"
    upper, lower = (*children[:2], EMPTY, EMPTY)[:2]
    result = scripts.fraction(style, upper, lower)
    return row([result, *children[2:]]) if len(children) > 2 else result


def _square_root(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return scripts.root(row(children))


def _mfenced(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    left, right = element.get("open", "("), element.get("close", ")")
    inside = children[0] if len(children) == 1 else row(_separated(children, element.get("separators", ",")))
    left, right = left.strip(), right.strip()
    left, right = _ANGLES.get(left, left), _ANGLES.get(right, right)
    if (left == "" or left in DELIMITERS) and (right == "" or right in DELIMITERS):
        return fenced(left, inside, right)
    return row([operator(left, "prefix") if left else EMPTY, inside, operator(right) if right else EMPTY])


#: Where a fence is meant, less-than and greater-than are angle brackets.
_ANGLES = {**SAME_FENCE, "<": "⟨", ">": "⟩"}


def _separated(children: Sequence[Fragment], separators: str) -> list[Fragment]:
    """The children with a separator between each two; the last one repeats."""
    marks = [token("mo", mark) for mark in separators if not mark.isspace()]
    if not marks:
        return list(children)
    result = []
    for number, child in enumerate(children):
        if number:
            result.append(marks[min(number, len(marks)) - 1])
        result.append(child)
    return result


def _style(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    inside = row(children)
    variant = element.get("mathvariant", "")
    if variant == "normal" or variant not in VARIANTS or not inside.tex:
        return inside
    before, after = VARIANTS[variant]
    return Fragment(before + inside.tex.strip(" ") + after, tall=inside.tall)


def _enclosed(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    inside = row(children)
    notations = (element.get("notation") or "longdiv").split()
    if not inside.tex:
        return inside
    for notation in notations:
        if notation == "radical":
            inside = scripts.root(inside)
        elif notation in _ENCLOSURES:
            inside = Fragment(_ENCLOSURES[notation] + braced(inside.tex), tall=inside.tall)
        elif notation in _SIDES:
            inside = fenced("|" if notation == "left" else "", inside._replace(tall=True), _SIDES[notation])
        else:
            problems.append("menclose")
    return inside


_ENCLOSURES = {
    "box": r"\boxed",
    "roundedbox": r"\boxed",
    "top": r"\overline",
    "bottom": r"\underline",
    "updiagonalstrike": r"\cancel",
    "downdiagonalstrike": r"\bcancel",
}
_SIDES = {"left": "", "right": "|"}


def _phantom(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    inside = row(children)
    return Fragment(r"\phantom" + braced(inside.tex), Kind.ATOM, inside.tall) if inside.tex else EMPTY


def _action(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    if not children:
        return EMPTY
    chosen = element.get("selection", "1").strip()
    index = int(chosen[:4]) if chosen.isascii() and chosen.isdigit() else 1
    return children[min(max(index, 1), len(children)) - 1]


def _quoted(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return text(element.get("lquote", '"') + text_of(element) + element.get("rquote", '"'))


def _space(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return space(element.get("width"))


def _glyph(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    alternative = element.get("alt", "")
    if not alternative.strip():
        problems.append("mglyph")
    return text(alternative)


def _elementary(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """mstack, mlongdiv and their groups have no TeX: their lines are kept side by side."""
    name = shown_name(element)
    if name != "msgroup":
        problems.append(name)
    gap = Fragment(r"\quad" + GAP, Kind.SPACE)
    return row([part for child in children for part in (gap, child)][1:])


def _table(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return tables.table(element, children)


def _table_row(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return tables.table_row(element, children)


def _cell(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return tables.cell(children)


def _multiscripts(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return scripts.multiscripts(children)


def _prescripts(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    inside = row(children)  # nothing, in sound markup
    return inside if inside.tex else Fragment("", Kind.PRESCRIPTS)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("math", "mrow", "mpadded", "merror", "semantics", "none", "maligngroup", "malignmark"), _group),
    **dict.fromkeys(("msrow", "mscarries", "mscarry", "msline"), _group),
    **dict.fromkeys(("mstack", "mlongdiv", "msgroup"), _elementary),
    "mprescripts": _prescripts,
    "mstyle": _style,
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _positional(2, scripts.root),
    "msub": _positional(2, scripts.scripted),
    "msup": _positional(2, lambda base, sup: scripts.scripted(base, EMPTY, sup)),
    "msubsup": _positional(3, scripts.scripted),
    "munder": _positional(2, scripts.limits),
    "mover": _positional(2, lambda base, over: scripts.limits(base, EMPTY, over)),
    "munderover": _positional(3, scripts.limits),
    "mmultiscripts": _multiscripts,
    "mfenced": _mfenced,
    "menclose": _enclosed,
    "mphantom": _phantom,
    "maction": _action,
    "mtable": _table,
    "mtr": _table_row,
    "mlabeledtr": _table_row,
    "mtd": _cell,
    "mspace": _space,
    "ms": _quoted,
    "mglyph": _glyph,
}
