"""Scripts, limits and accents: msub … munderover, mmultiscripts. MathML 3, chapter 3.4.

Each function takes the children of its element. An absent child is EMPTY; the dispatcher keeps surplus ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from .fragment import EMPTY, GAP, Fragment, Kind, braced, bracketed
from .symbols import EXTENSIBLE, INTEGRALS, OVER_ACCENTS, PRIMES, UNDER_ACCENTS

#: A base of this kind keeps it when it gets a script: `=_{x}` is still a relation.
_EMBELLISHED = frozenset((Kind.RELATION, Kind.BINARY, Kind.ARROW))
_CARRIES_SCRIPT = _EMBELLISHED | {
    Kind.ATOM,
    Kind.NAME,
    Kind.LARGE,
    Kind.BRACE,
    Kind.OPEN,
    Kind.CLOSE,
    Kind.BAR,
}


def scripted(base: Fragment, sub: Fragment = EMPTY, sup: Fragment = EMPTY) -> Fragment:
    """`base_{sub}^{sup}`."""
    if not sub.tex and not sup.tex:
        return base
    tex = _base(base)
    if sub.tex:
        tex += "_" + _argument(sub)
    if sup.kind is Kind.PRIME or sup.core in PRIMES:
        tex += PRIMES[sup.core]
    elif sup.core == "°":
        tex += r"^{\circ}"
    elif sup.tex:
        tex += "^" + _argument(sup)
    kind = base.kind if base.kind in _EMBELLISHED else Kind.SCRIPTED
    return Fragment(tex, kind, base.tall)


def _base(base: Fragment) -> str:
    scripted_already = base.kind in _EMBELLISHED and not base.core
    if base.kind in _CARRIES_SCRIPT and not scripted_already:
        return base.tex.rstrip(GAP)
    return braced(base.tex)


def _argument(fragment: Fragment) -> str:
    """A script in braces; a table of one column is a stack of lines."""
    if fragment.kind is Kind.TABLE and "&" not in fragment.parts[0].tex:
        return r"{\substack{" + fragment.parts[0].tex + "}}"
    return braced(fragment.tex)


def limits(base: Fragment, under: Fragment = EMPTY, over: Fragment = EMPTY) -> Fragment:
    """munder, mover, munderover: limits, an accent, a label on an arrow, or something stacked."""
    if not under.tex and not over.tex:
        return base
    if base.kind is Kind.LARGE:
        tex = base.tex.rstrip(GAP) + (r"\limits" if base.core in INTEGRALS else "")
        return scripted(base._replace(tex=tex), under, over)._replace(tall=True)
    if base.kind is Kind.BRACE:
        return scripted(base, under, over)
    if base.kind is Kind.ARROW and base.core in EXTENSIBLE and under.core not in UNDER_ACCENTS:
        label = bracketed(under.tex) if under.tex else ""
        return Fragment(EXTENSIBLE[base.core] + label + braced(over.tex), Kind.RELATION, True)
    if base.kind is Kind.NAME and not over.tex and base.tex.startswith(r"\operatorname{"):
        return scripted(base._replace(tex=base.tex.replace("{", "*{", 1)), under)._replace(tall=True)
    return _over(_under(base, under), over)


def _under(base: Fragment, under: Fragment) -> Fragment:
    accent = UNDER_ACCENTS.get(under.core)
    if accent:
        kind = Kind.BRACE if accent == r"\underbrace" else Kind.ATOM
        return Fragment(accent + braced(base.tex), kind, base.tall)
    return _stacked(r"\underset", base, under)


def _over(base: Fragment, over: Fragment) -> Fragment:
    accents = OVER_ACCENTS.get(over.core)
    if accents:
        narrow, wide = accents
        kind = Kind.BRACE if narrow == r"\overbrace" else Kind.ATOM
        return Fragment((narrow if _one_letter(base.tex) else wide) + braced(base.tex), kind, base.tall)
    return _stacked(r"\overset", base, over)


def _one_letter(tex: str) -> bool:
    """A letter, a control word, or one in another alphabet (\\mathbf{x})."""
    tex = tex.rstrip(GAP)
    inner = tex[tex.rfind("{") + 1 :].rstrip("}") if tex.startswith((r"\math", r"\boldsymbol")) else tex
    return len(inner) == 1 or (inner[:1] == "\\" and inner[1:].isalpha())


def _stacked(name: str, base: Fragment, label: Fragment) -> Fragment:
    if not label.tex:
        return base
    kind = base.kind if base.kind in _EMBELLISHED else Kind.ATOM
    return Fragment(name + _argument(label) + braced(base.tex), kind, True)


def multiscripts(children: Sequence[Fragment]) -> Fragment:
    """mmultiscripts: pairs of scripts after the base and, behind mprescripts, before it."""
    base = children[0] if children else EMPTY
    before: list[Fragment] = []
    after: list[Fragment] = []
    side = after
    for child in children[1:]:
        if child.kind is Kind.PRESCRIPTS:
            side = before
        else:
            side.append(child)
    first, *others = _pairs(after)
    pieces = [scripted(EMPTY, *pair).tex for pair in _pairs(before)]
    pieces.append(scripted(base, *first).tex)
    pieces += [scripted(EMPTY, *pair).tex for pair in others]
    return Fragment("".join(pieces), Kind.SCRIPTED, base.tall)


def _pairs(scripts: list[Fragment]) -> list[tuple[Fragment, Fragment]]:
    if len(scripts) % 2:
        scripts = [*scripts, EMPTY]
    return list(zip(scripts[::2], scripts[1::2], strict=True)) or [(EMPTY, EMPTY)]


def fraction(element_name: str, upper: Fragment, lower: Fragment) -> Fragment:
    """mfrac; `element_name` tells the line: frac, binomial (no line) or bevelled."""
    numerator, denominator = braced(upper.tex), braced(lower.tex)
    if element_name == "binomial":
        parts = (Fragment(numerator), Fragment(denominator))
        return Fragment(r"\genfrac{}{}{0pt}{}" + numerator + denominator, Kind.BINOMIAL, True, parts=parts)
    if element_name == "bevelled":
        return Fragment(_base(upper) + "/" + _base(lower), Kind.ROW, upper.tall or lower.tall)
    return Fragment(r"\frac" + numerator + denominator, Kind.ATOM, True)


def root(content: Fragment, index: Fragment = EMPTY) -> Fragment:
    """msqrt, mroot."""
    degree = bracketed(index.tex) if index.tex else ""
    return Fragment(r"\sqrt" + degree + braced(content.tex), Kind.ATOM, content.tall)
