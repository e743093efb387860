"""The context layer: any URI to bytes whose origin, digest and trust are known.

What users of a project and authors of adapters need is named here and imported on first access.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markitect_tool.context.bundle import Bundle as Bundle
    from markitect_tool.context.errors import ContextError as ContextError
    from markitect_tool.context.errors import DigestMismatchError as DigestMismatchError
    from markitect_tool.context.errors import InvalidContextError as InvalidContextError
    from markitect_tool.context.errors import MalformedUriError as MalformedUriError
    from markitect_tool.context.errors import ManifestError as ManifestError
    from markitect_tool.context.errors import MissingDigestError as MissingDigestError
    from markitect_tool.context.errors import ObjectNotFoundError as ObjectNotFoundError
    from markitect_tool.context.errors import OfflineError as OfflineError
    from markitect_tool.context.errors import PathTraversalError as PathTraversalError
    from markitect_tool.context.errors import ScopesNotEnforcedError as ScopesNotEnforcedError
    from markitect_tool.context.errors import SourceUnavailableError as SourceUnavailableError
    from markitect_tool.context.errors import UnknownSchemeError as UnknownSchemeError
    from markitect_tool.context.guard import resolve_inside as resolve_inside
    from markitect_tool.context.guard import sha256_uri as sha256_uri
    from markitect_tool.context.model import Adapter as Adapter
    from markitect_tool.context.model import AdapterContext as AdapterContext
    from markitect_tool.context.model import AdapterResult as AdapterResult
    from markitect_tool.context.model import Trust as Trust
    from markitect_tool.context.objects import ContextObject as ContextObject
    from markitect_tool.context.project import OpenContext as OpenContext
    from markitect_tool.context.registry import AdapterRegistry as AdapterRegistry
    from markitect_tool.context.registry import default_context_registry as default_context_registry
    from markitect_tool.context.registry import discover_context_adapters as discover_context_adapters
    from markitect_tool.context.render import render_markdown as render_markdown
    from markitect_tool.context.resolve import NormalizedContent as NormalizedContent
    from markitect_tool.context.resolve import ResolvedObject as ResolvedObject

_HOMES = {
    "Adapter": "model",
    "AdapterContext": "model",
    "AdapterRegistry": "registry",
    "AdapterResult": "model",
    "Bundle": "bundle",
    "ContextError": "errors",
    "ContextObject": "objects",
    "DigestMismatchError": "errors",
    "InvalidContextError": "errors",
    "MalformedUriError": "errors",
    "ManifestError": "errors",
    "MissingDigestError": "errors",
    "NormalizedContent": "resolve",
    "ObjectNotFoundError": "errors",
    "OfflineError": "errors",
    "OpenContext": "project",
    "PathTraversalError": "errors",
    "ResolvedObject": "resolve",
    "ScopesNotEnforcedError": "errors",
    "SourceUnavailableError": "errors",
    "Trust": "model",
    "UnknownSchemeError": "errors",
    "default_context_registry": "registry",
    "discover_context_adapters": "registry",
    "render_markdown": "render",
    "resolve_inside": "guard",
    "sha256_uri": "guard",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
