"""Tables of content MathML: operator elements, by how their application is written, and constants.

The number is the binding strength: an argument that binds weaker than its operator is put in parentheses.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RELATION, SET, SUM, PRODUCT, UNARY, POWER = 40, 50, 60, 70, 75, 80

#: Written between the arguments. The character is looked up like that of an mo.
INFIX: dict[str, tuple[str, int]] = {
    "implies": ("⇒", 10),
    "equivalent": ("⇔", 10),
    "or": ("∨", 20),
    "xor": ("⊕", 20),
    "and": ("∧", 25),
    "eq": ("=", RELATION),
    "neq": ("≠", RELATION),
    "lt": ("<", RELATION),
    "gt": (">", RELATION),
    "leq": ("≤", RELATION),
    "geq": ("≥", RELATION),
    "approx": ("≈", RELATION),
    "factorof": ("|", RELATION),
    "tendsto": ("→", RELATION),
    "in": ("∈", RELATION),
    "notin": ("∉", RELATION),
    "subset": ("⊆", RELATION),
    "prsubset": ("⊂", RELATION),
    "notsubset": ("⊈", RELATION),
    "notprsubset": ("⊄", RELATION),
    "union": ("∪", SET),
    "intersect": ("∩", SET),
    "setdiff": ("∖", SET),
    "cartesianproduct": ("×", SET),
    "plus": ("+", SUM),
    "minus": ("−", SUM),
    "rem": ("mod", PRODUCT),
    "times": ("\u2062", PRODUCT),
    "scalarproduct": ("⋅", PRODUCT),
    "vectorproduct": ("×", PRODUCT),
    "outerproduct": ("⊗", PRODUCT),
    "compose": ("∘", PRODUCT),
}

#: Written before one argument.
PREFIX: dict[str, tuple[str, int]] = {
    "not": (r"\neg", 30),
    "minus": ("-", SUM),
    "plus": ("+", SUM),
    "grad": (r"\nabla", UNARY),
    "divergence": (r"\nabla\cdot", UNARY),
    "curl": (r"\nabla\times", UNARY),
    "laplacian": (r"\nabla^{2}", UNARY),
}

#: Written after one argument.
POSTFIX: dict[str, str] = {"factorial": "!", "transpose": "^{T}", "inverse": "^{-1}"}

#: Written around one argument: the two fences.
AROUND: dict[str, tuple[str, str]] = {
    "abs": ("|", "|"),
    "card": ("|", "|"),
    "floor": ("⌊", "⌋"),
    "ceiling": ("⌈", "⌉"),
    "mean": ("⟨", "⟩"),
}

_WITH_COMMAND = _words(
    """sin cos tan sec csc cot sinh cosh tanh coth arcsin arccos arctan exp ln log max min gcd arg"""
)

#: Named functions, where the name is not that of the element.
CALLED: dict[str, str] = {
    **{name: "\\" + name for name in _WITH_COMMAND},
    "determinant": r"\det",
    "real": r"\Re",
    "imaginary": r"\Im",
    "sdev": r"\sigma",
}

#: Functions with limits: their sign.
BIG: dict[str, str] = {"sum": r"\sum", "product": r"\prod", "int": r"\int", "limit": r"\lim"}

QUANTIFIERS: dict[str, str] = {"forall": r"\forall", "exists": r"\exists"}

#: Applied with a rule of their own in `content`.
SPECIAL = _words("divide power root diff partialdiff selector quotient conjugate")

#: Functions known by the name of their element only.
NAMED = _words(
    """sech csch arccosh arccot arccoth arccsc arccsch arcsec arcsech arcsinh arctanh
    lcm variance median mode moment domain codomain image ident"""
)

OPERATORS = (
    frozenset(INFIX) | frozenset(PREFIX) | frozenset(POSTFIX) | frozenset(AROUND) | frozenset(CALLED)
    | frozenset(BIG) | frozenset(QUANTIFIERS) | SPECIAL | NAMED
)  # fmt: skip

CONSTANTS: dict[str, str] = {
    "pi": r"\pi",
    "eulergamma": r"\gamma",
    "infinity": r"\infty",
    "imaginaryi": r"\mathrm{i}",
    "exponentiale": r"\mathrm{e}",
    "true": r"\text{true}",
    "false": r"\text{false}",
    "notanumber": r"\text{NaN}",
    "emptyset": r"\emptyset",
    "naturalnumbers": r"\mathbb{N}",
    "integers": r"\mathbb{Z}",
    "rationals": r"\mathbb{Q}",
    "reals": r"\mathbb{R}",
    "complexes": r"\mathbb{C}",
    "primes": r"\mathbb{P}",
}

QUALIFIERS = _words("bvar lowlimit uplimit degree logbase condition domainofapplication momentabout")
