"""`META-INF/container.xml` and `mimetype`: what makes an archive a book (EPUB 3.3 sections 4.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import InvalidOptionError, MalformedSourceError
from markitect_tool.record import Record, field

from markitect_filter.documents.limits import from_markup
from markitect_filter.documents.xml_names import attribute, local_name
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.sniff import CONTAINER_MEMBER, EPUB_MEDIA_TYPE, MIMETYPE_MEMBER
from markitect_filter.epub3.container.unpack import MemberError
from markitect_filter.markup.limits import MarkupError, MarkupLimitError
from markitect_filter.markup.parse import parse_xml

PACKAGE_MEDIA_TYPE = "application/oebps-package+xml"


class Rootfile(Record):
    """One rendition of the book: a package document that exists in the archive."""

    path: str
    """Member path of the package document."""
    media_type: str = PACKAGE_MEDIA_TYPE
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Selection attributes (`media`, `layout`, `language`, `accessMode`, `label`), by local name."""


class Container(Record):
    """The renditions of a book in the order of the container file, never empty."""

    rootfiles: tuple[Rootfile, ...]
    meta_inf: tuple[str, ...] = ()
    """Every member of `META-INF`, known (`rights.xml`, `metadata.xml`, `signatures.xml`) or not."""


def read_container(archive: Archive, sink: DiagnosticSink) -> Container:
    """The package documents that `archive` names. What is repaired goes to `sink`.

    A book without a usable container file is read all the same when it has exactly one package document.
    Raises `MalformedSourceError` when no package document can be found, `EncryptedMemberError` and
    `LimitExceededError`.
    """
    _check_mimetype(archive, sink)
    rootfiles = _listed(archive, sink)
    if not rootfiles:
        rootfiles = [_only_package(archive, sink)]
    return Container(tuple(rootfiles), tuple(name for name in archive.names if name.startswith("META-INF/")))


def select_rootfile(container: Container, choice: str | int | None, sink: DiagnosticSink) -> Rootfile:
    """The rendition that `choice` names: its number from 1, or its path; None means the first.

    The others are reported with how to pick them. Raises `InvalidOptionError` for a choice there is not.
    """
    rootfiles = container.rootfiles
    chosen = rootfiles[0]
    if choice is not None:
        by_name = {rootfile.path: rootfile for rootfile in rootfiles}
        by_name |= {str(number): rootfile for number, rootfile in enumerate(rootfiles, 1)}
        if str(choice) not in by_name:
            raise InvalidOptionError(
                f"there is no rendition {choice!r}; the book has {len(rootfiles)}",
                option="rendition",
                available=[rootfile.path for rootfile in rootfiles],
            )
        chosen = by_name[str(choice)]
    for number, rootfile in enumerate(rootfiles, 1):
        if rootfile is not chosen:
            sink.report(
                "source.rendition_available",
                f"the book has another rendition: {rootfile.path}",
                path=rootfile.path,
                hint=f"Read it with --option rendition={number}.",
                attributes=dict(rootfile.attributes),
            )
    return chosen


def _listed(archive: Archive, sink: DiagnosticSink) -> list[Rootfile]:
    """The usable rootfiles of the container file; empty when there is no such file or none in it."""
    member = archive.find(CONTAINER_MEMBER)
    if member is None:
        sink.report("source.member_missing", f"the archive has no {CONTAINER_MEMBER}", path=CONTAINER_MEMBER)
        return []
    try:
        parsed = parse_xml(archive.read(member, structural=True), limits=archive.limits.markup)
    except MarkupLimitError as problem:
        raise from_markup(problem, member) from problem
    except (MarkupError, MemberError) as problem:
        sink.report("source.archive_irregular", f"{CONTAINER_MEMBER} cannot be read: {problem}", path=CONTAINER_MEMBER)
        return []
    if parsed.error is not None:
        sink.report("source.markup_recovered", parsed.error, path=member, line=parsed.line)
    found: dict[str, Rootfile] = {}
    for element in parsed.root.iter(etree.Element):
        if local_name(element) != "rootfile":
            continue
        rootfile = _rootfile(archive, element, member, sink)
        if rootfile is not None:
            found.setdefault(rootfile.path, rootfile)
    return list(found.values())


def _rootfile(archive: Archive, element: etree._Element, member: str, sink: DiagnosticSink) -> Rootfile | None:
    path = attribute(element, "full-path")
    media_type = attribute(element, "media-type") or ""
    if path is None:
        sink.report(
            "source.package_irregular",
            "a rootfile names no package document",
            path=member,
            line=element.sourceline,
        )
        return None
    if media_type.lower() != PACKAGE_MEDIA_TYPE:
        if not path.lower().endswith(".opf"):  # another form of the book, such as a PDF
            sink.report(
                "source.rendition_available",
                f"the book is also there as {media_type or 'an unnamed type'}: {path}",
                path=path,
            )
            return None
        sink.report(
            "source.media_type_irregular",
            f"the package document {path} is declared as {media_type or 'nothing'}",
            path=member,
            line=element.sourceline,
        )
    found = archive.find(path) or archive.find(path.lstrip("/"))
    if found is None:
        sink.report(
            "source.member_missing",
            f"the package document {path} is not in the archive",
            path=member,
            line=element.sourceline,
            requested=path,
        )
        return None
    attributes = {
        local_name_of(name): str(value).strip()
        for name, value in element.attrib.items()
        if name not in ("full-path", "media-type")
    }
    return Rootfile(found, media_type.lower() or PACKAGE_MEDIA_TYPE, attributes)


def local_name_of(name: str | bytes) -> str:
    """An attribute's name without its namespace."""
    return str(name).rpartition("}")[2].rpartition(":")[2]


def _only_package(archive: Archive, sink: DiagnosticSink) -> Rootfile:
    packages = [name for name in archive.names if name.lower().endswith(".opf")]
    if len(packages) != 1:
        what = f"{len(packages)} candidates" if packages else "none"
        raise MalformedSourceError(
            f"the container names no package document that can be read, and the archive has {what}",
            path=CONTAINER_MEMBER,
            candidates=packages[:20],
        )
    sink.report(
        "source.archive_irregular",
        f"the only package document in the archive was used: {packages[0]}",
        path=packages[0],
    )
    return Rootfile(packages[0])


def _check_mimetype(archive: Archive, sink: DiagnosticSink) -> None:
    """Notes how `mimetype` differs from the rule (first, stored, exact); no reader refuses a book for it."""
    problem = _mimetype_problem(archive)
    if problem is not None:
        sink.report("source.mimetype_irregular", f"{MIMETYPE_MEMBER} {problem}", path=MIMETYPE_MEMBER)


def _mimetype_problem(archive: Archive) -> str | None:
    if not archive.exists(MIMETYPE_MEMBER):
        return "is missing"
    entry = archive.entry(MIMETYPE_MEMBER)
    try:
        content = archive.read(MIMETYPE_MEMBER, structural=True)
    except MemberError as problem:
        return f"cannot be read: {problem}"
    if content != EPUB_MEDIA_TYPE.encode():
        if content.strip() == EPUB_MEDIA_TYPE.encode():
            return "has blanks around its value"
        return f"says {content[:80].decode('utf-8', 'replace')!r}, not {EPUB_MEDIA_TYPE!r}"
    if entry.method:
        return "is compressed"
    if entry.header_offset:
        return "is not the first member"
    return None
