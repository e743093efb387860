"""Leaves and constructors of content MathML: ci, cn, csymbol, set, vector, matrix, interval, piecewise, lambda."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from . import operators as op
from .fragment import EMPTY, Fragment, Kind, command
from .names import text_of
from .rows import fenced, row
from .scripts import fraction, scripted
from .tables import environment, row_of
from .tokens import identifier, number, operator, text

_COMMA = operator(",")

#: Alphabets that the type of a ci stands for.
_TYPES = {"vector": "bold", "matrix": "bold"}


def listed(fragments: Sequence[Fragment]) -> Fragment:
    """The fragments with commas between."""
    return row([piece for fragment in fragments for piece in (_COMMA, fragment)][1:])


def _variable(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """ci: a name, or presentation MathML."""
    variant = _TYPES.get(element.get("type", ""))
    words = " ".join((element.text or "").split())
    name = _name(words, variant) if words else EMPTY
    return row([name, *children]) if children else name


def _name(words: str, variant: str | None = None) -> Fragment:
    """A name; one with a blank is words."""
    return text(words) if " " in words else identifier(words, variant)


def _symbol(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """csymbol: in strict content MathML an operator or constant, known by its name."""
    words = " ".join((element.text or "").split())
    if not children and words in op.OPERATORS:
        return sign(words)
    if not children and words in op.CONSTANTS:
        return Fragment(command(op.CONSTANTS[words]))
    name = _name(words) if words else EMPTY
    return row([name, *children]) if children else name


def sign(name: str) -> Fragment:
    """An operator by itself; `core` is its name, for the apply around it."""
    if name in op.CALLED:
        tex = command(op.CALLED[name])
    elif name in op.INFIX and name != "times":
        tex = operator(op.INFIX[name][0]).tex
    elif name in op.BIG or name in op.QUANTIFIERS or name in op.PREFIX:
        tex = command(op.BIG.get(name) or op.QUANTIFIERS.get(name) or op.PREFIX[name][0])
    else:
        tex = r"\operatorname{" + name + "}"
    return Fragment(tex, Kind.FUNCTION, core=name)


def _number(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """cn: the type says what its parts, between sep elements, are."""
    if any(child.tag != "sep" and not str(child.tag).endswith("}sep") for child in element):
        return row([_digits(element.text or ""), *children])
    parts = [_digits(element.text or ""), *(_digits(child.tail or "") for child in element)]
    kind = element.get("type", "")
    if len(parts) == 1:
        return _constant_number(parts[0], element, kind)
    first, second = parts[0], row(parts[1:])
    if kind == "rational":
        return fraction("frac", first, second)
    if kind == "e-notation":
        power = scripted(Fragment("10"), sup=second)
        return row([first, operator("×"), power])._replace(level=op.PRODUCT)
    if kind == "complex-cartesian":
        return row([first, operator("+"), second, Fragment(r"\mathrm{i}")])._replace(level=op.SUM)
    if kind == "complex-polar":
        angle = row([second, Fragment(r"\mathrm{i}")])
        return row([first, scripted(Fragment(r"\mathrm{e}"), sup=angle)])._replace(level=op.PRODUCT)
    return row(parts)


def _digits(raw: str) -> Fragment:
    words = " ".join(raw.split())
    if not words:
        return EMPTY
    digits = number(words)
    return digits._replace(level=op.SUM) if words[0] in "-−+" else digits


def _constant_number(digits: Fragment, element: etree._Element, kind: str) -> Fragment:
    base = element.get("base", "10")
    if base.isascii() and base.isdigit() and base != "10":
        return scripted(digits, Fragment(base[:4]))
    if kind == "constant":
        return _name(" ".join((element.text or "").split()))
    return digits


def _quoted(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return text(text_of(element))


def _separator(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """sep: the cn around it reads the text behind it."""
    return EMPTY


def _braces(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """set, list: elements, or what is bound and the condition."""
    left, right = ("{", "}") if str(element.tag).endswith("set") else ("[", "]")
    conditions = [child for child in children if child.kind is Kind.QUALIFIER and child.core == "condition"]
    plain = [child for child in children if child not in conditions]
    values = [child for child in plain if child.kind is not Kind.QUALIFIER]
    inside = listed(values or plain)
    if conditions:
        inside = row([inside, Fragment(command(r"\mid"), Kind.RELATION), listed(conditions)])
    return fenced(left, inside, right)


def _column(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """vector."""
    body = Fragment(r" \\ ".join([child.tex or "{}" for child in children]))
    return fenced("(", environment("matrix", body, "narrow"), ")") if children else EMPTY


def _matrix(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    body = _rows(children)
    return fenced("(", environment("matrix", body, "matrix"), ")") if body.tex else EMPTY


def _rows(children: Sequence[Fragment]) -> Fragment:
    rows = [child.parts if child.kind is Kind.TABLE_ROW else (child,) for child in children]
    return Fragment(r" \\ ".join([" & ".join([cell.tex for cell in cells]) for cells in rows]))


def _matrix_row(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return row_of(children)


def _interval(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    closure = element.get("closure", "closed")
    left = "(" if closure in ("open", "open-closed") else "["
    right = ")" if closure in ("open", "closed-open") else "]"
    return fenced(left, listed(children), right)


def _piecewise(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return fenced("{", environment("matrix", _rows(children), "cases"), "") if children else EMPTY


def _piece(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """Value and condition, two cells in the cases of a piecewise."""
    return row_of((row(children[:1]), row([text("if "), *children[1:]])))


def _otherwise(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return row_of((row(children), text("otherwise")))


def _lambda(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """`x \\mapsto body`."""
    bound = [child for child in children if child.kind is Kind.QUALIFIER]
    body = [child for child in children if child.kind is not Kind.QUALIFIER]
    left = fenced("(", listed(bound), ")") if len(bound) > 1 else row(bound)
    return row([left, operator("↦"), row(body)])._replace(level=5)


HANDLERS = {
    "ci": _variable,
    "cn": _number,
    "csymbol": _symbol,
    "cs": _quoted,
    "cbytes": _quoted,
    "sep": _separator,
    "set": _braces,
    "list": _braces,
    "vector": _column,
    "matrix": _matrix,
    "matrixrow": _matrix_row,
    "interval": _interval,
    "piecewise": _piecewise,
    "piece": _piece,
    "otherwise": _otherwise,
    "lambda": _lambda,
}
#: Their handlers read their text.
TOKENS = ("ci", "cn", "csymbol", "cs", "cbytes")
