"""EPUB 2 navigation control file (OPF 2.0.1 section 2.4.1, DAISY NCX): navMap, pageList and navList.

Elements are matched by local name: the namespace is often missing or wrong, and no other vocabulary occurs
here. Document order counts; `playOrder` often contradicts it and is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink

from markitect_filter.documents.limits import DEFAULT_LIMITS, Limits
from markitect_filter.documents.xml_names import attribute, local_name
from markitect_filter.epub3.navigation.nav_label import label_of
from markitect_filter.epub3.navigation.navigation_model import (
    MAX_DEPTH,
    NavDocument,
    NavigationList,
    PageTarget,
    TocEntry,
    page_targets,
    report_cut,
    target_of,
)

_POINTS = frozenset({"navPoint", "navTarget", "pageTarget"})


def parse_ncx(
    root: etree._Element,
    member: str,
    sink: DiagnosticSink,
    limits: Limits = DEFAULT_LIMITS,
) -> NavDocument:
    """The lists of the NCX read from `member`. Irregularities go to `sink`."""
    toc: tuple[TocEntry, ...] = ()
    pages: tuple[PageTarget, ...] = ()
    lists: list[NavigationList] = []
    heading = ""
    for element in root.iter(etree.Element):
        name = local_name(element)
        if name == "docTitle" and not heading:
            heading = label_of(element)
        elif name == "navMap" and not toc:
            toc = tuple(_points(element, member, sink, limits.toc_entries))
        elif name == "pageList" and not pages:
            pages = page_targets(_points(element, member, sink, limits.toc_entries))
        elif name == "navList":
            kind = attribute(element, "class") or ""
            entries = tuple(_points(element, member, sink, limits.toc_entries))
            lists.append(NavigationList((kind,) if kind else (), _label(element), entries))
    return NavDocument(member, heading, toc, pages, (), tuple(lists))


def _points(section: etree._Element, member: str, sink: DiagnosticSink, max_entries: int) -> Iterator[TocEntry]:
    """The points of one list in document order. Nested ones wait on a list of our own, so depth costs
    nothing.
    """
    waiting = [(child, 1) for child in section.iterchildren(etree.Element, reversed=True)]
    count = 0
    while waiting:
        element, level = waiting.pop()
        if local_name(element) not in _POINTS:
            continue
        count += 1
        if count > max_entries:
            report_cut(sink, member, element.sourceline, max_entries)
            return
        if level == MAX_DEPTH + 1:
            _irregular(sink, f"the NCX nests deeper than {MAX_DEPTH} levels; deeper ones are raised", member, element)
        href = _source(element)
        label = _label(element) or attribute(element, "value") or ""
        if href is None:
            _irregular(sink, "a point of the NCX has no content", member, element)
        if href is not None or label:
            target = target_of(member, href) if href is not None else None
            yield TocEntry(label, min(level, MAX_DEPTH), href, target, line=element.sourceline)
        waiting.extend((child, level + 1) for child in element.iterchildren(etree.Element, reversed=True))


def _irregular(sink: DiagnosticSink, message: str, member: str, element: etree._Element) -> None:
    sink.report("source.nav_irregular", message, path=member, line=element.sourceline, once=("ncx", member, message))


def _source(point: etree._Element) -> str | None:
    for child in point.iterchildren(etree.Element):
        if local_name(child) == "content" and (src := attribute(child, "src")):
            return src
    return None


def _label(point: etree._Element) -> str:
    """The first label with text: there may be one for each language."""
    for child in point.iterchildren(etree.Element):
        if local_name(child) == "navLabel" and (label := label_of(child)):
            return label
    return ""
