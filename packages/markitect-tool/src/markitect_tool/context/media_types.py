"""The media type that a file name suggests. A table of our own: the host's differs from machine to machine."""

from __future__ import annotations

from pathlib import PurePosixPath

_BY_SUFFIX = {
    ".csv": "text/csv",
    ".epub": "application/epub+zip",
    ".htm": "text/html",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


def media_type(path: str) -> str | None:
    """The media type by the suffix of `path`; None when the table has no such suffix."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
