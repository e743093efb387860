"""Stage 5: where the links and pictures of a document lead."""

from __future__ import annotations

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.record import Struct, field

from markitect_filter.documents.anchors import Places
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.href import ExternalUrl, Reference, Target, UnsafeUrl, resolve_href
from markitect_filter.markdown.marks import LinkTarget
from markitect_filter.markdown.references import is_safe

_DATA_IMAGES = ("data:image/png", "data:image/gif", "data:image/jpeg", "data:image/webp")
_MAX_DATA_URL = 100_000  # characters; a larger picture would drown the text
_LONGEST_BASE = 2000  # characters of a base URL; it stands at every link
_ENCODED = str.maketrans({"%": "%25", "?": "%3F", "#": "%23", " ": "%20"})


class Assets(Struct):
    """The members, and resources on the network, that the text refers to."""

    members: set[str] = field(default_factory=set)
    remote: set[str] = field(default_factory=set)


def member_url(member: str, fragment: str | None = None) -> str:
    """A member's path as a relative URL."""
    url = member.translate(_ENCODED)
    return f"{url}#{fragment.translate(_ENCODED)}" if fragment else url


class DocumentReferences:
    """Resolves the references of one document (the writer's `References`)."""

    def __init__(
        self, member: str, base: str | None, archive: Archive, places: Places, assets: Assets, sink: DiagnosticSink
    ) -> None:
        self._member = member
        self._base = base if base is not None and len(base) <= _LONGEST_BASE else None
        self._archive = archive
        self._places = places
        self._assets = assets
        self._sink = sink
        self._known: dict[str, Reference] = {}
        self._found: dict[str, tuple[str, str] | None] = {}

    def resolve(self, href: str) -> Reference:
        """What `href` refers to, seen from this document."""
        known = self._known.get(href)
        if known is None:
            known = resolve_href(self._member, href)
            if self._base is not None and isinstance(known, Target):
                # an external base makes every relative link external; a relative one moves where they start
                base = resolve_href(self._member, self._base)
                if isinstance(base, ExternalUrl):
                    from urllib.parse import urljoin  # imported late: such a base is rare

                    known = ExternalUrl(urljoin(base.url, href), base.scheme)
                elif isinstance(base, Target):
                    known = resolve_href(base.raw_path, href)
            if isinstance(known, Target) and known.leaked:
                self.problem(
                    "source.member_unsafe",
                    f"A reference climbs out of the book; it was read as {known.path[:200]!r}.",
                    None,
                    href=href[:200],
                )
            self._known[href] = known
        return known

    def place(self, href: str) -> tuple[str, str] | None:
        """The place in a document of the reading order that `href` leads to."""
        if href not in self._found:
            self._found[href] = self._place(href)
        return self._found[href]

    def _place(self, href: str) -> tuple[str, str] | None:
        reference = self.resolve(href)
        if not isinstance(reference, Target):
            return None
        member = self._archive.member(reference)
        member = self._places.aliases.get(member, member) if member is not None else None
        if member is None or not self._places.holds(member):
            return None
        return member, reference.fragment or ""

    def link(self, element: etree._Element, href: str) -> LinkTarget | None:
        """Where a link leads: a place of the book, a member that isn't text, or a URL."""
        place = self.place(href)
        if place is not None and not place[0].startswith("META-INF/"):
            self._places.reach(place[0])
            return LinkTarget(key=place, title=element.get("title"))
        reference = self.resolve(href)
        if isinstance(reference, UnsafeUrl) or (isinstance(reference, ExternalUrl) and not is_safe(reference.url)):
            self.problem(
                "source.link_unsafe",
                f"A link with the scheme {reference.scheme}: was written as plain text.",
                element,
                href=href[:200],
            )
            return None
        title = element.get("title")
        if isinstance(reference, ExternalUrl):
            return LinkTarget(reference.url, title=title)
        member = self._archive.member(reference)
        if member is None:
            self.problem(
                "source.link_target_missing",
                f"A link leads to {reference.path!r}, which the book does not hold; its text was kept.",
                element,
                href=href[:200],
            )
            return None
        member = self._places.aliases.get(member, member)
        if member in self._places.structural or member.startswith("META-INF/"):
            self.problem(
                "source.link_target_missing",
                f"A link leads to {member!r}, which holds no text of the book; its own text was kept.",
                element,
                href=href[:200],
            )
            return None
        self._assets.members.add(member)
        return LinkTarget(url=member_url(member, reference.fragment), title=title)

    def resource(self, element: etree._Element, href: str) -> str | None:
        """The destination of a picture or other medium: its member path, or its URL on the network."""
        reference = self.resolve(href)
        if isinstance(reference, Target):
            member = self._archive.member(reference)
            if member is None:
                self.problem(
                    "source.asset_missing",
                    f"The book does not hold {reference.path!r}; the text that stands for it was kept.",
                    element,
                    href=href[:200],
                )
                return None
            self._assets.members.add(member)
            return member_url(member, reference.fragment)
        if isinstance(reference, ExternalUrl):
            if reference.scheme == "data":
                shown = reference.url.lower().startswith(_DATA_IMAGES) and len(reference.url) <= _MAX_DATA_URL
                return reference.url if shown else None
            if is_safe(reference.url):
                self._assets.remote.add(reference.url)
                return reference.url
        self.problem("source.link_unsafe", "A medium with a dangerous scheme was left out.", element, href=href[:200])
        return None

    def problem(self, code: str, message: str, element: etree._Element | None, **details: object) -> None:
        """Report what could not be written as it stands, with its line."""
        line = element.sourceline if element is not None else None
        once = (code, self._member, str(details.get("href", message)))
        self._sink.report(code, message, path=self._member, line=line, once=once, **details)
