"""`META-INF/encryption.xml`, judged member by member (EPUB 3.3 sections 4.2.6.3.2 and 4.4).

Obfuscated fonts are not protection: only the fonts are scrambled, and no text is read from them. Everything
else that the file lists is unreadable here, and says by which scheme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink

from markitect_filter.documents.limits import from_markup
from markitect_filter.documents.xml_names import local_name, namespace
from markitect_filter.epub3.container.archive import ENCRYPTION_MEMBER, RIGHTS_MEMBER
from markitect_filter.epub3.container.protection import Encryption, Protection, Scheme
from markitect_filter.epub3.container.unpack import MemberError
from markitect_filter.epub3.href import Target, resolve_href
from markitect_filter.markup.limits import MarkupError, MarkupLimitError
from markitect_filter.markup.parse import parse_xml

if TYPE_CHECKING:
    from markitect_filter.epub3.container.archive import Archive

_OBFUSCATIONS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_TEXT_SUFFIXES = (".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx", ".svg", ".css", ".smil")
_ADEPT = "http://ns.adobe.com/adept"
_LCP = "http://readium.org/2014/01/lcp"
_APPLE = "itunes.apple.com"
_LICENSE, _SINF = "META-INF/license.lcpl", "META-INF/sinf.xml"


def read_encryption(archive: Archive, sink: DiagnosticSink) -> Encryption:
    """The encryption of the book in `archive`, by its `encryption.xml`. An unreadable one is reported and lists none.

    Raises `KeyError` without that file, `LimitExceededError` for one over a limit.
    """
    rights = archive.exists(RIGHTS_MEMBER)
    try:
        root = parse_xml(archive.read(ENCRYPTION_MEMBER, structural=True), limits=archive.limits.markup).root
    except MarkupLimitError as problem:
        raise from_markup(problem, ENCRYPTION_MEMBER) from problem
    except (MarkupError, MemberError) as problem:
        sink.report(
            "source.archive_irregular",
            f"{ENCRYPTION_MEMBER} cannot be read, so no member is taken for encrypted: {problem}",
            path=ENCRYPTION_MEMBER,
        )
        return Encryption(rights=rights)
    protected: dict[str, Protection] = {}
    obfuscated: dict[str, str] = {}
    for data in root.iter("{*}EncryptedData"):
        name = _member(archive, data)
        if name is None:
            continue
        algorithm = _algorithm(data)
        if algorithm in _OBFUSCATIONS and not name.lower().endswith(_TEXT_SUFFIXES):
            obfuscated[name] = algorithm
        else:
            protected[name] = Protection(algorithm, _scheme(archive, data, algorithm))
    return Encryption(protected, obfuscated, rights)


def _member(archive: Archive, data: etree._Element) -> str | None:
    """The member that an `EncryptedData` element is about; None when it names none that exists."""
    for reference in data.iter("{*}CipherReference"):
        target = resolve_href("", reference.get("URI") or "")
        if isinstance(target, Target):
            return archive.member(target)
    return None


def _algorithm(data: etree._Element) -> str:
    for method in data.iterchildren("{*}EncryptionMethod"):  # not that of a key inside
        return (method.get("Algorithm") or "").strip()
    return ""


def _scheme(archive: Archive, data: etree._Element, algorithm: str) -> Scheme:
    """The scheme by the hints in the element itself, then by the licence files beside it."""
    if _APPLE in algorithm:
        return "apple-fairplay"
    for element in data.iter(etree.Element):
        uris = (namespace(element), *(str(value) for value in element.attrib.values()))
        for uri in uris:
            if uri.startswith(_ADEPT):
                return "adobe-adept"
            if uri.startswith(_LCP):
                return "readium-lcp"
            if local_name(element) != "CipherReference" and _APPLE in uri:
                return "apple-fairplay"
    if archive.exists(_LICENSE):
        return "readium-lcp"
    if archive.exists(_SINF):
        return "apple-fairplay"
    if archive.exists(RIGHTS_MEMBER) and _names_adept(archive):
        return "adobe-adept"
    return "unknown"


def _names_adept(archive: Archive) -> bool:
    try:
        return _ADEPT.encode() in archive.read(RIGHTS_MEMBER, structural=True)
    except MemberError:
        return False
