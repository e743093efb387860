"""The adapters of this package, as plain data: listing them imports no library of any format."""

from __future__ import annotations

from markitect_tool.source.protocol import OptionalDependency, SourceAdapterDescriptor, SourceReadAdapter

from markitect_filter import __version__
from markitect_filter.epub3.options import OPTION_SCHEMA


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
