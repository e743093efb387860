"""Stage 8: everything put together into the document of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.record import replace
from markitect_tool.source.model import (
    SourceAsset,
    SourceProvenance,
)

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.contract import Description
from markitect_filter.documents.media_type import guess_media_type
from markitect_filter.documents.packed import numbers_in
from markitect_filter.documents.resolve import Span
from markitect_filter.epub3.assembly.document import Book, BookDocument
from markitect_filter.epub3.assembly.segments import BookSegment, TocIndex
from markitect_filter.epub3.container.unpack import MemberError
from markitect_filter.epub3.content.links import Assets, member_url
from markitect_filter.epub3.href import ExternalUrl, Target
from markitect_filter.epub3.navigation.navigation_model import Navigation, TocEntry, to_tree
from markitect_filter.epub3.package.package_model import Package
from markitect_filter.markdown.marks import ANCHOR


def describe(uri: str, segment: BookSegment, whole: Span) -> Description:
    """Where a segment comes from, and its role."""
    document = segment.document
    item = document.step.item
    href = item.href if item is not None else None
    anchor = segment.fragments[0] if segment.fragments else None
    provenance = SourceProvenance(
        source_uri=uri,
        source_href=f"{href}#{anchor}" if href and anchor else href,
        package_path=document.step.member,
        anchor=anchor,
        page=whole.label,
        section=" / ".join(segment.section) or None,
        start_offset=whole.start,
        end_offset=whole.end,
        metadata=_step_facts(document),
    )
    role = next((document.cut_roles[f] for f in segment.fragments if f in document.cut_roles), document.role)
    metadata: dict[str, Any] = {"role": role.role, "role_ground": role.ground}
    if parts := [part for part in document.parts if part != role.role]:
        metadata["parts"] = parts
    if document.problem is not None:
        metadata["missing"] = True
    if segment.section:
        metadata["section_path"] = list(segment.section)
    return provenance, metadata


def _step_facts(document: BookDocument) -> dict[str, Any]:
    step = document.step
    facts: dict[str, Any] = {"spine_position": step.position}
    if not step.linear:
        facts["auxiliary"] = True
    if step.is_fallback and step.item is not None and step.used is not None:
        facts["fallback"] = {"spine_item": step.item.id, "used_item": step.used.id}
    return facts


def place_holders(toc: TocIndex, segments: Sequence[BookSegment], book: Book) -> dict[Place, str]:
    """The segment of each place, by its id; nothing where every entry of the table of contents starts a segment. To be
    asked before the marks are resolved."""
    started = {number for segment in segments for number in segment.entries}
    if all(number in started or entry.target is None for number, entry in enumerate(toc.entries)):
        return {}
    found: dict[Place, str] = {}
    for segment in segments:
        [anchors] = numbers_in(segment.text, ANCHOR)
        for mark in anchors:
            found.setdefault(cast(Place, book.late[mark]), segment.segment_id)
    return found


def toc_tree(
    toc: TocIndex,
    segments: Sequence[BookSegment],
    holders: Mapping[Place, str],
    book: Book,
    members: dict[int, str],
    sink: DiagnosticSink,
) -> list[dict[str, Any]]:
    """The table of contents with the segment that each entry leads to; entries that lead nowhere are reported."""
    leads: dict[int, str] = {}
    first: dict[str, str] = {}
    for segment in segments:
        first.setdefault(segment.document.member, segment.segment_id)
        for number in segment.entries:
            leads.setdefault(number, segment.segment_id)
    numbers = {id(entry): number for number, entry in enumerate(toc.entries)}
    for number, entry in enumerate(toc.entries):
        if number in leads or entry.target is None:
            continue
        place, exact = book.places.nearest((members.get(number, ""), entry.target.fragment or ""))
        found = holders.get(place) or first.get(place[0]) if place is not None else None
        if found is not None:
            leads[number] = found
        if found is None or not exact:
            _report_dead(entry, sink)
    return to_tree(
        toc.entries,
        lambda entry: {"segment": leads[numbers[id(entry)]]} if numbers[id(entry)] in leads else {},
    )


def _report_dead(entry: TocEntry, sink: DiagnosticSink) -> None:
    sink.report(
        "source.toc_target_missing",
        f"The contents entry {entry.label!r} leads to {entry.href!r}, which is not in the text.",
        line=entry.line,
        once=("toc_target_missing", entry.href),
    )


def report_unreached(toc: TocIndex, segments: Sequence[BookSegment], sink: DiagnosticSink) -> None:
    """Documents with text that no entry of the table of contents leads to."""
    reached = set(toc.places)
    missed = list(dict.fromkeys(s.document.member for s in segments if s.document.member not in reached))
    if missed and toc.entries:
        sink.report(
            "source.toc_unreached",
            f"The table of contents leads to no place in {len(missed)} document(s) of the reading order; "
            "they are segments all the same.",
            documents=missed[:50],
        )


def attachments(
    package: Package, book: Book, assets: Assets, texts: frozenset[str], navigation: Navigation, uri: str
) -> list[SourceAsset]:
    """Pictures, sounds, films, fonts and whatever else the package lists or the text refers to, by member path."""
    members: dict[str, str | None] = dict.fromkeys(assets.members)
    remote: dict[str, str | None] = dict.fromkeys(assets.remote)
    for item in package.manifest:
        reference = item.reference
        if isinstance(reference, ExternalUrl):
            remote[reference.url] = item.media_type or None
        elif isinstance(reference, Target):
            member = book.archive.member(reference)
            if member is not None:
                members[member] = item.media_type or None
    skipped = {*texts, navigation.toc_member, package.member}
    found = []
    for member in sorted(members):
        if member in skipped or members[member] in ("application/x-dtbncx+xml",):
            continue
        digest = None
        if book.options.attachment_digests:
            try:
                digest = book.archive.digest(member)
            except MemberError as error:
                book.sink.add(replace(error.diagnostic, severity="warning"))
        found.append(
            SourceAsset(
                uri=f"{uri}#{member_url(member)}",
                path=None,
                name=member.rpartition("/")[2],
                media_type=members[member] or guess_media_type(member) or None,
                size=book.archive.size(member),
                digest=digest,
                metadata={"member": member, "referenced": member in assets.members},
            )
        )
    for url in sorted(remote):
        book.sink.report(
            "source.asset_remote", "Resources on the network were not fetched.", once=("asset_remote",), url=url
        )
        found.append(
            SourceAsset(uri=url, media_type=remote[url], metadata={"remote": True, "referenced": url in assets.remote})
        )
    return found
