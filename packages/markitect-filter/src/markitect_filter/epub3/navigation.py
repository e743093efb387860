"""Which navigation counts.

1. The navigation document leads; it is the manifest item with the property `nav`, never a page that looks
like one. 2. The NCX stands in for what the navigation document lacks: the table of contents where it is
missing, unreadable or
   empty, the page list where it has none. It is the item that the spine's `toc` names, else the one of its
   media type.
3. Landmarks come from the navigation document, else from the EPUB 2 guide.

Text never depends on any of this: it follows the spine, and navigation only labels it.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree
from markitect_filter.epub3.limits import DEFAULT_LIMITS, Limits
from markitect_filter.epub3.media_type import NCX
from markitect_filter.epub3.nav import parse_nav
from markitect_filter.epub3.navigation_model import Landmark, NavDocument, Navigation, Resolver, Target
from markitect_filter.epub3.ncx import parse_ncx
from markitect_filter.epub3.package_model import ManifestItem, Package
from markitect_tool.diagnostics import DiagnosticSink

#: Reads and parses the item's file: its member path and root, or None, the reason then reported by the
#: loader.
Loader = Callable[[ManifestItem], "tuple[str, etree._Element] | None"]
#: Turns an href in the document at a member path (first argument) into its target.
BaseResolver = Callable[[str, str], Target]
Parser = Callable[[etree._Element, str, Resolver, DiagnosticSink, Limits], NavDocument]


def read_navigation(
    package: Package,
    load: Loader,
    resolve: BaseResolver,
    sink: DiagnosticSink,
    limits: Limits = DEFAULT_LIMITS,
) -> Navigation:
    """The book's navigation by the rules above. A book without any is reported as `source.nav_missing`."""
    nav = _read(nav_item(package, sink), load, parse_nav, resolve, sink, limits)
    ncx = None
    if nav is None or not nav.toc or not nav.pages:
        ncx = _read(ncx_item(package, sink), load, parse_ncx, resolve, sink, limits)
    leading = next((source for source in (nav, ncx) if source is not None and source.toc), None)
    paged = next((source for source in (nav, ncx) if source is not None and source.pages), None)
    _report_gaps(package, nav, leading, sink)
    landmarks = nav.landmarks if nav else ()
    guide = () if landmarks else guide_landmarks(package, resolve)
    return Navigation(
        toc=leading.toc if leading else (),
        toc_heading=leading.heading if leading and leading is nav else "",
        toc_source="none" if leading is None else "nav" if leading is nav else "ncx",
        toc_member=leading.member if leading else None,
        pages=paged.pages if paged else (),
        pages_source="none" if paged is None else "nav" if paged is nav else "ncx",
        landmarks=landmarks or guide,
        landmarks_source="nav" if landmarks else "guide" if guide else "none",
        lists=(nav.lists if nav else ()) + (ncx.lists if ncx else ()),
    )


def guide_landmarks(package: Package, resolve: BaseResolver) -> tuple[Landmark, ...]:
    """The EPUB 2 guide in the shape of landmarks."""
    return tuple(
        Landmark(
            (entry.type,) if entry.type else (), entry.title, resolve(package.member, entry.href), entry.line
        )
        for entry in package.guide
    )


def nav_item(package: Package, sink: DiagnosticSink) -> ManifestItem | None:
    """The manifest item of the navigation document."""
    found = package.items_with_property("nav")
    for extra in found[1:]:
        sink.report(
            "source.nav_irregular",
            f"a second navigation document, {extra.href!r}, is not used",
            path=package.member,
            line=extra.line,
            id=extra.id,
        )
    return found[0] if found else None


def ncx_item(package: Package, sink: DiagnosticSink) -> ManifestItem | None:
    """The manifest item of the NCX."""
    named = package.spine.toc if package.spine else None
    item = package.item(named)
    if item is not None and _may_be_ncx(item):
        return item
    found = next((other for other in package.manifest if other.media_type == NCX), None)
    if named:
        wrong = "no manifest item" if item is None else f"a file of type {item.media_type!r}"
        instead = f"{found.href!r} is used instead" if found else "and there is no other NCX"
        sink.report(
            "source.nav_irregular",
            f"the spine's toc attribute {named!r} names {wrong}; {instead}",
            path=package.member,
            line=package.spine.line if package.spine else None,
            toc=named,
        )
    return found


def _may_be_ncx(item: ManifestItem) -> bool:
    return item.media_type == NCX or item.href.partition("#")[0].lower().endswith(".ncx")


def _read(
    item: ManifestItem | None,
    load: Loader,
    parse: Parser,
    resolve: BaseResolver,
    sink: DiagnosticSink,
    limits: Limits,
) -> NavDocument | None:
    loaded = load(item) if item is not None else None
    if loaded is None:
        return None
    member, root = loaded
    return parse(root, member, lambda href: resolve(member, href), sink, limits)


def _report_gaps(
    package: Package, nav: NavDocument | None, leading: NavDocument | None, sink: DiagnosticSink
) -> None:
    if leading is None:
        sink.report(
            "source.nav_missing", "the book has no table of contents that can be read", path=package.member
        )
    elif leading is not nav and nav is not None:
        sink.report(
            "source.nav_irregular",
            "the navigation document has no table of contents; the NCX stands in",
            path=nav.member,
        )
    elif leading is not nav and package.major_version == 3:
        sink.report(
            "source.nav_irregular",
            "the book has no readable navigation document; the NCX stands in",
            path=package.member,
        )
