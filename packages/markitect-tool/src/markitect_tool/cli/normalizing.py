"""Where the two layers meet: bytes that a context adapter loaded become Markdown through the source adapters."""

from __future__ import annotations

from markitect_tool.context.errors import SourceUnavailableError
from markitect_tool.context.model import AdapterResult
from markitect_tool.context.resolve import NormalizedContent

# What servers and databases say when they do not know: then name and bytes decide.
_UNTOLD_TYPES = ("application/octet-stream", "text/plain")


def normalize_loaded(result: AdapterResult, uri: str) -> NormalizedContent | None:
    """Loaded bytes as Markdown with the provenance of the source; None for a format that no source adapter reads.

    What was asked for under `uri` may have been found elsewhere: what is relative in it is relative to that URL.
    Raises `SourceUnavailableError` when the adapter finds the source unreadable.
    """
    from markitect_tool.source.api import normalize_source

    media_type = (result.content_type or "").partition(";")[0].strip().lower()
    place = uri.partition("#")[0]
    final = result.metadata.get("final_url")
    made = normalize_source(
        result.content,
        uri=final if isinstance(final, str) and final != place else uri,
        media_type=None if media_type in _UNTOLD_TYPES else result.content_type or None,  # with its charset
        name=place.partition("?")[0].rpartition("/")[2],
    )
    document = made.document
    if made.valid and document is not None:
        origin = {
            "document_id": document.document_id,
            "adapter": dict(document.adapter),
            "source": [entry.to_dict() for entry in document.provenance],
            "lossiness": document.quality.lossiness,
        }
        return NormalizedContent(document.markdown, origin, tuple(made.diagnostics))
    error = next(found for found in made.diagnostics if found.severity == "error")
    if error.code == "source.unsupported_format":
        return None
    raise SourceUnavailableError(
        f"{uri} cannot be made Markdown: {error.message}", hint=error.hint, cause=error.code, member=error.path
    )
