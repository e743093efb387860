"""The adapters of this package, as plain data: listing them imports no library of any format."""

from __future__ import annotations

from markitect_tool.source.protocol import OptionalDependency, SourceAdapterDescriptor, SourceReadAdapter

from markitect_filter import __version__
from markitect_filter.epub3.options import OPTION_SCHEMA
from markitect_filter.html.options import OPTION_SCHEMA as HTML_OPTION_SCHEMA


def _epub3() -> SourceReadAdapter:
    from markitect_filter.epub3.adapter import Epub3Adapter

    return Epub3Adapter(epub3_adapter_descriptor())


def epub3_adapter_descriptor() -> SourceAdapterDescriptor:
    """EPUB 3 and EPUB 2 (entry point `epub3` of the group `markitect_tool.source_adapters`)."""
    return SourceAdapterDescriptor(
        id="source.epub3",
        version=__version__,
        name="EPUB3",
        operations=["read"],
        media_types=["application/epub+zip"],
        extensions=[".epub"],
        factory=_epub3,
        summary="E-books in EPUB 3 and EPUB 2, to segments with footnotes, working links and page numbers.",
        option_schema=OPTION_SCHEMA,
        optional_dependencies=[
            OptionalDependency("lxml", "markitect-filter", "epub3", purpose="reading XML"),
            OptionalDependency("bs4", "markitect-filter", "epub3", purpose="reading pages that are not well-formed"),
            OptionalDependency(
                "markdownify", "markitect-filter", "markdownify", required=False, purpose="renderer=markdownify"
            ),
        ],
        safety={"reads_files": True, "network": False, "external_processes": False, "writes_files": False},
        quality_profile={"ledger": True, "footnotes": True, "internal_links": True, "pages": True, "math": "tex"},
        metadata={"specifications": ["EPUB 3.3", "EPUB 2.0.1"]},
    )


def _html() -> SourceReadAdapter:
    from markitect_filter.html.adapter import HtmlAdapter

    return HtmlAdapter(html_adapter_descriptor())


def html_adapter_descriptor() -> SourceAdapterDescriptor:
    """HTML and XHTML pages (entry point `html` of the group `markitect_tool.source_adapters`)."""
    return SourceAdapterDescriptor(
        id="source.html",
        version=__version__,
        name="HTML",
        operations=["read"],
        media_types=["text/html", "application/xhtml+xml"],
        extensions=[".html", ".htm", ".xhtml", ".xht"],
        factory=_html,
        summary="Pages, the main content by their landmarks, to segments with footnotes and working links.",
        option_schema=HTML_OPTION_SCHEMA,
        optional_dependencies=[
            OptionalDependency("lxml", "markitect-filter", "html", purpose="reading markup"),
            OptionalDependency("bs4", "markitect-filter", "html", purpose="reading pages that are no XML"),
        ],
        safety={"reads_files": True, "network": False, "external_processes": False, "writes_files": False},
        quality_profile={"ledger": True, "footnotes": True, "internal_links": True, "pages": True, "math": "tex"},
        metadata={"specifications": ["HTML Living Standard", "WAI-ARIA 1.2"]},
    )
