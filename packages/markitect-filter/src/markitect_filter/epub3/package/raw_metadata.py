"""`SourceMetadata.raw` of an EPUB: every statement of the package document, once, as plain JSON data.

Shape, keys absent when empty:

- `version`, `language`, `direction`, `page_progression_direction`, `prefixes`: of the package document;
- `titles`, `creators`, `contributors`, `languages`, `identifiers`, `dates`, `publishers`, `rights`,
  `sources`, `subjects`, `descriptions`, `types`, `formats`, `relations`, `coverages`: one object for each
  Dublin Core element, in display order for titles and people, else in document order. `value`, then what is
  said about it: `id`, `language`, `direction`, `scheme`, OPF 2 attributes and refinements under snake-case
  names (`file_as`, `roles`, `title_type`, `display_seq`, `identifier_type`, …), and `refinements` for those
  with no name here;
- `modified`, `page_source`: strings;
- `collections`: series and sets, `name`, `type`, `position`;
- `accessibility`, `rendition`, `media`: name to list of values;
- `package_collections`: groups of resources, `role`, `links`, `parent` (position of the enclosing one), `meta`;
- `publication`: in the same shape, what `META-INF/metadata.xml` says (see `publication`);
- `links`: linked resources; `meta`: every remaining statement, `name`, `value` and whatever qualifies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markitect_filter.epub3.package.package_model import Collection, Link, MetaItem, Package

_DUBLIN_CORE = {
    "titles": "title",
    "creators": "creator",
    "contributors": "contributor",
    "languages": "language",
    "identifiers": "identifier",
    "dates": "date",
    "publishers": "publisher",
    "rights": "rights",
    "sources": "source",
    "subjects": "subject",
    "descriptions": "description",
    "types": "type",
    "formats": "format",
    "relations": "relation",
    "coverages": "coverage",
}
_IN_DISPLAY_ORDER = frozenset({"titles", "creators", "contributors"})
#: Refinements with a key of their own, and the scheme that needs no mention there.
_REFINEMENTS = {
    "authority": ("authority", ""),
    "collection-type": ("type", ""),
    "display-seq": ("display_seq", ""),
    "file-as": ("file_as", ""),
    "group-position": ("position", ""),
    "identifier-type": ("identifier_type", "onix:codelist5"),
    "role": ("roles", "marc:relators"),
    "source-of": ("source_of", ""),
    "term": ("term", ""),
    "title-type": ("title_type", ""),
}
_LISTED = frozenset({"roles"})
_ACCESSIBILITY = ("schema:access", "a11y:", "dcterms:conformsTo")


def display_sequence(package: Package, entry: MetaItem) -> int | None:
    """The place that `display-seq` gives a statement, counted from 1."""
    for refinement in package.refinements(entry):
        if refinement.name == "display-seq" and refinement.value.isdecimal():
            return int(refinement.value[:9])
    return None


def in_display_order(package: Package, entries: Sequence[MetaItem]) -> Sequence[MetaItem]:
    """Statements of one kind as they are to be shown: those with a `display-seq` at that place, the others in
    document order in the places left free."""
    if len(entries) < 2:
        return entries
    free: list[MetaItem] = []
    placed: list[tuple[int, MetaItem]] = []
    for entry in entries:
        place = display_sequence(package, entry)
        if place is None:
            free.append(entry)
        else:
            placed.append((place, entry))
    placed.sort(key=lambda pair: pair[0])
    free.reverse()
    placed.reverse()
    ordered: list[MetaItem] = []
    while free or placed:
        if placed and (not free or placed[-1][0] <= len(ordered) + 1):
            ordered.append(placed.pop()[1])
        else:
            ordered.append(free.pop())
    return ordered


def raw_metadata(package: Package) -> dict[str, Any]:
    """All of the package's metadata in the shape described above."""
    return _RawMetadata(package).build()


class _RawMetadata:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.used: set[int] = set()  # identities of the statements that already have a place

    def build(self) -> dict[str, Any]:
        package = self.package
        spine = package.spine
        raw: dict[str, Any] = {
            "version": package.version,
            "language": package.language,
            "direction": package.direction,
            "page_progression_direction": spine.direction if spine and spine.direction != "default" else None,
            "prefixes": dict(package.prefixes),
        }
        for key, name in _DUBLIN_CORE.items():
            if entries := package.dublin_core(name):
                shown = in_display_order(package, entries) if key in _IN_DISPLAY_ORDER else entries
                raw[key] = [self._described(entry) for entry in shown]
        self._mark_unique_identifier(raw.get("identifiers", []))
        raw["modified"] = self._take_first("dcterms:modified")
        raw["page_source"] = self._page_source()
        raw["collections"] = self._collections()
        raw["accessibility"] = self._vocabulary(_ACCESSIBILITY, keep_prefix=True)
        raw["rendition"] = self._vocabulary(("rendition:",))
        raw["media"] = self._vocabulary(("media:",))
        raw["package_collections"] = [self._group(collection) for collection in package.collections]
        raw["links"] = [_link(link) for link in package.links]
        raw["meta"] = [self._plain(entry) for entry in package.metadata if id(entry) not in self.used]
        return {key: value for key, value in raw.items() if value}

    def _mark_unique_identifier(self, identifiers: list[dict[str, Any]]) -> None:
        for described in identifiers:
            if described.get("id") and described["id"] == self.package.unique_identifier:
                described["unique"] = True

    def _described(self, entry: MetaItem, value_key: str = "value") -> dict[str, Any]:
        """A statement with everything that is said about it."""
        self.used.add(id(entry))
        described = _qualifiers(entry)
        others: list[dict[str, Any]] = []
        if "role" in described:
            described["roles"] = [described.pop("role")]
        for refinement in self.package.refinements(entry):
            if id(refinement) in self.used:
                continue
            self.used.add(id(refinement))
            key, scheme = _REFINEMENTS.get(refinement.name, ("", ""))
            if key in _LISTED:
                described.setdefault(key, []).append(refinement.value)
            elif key and key not in described:
                described[key] = refinement.value
            else:
                key = ""
            if not key or refinement.scheme not in (None, scheme) or refinement.language:
                others.append({"name": refinement.name, "value": refinement.value, **_qualifiers(refinement)})
        return {value_key: entry.value, **described, **({"refinements": others} if others else {})}

    def _plain(self, entry: MetaItem) -> dict[str, Any]:
        """A statement by itself, naming what it refines."""
        described = {"name": entry.name, "value": entry.value, **_qualifiers(entry)}
        return described | {"refines": entry.refines} if entry.refines else described

    def _group(self, collection: Collection) -> dict[str, Any]:
        described = {
            "role": collection.role,
            "parent": collection.parent,
            "links": [_link(link) for link in collection.links],
            "meta": [self._plain(entry) for entry in collection.metadata],
        }
        return {name: value for name, value in described.items() if value not in ("", None, [])}

    def _take_first(self, name: str) -> str | None:
        for entry in self.package.statements(name):
            self.used.add(id(entry))
            return entry.value
        return None

    def _page_source(self) -> str | None:
        """The printed edition whose pages the book marks."""
        for name in ("pageBreakSource", "a11y:pageBreakSource", "schema:pageBreakSource"):
            if (value := self._take_first(name)) is not None:
                return value
        for source in self.package.statements("dc:source"):
            refinements = self.package.refinements(source)
            if any(r.name == "source-of" and r.value == "pagination" for r in refinements):
                return source.value
        return None

    def _collections(self) -> list[dict[str, Any]]:
        found = [
            self._described(entry, "name")
            for entry in self.package.metadata
            if entry.name == "belongs-to-collection" and id(entry) not in self.used
        ]
        if series := self._take_first("calibre:series"):
            described = {"name": series, "type": "series"}
            if position := self._take_first("calibre:series_index"):
                described["position"] = position
            if not any(series == other["name"] for other in found):
                found.append(described)
        return found

    def _vocabulary(self, beginnings: tuple[str, ...], *, keep_prefix: bool = False) -> dict[str, list[str]]:
        """The publication's statements from one vocabulary, grouped by name."""
        grouped: dict[str, list[str]] = {}
        for entry in self.package.metadata:
            if entry.name.startswith(beginnings) and not entry.refines and id(entry) not in self.used:
                self.used.add(id(entry))
                name = entry.name if keep_prefix else entry.name.partition(":")[2]
                grouped.setdefault(name, []).append(entry.value)
        return grouped


def _qualifiers(entry: MetaItem) -> dict[str, Any]:
    """Everything about a statement but its name and value."""
    described: dict[str, Any] = {
        "id": entry.id,
        "language": entry.language,
        "direction": entry.direction,
        "scheme": entry.scheme,
    }
    described |= {name.replace("-", "_"): value for name, value in entry.attributes}
    return {name: value for name, value in described.items() if value}


def _link(link: Link) -> dict[str, Any]:
    described = {
        "rel": list(link.relations),
        "href": link.href,
        "media_type": link.media_type,
        "properties": list(link.properties),
        "id": link.id,
        "refines": link.refines,
        "language": link.language,
    }
    return {name: value for name, value in described.items() if value}
