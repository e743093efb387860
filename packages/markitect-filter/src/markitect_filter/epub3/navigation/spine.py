"""The reading order: which member is read for each spine item, and why one is not (EPUB 3.3 section 5.7).

- A spine item whose type is not converted is read through its fallback chain, XHTML or HTML before SVG: a
  drawn page with a text alternative is read as text.
- Non-linear items keep their place and are flagged; a document that is named twice is read once, at its first
  place.
- What cannot be read keeps its place as a gap: `member` is None and `problem` says why.
- A package without a spine element is damaged and read in manifest order, with a warning. An empty spine
  states that there is nothing to read: an error.
"""

from __future__ import annotations

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError, SourceError
from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.media_type import (
    DOCUMENT_TYPES,
    HTML,
    SVG,
    XHTML,
    guess_media_type,
    sniff_document_type,
)
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.href import Target
from markitect_filter.epub3.package.package import fallback_problem
from markitect_filter.epub3.package.package_model import ItemRef, ManifestItem, Package

_TEXT_TYPES = (XHTML, HTML)
#: Declared types of files that may well be documents; their content decides.
_VAGUE_TYPES = frozenset({"", "application/octet-stream", "application/xml", "text/plain", "text/xml"})


class SpineItem(NamedTuple):
    """One step of the reading order.

    `item` is what the spine names (None when its id is unknown), `used` the item really read, which differs
    where a fallback was needed. `member` is the file to read, None for a gap; `media_type` its effective
    type: XHTML, HTML or SVG. `problem` says why there is a gap, in words for a person.
    """

    position: int
    itemref: ItemRef
    item: ManifestItem | None
    used: ManifestItem | None = None
    member: str | None = None
    media_type: str = ""
    problem: str | None = None

    @property
    def linear(self) -> bool:
        """False for a document outside the main reading order."""
        return self.itemref.linear

    @property
    def is_fallback(self) -> bool:
        """Whether another item than the spine's own is read."""
        return self.used is not None and self.used is not self.item


def reading_order(package: Package, archive: Archive, sink: DiagnosticSink) -> tuple[SpineItem, ...]:
    """Every step of the reading order, gaps included, each member once.

    Raises `MalformedSourceError` for an empty spine and for a package in which there is nothing to read at
    all, and `LimitExceededError` for more steps than `Limits.spine_items`.
    """
    itemrefs = _itemrefs(package, sink)
    limits = archive.limits
    if len(itemrefs) > limits.spine_items:
        raise limits.exceeded("spine_items", f"the spine has {len(itemrefs):,} items", path=package.member)
    resolver = _Resolver(package, archive, sink)
    steps: list[SpineItem] = []
    seen: dict[str, ItemRef] = {}
    for itemref in itemrefs:
        step = resolver.resolve(len(steps), itemref)
        if step.member is not None:
            if step.member in seen:
                sink.report(
                    "source.package_irregular",
                    f"the spine names {step.member!r} again; it is read once, at its first place",
                    path=package.member,
                    line=itemref.line,
                    once=("spine repeat", step.member),
                    idref=itemref.idref,
                )
                continue
            seen[step.member] = itemref
        if not itemref.linear:
            sink.report(
                "source.spine_item_nonlinear",
                f"{step.member or itemref.idref!r} is outside the linear reading order and kept in its place",
                path=step.member or package.member,
                line=None if step.member else itemref.line,
                idref=itemref.idref,
            )
        steps.append(step)
    return tuple(steps)


def _itemrefs(package: Package, sink: DiagnosticSink) -> tuple[ItemRef, ...]:
    if package.spine is not None:
        if not package.spine.itemrefs:
            raise MalformedSourceError(
                "the spine is empty: the package names nothing to read",
                path=package.member,
                line=package.spine.line,
            )
        return package.spine.itemrefs
    documents = [item for item in package.manifest if item.media_type in _TEXT_TYPES and "nav" not in item.properties]
    if not documents:
        raise MalformedSourceError("the package has no spine and its manifest lists no documents", path=package.member)
    sink.report(
        "source.package_irregular",
        "the package has no spine; its documents are read in the order of the manifest",
        path=package.member,
    )
    return tuple(ItemRef(item.id, line=item.line) for item in documents)


class _Resolver:
    def __init__(self, package: Package, archive: Archive, sink: DiagnosticSink) -> None:
        self.package = package
        self.archive = archive
        self.sink = sink

    def resolve(self, position: int, itemref: ItemRef) -> SpineItem:
        item = self.package.item(itemref.idref)
        if item is None:
            problem = f"the spine names {itemref.idref!r}, which is no manifest item"
            self._missing(itemref, itemref.line, problem)
            return SpineItem(position, itemref, None, problem=problem)
        chain = self.package.fallback_chain(item)
        problems: list[str] = []
        unsupported = False
        found: list[tuple[ManifestItem, str, str]] = []
        for candidate in chain:
            member = self._member(candidate, problems)
            if member is None:
                continue
            media_type = self._document_type(candidate, member, last_resort=candidate is chain[-1] and not found)
            if media_type:
                found.append((candidate, member, media_type))
                if media_type in _TEXT_TYPES:
                    break
            else:
                unsupported = True
                problems.append(f"{member!r} is of type {candidate.media_type!r}, which is not converted")
        if not found:
            fallback_problem(self.package, item, self.sink)
            problem = "; ".join(problems)
            code = "source.media_type_unsupported" if unsupported else "source.spine_item_missing"
            self._missing(itemref, item.line, problem, item, code)
            return SpineItem(position, itemref, item, problem=problem)
        used, member, media_type = next((one for one in found if one[2] in _TEXT_TYPES), found[0])
        if used is not item:
            self.sink.report(
                "source.fallback_used",
                f"{member!r} is read in place of {item.href!r} ({item.media_type or 'no media type'})",
                path=member,
                idref=itemref.idref,
                href=item.href,
                used=used.id,
            )
        return SpineItem(position, itemref, item, used, member, media_type)

    def _missing(
        self,
        itemref: ItemRef,
        line: int | None,
        problem: str,
        item: ManifestItem | None = None,
        code: str = "source.spine_item_missing",
    ) -> None:
        details = {"idref": itemref.idref}
        if item is not None:
            details["href"] = item.href
            if item.target is not None:
                details["resolved"] = item.target.path
        self.sink.report(
            code,
            f"a part of the book cannot be read: {problem}",
            path=self.package.member,
            line=line,
            **details,
        )

    def _member(self, item: ManifestItem, problems: list[str]) -> str | None:
        """The member that an item names, or None and one more problem."""
        reference = item.reference
        if not isinstance(reference, Target):
            where = "on the network and is never fetched" if reference.scheme in ("", "http", "https") else "unusable"
            problems.append(f"item {item.id!r}: {item.href[:200]!r} is {where}")
            return None
        member = self.archive.member(reference)
        if reference.leaked:
            self.sink.report(
                "source.member_unsafe",
                f"the href {item.href!r} of manifest item {item.id!r} climbs out of the book",
                path=self.package.member,
                line=item.line,
                id=item.id,
                href=item.href,
                resolved=reference.path,
            )
        if member is None:
            problems.append(f"item {item.id!r}: {item.href!r} leads to {reference.path!r}, which is not in the book")
        return member

    def _document_type(self, item: ManifestItem, member: str, *, last_resort: bool) -> str:
        """XHTML, HTML or SVG for a file that is converted, else "". A vague or wrong declaration is settled
        by the file's first bytes, the latter only where no fallback is left."""
        declared = item.media_type
        if declared in (XHTML, SVG):
            return declared
        if declared == HTML:
            self._irregular_type(item, member, f"documents are declared as {item.declared_media_type!r}, not as XHTML")
            return HTML
        if declared not in _VAGUE_TYPES and not last_resort:
            return ""
        sniffed = self._sniff(member)
        if not sniffed and declared in _VAGUE_TYPES and guess_media_type(member) in DOCUMENT_TYPES:
            sniffed = HTML
        if sniffed:
            self._irregular_type(item, member, f"documents are declared as {declared!r} and are {sniffed}")
        return sniffed

    def _sniff(self, member: str) -> str:
        try:
            return sniff_document_type(self.archive.read(member))
        except SourceError:
            return ""  # the caller reports the gap

    def _irregular_type(self, item: ManifestItem, member: str, message: str) -> None:
        """One report a book and declared type, however many items."""
        self.sink.report(
            "source.media_type_irregular",
            message,
            path=self.package.member,
            line=item.line,
            once=("spine media type", item.media_type),
            declared=item.declared_media_type,
            example=member,
        )
