"""apply and what stands in it: operators, qualifiers, constants of content MathML. MathML 3, chapter 4.

An operator element becomes a fragment of kind FUNCTION, which `apply` reads as its first child. Qualifiers (bvar,
lowlimit …) are marked likewise. What `apply` can't place is written as arguments, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from . import constructors
from . import operators as op
from .constructors import listed, sign
from .fragment import EMPTY, TIGHT, Fragment, Kind, command
from .names import shown_name
from .rows import fenced, row
from .scripts import fraction, limits, root, scripted
from .tokens import identifier, operator

Arguments = list[Fragment]
Qualifiers = dict[str, Fragment]

_DIFFERENTIAL = Fragment("d")


def _in_parentheses(fragment: Fragment, level: int) -> Fragment:
    """`fragment`, in parentheses when it binds weaker than `level`."""
    return fenced("(", fragment, ")") if fragment.level < level else fragment


def _called(name: Fragment, arguments: Arguments) -> Fragment:
    """`f(x, y)`."""
    inside = fenced("(", listed(arguments), ")")
    return Fragment(name.tex + inside.tex, Kind.ROW, inside.tall, level=op.UNARY)


def _infix(name: str, arguments: Arguments) -> Fragment:
    chars, level = op.INFIX[name]
    sign = operator(chars)
    operands = [_in_parentheses(arguments[0], level)]
    # Not associative: a - (b - c), a ∖ (b ∖ c), a ⇒ (b ⇒ c).
    inner = level + 1 if name in ("minus", "setdiff", "implies", "rem") else level
    for argument in arguments[1:]:
        negative = argument.tex.startswith("-") and argument.level <= level
        operands.append(_in_parentheses(argument, TIGHT if negative else inner))
    pieces = [piece for operand in operands for piece in (sign, operand)][1:]
    joined = row(pieces)
    return Fragment(joined.tex, Kind.ROW, joined.tall, level=level)


def _prefix(tex: str, level: int, argument: Fragment) -> Fragment:
    inside = _in_parentheses(argument, level + 1 if tex == "-" else level)
    return Fragment(command(tex) + inside.tex, Kind.ROW, inside.tall, level=level)


def _named(name: Fragment, arguments: Arguments, qualifiers: Qualifiers) -> Fragment:
    """`\\sin x`, `\\log_{2} x`, `\\max(a, b)`."""
    base = qualifiers.pop("logbase", EMPTY)
    head = scripted(name._replace(kind=Kind.NAME), base)
    simple = len(arguments) == 1 and arguments[0].level > op.UNARY and arguments[0].kind is Kind.ATOM
    if not simple:
        return _called(head, arguments)
    return Fragment(command(head.tex) + arguments[0].tex, Kind.ROW, arguments[0].tall, level=op.UNARY)


def _big(name: str, arguments: Arguments, qualifiers: Qualifiers) -> Fragment:
    """Sum, product, integral and limit, with what they run over."""
    sign = Fragment(op.BIG[name], Kind.LARGE, True)
    variable = qualifiers.pop("bvar", EMPTY)
    low = qualifiers.pop("lowlimit", EMPTY)
    condition = qualifiers.pop("condition", EMPTY) if not low.tex else EMPTY
    domain = qualifiers.pop("domainofapplication", EMPTY) if not low.tex and not condition.tex else EMPTY
    high = qualifiers.pop("uplimit", EMPTY)
    under = low if low.tex else condition if condition.tex else domain
    end: list[Fragment] = []
    if name == "int":
        end = [Fragment(r"\,d" + variable.tex)] if variable.tex else []
    elif low.tex and variable.tex:
        under = row([variable, operator("→" if name == "limit" else "="), low])
    elif variable.tex and not under.tex:
        under = variable
    body = [_in_parentheses(argument, op.PRODUCT) for argument in arguments]
    head = scripted(sign, under, high)
    joined = row([Fragment(command(head.tex)), *body, *end])
    return Fragment(joined.tex, Kind.ROW, True, level=op.PRODUCT - 1)


def _derivative(name: str, arguments: Arguments, qualifiers: Qualifiers) -> Fragment:
    """`\\frac{d^{n} f}{d x^{n}}`; without a variable `f'`."""
    variable, degree = qualifiers.pop("bvar", EMPTY), qualifiers.pop("degree", EMPTY)
    argument = row(arguments)
    if not variable.tex:
        return scripted(argument, sup=degree if degree.tex else operator("′"))
    sign = _DIFFERENTIAL if name == "diff" else identifier("∂")
    if variable.parts:  # the bvar brought the degree itself
        variable, degree = variable.parts
    upper = row([scripted(sign, sup=degree), _in_parentheses(argument, op.PRODUCT)])
    return fraction("frac", upper, row([sign, scripted(variable, sup=degree)]))


def _special(name: str, arguments: Arguments, qualifiers: Qualifiers) -> Fragment | None:
    """Operators with a layout of their own; None when the number of arguments does not fit."""
    count = len(arguments)
    if name in ("diff", "partialdiff") and count:
        return _derivative(name, arguments, qualifiers)
    if name == "root" and count == 1:
        degree = qualifiers.pop("degree", EMPTY)
        return root(arguments[0], EMPTY if degree.tex == "2" else degree)
    if name == "conjugate" and count == 1:
        return limits(arguments[0], EMPTY, operator("¯"))
    if name == "selector" and count > 1:
        return scripted(_in_parentheses(arguments[0], TIGHT), listed(arguments[1:]))
    if count != 2:
        return None
    first, second = arguments
    if name == "divide":
        return fraction("frac", first, second)
    if name == "quotient":
        return fenced("⌊", fraction("frac", first, second), "⌋")
    if name == "power":
        base = _in_parentheses(first, TIGHT if first.kind is not Kind.ATOM else 0)
        return scripted(base, sup=second)._replace(level=op.POWER)
    return None


def _apply(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    if not children:
        return EMPTY
    head, *others = children
    arguments = [child for child in others if child.kind is not Kind.QUALIFIER]
    qualifiers: Qualifiers = {}
    for child in others:
        if child.kind is Kind.QUALIFIER:
            earlier = qualifiers.get(child.core)
            qualifiers[child.core] = listed([earlier, child]) if earlier else child
    result = _applied(head, arguments, qualifiers)
    if qualifiers:
        result = row([result, fenced("(", listed(list(qualifiers.values())), ")")])
    return result


def _applied(head: Fragment, arguments: Arguments, qualifiers: Qualifiers) -> Fragment:
    name = head.core if head.kind is Kind.FUNCTION else ""
    count = len(arguments)
    if name in op.SPECIAL:
        special = _special(name, arguments, qualifiers)
        if special:
            return special
    elif name in op.BIG:
        return _big(name, arguments, qualifiers)
    elif name in op.QUANTIFIERS:
        bound = qualifiers.pop("bvar", EMPTY)
        condition = qualifiers.pop("condition", EMPTY)
        told = [part for part in (bound, condition, *arguments) if part.tex]
        return row([Fragment(command(op.QUANTIFIERS[name])), listed(told)])._replace(level=5)
    elif count == 1 and name in op.PREFIX:
        return _prefix(*op.PREFIX[name], arguments[0])
    elif count == 1 and name in op.POSTFIX:
        base = _in_parentheses(arguments[0], TIGHT)
        return Fragment(base.tex + op.POSTFIX[name], Kind.SCRIPTED, base.tall, level=op.POWER)
    elif count == 1 and name in op.AROUND:
        return fenced(op.AROUND[name][0], arguments[0], op.AROUND[name][1])
    elif name in op.INFIX and count > 1:
        return _infix(name, arguments)
    elif name in op.CALLED:
        return _named(head, arguments, qualifiers)
    return _called(_in_parentheses(head, op.POWER), arguments)


def _function(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """An empty operator element; it also shows something when nobody applies it."""
    return row([sign(shown_name(element)), *children]) if children else sign(shown_name(element))


def _constant(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return row([Fragment(command(op.CONSTANTS[shown_name(element)])), *children])


def _qualifier(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """A bvar with a degree keeps both as parts."""
    plain = [child for child in children if child.core != "degree" or child.kind is not Kind.QUALIFIER]
    degrees = [child for child in children if child.core == "degree" and child.kind is Kind.QUALIFIER]
    inside = row(plain)
    parts = (inside, degrees[0]) if degrees else ()
    shown = scripted(inside, sup=degrees[0]) if degrees else inside
    return Fragment(shown.tex, Kind.QUALIFIER, inside.tall, shown_name(element), parts, shown.level)


HANDLERS = {
    **constructors.HANDLERS,
    **dict.fromkeys(("apply", "bind", "reln"), _apply),
    **dict.fromkeys(sorted(op.OPERATORS - constructors.HANDLERS.keys()), _function),
    **dict.fromkeys(op.CONSTANTS, _constant),
    **dict.fromkeys(sorted(op.QUALIFIERS), _qualifier),
}
TOKENS = constructors.TOKENS
