"""MathML to the TeX that stands between dollars in Markdown.

`math_to_tex` is the way in. Parts: `annotations` (TeX brought by the source), `tree` (the loop over the elements),
`presentation` with `rows`, `scripts`, `tables`, `tokens` and `content` (handlers), `symbols` (tables), `fragment`.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from .annotations import is_tex_encoding, looks_like_tex, normalized
from .content import HANDLERS as _CONTENT
from .fragment import Kind, finish
from .names import local_name, text_of
from .symbols import INVISIBLE, TEXT_ACCENTS
from .tokens import text
from .tree import convert

__all__ = ["Math", "math_to_tex"]

Source = Literal["annotation", "alttext", "presentation", "content"]

_WRAPPERS = frozenset(("math", "mrow", "mstyle", "mpadded"))
#: Wrappers around a whole formula are looked through to this depth.
_MAX_WRAPPERS = 32


@dataclass(frozen=True, slots=True)
class Math:
    """A formula as TeX for KaTeX, MathJax or LaTeX with AMS packages."""

    tex: str
    """Without delimiters, on one line, never empty, no blank at either end. Braces are balanced and no `$` is
    bare. A bare `|` stands only in the columns of an array (`{c|c}`); in a GFM table cell write it `\\|`."""
    display: bool
    """A formula of its own line: display="block" or mode="display"."""
    source: Source
    """Where the TeX comes from."""
    problems: tuple[str, ...]
    """Names of elements and characters without a TeX form. Their text is in `tex`."""


def math_to_tex(element: etree._Element) -> Math | None:
    """The TeX of a `math` element, namespaced or not; None when it has nothing to show. Never raises.

    A TeX annotation wins, then an alttext that is TeX, then presentation MathML, then content MathML.
    """
    display = _is_display(element)
    semantics = _semantics(element)
    annotation = _tex_annotation(semantics) if semantics is not None else None
    if annotation:
        return Math(annotation, display, "annotation", ())
    alttext = element.get("alttext", "")
    tex = normalized(alttext) if looks_like_tex(alttext) else None
    if tex:
        return Math(tex, display, "alttext", ())
    return _converted(element, semantics, display) or _last_resort(element, alttext, display)


def _is_display(element: etree._Element) -> bool:
    return (element.get("display") or "").strip().lower() == "block" or element.get("mode") == "display"


def _semantics(element: etree._Element) -> etree._Element | None:
    """The semantics element which is all of the formula."""
    for _ in range(_MAX_WRAPPERS):
        if local_name(element) not in _WRAPPERS:
            break
        children = list(element.iterchildren(etree.Element))
        if len(children) != 1:
            return None
        element = children[0]
    return element if local_name(element) == "semantics" else None


def _tex_annotation(semantics: etree._Element) -> str | None:
    for child in semantics:
        if local_name(child) == "annotation" and is_tex_encoding(child.get("encoding")):
            tex = normalized(text_of(child))
            if tex:
                return tex
    return None


def _converted(element: etree._Element, semantics: etree._Element | None, display: bool) -> Math | None:
    source: Source = "presentation"
    chosen = element
    if _is_content(semantics if semantics is not None else element):
        source = "content"
        presentation = _presentation_annotation(semantics) if semantics is not None else None
        if presentation is not None:
            source, chosen = "presentation", presentation
    problems: list[str] = []
    fragment = convert(chosen, problems)
    if chosen is not element:
        fragment = fragment._replace(kind=Kind.ROW)
    tex = finish(fragment.tex)
    if not tex or fragment.kind is Kind.SPACE:
        return None
    problems += [f"U+{ord(char):04X}" for char in _unwritable(tex)]
    return Math(tex, display, source, tuple(dict.fromkeys(problems)))


def _is_content(element: etree._Element) -> bool:
    """Whether the first element that means something is content MathML."""
    for _ in range(_MAX_WRAPPERS):
        name = local_name(element)
        if name not in _WRAPPERS and name != "semantics":
            return name in _CONTENT
        first = next(element.iterchildren(etree.Element), None)
        if first is None:
            return False
        element = first
    return False


def _presentation_annotation(semantics: etree._Element) -> etree._Element | None:
    for child in semantics:
        if local_name(child) == "annotation-xml" and child.get("encoding", "").lower() in (
            "mathml-presentation",
            "application/mathml-presentation+xml",
        ):
            return next(child.iterchildren(etree.Element), None)
    return None


def _unwritable(tex: str) -> str:
    """Characters that TeX can't show: private use, unassigned, control, and marks that are no accent of it."""
    if tex.isascii():
        return ""
    return "".join(
        [
            char
            for char in tex
            if unicodedata.category(char) in ("Co", "Cn", "Cc", "Cs")
            or ("\u0300" <= char <= "\u036f" and char not in TEXT_ACCENTS)
        ]
    )


def _last_resort(element: etree._Element, alttext: str, display: bool) -> Math | None:
    """Nothing in the tree shows anything: the alternative text, or what the annotations say, as words."""
    words = text(alttext)
    if words.tex and words.kind is not Kind.SPACE:
        return Math(finish(words.tex), display, "alttext", ())
    words = text("".join([char for char in text_of(element) if char not in INVISIBLE]))
    if not words.tex or words.kind is Kind.SPACE:
        return None
    return Math(finish(words.tex), display, "annotation", ("annotation",))
