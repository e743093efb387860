"""Stage 5: where the pages of the printed edition start.

A page break is an element with `epub:type="pagebreak"` or `role="doc-pagebreak"` (EPUB 3.3 F.3, DPUB-ARIA), or the
target of a page list. Its label is the page list's, else the element's `aria-label`, `title` or text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink

from markitect_filter.epub3.semantics import Typed

_BREAK = frozenset({"pagebreak", "doc-pagebreak"})
_LONGEST = 100  # characters of a label; it stands in every segment of the page
_MAX_LABEL = 24  # characters; an element with more text holds the page itself, not its number


@dataclass(frozen=True, slots=True)
class PageBreak:
    """`label` names the page that starts at `element`; `marker` elements hold nothing but their label."""

    element: etree._Element
    label: str
    marker: bool


def find_page_breaks(
    member: str,
    body: etree._Element,
    typed: Iterable[Typed],
    elements: Mapping[str, etree._Element],
    listed: Mapping[str, str],
    sink: DiagnosticSink,
) -> list[PageBreak]:
    """The page breaks of a document. `elements` are its anchors, `listed` the page list's labels by fragment.

    Where the page list and the text disagree the list counts and the difference is reported.
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
    found = []
    for entry in typed:
        if not entry.is_any(_BREAK):
            continue
        element = entry.element
        text = " ".join("".join(element.itertext()).split())
        marker = len(text) <= _MAX_LABEL
        given = (element.get("aria-label") or element.get("title") or "").strip() or (text if marker else "")
        given = given[:_LONGEST]
        label = labels.pop(element, "")
        if label and given and label != given and given not in label:
            sink.report(
                "source.page_conflict",
                f"The page list says {label!r} where the text says {given!r}; the page list counts.",
                path=member,
                line=element.sourceline,
                once=("page_conflict", member),
            )
        found.append(PageBreak(element, label or given, marker))
    found.extend(PageBreak(element, label, False) for element, label in labels.items() if element is not body)
    return [page for page in found if page.label or page.marker]
