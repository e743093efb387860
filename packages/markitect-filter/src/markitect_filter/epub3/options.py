"""Stage 0: the adapter's options besides the limits, as plain data and as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from markitect_tool.record import Record, fields_of

from markitect_filter.documents.limits import Limits

SegmentBy = Literal["toc", "spine", "heading"]

OPTION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rendition": {
            "type": "string",
            "description": "Which rendition to read when there are several: a number from 1, or the package's path.",
            "default": "1",
        },
        "segment_by": {
            "type": "string",
            "enum": ["toc", "spine", "heading"],
            "description": "Where segments start: at table-of-contents targets, at documents only, or at headings. "
            "Every document of the reading order starts one in any case.",
            "default": "toc",
        },
        "segment_depth": {
            "type": "integer",
            "minimum": 1,
            "description": "The deepest level of contents entries (segment_by=toc) or headings that starts a segment. "
            "Without it every level does.",
        },
        "notes": {
            "type": "string",
            "enum": ["footnotes", "keep"],
            "description": "footnotes: notes become Markdown footnotes of the segment that refers to them; "
            "keep: they stay where the book has them, and references are ordinary links.",
            "default": "footnotes",
        },
        "skip": {
            "type": "string",
            "description": "Roles to leave out besides cover, navigation and toc: skip=index,notes.",
        },
        "keep": {
            "type": "string",
            "description": "Roles to keep although they are left out by default: keep=cover,toc.",
        },
        "renderer": {
            "type": "string",
            "enum": ["canonical", "markdownify"],
            "description": "canonical: this project's dialect; markdownify: that library's (needs its extra).",
            "default": "canonical",
        },
        "renderer_class": {
            "type": "string",
            "description": "With renderer=markdownify: the converter class as package.module:Class.",
        },
        "attachment_digests": {
            "type": "boolean",
            "description": "Give the SHA-256 of every attachment. Reads them all; without it they are never unpacked.",
            "default": False,
        },
        **Limits.option_schema(),
    },
    "additionalProperties": False,
}


class Options(Record):
    """What the user asked for."""

    rendition: str = "1"
    segment_by: SegmentBy = "toc"
    segment_depth: int | None = None
    notes: Literal["footnotes", "keep"] = "footnotes"
    skip: str | None = None
    keep: str | None = None
    renderer: Literal["canonical", "markdownify"] = "canonical"
    renderer_class: str | None = None
    attachment_digests: bool = False

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> Options:
        """The options by name; those of the limits are left to `Limits`."""
        return cls(**{name: options[name] for name in fields_of(cls) if name in options})
