"""EPUB 3 navigation document (EPUB 3.3 section 7): its `nav` elements as lists of entries.

The content model is `ol` of `li` of `a` or `span`, nested. Real documents use `ul`, wrap links, put lists
directly into lists or write no list at all; all of that is read, in document order, by a walk that does not
recurse.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink

from markitect_filter.documents.limits import DEFAULT_LIMITS, Limits
from markitect_filter.documents.xml_names import attribute, epub_types, local_name
from markitect_filter.epub3.navigation.nav_label import label_of
from markitect_filter.epub3.navigation.navigation_model import (
    MAX_DEPTH,
    Landmark,
    NavDocument,
    NavigationList,
    PageTarget,
    TocEntry,
    page_targets,
    report_cut,
    target_of,
)

_LISTS = frozenset({"ol", "ul", "menu"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "header"})
_ROLES = {"doc-toc": "toc", "doc-pagelist": "page-list"}


def parse_nav(
    root: etree._Element,
    member: str,
    sink: DiagnosticSink,
    limits: Limits = DEFAULT_LIMITS,
) -> NavDocument:
    """The navigation lists of the document read from `member`.

    A single untyped `nav` is taken for the table of contents. Irregularities go to `sink`; nothing is raised.
    """
    reader = _Reader(member, sink, limits.toc_entries)
    found = [(_types(element), element) for element in _navs(root)]
    if len(found) == 1 and not found[0][0]:
        reader.irregular("the only nav element has no type and is taken for the table of contents", found[0][1])
        found = [(("toc",), found[0][1])]
    heading = ""
    toc: tuple[TocEntry, ...] = ()
    pages: tuple[PageTarget, ...] = ()
    landmarks: tuple[Landmark, ...] = ()
    lists: list[NavigationList] = []
    for types, element in found:
        entries = tuple(reader.entries(element))
        if "toc" in types and not toc:
            toc, heading = entries, _heading(element)
        elif "page-list" in types and not pages:
            pages = page_targets(entries)
        elif "landmarks" in types and not landmarks:
            landmarks = tuple(
                Landmark(e.types, e.label, e.href, e.target, e.line) for e in entries if e.href is not None
            )
        else:
            if {"toc", "page-list", "landmarks"}.intersection(types):
                reader.irregular(f"a second nav element of type {' '.join(types)!r} is not used", element)
            lists.append(NavigationList(types, _heading(element), entries))
    return NavDocument(member, heading, toc, pages, landmarks, tuple(lists))


def _navs(root: etree._Element) -> Iterator[etree._Element]:
    """The nav elements that are lists: of nested ones the outermost with a type, else the innermost."""
    taken: set[etree._Element] = set()
    for element in root.iter("{*}nav"):
        if any(ancestor in taken for ancestor in element.iterancestors("{*}nav")):
            continue
        if _types(element) or next(element.iterdescendants("{*}nav"), None) is None:
            taken.add(element)
            yield element


def _types(element: etree._Element) -> tuple[str, ...]:
    types = tuple(map(str.lower, epub_types(element)))
    roles = (element.get("role") or "").split()
    return types or tuple(_ROLES[role] for role in roles if role in _ROLES)


def _heading(nav: etree._Element) -> str:
    """The text of the nav element's heading, else its `aria-label`."""
    for element in nav.iterdescendants(etree.Element):
        name = local_name(element)
        if name in _LISTS:
            break
        if name in _HEADINGS:
            return label_of(element)
    return attribute(nav, "aria-label") or ""


class _Reader:
    def __init__(self, member: str, sink: DiagnosticSink, max_entries: int) -> None:
        self.member = member
        self.sink = sink
        self.max_entries = max_entries

    def irregular(self, message: str, element: etree._Element) -> None:
        self.sink.report(
            "source.nav_irregular",
            message,
            path=self.member,
            line=element.sourceline,
            once=("nav", self.member, message),
        )

    def entries(self, nav: etree._Element) -> Iterator[TocEntry]:
        """The entries of one nav element in document order, with their levels."""
        waiting = [(child, 0, nav.get("hidden") is not None) for child in _reversed_children(nav)]
        has_list = False
        count = 0
        while waiting:
            element, level, hidden = waiting.pop()
            name = local_name(element)
            hidden = hidden or element.get("hidden") is not None
            if name in _LISTS:
                has_list = True
                waiting.extend((child, level + 1, hidden) for child in _reversed_children(element))
                continue
            if name == "li" and len(element) == 1 and local_name(element[0]) == "a":  # the usual form
                found = [self._link(element[0], max(level, 1), hidden)]
            elif name == "li":
                own, nested = _parts(element)
                found = list(self._item(element, own, nested, max(level, 1), hidden))
                waiting.extend((child, level, hidden) for child in reversed(nested))
            elif name == "a":
                found = [self._link(element, max(level, 1), hidden)]
            elif name in _HEADINGS and level == 0:
                continue
            else:
                waiting.extend((child, level, hidden) for child in _reversed_children(element))
                continue
            for entry in found:
                count += 1
                if count > self.max_entries:
                    report_cut(self.sink, self.member, element.sourceline, self.max_entries)
                    return
                yield entry
        if count and not has_list:
            self.irregular("a nav element holds links without a list", nav)

    def _item(
        self,
        item: etree._Element,
        own: list[etree._Element],
        nested: list[etree._Element],
        level: int,
        hidden: bool,
    ) -> Iterator[TocEntry]:
        """The entries of one list item: one as a rule, several where it holds several links."""
        links = [element for element in own if local_name(element) == "a"]
        if len(links) == 1 and len(own) == 1:
            yield self._link(links[0], level, hidden)
            return
        if len(links) > 1:
            self.irregular("a list item of the navigation holds several links", item)
            for link in links:
                yield self._link(link, level, hidden)
            return
        label = label_of(item, without=_LISTS)
        if links:  # "<span>Chapter</span> <a>One</a>": one entry, all of its text
            linked = self._link(links[0], level, hidden)
            yield linked._replace(label=label)
        elif label or nested:
            yield TocEntry(label, self._level(level, item), hidden=hidden, line=item.sourceline)

    def _link(self, link: etree._Element, level: int, hidden: bool) -> TocEntry:
        href = attribute(link, "href")
        target = target_of(self.member, href) if href else None
        types = tuple(map(str.lower, epub_types(link)))
        label = label_of(link)
        if not label:
            self.irregular("a navigation link has no label", link)
        return TocEntry(label, self._level(level, link), href, target, hidden, types, link.sourceline)

    def _level(self, level: int, element: etree._Element) -> int:
        if level > MAX_DEPTH:
            self.irregular(f"the navigation nests deeper than {MAX_DEPTH} levels; deeper ones are raised", element)
        return min(level, MAX_DEPTH)


def _reversed_children(element: etree._Element) -> list[etree._Element]:
    return list(element.iterchildren(etree.Element, reversed=True))


def _parts(item: etree._Element) -> tuple[list[etree._Element], list[etree._Element]]:
    """A list item's links and spans, and its nested lists; neither is looked into."""
    own: list[etree._Element] = []
    nested: list[etree._Element] = []
    waiting = _reversed_children(item)
    while waiting:
        element = waiting.pop()
        name = local_name(element)
        if name in _LISTS:
            nested.append(element)
        elif name == "a" or (name == "span" and next(element.iterdescendants("{*}a", "{*}ol", "{*}ul"), None) is None):
            own.append(element)
        else:
            waiting.extend(_reversed_children(element))
    return own, nested
