"""What can be said about a page without converting it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.source.model import NormalizationQuality, SourceAsset, SourceMetadata

from markitect_filter.documents.xml_names import XHTML
from markitect_filter.html.landmarks import find_content
from markitect_filter.html.metadata import base_of, page_metadata
from markitect_filter.html.options import Options
from markitect_filter.html.page import Page
from markitect_filter.html.references import PageReferences

_HEADINGS = tuple(f"{{{XHTML}}}h{level}" for level in range(1, 7))
_FEATURES = {
    "mathml": "descendant::m:math",
    "svg": "descendant::s:svg",
    "scripts": "descendant::h:script",
    "forms": "descendant::h:form",
    "frames": "descendant::h:iframe | descendant::h:frame",
}
_NAMESPACES = {"h": XHTML, "s": "http://www.w3.org/2000/svg", "m": "http://www.w3.org/1998/Math/MathML"}
_HAS = {name: etree.XPath(f"boolean({path})", namespaces=_NAMESPACES) for name, path in _FEATURES.items()}


@dataclass(frozen=True, slots=True)
class Inspection:
    """The parts of an inspection result that come from the page."""

    metadata: SourceMetadata
    capabilities: dict[str, Any]
    quality: NormalizationQuality


def inspect_page(page: Page, asset: SourceAsset, options: Options, sink: DiagnosticSink) -> Inspection:
    """Metadata, which part would be converted, counts of that part, and features of the page."""
    references = PageReferences(asset.uri, base_of(page), sink)
    content = find_content(page.body, everything=options.content == "all")

    def count(*names: str) -> int:
        return sum(1 for _ in content.root.iter(*names))

    capabilities = {
        "content": content.kind,
        "encoding": page.text.encoding,
        "counts": {
            "headings": count(*_HEADINGS),
            "links": count(f"{{{XHTML}}}a"),
            "images": count(f"{{{XHTML}}}img"),
            "tables": count(f"{{{XHTML}}}table"),
        },
        "features": {name: bool(has(page.root)) for name, has in _HAS.items()},
    }
    metadata = page_metadata(page, content.root, references)
    warnings = sum(1 for entry in sink if entry.severity == "warning")
    return Inspection(metadata, capabilities, NormalizationQuality("unknown", confidence=1.0, warnings=warnings))
