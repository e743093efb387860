"""What a page says about itself: its head, by plain HTML first, then Dublin Core and the few others in general use."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from markitect_tool.source.model import SourceMetadata

from markitect_filter.documents.identifiers import identify
from markitect_filter.documents.xml_names import XHTML, XML, collapse, text_of
from markitect_filter.html.page import Page
from markitect_filter.html.references import PageReferences
from markitect_filter.markdown.references import scheme

_META = etree.XPath("descendant::h:meta[@content]", namespaces={"h": XHTML})
_TITLE = etree.XPath("(descendant::h:title)[1]", namespaces={"h": XHTML})
_LINK = etree.XPath("descendant::h:link[@rel and @href]", namespaces={"h": XHTML})
_BASE = etree.XPath("string(descendant::h:base[@href][1]/@href)", namespaces={"h": XHTML})
_HEADING = etree.XPath("(descendant::h:h1)[1]", namespaces={"h": XHTML})
_XML_LANG = f"{{{XML}}}lang"
_MOST = 200  # entries and values that are kept of the head
_LONGEST = 2000  # characters of a value

Meta = dict[str, list[str]]


def base_of(page: Page) -> str | None:
    """The base URL that the page states."""
    return str(_BASE(page.root)).strip() or None


def page_metadata(page: Page, content: etree._Element, references: PageReferences) -> SourceMetadata:
    """Title, authors, language and the rest. `content` is the element that is converted."""
    meta = _meta(page.root)
    links = list(_links(page.root, references))
    canonical = next((url for relation, url in links if relation == "canonical"), None)
    licence = next((url for relation, url in links if relation == "license"), None)
    own = references.uri if scheme(references.uri) in ("http", "https") else None
    return SourceMetadata(
        title=_title(page, content, meta),
        creators=_all(meta, "author", "dc.creator", "dcterms.creator", "article:author"),
        language=_language(content, meta),
        rights=_first(meta, "dc.rights", "dcterms.rights", "rights", "copyright") or licence,
        source_url=canonical or own,
        publication_date=_first(
            meta, "date", "dc.date", "dcterms.issued", "dcterms.created", "dcterms.date", "article:published_time"
        ),
        publisher=_first(meta, "dc.publisher", "dcterms.publisher", "publisher"),
        identifiers=_identifiers(meta),
        raw=_raw(page, meta),
    )


def _meta(root: etree._Element) -> Meta:
    """The values by name, property or http-equiv in lower case; `DCTERMS.title` and `dcterms:title` are one name."""
    found: Meta = {}
    for element in _META(root):
        name = element.get("name") or element.get("property") or element.get("http-equiv") or ""
        name = collapse(name).lower()[:_LONGEST]
        if name.startswith(("dc:", "dcterms:")):
            name = name.replace(":", ".", 1)
        value = collapse(element.get("content") or "")[:_LONGEST]
        if name and value:
            values = found.get(name)
            if values is None and len(found) < _MOST:
                values = found[name] = []
            if values is not None and len(values) < _MOST and value not in values:
                values.append(value)
    return found


def _links(root: etree._Element, references: PageReferences) -> Iterator[tuple[str, str]]:
    """Relations of the page and their absolute URLs."""
    for element in _LINK(root):
        url = references.resolve(element.get("href") or "")
        if scheme(url) in ("http", "https") and len(url) <= _LONGEST:
            for relation in (element.get("rel") or "").lower().split():
                yield relation, url


def _all(meta: Meta, *names: str) -> list[str]:
    return list(dict.fromkeys(value for name in names for value in meta.get(name, ())))


def _first(meta: Meta, *names: str) -> str | None:
    return next((values[0] for name in names if (values := meta.get(name))), None)


def _title(page: Page, content: etree._Element, meta: Meta) -> str | None:
    """Dublin Core's title, the `title` element, Open Graph's, or the first heading of level 1."""
    stated = next(iter(_TITLE(page.root)), None)
    heading = next(iter(_HEADING(content)), None)
    return (
        _first(meta, "dc.title", "dcterms.title")
        or (text_of(stated)[:_LONGEST] if stated is not None else "")
        or _first(meta, "og:title")
        or (text_of(heading)[:_LONGEST] if heading is not None else "")
        or None
    )


def _language(content: etree._Element, meta: Meta) -> str | None:
    """The language of the content: of the nearest element that states one, else of the head."""
    for element in (content, *content.iterancestors()):
        stated = collapse(element.get("lang") or element.get(_XML_LANG) or "")
        if stated:
            return stated[:_LONGEST]
    stated = _first(meta, "content-language", "dc.language", "dcterms.language") or ""
    return stated.partition(",")[0].strip() or None


def _identifiers(meta: Meta) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in _all(meta, "dc.identifier", "dcterms.identifier", "citation_doi"):
        identifier = identify(value)
        name, count = identifier.scheme, 2
        while found.get(name, identifier.value) != identifier.value:
            name = f"{identifier.scheme}-{count}"
            count += 1
        found[name] = identifier.value
    return found


def _raw(page: Page, meta: Meta) -> dict[str, object]:
    raw: dict[str, object] = {"encoding": page.text.encoding, "encoding_source": page.text.source}
    if (
        description := _first(meta, "description", "dc.description", "dcterms.description", "og:description")
    ) is not None:
        raw["description"] = description
    if meta:
        raw["meta"] = dict(sorted(meta.items()))
    return raw
