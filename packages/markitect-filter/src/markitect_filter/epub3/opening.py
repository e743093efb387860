"""Stages 1 to 3 in order: what is known of a book before its text is read."""

from __future__ import annotations

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import replace
from markitect_tool.source.model import SourceMetadata

from markitect_filter.documents.budget import Budget
from markitect_filter.documents.limits import from_markup
from markitect_filter.epub3.container.archive import PUBLICATION_MEMBER, Archive
from markitect_filter.epub3.container.container import Container, Rootfile, read_container, select_rootfile
from markitect_filter.epub3.href import Target
from markitect_filter.epub3.navigation.navigation import read_navigation
from markitect_filter.epub3.navigation.navigation_model import Navigation
from markitect_filter.epub3.navigation.spine import SpineItem, reading_order
from markitect_filter.epub3.options import Options
from markitect_filter.epub3.package.metadata import source_metadata
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.epub3.package.package_model import Package
from markitect_filter.epub3.roles.roles import RoleDecision, package_roles
from markitect_filter.markup.limits import MarkupError, MarkupLimitError
from markitect_filter.markup.parse import parse_xml


class OpenBook(NamedTuple):
    """A book whose package and navigation have been read."""

    archive: Archive
    sink: DiagnosticSink
    budget: Budget
    options: Options
    container: Container
    rootfile: Rootfile
    package: Package
    metadata: SourceMetadata
    navigation: Navigation
    order: tuple[SpineItem, ...]
    roles: dict[str, RoleDecision]


def open_book(archive: Archive, options: Options, sink: DiagnosticSink) -> OpenBook:
    """Read everything but the text. Raises a `SourceError` for a book that cannot be opened."""
    budget = Budget(archive.limits)
    container = read_container(archive, sink)
    rootfile = select_rootfile(container, options.rendition, sink)
    package = read_package(archive, rootfile.path, sink)
    metadata = source_metadata(package, sink)
    if archive.exists(PUBLICATION_MEMBER):
        from markitect_filter.epub3.package.publication import publication_metadata  # imported late: it is rare

        if publication := publication_metadata(archive, sink):
            metadata = replace(metadata, raw={**metadata.raw, "publication": publication})
    navigation = read_navigation(package, archive, sink)
    order = reading_order(package, archive, sink)
    roles = package_roles(package, navigation.landmarks, archive.member)
    _report_leaks(package, navigation, sink)
    return OpenBook(archive, sink, budget, options, container, rootfile, package, metadata, navigation, order, roles)


def _report_leaks(package: Package, navigation: Navigation, sink: DiagnosticSink) -> None:
    """References that climb out of the book, besides those of the reading order, which are reported with it."""
    here = navigation.toc_member or package.member
    found: list[tuple[str, str, Target, int | None]] = []
    for member, entries in (
        (package.member, package.manifest),
        (here, navigation.toc),
        (here, navigation.pages),
        (here, navigation.landmarks),
    ):
        for entry in entries:
            if (target := entry.target) is not None and target.leaked and entry.href is not None:
                found.append((member, entry.href, target, entry.line))
    if not found:
        return
    reported = {entry.details.get("href") for entry in sink if entry.code == "source.member_unsafe"}
    for member, href, target, line in found:
        if href not in reported:
            sink.report(
                "source.member_unsafe",
                f"A reference climbs out of the book; it was read as {target.path[:200]!r}.",
                path=member,
                line=line,
                href=href[:200],
                once=("member_unsafe", member, href),
            )


def read_package(archive: Archive, member: str, sink: DiagnosticSink) -> Package:
    """The package document. Raises `MalformedSourceError` when it is no XML at all."""
    data = archive.read(member, structural=True)
    try:
        parsed = parse_xml(data, limits=archive.limits.markup)
    except MarkupLimitError as error:
        raise from_markup(error, member) from error
    except MarkupError as error:
        raise MalformedSourceError(f"The package document {member} is no XML: {error}", path=member) from error
    if parsed.error is not None:
        sink.report(
            "source.package_irregular",
            f"The package document is not well-formed ({parsed.error}); it was read as far as possible.",
            path=member,
            line=parsed.line,
        )
    if parsed.encoding_problem is not None:
        sink.report(
            "source.encoding_recovered",
            f"The package document {parsed.encoding_problem}.",
            path=member,
        )
    return parse_package(parsed.root, member, sink)
