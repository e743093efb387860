"""The metadata section as a flat list of statements in document order (EPUB 3.3 section 5.5, OPF 2.0.1
section 2.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink

from markitect_filter.documents.xml_names import (
    DC,
    DCTERMS,
    XML,
    attributes_of,
    collapse,
    language_of,
    split_tag,
    text_of,
)
from markitect_filter.epub3.package.package_model import Link, MetaItem, Origin
from markitect_filter.patterns import compiled

#: The prefixes that a package document may use without declaring them (EPUB 3.3 appendix D.1.4).
RESERVED_PREFIXES: Mapping[str, str] = {
    "a11y": "http://www.idpf.org/epub/vocab/package/a11y/#",
    "dcterms": DCTERMS,
    "marc": "http://id.loc.gov/vocabulary/",
    "media": "http://www.idpf.org/epub/vocab/overlays/#",
    "onix": "http://www.editeur.org/ONIX/book/codelists/current.html#",
    "rendition": "http://www.idpf.org/vocab/rendition/#",
    "schema": "http://schema.org/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_RESERVED_BY_URI = {uri: prefix for prefix, uri in RESERVED_PREFIXES.items()}

_PREFIX_PAIR = r"(?<![^\s:])([^\s:]++):\s++(\S++)"  # no character begins more than one attempt
_DC_NAMESPACES = frozenset({DC, "http://purl.org/dc/elements/1.0/", "http://purl.org/dc/elements/1.1"})
_DC_NAMES = frozenset(
    {
        "contributor", "coverage", "creator", "date", "description", "format", "identifier", "language",
        "publisher", "relation", "rights", "source", "subject", "title", "type",
    }
)  # fmt: skip
_GROUPS = frozenset({"dc-metadata", "x-metadata"})
_OWN_NAMES = frozenset({"meta", "link", *_GROUPS})
_OTHER_SECTIONS = frozenset({"bindings", "collection", "guide", "manifest", "spine", "tours"})
#: Attributes that have a field of their own in `MetaItem`; all others are kept by local name.
_OWN_FIELDS = frozenset({"id", "refines", "dir", "lang", "property", "name", "content"})

_XML_ATTRIBUTE = f"{{{XML}}}"

_Named = tuple[etree._Element, str, str]


def parse_prefixes(declared: str | None) -> dict[str, str]:
    """The `prefix` attribute's pairs, prefix to URI, as declared."""
    return dict(compiled(_PREFIX_PAIR).findall(declared)) if declared else {}


def canonical_name(name: str, prefixes: Mapping[str, str]) -> str:
    """A property name under its reserved prefix, whatever prefix the book declared for that vocabulary.

    A reserved prefix that the book has bound to something else is written out as its URI, never mistaken.
    """
    prefix, colon, term = name.partition(":")
    uri = prefixes.get(prefix) if colon else None
    if uri is None:
        return name
    reserved = _RESERVED_BY_URI.get(uri) or _RESERVED_BY_URI.get(uri.replace("https://", "http://", 1))
    if reserved is not None:
        return f"{reserved}:{term}"
    return uri + term if prefix in RESERVED_PREFIXES else name


def parse_metadata(
    section: etree._Element,
    namespaces: frozenset[str],
    prefixes: Mapping[str, str],
    member: str,
    sink: DiagnosticSink,
) -> tuple[tuple[MetaItem, ...], tuple[Link, ...]]:
    """The statements and the links of a metadata section, each in document order. Statements without a value
    say nothing and are reported and left out. `namespaces` are those that count as the package document's
    own."""
    entries: list[MetaItem] = []
    links: list[Link] = []
    for element, space, local in _statements(section, namespaces):
        own = space in namespaces
        given = attributes_of(element)
        if own and local == "link":
            if href := given.get("href"):
                links.append(_link(element, given, href, prefixes))
            continue
        entry = _entry(element, space, local, own, given, _value(element, namespaces), prefixes)
        if entry.name and entry.value:
            entries.append(entry)
        else:
            sink.report(
                "source.metadata_irregular",
                f"the metadata item {entry.name!r} has no value" if entry.name else "a meta has no name",
                path=member,
                line=element.sourceline,
                name=entry.name,
                once=("empty metadata", entry.name),
            )
    return tuple(entries), tuple(links)


def _statements(section: etree._Element, namespaces: frozenset[str]) -> Iterator[_Named]:
    """The section's statements in document order, with their namespaces and names. OEBPS groups them in `dc-metadata`
    and `x-metadata`, which are looked into; so is a statement whose end tag is missing, which the recovering parser has
    put around the others."""
    waiting = list(section.iterchildren(etree.Element, reversed=True))
    while waiting:
        element = waiting.pop()
        space, local = split_tag(str(element.tag))
        name = local if space in namespaces else ""
        if name in _GROUPS:
            waiting.extend(element.iterchildren(etree.Element, reversed=True))
        elif name not in _OTHER_SECTIONS:
            yield element, space, local
            if len(element):
                waiting.extend(
                    child
                    for child in element.iterchildren(etree.Element, reversed=True)
                    if _stands_alone(child, namespaces)
                )


def _stands_alone(element: etree._Element, namespaces: frozenset[str]) -> bool:
    """Whether an element inside a statement is no part of its value."""
    space, name = split_tag(str(element.tag))
    if space in namespaces:
        return name in _OWN_NAMES or name in _OTHER_SECTIONS or name.lower() in _DC_NAMES
    return space in _DC_NAMESPACES or space == DCTERMS


def _value(element: etree._Element, namespaces: frozenset[str]) -> str:
    if len(element) and any(_stands_alone(child, namespaces) for child in element.iterchildren(etree.Element)):
        return collapse(element.text or "")
    return text_of(element)


def _link(element: etree._Element, given: Mapping[str, str], href: str, prefixes: Mapping[str, str]) -> Link:
    return Link(
        relations=tuple(canonical_name(name, prefixes) for name in given.get("rel", "").split()),
        href=href,
        media_type=given.get("media-type", ""),
        properties=tuple(given.get("properties", "").split()),
        id=given.get("id"),
        refines=_refined(given),
        language=given.get("hreflang"),
        line=element.sourceline,
    )


def _entry(
    element: etree._Element,
    space: str,
    local: str,
    own: bool,
    given: Mapping[str, str],
    value: str,
    prefixes: Mapping[str, str],
) -> MetaItem:
    name: str
    origin: Origin
    if space in _DC_NAMESPACES or element.tag == f"dc:{local}" or (own and local.lower() in _DC_NAMES):
        name, origin = f"dc:{local.lower()}", "dc"
    elif space == DCTERMS:
        name, origin = f"dcterms:{local}", "element"
    elif own and local == "meta":
        # Statements in the older style beside the newer one: `content` fills in for missing text and the
        # reverse.
        content = given.get("content", "")
        if written := given.get("property"):
            name, origin, value = canonical_name(written, prefixes), "property", value or content
        else:
            name, origin, value = given.get("name", ""), "name", content or value
    else:
        name, origin = (f"{element.prefix}:{local}" if element.prefix else local), "element"
    scheme, others = _qualifiers(given, prefixes)
    return MetaItem(
        name,
        value,
        origin,
        id=given.get("id"),
        refines=_refined(given),
        scheme=scheme,
        language=language_of(given),
        direction=given.get("dir"),
        attributes=others,
        line=element.sourceline,
    )


def _refined(given: Mapping[str, str]) -> str | None:
    """The id in `refines`: a fragment, with or without the package document's own name before it."""
    refines = given.get("refines")
    return refines.rpartition("#")[2].strip() or None if refines else None


def _qualifiers(
    given: Mapping[str, str], prefixes: Mapping[str, str]
) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    """The scheme, and the attributes that have no field of their own, by local name."""
    if _OWN_FIELDS.issuperset(given):
        return None, ()
    scheme = None
    others = []
    for name, value in given.items():
        if name in _OWN_FIELDS or name.startswith(_XML_ATTRIBUTE):
            continue
        local = name.rpartition("}")[2].rpartition(":")[2]
        if local == "scheme":
            scheme = canonical_name(value, prefixes)
        elif local not in _OWN_FIELDS:
            others.append((local, value))
    return scheme, tuple(others)
