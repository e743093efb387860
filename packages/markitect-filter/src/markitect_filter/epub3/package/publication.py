"""`META-INF/metadata.xml`: what is said about a publication as a whole, whichever rendition is read.

EPUB Multiple-Rendition Publications 1.1, section 2.3. It speaks the language of a package's metadata.
"""

from __future__ import annotations

from typing import Any

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
from markitect_tool.record import replace

from markitect_filter.documents.limits import from_markup
from markitect_filter.documents.xml_names import OPF, local_name, namespace
from markitect_filter.epub3.container.archive import PUBLICATION_MEMBER, Archive
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.epub3.package.raw_metadata import raw_metadata
from markitect_filter.markup.limits import MarkupError, MarkupLimitError
from markitect_filter.markup.parse import parse_xml

_SPACES = ("http://www.idpf.org/2013/metadata", "")


def publication_metadata(archive: Archive, sink: DiagnosticSink) -> dict[str, Any]:
    """Its statements in the shape of `raw_metadata`; empty when it cannot be read. Raises `KeyError` without it."""
    try:
        root = parse_xml(archive.read(PUBLICATION_MEMBER, structural=True), limits=archive.limits.markup).root
    except SourceError as problem:
        sink.add(replace(problem.diagnostic, severity="warning"))
        return {}
    except MarkupLimitError as problem:
        sink.add(replace(from_markup(problem, PUBLICATION_MEMBER).diagnostic, severity="warning"))
        return {}
    except MarkupError as problem:
        sink.report("source.metadata_irregular", f"it cannot be read: {problem}", path=PUBLICATION_MEMBER)
        return {}
    if local_name(root) != "metadata":
        return {}
    for element in root.iter(etree.Element):
        if namespace(element) in _SPACES:
            element.tag = f"{{{OPF}}}{local_name(element)}"
    package = etree.Element(f"{{{OPF}}}package", version="3.0")
    if (identifier := root.get("unique-identifier")) is not None:
        package.set("unique-identifier", identifier)
    package.append(root)
    # a package without manifest and spine is irregular, and none of that matters here
    raw = raw_metadata(parse_package(package, PUBLICATION_MEMBER, DiagnosticSink()))
    return {name: value for name, value in raw.items() if name != "version"}
