"""The descriptor of `source.plaintext`, the reference adapter: plain data, nothing of the reader imported.

Plain text and Markdown are taken as they are: no character is escaped, line ends become LF, blank lines
around a segment go. The encoding is, in this order: the `encoding` option, a byte-order mark, the charset
of the declared media type, UTF-8, and as the last resort windows-1252 with `source.encoding_recovered`.
"""

from __future__ import annotations

from markitect_tool.source.protocol import SourceAdapterDescriptor, SourceReadAdapter


def plaintext_adapter_descriptor() -> SourceAdapterDescriptor:
    """What the entry point `plaintext` gives."""
    return SourceAdapterDescriptor(
        id="source.plaintext",
        version="1.0.0",
        name="Plain text and Markdown",
        operations=["read"],
        media_types=["text/plain", "text/markdown"],
        extensions=[".txt", ".md", ".markdown"],
        factory=_adapter,
        summary="Text files as they are; Markdown is cut into segments at its headings.",
        option_schema={
            "properties": {
                "encoding": {
                    "type": "string",
                    "description": "Encoding of the bytes, instead of detecting it.",
                },
                "segment_level": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 6,
                    "default": 6,
                    "description": "Markdown headings down to this level begin a segment; with 0, none does.",
                },
            },
            "additionalProperties": False,
        },
        safety={"reads_files": True, "network": False, "external_processes": False},
        quality_profile={"lossiness": "none", "recovered_encoding": "low"},
    )


def _adapter() -> SourceReadAdapter:
    from markitect_tool.source.textreader import PlainTextAdapter

    return PlainTextAdapter()
