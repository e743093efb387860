"""The bytes of a document's attachments: pictures, sounds and whatever else lies in the source beside its text.

Optional: an adapter that can, offers them as a `SourceAttachmentReader`. Nothing is written or fetched here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, runtime_checkable
from urllib.parse import unquote

from markitect_tool.errors import UnreadableSourceError
from markitect_tool.source.discovery import default_source_adapter_registry
from markitect_tool.source.loading import Source, identify, measure
from markitect_tool.source.messages import SourceReadRequest
from markitect_tool.source.model import NormalizedMarkdownDocument, SourceAsset
from markitect_tool.source.registry import SourceAdapterRegistry

ReadAttachment = Callable[[SourceAsset], bytes]
"""The bytes of one attachment of the document. Raises a `SourceError` when the source does not hold them, or not within
the adapter's limits."""


@runtime_checkable
class SourceAttachmentReader(Protocol):
    """What a `SourceReadAdapter` has besides when it can give the bytes of the attachments that it lists."""

    def open_attachments(self, request: SourceReadRequest) -> AbstractContextManager[ReadAttachment]:
        """The attachments of the source in `request`, which stays open meanwhile. Raises a `SourceError`."""
        ...


@contextmanager
def open_attachments(
    source: Source, document: NormalizedMarkdownDocument, *, registry: SourceAdapterRegistry | None = None
) -> Iterator[ReadAttachment | None]:
    """The bytes of the attachments of `document`, which was made from `source`; None if its adapter offers none.

    Raises a `SourceError` for a source that cannot be read, or that is no longer the one that `document` is made from.
    """
    if registry is None:
        registry = default_source_adapter_registry()
    asset, content = measure(
        source, identify(source, uri=document.asset.uri, media_type=document.asset.media_type, name=document.asset.name)
    )
    if asset.digest != document.asset.digest:
        raise UnreadableSourceError("The source has changed since it was read.", source=asset.uri)
    adapter = registry.adapter(str(document.adapter["id"]))
    if not isinstance(adapter, SourceAttachmentReader):
        yield None
        return
    request = SourceReadRequest(asset, dict(document.adapter.get("options", {})), content)
    with adapter.open_attachments(request) as read:
        yield read


def attachment_path(document: NormalizedMarkdownDocument, attachment: SourceAsset) -> str | None:
    """The path by which the Markdown refers to `attachment`, not percent-encoded; None for one that lies elsewhere.

    The contract: the URI of an attachment inside of the source is that of the source, `#`, and the destination that
    links and pictures in the Markdown have.
    """
    inside = f"{document.asset.uri}#"
    return unquote(attachment.uri.removeprefix(inside)) if attachment.uri.startswith(inside) else None
