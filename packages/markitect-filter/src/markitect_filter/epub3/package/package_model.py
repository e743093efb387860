"""The package document's own shapes (EPUB 3.3 section 5, OPF 2.0.1): a mirror of the file, without judgement.

What the parts mean is decided elsewhere: metadata in `metadata`, reading order in `spine`, navigation in
`navigation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import Record, field

from markitect_filter.epub3.href import Reference, Target

#: How a metadata item was written: a Dublin Core element, a `meta property`, a `meta name`, any other
#: element.
Origin = Literal["dc", "property", "name", "element"]

#: Fallbacks of one item that are followed. Real chains have one or two.
MAX_FALLBACKS = 32


class MetaItem(NamedTuple):
    """One statement of the metadata section.

    `name` carries a canonical prefix (`dc:title`, `rendition:layout`) or is the bare name as written; `value`
    has its white space collapsed; `refines` is the id of what it is about, None for the publication;
    `attributes` are the remaining ones by local name (OPF 2: `role`, `file-as`, `event`) in document order.
    """

    name: str
    value: str
    origin: Origin
    id: str | None = None
    refines: str | None = None
    scheme: str | None = None
    language: str | None = None
    direction: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    line: int | None = None

    def attribute(self, name: str) -> str | None:
        """The value of one of the remaining attributes, or None."""
        return next((value for key, value in self.attributes if key == name), None)


class Link(Record):
    """A `link` of the metadata section or of a collection: a resource that describes or belongs to the
    book.
    """

    relations: tuple[str, ...]
    href: str
    media_type: str = ""
    properties: tuple[str, ...] = ()
    id: str | None = None
    refines: str | None = None
    language: str | None = None
    line: int | None = None


class ManifestItem(NamedTuple):
    """One file of the book. `href` is as written, relative to the package document, `reference` what it leads to;
    `media_type` is normalised.
    """

    id: str
    href: str
    reference: Reference
    media_type: str
    declared_media_type: str = ""
    properties: tuple[str, ...] = ()
    fallback: str | None = None
    media_overlay: str | None = None
    line: int | None = None

    @property
    def target(self) -> Target | None:
        """The place in the book; None for what lies outside."""
        return self.reference if isinstance(self.reference, Target) else None


class ItemRef(NamedTuple):
    """One step of the reading order, naming a manifest item by id."""

    idref: str
    linear: bool = True
    properties: tuple[str, ...] = ()
    id: str | None = None
    line: int | None = None


class Spine(Record):
    """The reading order. `direction` is `ltr`, `rtl` or `default`; `toc` names the NCX's manifest item."""

    itemrefs: tuple[ItemRef, ...] = ()
    direction: str = "default"
    toc: str | None = None
    line: int | None = None


class GuideReference(Record):
    """One entry of the EPUB 2 guide: a structural part of the book (`type` in lower case) and where it
    starts.
    """

    type: str
    href: str
    title: str = ""
    line: int | None = None


class Collection(Record):
    """A group of resources (EPUB 3 `collection`). Sub-collections follow their parent, named by its
    position.
    """

    role: str
    metadata: tuple[MetaItem, ...] = ()
    links: tuple[Link, ...] = ()
    parent: int | None = None
    line: int | None = None


class Package(Record):
    """A parsed package document. `member` is its own path in the container, the base of every href in it.

    `spine` is None when the file has no spine element at all, which is not the same as an empty one.
    """

    member: str
    version: str
    unique_identifier: str | None = None
    language: str | None = None
    direction: str | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)
    metadata: tuple[MetaItem, ...] = ()
    links: tuple[Link, ...] = ()
    manifest: tuple[ManifestItem, ...] = ()
    spine: Spine | None = None
    guide: tuple[GuideReference, ...] = ()
    collections: tuple[Collection, ...] = ()
    bindings: tuple[tuple[str, str], ...] = ()
    _items: Mapping[str, ManifestItem] = field(init=False, repr=False, compare=False)
    _refinements: Mapping[str, tuple[MetaItem, ...]] = field(init=False, repr=False, compare=False)
    _owners: Mapping[str, MetaItem] = field(init=False, repr=False, compare=False)
    _statements: Mapping[str, tuple[MetaItem, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        items: dict[str, ManifestItem] = {}
        for item in self.manifest:
            if item.id:
                items.setdefault(item.id, item)  # ids are unique; where they are not, the first one counts
        object.__setattr__(self, "_items", items)
        refinements: dict[str, list[MetaItem]] = {}
        statements: dict[str, list[MetaItem]] = {}
        owners: dict[str, MetaItem] = {}
        for entry in self.metadata:
            if entry.id:
                owners.setdefault(entry.id, entry)
            if entry.refines:
                refinements.setdefault(entry.refines, []).append(entry)
            else:
                statements.setdefault(entry.name, []).append(entry)
        object.__setattr__(self, "_owners", owners)
        object.__setattr__(self, "_refinements", {key: tuple(found) for key, found in refinements.items()})
        object.__setattr__(self, "_statements", {key: tuple(found) for key, found in statements.items()})

    @property
    def major_version(self) -> int:
        """3 for EPUB 3, 2 for EPUB 2 and the OEBPS formats before it."""
        return 3 if self.version.startswith("3") else 2

    def item(self, item_id: str | None) -> ManifestItem | None:
        """The manifest item with that id."""
        return self._items.get(item_id) if item_id else None

    def items_with_property(self, name: str) -> tuple[ManifestItem, ...]:
        """The manifest items that carry a property, such as `nav` or `cover-image`, in document order."""
        return tuple(item for item in self.manifest if name in item.properties)

    def refinements(self, entry: MetaItem) -> tuple[MetaItem, ...]:
        """What the metadata says about a statement, in document order. Of several with one id the first is meant."""
        if entry.id is None or self._owners.get(entry.id) is not entry:
            return ()
        return self._refinements.get(entry.id, ())

    def statements(self, name: str) -> tuple[MetaItem, ...]:
        """The metadata items of that name about the publication itself, in document order."""
        return self._statements.get(name, ())

    def dublin_core(self, name: str) -> tuple[MetaItem, ...]:
        """The Dublin Core statements of that name about the book, else those written as a `dcterms` property."""
        stated = self._statements
        return stated.get(f"dc:{name}") or stated.get(f"dcterms:{name}", ())

    def fallback_chain(self, item: ManifestItem) -> tuple[ManifestItem, ...]:
        """The item and its fallbacks in order (EPUB 3.3 section 3.5.1).

        The chain ends before a fallback that names no item or would repeat one; its last item then still
        names it.
        """
        if item.fallback is None:
            return (item,)
        chain = [item]
        seen = {item.id}
        while (following := self.item(chain[-1].fallback)) is not None and following.id not in seen:
            if len(chain) > MAX_FALLBACKS:
                break
            seen.add(following.id)
            chain.append(following)
        return tuple(chain)
