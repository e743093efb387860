"""A plug-in of MarkItDown (entry point group `markitdown.plugin`): `markitdown --use-plugins book.epub`.

It only reads EPUB, and before MarkItDown's own converter. What cannot be read raises `FileConversionException` with the
diagnostics as its message; MarkItDown then tries its own converters, so a warning says whose text it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, BinaryIO

from markitdown import (
    DocumentConverter,
    DocumentConverterResult,
    FileConversionException,
    MarkItDown,
    StreamInfo,
)
from markitect_tool.diagnostics import Diagnostic

__plugin_interface_version__ = 1

ADAPTER = "source.epub3"
BEFORE_THE_BUILT_IN = -1.0  # MarkItDown tries lower numbers first; its own converters have 0.0 and 10.0
_MEDIA_TYPES = ("application/epub", "application/x-epub")


def register_converters(markitdown: MarkItDown, **kwargs: Any) -> None:
    """What MarkItDown calls. `markitect_options` among the keyword arguments are options of the EPUB adapter."""
    converter = MarkitectEpubConverter(kwargs.get("markitect_options"))
    markitdown.register_converter(converter, priority=BEFORE_THE_BUILT_IN)


class MarkitectEpubConverter(DocumentConverter):
    """Books by `source.epub3`. `options` are those of that adapter, by name."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._options = dict(options or {})

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:
        """By suffix or media type, as MarkItDown's own converter."""
        media_type = (stream_info.mimetype or "").lower()
        return (stream_info.extension or "").lower() == ".epub" or media_type.startswith(_MEDIA_TYPES)

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> DocumentConverterResult:
        """The book as Markdown and its title. Raises `FileConversionException` for a book that cannot be read."""
        from markitect_tool.source.api import normalize_source

        name = stream_info.filename or stream_info.url or stream_info.local_path
        result = normalize_source(
            file_stream.read(),
            uri=stream_info.url,
            name=stream_info.filename,
            adapter_id=ADAPTER,
            options={**self._options, **kwargs.get("markitect_options", {})},
        )
        if result.document is None:
            errors = [entry for entry in result.diagnostics if entry.severity == "error"]
            message = f"Markitect cannot convert {name or 'this book'}. {told(errors)}"
            warnings.warn(f"{message} MarkItDown goes on to its own converters.", stacklevel=2)
            raise FileConversionException(message)
        return DocumentConverterResult(result.document.markdown, title=result.document.metadata.title)


def told(entries: Iterable[Diagnostic]) -> str:
    """Diagnostics in words: code, message and what to do."""
    return " ".join(
        f"[{entry.code}] {entry.message.rstrip('.')}." + (f" {entry.hint.rstrip('.')}." if entry.hint else "")
        for entry in entries
    )
