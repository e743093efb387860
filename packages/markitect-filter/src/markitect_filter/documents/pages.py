"""Stage 5: where the pages of the printed edition start.

A page break is an element with `epub:type="pagebreak"` or `role="doc-pagebreak"` (EPUB 3.3 F.3, DPUB-ARIA), the target
of a page list, or, since older books know nothing else, an element whose class and text or id both say so, such as
`<span class="pagenum">[Pg 4]</span>`. Its label is the page list's, else the element's `aria-label`, `title` or text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.record import Record

from markitect_filter.documents.page_labels import PAGE_ID, PAGE_LABEL, is_bracketed, is_page_class, page_number
from markitect_filter.documents.semantics import Typed
from markitect_filter.documents.xml_names import XHTML, local_name

_BREAK = frozenset({"pagebreak", "doc-pagebreak"})
_LONGEST = 100  # characters of a label; it stands in every segment of the page
_MAX_LABEL = 24  # characters; an element with more text holds the page itself, not its number
_INLINE = frozenset(["span", "a", "small", "sup", "sub", "i", "b", "em", "strong", "ins", "font", "big", "u"])
_MARKERS = _INLINE | {"p", "div"}


class PageBreak(Record):
    """`label` names the page that starts at `element`; `marker` elements hold nothing but their label."""

    element: etree._Element
    label: str
    marker: bool


def find_page_breaks(
    member: str,
    body: etree._Element,
    typed: Iterable[Typed],
    classed: Iterable[etree._Element],
    elements: Mapping[str, etree._Element],
    listed: Mapping[str, str],
    sink: DiagnosticSink,
) -> list[PageBreak]:
    """The page breaks of a document. `classed` are the elements that have a class, `elements` its anchors, `listed` the
    page list's labels by fragment.

    Where the page list and the text disagree the list counts and the difference is reported. Blanks inside of a marker
    are moved after it, so that leaving it out joins no words.
    """
    labels: dict[etree._Element, str] = {}
    dead: list[str] = []
    for fragment, label in listed.items():
        element = elements.get(fragment)
        if element is not None:
            labels.setdefault(element, label)
        elif fragment:
            dead.append(label)
    if dead:
        sink.report(
            "source.page_conflict",
            f"The page list leads to {len(dead)} place(s) that this document does not have.",
            path=member,
            once=("page_conflict", member, "dead"),
            pages=dead[:50],
        )
    found: dict[etree._Element, PageBreak] = {}

    def enter(element: etree._Element, label: str, marker: bool) -> None:
        if marker:
            element = _widest(element, body)
        found.setdefault(element, PageBreak(element, label, marker))

    for entry in typed:
        if not entry.is_any(_BREAK):
            continue
        element = entry.element
        text = _short_text(element)
        given = page_number((element.get("aria-label") or element.get("title") or "").strip() or text or "")
        given = given[:_LONGEST]
        label = labels.pop(element, "") or labels.pop(_widest(element, body), "")
        if label and given and page_number(label) != given and given not in label:
            sink.report(
                "source.page_conflict",
                f"The page list says {label!r} where the text says {given!r}; the page list counts.",
                path=member,
                line=element.sourceline,
                once=("page_conflict", member),
            )
        enter(element, label or given, text is not None)
    for element, label in labels.items():
        if element is not body:
            marker = _marker_of(element, label, body)
            enter(marker if marker is not None else element, label, marker is not None)
    numbers = {page_number(label) for label in listed.values()}
    for element in classed:
        names = element.get("class", "")
        if "page" not in names and "Page" not in names and "pg" not in names:  # as hardly any
            continue
        if not any(map(is_page_class, names.split())):
            continue
        if element is body or element in found or not (number := _called_page(element)):
            continue
        known = number in numbers or any(inner in found for inner in element.iterdescendants(etree.Element))
        enter(element, "" if known else number, True)
    pages = [page for page in found.values() if page.label or page.marker]
    for page in pages:
        if page.marker:
            _keep_blanks(page.element)
    return pages


def _short_text(element: etree._Element) -> str | None:
    """An element's text, None if it holds more than a label."""
    text = ""
    for piece in element.itertext():
        text += str(piece)
        if len(text) > _MAX_LABEL and len(" ".join(text.split())) > _MAX_LABEL:
            return None
    return " ".join(text.split())


def _marker_of(element: etree._Element, label: str, body: etree._Element) -> etree._Element | None:
    """The element that holds nothing but the label to which the page list leads: the target or what starts with it."""
    wanted = page_number(label)
    if not len(element) and not (element.text or "").strip():
        parent = element.getparent()
        if parent is None or parent is body or local_name(parent) not in _INLINE:
            return None
        element = parent
    if local_name(element) not in _MARKERS or _leads_on(element):
        return None
    text = _short_text(element)
    if not text:
        return None
    number = page_number(text)
    # "I" on page i is more often the number of a chapter
    return element if number == wanted or (number.lower() == wanted.lower() and is_bracketed(text)) else None


def _called_page(element: etree._Element) -> str:
    """The number of the page of an element whose class says that it holds one; empty if it does not."""
    if local_name(element) not in _MARKERS:
        return ""
    text = _short_text(element)
    if text is None or _leads_on(element):
        return ""
    match = re.fullmatch(PAGE_LABEL, text)
    if match is not None and is_bracketed(text):
        return match["number"]
    if text and match is None:
        return ""
    for inner in element.iter(etree.Element):
        for name in (inner.get("id"), inner.get("name")):
            named = re.fullmatch(PAGE_ID, name or "")
            if named is None:
                continue
            if match is not None:
                if named["number"].lower() == match["number"].lower():
                    return match["number"]
            elif named["word"].lower() != "p":  # nothing to see: `p4` may be any paragraph
                return named["number"]
    return ""


def _leads_on(element: etree._Element) -> bool:
    """Is it, or does it hold, a link to anywhere but itself?"""
    for link in element.iter(f"{{{XHTML}}}a"):
        href = link.get("href")
        if href is not None and href.rpartition("#")[2] not in (link.get("id"), link.get("name"), element.get("id")):
            return True
    return False


def _widest(marker: etree._Element, body: etree._Element) -> etree._Element:
    """The outermost span that holds nothing but the marker: brackets around it go with it."""
    text = _short_text(marker)
    while text:
        parent = marker.getparent()
        if parent is None or parent is body or local_name(parent) not in _INLINE or _leads_on(parent):
            break
        around = _short_text(parent)
        if around is None or around.strip("[](){}|—–- ") != text.strip("[](){}|—–- "):
            break
        marker = parent
    return marker


def _keep_blanks(marker: etree._Element) -> None:
    """Move a blank at the border of a marker that is left out behind it."""
    if local_name(marker) not in _INLINE:
        return
    text = "".join(map(str, marker.itertext()))
    tail = marker.tail or ""
    if text.strip() and (text[0].isspace() or text[-1].isspace()) and not tail[:1].isspace():
        marker.tail = f" {tail}"
