"""What the package says about the book, as `SourceMetadata` (EPUB 3.3 section 5.5 and appendix D.3, OPF
2.0.1).

The contract's fields hold the usual answer to each question; `raw` holds everything, in a fixed shape
(`raw_metadata`).
"""

from __future__ import annotations

from collections.abc import Sequence

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.source.model import SourceMetadata

from markitect_filter.documents.identifiers import identify
from markitect_filter.epub3.package.package_model import MetaItem, Package
from markitect_filter.epub3.package.raw_metadata import in_display_order, raw_metadata
from markitect_filter.patterns import compiled

_URL = r"(?i)https?://\S+"
#: `opf:event` values that name a publication, best first; "" is a date without an event.
_PUBLICATION_EVENTS = ("publication", "", "issued", "original-publication", "ops-publication", "creation")
#: What a well-known library manager writes for "no date".
_UNDEFINED_DATE = "0101-01-01"
_LICENSE_RELATIONS = frozenset({"dcterms:rights", "dcterms:license", "cc:license", "license"})


def source_metadata(package: Package, sink: DiagnosticSink) -> SourceMetadata:
    """The book's metadata. Missing or odd statements are reported to `sink`, never fatal.

    - title: the one of `title-type` main, else the first in display order;
    - creators: in display order (`display-seq`, else document order), contributors only in `raw`;
    - language: the first one, else the package document's own;
    - identifiers: by scheme (`isbn`, `doi`, `uuid`, `url`, …; a second of a scheme is `isbn-2`), and under
      `package` the publication's unique identifier as written;
    - publication date: by `opf:event`, never a date of modification;
    - source URL: the first `dc:source` that is one.
    """
    titles = package.dublin_core("title")
    languages = [entry.value.replace("_", "-") for entry in package.dublin_core("language")]
    publishers = package.dublin_core("publisher")
    for name, found in (("title", titles), ("language", languages)):
        if not found:
            sink.report("source.metadata_irregular", f"the book has no {name}", path=package.member, name=f"dc:{name}")
    return SourceMetadata(
        title=_title(package, titles),
        creators=[entry.value for entry in in_display_order(package, package.dublin_core("creator"))],
        language=languages[0] if languages else package.language,
        rights=_rights(package),
        source_url=next((e.value for e in package.dublin_core("source") if compiled(_URL).fullmatch(e.value)), None),
        publication_date=_publication_date(package),
        publisher=publishers[0].value if publishers else None,
        identifiers=_identifiers(package, sink),
        raw=raw_metadata(package),
    )


def unique_identifier(package: Package) -> MetaItem | None:
    """The `dc:identifier` that the package element names; where it names none, the first one."""
    found = package.statements("dc:identifier")
    named = (entry for entry in found if entry.id and entry.id == package.unique_identifier)
    return next(named, found[0] if found else None)


def _title(package: Package, titles: Sequence[MetaItem]) -> str | None:
    ordered = in_display_order(package, titles)
    for entry in ordered:
        if any(r.name == "title-type" and r.value == "main" for r in package.refinements(entry)):
            return entry.value
    return ordered[0].value if ordered else None


def _rights(package: Package) -> str | None:
    stated = [entry.value for entry in package.dublin_core("rights")]
    stated = stated or [entry.value for entry in package.statements("dcterms:license")]
    stated = stated or [
        link.href for link in package.links if not link.refines and _LICENSE_RELATIONS.intersection(link.relations)
    ]
    return "\n".join(dict.fromkeys(stated)) or None


def _publication_date(package: Package) -> str | None:
    dates = [entry for entry in package.dublin_core("date") if not entry.value.startswith(_UNDEFINED_DATE)]
    for event in _PUBLICATION_EVENTS:
        for entry in dates:
            if (entry.attribute("event") or "").lower() == event:
                return entry.value
    issued = package.statements("dcterms:issued")
    return issued[0].value if issued else None


def _identifiers(package: Package, sink: DiagnosticSink) -> dict[str, str]:
    unique = unique_identifier(package)
    named = package.unique_identifier
    if unique is None or named is None or unique.id != named:
        wrong = f"names {named!r}, which is no identifier" if named else "names no unique identifier"
        sink.report(
            "source.metadata_irregular",
            f"the package element {wrong}; the first one is taken" if unique else "the book has no identifier",
            path=package.member,
            name="dc:identifier",
        )
    schemes = _Schemes({"package": unique.value} if unique else {})
    for entry in package.dublin_core("identifier"):
        kind = next((r for r in package.refinements(entry) if r.name == "identifier-type"), None)
        found = identify(entry.value, kind.value, kind.scheme) if kind else identify(entry.value, entry.scheme)
        if not found.sound:
            sink.report(
                "source.metadata_irregular",
                f"{entry.value!r} is stated to be an ISBN but fails its check",
                path=package.member,
                line=entry.line,
                once="identifier check",
                value=entry.value,
            )
        schemes.add(found.scheme, found.value)
    return schemes.filed


class _Schemes:
    """Identifiers filed under their schemes: a value once, a further one of a scheme under `scheme-2` and so on."""

    def __init__(self, filed: dict[str, str]) -> None:
        self.filed = filed
        self._seen: dict[str, set[str]] = {}

    def add(self, scheme: str, value: str) -> None:
        seen = self._seen.setdefault(scheme, set())
        if value in seen:
            return
        seen.add(value)
        self.filed[scheme if len(seen) == 1 else f"{scheme}-{len(seen)}"] = value
