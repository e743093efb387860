"""Markitect: any source to canonical Markdown that can be trusted.

The public names of the source-adapter contract live here and are imported on first access, so that
`import markitect_tool` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markitect_tool.diagnostics import Diagnostic as Diagnostic
    from markitect_tool.extension import ExtensionCatalog as ExtensionCatalog
    from markitect_tool.extension import ExtensionDescriptor as ExtensionDescriptor
    from markitect_tool.source.api import inspect_source as inspect_source
    from markitect_tool.source.api import normalize_source as normalize_source
    from markitect_tool.source.discovery import (
        default_source_adapter_registry as default_source_adapter_registry,
    )
    from markitect_tool.source.discovery import discover_source_adapters as discover_source_adapters
    from markitect_tool.source.messages import SourceAdapterMatch as SourceAdapterMatch
    from markitect_tool.source.messages import SourceAdapterMatchRequest as SourceAdapterMatchRequest
    from markitect_tool.source.messages import SourceInspectRequest as SourceInspectRequest
    from markitect_tool.source.messages import SourceInspectResult as SourceInspectResult
    from markitect_tool.source.messages import SourceReadRequest as SourceReadRequest
    from markitect_tool.source.messages import SourceReadResult as SourceReadResult
    from markitect_tool.source.model import NormalizationQuality as NormalizationQuality
    from markitect_tool.source.model import NormalizedMarkdownDocument as NormalizedMarkdownDocument
    from markitect_tool.source.model import NormalizedMarkdownSegment as NormalizedMarkdownSegment
    from markitect_tool.source.model import SourceAsset as SourceAsset
    from markitect_tool.source.model import SourceMetadata as SourceMetadata
    from markitect_tool.source.model import SourceProvenance as SourceProvenance
    from markitect_tool.source.protocol import OptionalDependency as OptionalDependency
    from markitect_tool.source.protocol import SourceAdapterDescriptor as SourceAdapterDescriptor
    from markitect_tool.source.protocol import SourceReadAdapter as SourceReadAdapter
    from markitect_tool.source.registry import SourceAdapterRegistry as SourceAdapterRegistry

    __version__: str

_HOMES = {
    "Diagnostic": "diagnostics",
    "ExtensionCatalog": "extension",
    "ExtensionDescriptor": "extension",
    "NormalizationQuality": "source.model",
    "NormalizedMarkdownDocument": "source.model",
    "NormalizedMarkdownSegment": "source.model",
    "OptionalDependency": "source.protocol",
    "SourceAdapterDescriptor": "source.protocol",
    "SourceAdapterMatch": "source.messages",
    "SourceAdapterMatchRequest": "source.messages",
    "SourceAdapterRegistry": "source.registry",
    "SourceAsset": "source.model",
    "SourceInspectRequest": "source.messages",
    "SourceInspectResult": "source.messages",
    "SourceMetadata": "source.model",
    "SourceProvenance": "source.model",
    "SourceReadAdapter": "source.protocol",
    "SourceReadRequest": "source.messages",
    "SourceReadResult": "source.messages",
    "default_source_adapter_registry": "source.discovery",
    "discover_source_adapters": "source.discovery",
    "inspect_source": "source.api",
    "normalize_source": "source.api",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("markitect-tool")
    elif name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "__version__"})
