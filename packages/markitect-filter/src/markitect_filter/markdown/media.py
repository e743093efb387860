"""Handlers of embedded content: pictures, drawings, sound and film, formulas."""

from __future__ import annotations

from lxml import etree

from markitect_filter.patterns import compiled

from .escape import Escaper, destination, title
from .items import collapse
from .marks import ATOM, DISPLAY, SOFT_BREAK, URL, URL_END, LinkTarget
from .phrases import anchor, separate_words
from .tree import count_text, local_name, text_of
from .writer import Drawing, End, Writer, done

_XLINK = "{http://www.w3.org/1999/xlink}href"
_SVG = "{http://www.w3.org/2000/svg}"
_SHAPES = frozenset(f"{_SVG}{name}" for name in ("clipPath", "clippath", "mask", "pattern", "marker"))
_SHOWN = frozenset({"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/xhtml"})
_BUTTONS = frozenset({"button", "submit", "reset"})
_BOXES = frozenset({"checkbox", "radio"})
_SHOWABLE = ("{*}img", "{*}image", "{*}object", "{*}embed", "{*}math")
_IMAGE_NAME = r"(?i)\.(?:png|jpe?g|gif|svg|webp|avif|bmp|tiff?|jxl)(?:[?#]|$)"


def image(writer: Writer, element: etree._Element) -> End | None:
    """img"""
    source = element.get("src") or (element.get("srcset") or "").strip().partition(" ")[0].rstrip(",")
    _write_image(writer, element, source, element.get("alt") or "", element.get("title"))
    return None


def _write_image(writer: Writer, element: etree._Element, source: str, alt: str, caption: str | None = None) -> None:
    place = writer.refer(element, source)
    if place is None:
        if alt.strip():
            writer.emit_text(alt)
        return
    words = collapse(alt).strip()
    escaper = Escaper(words, emphasis=True, code=True, math=True, strike=True, cell=False)
    markdown = f"![{escaper.escape(words, in_link=True)}]({destination(place)}{title(caption)})"
    writer.pieces.append(writer.late.add(ATOM, markdown))


def drawing(writer: Writer, element: etree._Element) -> End | None:
    """svg: what titles and describes it is the alternative of the picture inside, if there is one."""
    if writer.drawing is not None:
        return None
    labels = [element.get("aria-label") or ""] if element.get("aria-label") else []
    for name in ("title", "desc"):
        labels += [text_of(label) for label in element.iterchildren(f"{_SVG}{name}")]
    pictured = next(element.iterdescendants(f"{_SVG}image"), None) is not None
    writer.drawing = Drawing(element, pictured, " ".join(" ".join(dict.fromkeys(labels)).split()))
    return _end_drawing


def _end_drawing(writer: Writer, element: etree._Element) -> None:
    writer.drawing = None


def drawing_image(writer: Writer, element: etree._Element) -> End:
    """image inside of svg."""
    source = element.get(_XLINK) or element.get("href") or ""
    alt = element.get("aria-label") or (writer.drawing.label if writer.drawing is not None else "")
    if writer.drawing is not None:  # said once, however many images there are
        writer.drawing = writer.drawing._replace(label="")
    _write_image(writer, element, source, alt or text_of(element))
    writer.skip(element, "alternative-text")  # what an image holds only describes it (SVG 2, 5.8)
    return done


def drawing_label(writer: Writer, element: etree._Element) -> End | None:
    """title and desc of a drawing: the alternative text of its picture, else text of their own."""
    shown = writer.drawing
    if shown is not None and shown.pictured and element.getparent() is shown.element:
        writer.skip(element, "alternative-text")
        return done
    return separate_words(writer, element)


def drawing_definitions(writer: Writer, element: etree._Element) -> End | None:
    """defs and symbol: not shown (SVG 2, 5.4), unless a `use` shows some of it or it gives other things their shape."""
    if writer.shown_definitions is None:
        writer.shown_definitions = _shown_definitions(element.getroottree())
    if element in writer.shown_definitions:
        return None
    writer.skip(element, "drawing-definition")
    return done


def _shown_definitions(page: etree._ElementTree) -> frozenset[etree._Element]:
    """The elements that are used, and all around them."""
    used = {(use.get("href") or use.get(_XLINK) or "").strip().partition("#")[2] for use in page.iter(f"{_SVG}use")}
    shown: set[etree._Element] = set()
    for inner in page.iter(etree.Element):
        shape = inner.tag in _SHAPES and next(inner.iter(f"{_SVG}text"), None) is not None
        if shape or inner.get("id") in used:
            around: etree._Element | None = inner
            while around is not None and around not in shown:
                shown.add(around)
                around = around.getparent()
    return frozenset(shown)


def drawing_span(writer: Writer, element: etree._Element) -> End | None:
    """tspan: one that is placed on its own is not part of the word before."""
    if any(element.get(name) is not None for name in ("x", "y", "dx", "dy")):
        writer.pieces.append(" ")
    return None


def embedded(writer: Writer, element: etree._Element) -> End | None:
    """object, audio, video, iframe, embed: a picture; else what they hold for readers who can't show them, else a
    link. Those inside of another are its content."""
    source = element.get("data") or element.get("src") or ""
    if writer.in_embedded:
        writer.refer(element, source)
        return None
    if not source:
        nested = element.find("{*}source")
        source = (nested.get("src") or "") if nested is not None else ""
    kind = (element.get("type") or "").lower()
    text = " ".join(text_of(element).split())
    drawable = kind.startswith("image/") or (not kind and compiled(_IMAGE_NAME).search(source))
    if source and drawable and local_name(element) in ("object", "embed"):
        alt = text or element.get("aria-label") or _fallback_alt(element)
        _write_image(writer, element, source, alt, element.get("title"))
        writer.skip(element, "alternative-text")
        return done
    place = writer.refer(element, source)
    if text or next(element.iterdescendants(*_SHOWABLE), None) is not None:
        writer.in_embedded += 1
        return _end_embedded
    if place is not None and not writer.in_link:
        label = element.get("title") or element.get("aria-label") or place.rpartition("/")[2] or place
        start = writer.late.add(URL, LinkTarget(url=place))
        writer.emit_text(" ")
        writer.open(start, f"{start[0]}{URL_END}{start[2:]}")
        writer.emit_text(label)
        writer.close()
        writer.emit_text(" ")
    return None


def _fallback_alt(element: etree._Element) -> str:
    """What the picture says that stands in for this one."""
    return next((alt for picture in element.iterdescendants("{*}img") if (alt := picture.get("alt"))), "")


def _end_embedded(writer: Writer, element: etree._Element) -> None:
    writer.in_embedded -= 1


def medium_source(writer: Writer, element: etree._Element) -> End | None:
    """source, track: the caller hears of what they refer to."""
    writer.refer(element, element.get("src") or "")
    return None


def area(writer: Writer, element: etree._Element) -> End | None:
    """area of an image map: a link with its alternative text."""
    href = element.get("href")
    alt = element.get("alt") or ""
    if href and alt.strip() and not writer.in_link:
        end = anchor(writer, element)
        writer.emit_text(alt)
        if end is not None:
            end(writer, element)
        writer.pieces.append(SOFT_BREAK if writer.soft else " ")
    return None


def control(writer: Writer, element: etree._Element) -> End | None:
    """input: the words on a button, a box to tick; what a person would type is not in the book."""
    kind = (element.get("type") or "").lower()
    if kind in _BOXES:
        writer.emit_text("☐ " if element.get("checked") is None else "☑ ")
    elif kind in _BUTTONS and (value := element.get("value")):
        writer.emit_text(f" {value} ")
    return None


def formula(writer: Writer, element: etree._Element) -> End:
    """math, as TeX; what can't be written as TeX keeps its text."""
    from .math import math_to_tex

    characters = count_text(element)
    result = math_to_tex(element)
    writer.inner_marks(element)
    if result is None:
        writer.ledger.skip("empty-formula", characters)
        return done
    if result.problems:
        writer.references.problem(
            "source.math_unconverted",
            f"Parts of a formula have no form in TeX and are written as text: {', '.join(result.problems[:5])}.",
            element,
        )
    if result.display:
        writer.pieces.append(writer.late.add(DISPLAY, result.tex))
    else:
        writer.pieces.append(writer.late.add(ATOM, f"${result.tex}$"))
    writer.ledger.emitted += characters
    return done


def switch(writer: Writer, element: etree._Element) -> End | None:
    """epub:switch (EPUB 3.0, 2.4): the first case that the writer can show, else the default."""
    from .references import Directive

    chosen = None
    for child in element:
        name = local_name(child)
        if (name == "case" and chosen is None and child.get("required-namespace") in _SHOWN) or (
            name == "default" and chosen is None
        ):
            chosen = child
    for child in element:
        if child is not chosen and isinstance(child.tag, str):
            writer.directives[child] = Directive(skip="switch")
    return None
