"""Which navigation counts.

1. The navigation document leads: the manifest item with the property `nav`, never a page that looks like one.
2. The NCX stands in for what the navigation document lacks: the table of contents where it is missing,
unreadable or
   empty, the page list where it has none. It is the item that the spine's `toc` names, else the one of its
   media type.
3. Landmarks come from the navigation document, else from the EPUB 2 guide.

Text never depends on any of this: it follows the spine, and navigation only labels it.
"""

from __future__ import annotations

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
from markitect_tool.record import replace

from markitect_filter.documents.limits import from_markup
from markitect_filter.documents.media_type import NCX
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.navigation.nav import parse_nav
from markitect_filter.epub3.navigation.navigation_model import Landmark, NavDocument, Navigation, target_of
from markitect_filter.epub3.package.package_model import ManifestItem, Package
from markitect_filter.markup.limits import MarkupError, MarkupLimitError
from markitect_filter.markup.parse import ParsedMarkup, parse_markup, parse_xml


def read_navigation(package: Package, archive: Archive, sink: DiagnosticSink) -> Navigation:
    """The book's navigation by the rules above.

    What cannot be read is reported and left aside; a book without any navigation is `source.nav_missing`.
    """
    nav = _read(nav_item(package, sink), package, archive, sink)
    ncx = None
    if nav is None or not nav.toc or not nav.pages:
        ncx = _read(ncx_item(package, sink), package, archive, sink, ncx=True)
    return choose_navigation(package, nav, ncx, sink)


def choose_navigation(
    package: Package, nav: NavDocument | None, ncx: NavDocument | None, sink: DiagnosticSink
) -> Navigation:
    """For each part of the navigation the document that it is taken from, by the rules above."""
    leading = next((source for source in (nav, ncx) if source is not None and source.toc), None)
    paged = next((source for source in (nav, ncx) if source is not None and source.pages), None)
    _report_gaps(package, nav, leading, sink)
    landmarks = nav.landmarks if nav else ()
    guide = () if landmarks else guide_landmarks(package)
    return Navigation(
        toc=leading.toc if leading else (),
        toc_source="none" if leading is None else "nav" if leading is nav else "ncx",
        toc_member=leading.member if leading else None,
        pages=paged.pages if paged else (),
        pages_source="none" if paged is None else "nav" if paged is nav else "ncx",
        landmarks=landmarks or guide,
        landmarks_source="nav" if landmarks else "guide" if guide else "none",
        lists=(nav.lists if nav else ()) + (ncx.lists if ncx else ()),
    )


def guide_landmarks(package: Package) -> tuple[Landmark, ...]:
    """The EPUB 2 guide in the shape of landmarks."""
    return tuple(
        Landmark(
            (entry.type,) if entry.type else (),
            entry.title,
            entry.href,
            target_of(package.member, entry.href),
            entry.line,
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
            once="second navigation document",
            id=extra.id,
        )
    return found[0] if found else None


def ncx_item(package: Package, sink: DiagnosticSink) -> ManifestItem | None:
    """The manifest item of the NCX. A `toc` attribute that names no NCX is reported."""
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
    item: ManifestItem | None, package: Package, archive: Archive, sink: DiagnosticSink, *, ncx: bool = False
) -> NavDocument | None:
    """The navigation in a manifest item's file, an NCX or not; None, and a report, where it cannot be had."""
    if item is None:
        return None
    member = archive.member(item.target) if item.target is not None else None
    if member is None:
        sink.report(
            "source.nav_irregular",
            f"the navigation file {item.href!r} is not in the book",
            path=package.member,
            line=item.line,
            id=item.id,
            href=item.href,
        )
        return None
    try:
        data = archive.read(member, structural=True)
        markup = archive.limits.markup
        parsed = parse_xml(data, limits=markup) if ncx else parse_markup(data, limits=markup)
    except SourceError as problem:  # the text does not need it: never fatal
        sink.add(replace(problem.diagnostic, severity="warning"))
        return None
    except MarkupLimitError as problem:
        sink.add(replace(from_markup(problem, member).diagnostic, severity="warning"))
        return None
    except MarkupError as problem:
        sink.report(
            "source.nav_irregular",
            f"the navigation file cannot be read: {problem}",
            path=member,
            line=problem.line,
        )
        return None
    _report_recovery(parsed, member, sink)
    if ncx:
        from markitect_filter.epub3.navigation.ncx import parse_ncx  # imported late: few books of EPUB 3 need it

        return parse_ncx(parsed.root, member, sink, archive.limits)
    return parse_nav(parsed.root, member, sink, archive.limits)


def _report_recovery(parsed: ParsedMarkup, member: str, sink: DiagnosticSink) -> None:
    if parsed.tolerant:
        sink.report(
            "source.markup_recovered",
            f"the navigation file is not well-formed and was read tolerantly: {parsed.error}",
            path=member,
            line=parsed.line,
        )
    if parsed.encoding_problem is not None:
        sink.report(
            "source.encoding_recovered",
            f"The navigation file {parsed.encoding_problem}.",
            path=member,
            encoding=parsed.encoding,
            replaced=parsed.replaced,
        )


def _report_gaps(package: Package, nav: NavDocument | None, leading: NavDocument | None, sink: DiagnosticSink) -> None:
    if leading is None:
        sink.report("source.nav_missing", "the book has no table of contents that can be read", path=package.member)
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
