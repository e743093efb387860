"""What can be said about a book without reading any chapter."""

from __future__ import annotations

from collections import Counter
from typing import Any

from markitect_tool.named_tuple import NamedTuple
from markitect_tool.source.model import NormalizationQuality, SourceMetadata

from markitect_filter.epub3.opening import OpenBook


class Inspection(NamedTuple):
    """The parts of an inspection result that come from the book."""

    metadata: SourceMetadata
    capabilities: dict[str, Any]
    quality: NormalizationQuality


def inspect_book(opened: OpenBook) -> Inspection:
    """Metadata, counts, roles as far as the package tells, and features."""
    package, navigation = opened.package, opened.navigation
    missing = sum(1 for step in opened.order if step.member is None)
    encryption = opened.archive.encryption
    protected = sum(1 for step in opened.order if step.member in encryption.protected)
    if protected:
        scheme = encryption.scheme
        opened.sink.report(
            "source.encrypted",
            f"{protected} of {len(opened.order)} documents are encrypted ({scheme or 'unknown scheme'}).",
            severity="error" if protected == len(opened.order) else "warning",
            scheme=scheme,
        )
    properties = Counter(name for item in package.manifest for name in item.properties)
    media = Counter(item.media_type.partition("/")[0] for item in package.manifest)
    roles = Counter(decision.role for decision in opened.roles.values())
    features = {
        "mathml": properties["mathml"] > 0,
        "scripts": properties["scripted"] > 0,
        "svg": properties["svg"] > 0,
        "remote_resources": properties["remote-resources"] > 0,
        "media_overlays": any(item.media_overlay for item in package.manifest),
        "fixed_layout": any(entry.value == "pre-paginated" for entry in package.statements("rendition:layout")),
        "obfuscated_fonts": len(encryption.obfuscated) > 0,
        "encryption": encryption.scheme or False,
        "page_list": len(navigation.pages) > 0,
    }
    capabilities = {
        "version": package.version,
        "rendition": opened.rootfile.path,
        "renditions": len(opened.container.rootfiles),
        "counts": {
            "manifest": len(package.manifest),
            "spine": len(opened.order),
            "nonlinear": sum(1 for step in opened.order if not step.linear),
            "toc": len(navigation.toc),
            "pages": len(navigation.pages),
            "images": media["image"],
            "audio": media["audio"],
            "video": media["video"],
            "fonts": media["font"],
        },
        "navigation": {"toc": navigation.toc_source, "pages": navigation.pages_source},
        "roles": dict(sorted(roles.items())),
        "features": features,
    }
    readable = len(opened.order) - missing - protected
    return Inspection(
        opened.metadata,
        capabilities,
        NormalizationQuality(
            "unknown",
            confidence=round(readable / max(1, len(opened.order)), 4),
            warnings=sum(1 for entry in opened.sink if entry.severity == "warning"),
        ),
    )
