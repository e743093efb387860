"""Package document to `Package` (EPUB 3.3 section 5, OPF 2.0.1, OEBPS 1.2). Mirrors the file; judges nothing.

Elements are matched by namespace and local name, so a prefix-bound package reads like any other. A wrong or
missing namespace is tolerated and reported: what counts is the namespace of the root element, and the OPF one
always does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError

from markitect_filter.documents.media_type import guess_media_type, normalize_media_type
from markitect_filter.documents.xml_names import (
    OPF,
    attribute,
    attributes_of,
    children,
    descendants,
    language_of,
    local_name,
    namespace,
    tokens,
)
from markitect_filter.epub3.href import resolve_href
from markitect_filter.epub3.package.package_metadata import parse_metadata, parse_prefixes
from markitect_filter.epub3.package.package_model import (
    Collection,
    GuideReference,
    ItemRef,
    Link,
    ManifestItem,
    MetaItem,
    Package,
    Spine,
)

_OEBPS = "http://openebook.org/namespaces/oeb-package/1.0/"
_DIRECTIONS = frozenset({"ltr", "rtl", "default"})


def parse_package(root: etree._Element, member: str, sink: DiagnosticSink) -> Package:
    """The package document under `root`, read from `member`. Repairs go to `sink`.

    Raises `MalformedSourceError` when there is no `package` element.
    """
    package = _package_element(root, member)
    reader = _Reader(package, member, sink)
    return reader.read()


def _package_element(root: etree._Element, member: str) -> etree._Element:
    if local_name(root).lower() == "package":
        return root
    for element in root.iter(etree.Element):
        if local_name(element).lower() == "package":
            return element
    raise MalformedSourceError(f"the package document has no package element, but {local_name(root)!r}", path=member)


def _in_collection(element: etree._Element) -> bool:
    """Collections have metadata and manifests of their own."""
    return any(local_name(ancestor) == "collection" for ancestor in element.iterancestors())


class _Reader:
    """One pass over one package document; holds what every part needs."""

    def __init__(self, root: etree._Element, member: str, sink: DiagnosticSink) -> None:
        self.root = root
        self.member = member
        self.sink = sink
        self.namespaces = frozenset({OPF, _OEBPS, "", namespace(root)})
        self.sections: dict[str, list[etree._Element]] = {}
        self.qualifiers: set[str] = set()  # what stands before the local names, maybe a prefix that was never declared
        for child in children(root, self.namespaces):
            name = local_name(child)
            self.sections.setdefault(name, []).append(child)
            self.qualifiers.add(str(child.tag).removesuffix(name))

    def read(self) -> Package:
        root = self.root
        self._check_namespace()
        metadata, manifest, spine, guide, bindings = map(
            self._section, ("metadata", "manifest", "spine", "guide", "bindings")
        )
        given = attributes_of(root)
        prefixes = parse_prefixes(given.get("prefix"))
        entries: tuple[MetaItem, ...] = ()
        links: tuple[Link, ...] = ()
        if metadata is not None:
            entries, links = parse_metadata(metadata, self.namespaces, prefixes, self.member, self.sink)
        else:
            self._irregular("the package document has no metadata section", root)
        items = tuple(self._manifest(manifest))
        return Package(
            member=self.member,
            version=self._version(entries, items),
            unique_identifier=given.get("unique-identifier"),
            language=language_of(given),
            direction=given.get("dir"),
            prefixes=prefixes,
            metadata=entries,
            links=links,
            manifest=items,
            spine=self._spine(spine),
            guide=tuple(self._guide(guide)),
            collections=tuple(self._collections(prefixes)),
            bindings=tuple(self._bindings(bindings)),
        )

    def _irregular(self, message: str, element: etree._Element, kind: str | None = None, **details: object) -> None:
        """Report; of several of one `kind` the first, with their number."""
        once = ("package document", kind) if kind else None
        self.sink.report(
            "source.package_irregular", message, path=self.member, line=element.sourceline, once=once, **details
        )

    def _check_namespace(self) -> None:
        found = namespace(self.root)
        if found == _OEBPS:
            self._irregular("the package document is in the older OEBPS format, read as EPUB 2", self.root)
        elif found != OPF:
            where = f"the namespace {found!r}" if found else "no namespace"
            self._irregular(f"the package element is in {where}, not in {OPF!r}", self.root)

    def _section(self, name: str) -> etree._Element | None:
        """The first child of that name; a second one is reported and left aside. Where an end tag is missing before
        it, the recovering parser has put the section inside another element, and it is taken from there."""
        found = self.sections.get(name)
        if not found:
            misplaced = self.root.iterdescendants(f"{{*}}{name}", *(qualifier + name for qualifier in self.qualifiers))
            return next(filter(self._is_misplaced, misplaced), None)
        if namespace(found[0]) != namespace(self.root):
            self._irregular(f"the {name} section is in another namespace than the package element", found[0])
        for extra in found[1:]:
            self._irregular(
                f"the package document has a second {name} section, which is ignored", extra, "second " + name
            )
        return found[0]

    def _is_misplaced(self, element: etree._Element) -> bool:
        return namespace(element) in self.namespaces and not _in_collection(element)

    def _version(self, entries: tuple[MetaItem, ...], manifest: tuple[ManifestItem, ...]) -> str:
        declared = attribute(self.root, "version")
        if declared and declared[0] in "23":
            return declared
        if namespace(self.root) == _OEBPS:
            return declared or "1.2"
        modern = any(entry.origin == "property" for entry in entries) or any("nav" in i.properties for i in manifest)
        assumed = "3.0" if modern else "2.0"
        said = f"the unknown version {declared!r}" if declared else "no version"
        self._irregular(f"the package document states {said}, {assumed} is assumed", self.root)
        return assumed

    def _manifest(self, section: etree._Element | None) -> Iterator[ManifestItem]:
        if section is None:
            self._irregular("the package document has no manifest", self.root)
            return
        seen: set[str] = set()
        for element in descendants(section, self.namespaces, "item"):
            given = attributes_of(element)
            item_id, href = given.get("id", ""), given.get("href")
            if not href:
                self._irregular(f"manifest item {item_id!r} has no href and is ignored", element, "no href", id=item_id)
                continue
            if not item_id:
                self._irregular(f"the manifest item for {href!r} has no id", element, "no id", href=href)
            elif item_id in seen:
                self._irregular(
                    f"the manifest id {item_id!r} is used again for {href!r}; the first item keeps it",
                    element,
                    "same id",
                    id=item_id,
                    href=href,
                )
            seen.add(item_id)
            declared = given.get("media-type", "")
            yield ManifestItem(
                id=item_id,
                href=href,
                reference=resolve_href(self.member, href),
                media_type=normalize_media_type(declared) or self._undeclared_type(element, href),
                declared_media_type=declared,
                properties=tuple(given.get("properties", "").split()),
                fallback=given.get("fallback"),
                media_overlay=given.get("media-overlay"),
                line=element.sourceline,
            )

    def _undeclared_type(self, element: etree._Element, href: str) -> str:
        guessed = guess_media_type(re.split("[?#]", href, maxsplit=1)[0])
        self.sink.report(
            "source.media_type_irregular",
            f"the manifest item for {href!r} has no media type, {guessed or 'its content'!r} decides",
            path=self.member,
            line=element.sourceline,
            once="no media type",
            href=href,
        )
        return guessed

    def _spine(self, section: etree._Element | None) -> Spine | None:
        if section is None:
            return None
        itemrefs = []
        for element in descendants(section, self.namespaces, "itemref"):
            given = attributes_of(element)
            idref = given.get("idref")
            if not idref:
                self._irregular("a spine item names no manifest item and is ignored", element, "no idref")
                continue
            itemrefs.append(
                ItemRef(
                    idref=idref,
                    linear=given.get("linear", "yes").lower() != "no",
                    properties=tuple(given.get("properties", "").split()),
                    id=given.get("id"),
                    line=element.sourceline,
                )
            )
        direction = (attribute(section, "page-progression-direction") or "default").lower()
        if direction not in _DIRECTIONS:
            self._irregular(f"the page progression direction {direction!r} is unknown and ignored", section)
            direction = "default"
        return Spine(tuple(itemrefs), direction, attribute(section, "toc"), section.sourceline)

    def _guide(self, section: etree._Element | None) -> Iterator[GuideReference]:
        if section is None:
            return
        for element in descendants(section, self.namespaces, "reference"):
            if href := attribute(element, "href"):
                kind = (attribute(element, "type") or "").lower()
                yield GuideReference(kind, href, attribute(element, "title") or "", element.sourceline)

    def _bindings(self, section: etree._Element | None) -> Iterator[tuple[str, str]]:
        if section is None:
            return
        for element in descendants(section, self.namespaces, "mediaType"):
            if handler := attribute(element, "handler"):
                yield normalize_media_type(attribute(element, "media-type")), handler

    def _collections(self, prefixes: dict[str, str]) -> Iterator[Collection]:
        """Every collection, parents first. Nested ones wait on a list of our own: a file may nest them
        deeply.
        """
        waiting: list[tuple[etree._Element, int | None]] = [
            (child, None) for child in reversed(self.sections.get("collection", []))
        ]
        position = 0
        while waiting:
            element, parent = waiting.pop()
            entries: tuple[MetaItem, ...] = ()
            links: list[Link] = []
            nested = []
            for child in children(element, self.namespaces):
                name = local_name(child)
                if name == "metadata":
                    entries, described = parse_metadata(child, self.namespaces, prefixes, self.member, self.sink)
                    links.extend(described)
                elif name == "link" and (href := attribute(child, "href")):
                    links.append(Link(tokens(child, "rel"), href, line=child.sourceline))
                elif name == "collection":
                    nested.append((child, position))
            yield Collection(attribute(element, "role") or "", entries, tuple(links), parent, element.sourceline)
            waiting.extend(reversed(nested))
            position += 1


def fallback_problem(package: Package, item: ManifestItem, sink: DiagnosticSink) -> None:
    """Report, once an item, a fallback chain that runs in a circle or names an item that does not exist."""
    last = package.fallback_chain(item)[-1]
    if last.fallback is None:
        return
    target = package.item(last.fallback)
    why = (
        "runs in a circle or does not end"
        if target is not None
        else f"names {last.fallback!r}, which is no manifest item"
    )
    sink.report(
        "source.fallback_missing",
        f"the fallback of manifest item {last.id!r} {why}",
        path=package.member,
        line=last.line,
        id=item.id,
        fallback=last.fallback,
        once=("fallback", last.id),
    )
