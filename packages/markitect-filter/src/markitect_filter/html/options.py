"""The adapter's options as plain data and as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from markitect_tool.record import Record, fields_of

from markitect_filter.documents.limits import OPTION_PREFIX, Limits

# What a page has in common with a document of a book is bounded like one. All but the smallest pages need the tolerant
# parser, which for books is the exception: its bounds are those of all documents.
_BOUNDS = {
    "text_bytes": "size of the page",
    "depth": "nesting; deeper tags are dropped",
    "tags": "start and end tags",
    "attributes": "attributes; a quarter of it in a page that is no XML",
    "tolerant_tags": "start and end tags in a page that is no XML",
    "entity_chars": "expansion of the entities that the page declares",
    "table_cells": "what spans and padding may add to the tables",
    "output_bytes": "Markdown written, as UTF-8",
    "seconds": "time for the page, checked between its segments",
}
_DEFAULTS = {"max_text_bytes": 64 * 1024 * 1024, "max_tolerant_tags": 200_000}


def _limit_schema() -> dict[str, dict[str, Any]]:
    schema = Limits.option_schema()
    found = {}
    for name, description in _BOUNDS.items():
        option = OPTION_PREFIX + name
        unit = schema[option]["description"].partition(":")[0]
        found[option] = {**schema[option], "description": f"{unit}: {description}."}
        found[option]["default"] = _DEFAULTS.get(option, schema[option]["default"])
    return found


OPTION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "content": {
            "type": "string",
            "enum": ["main", "all"],
            "description": "main: what the page marks as its main content, without navigation, banner, footer and "
            "side matter; all: everything that the page shows.",
            "default": "main",
        },
        "encoding": {
            "type": "string",
            "description": "What the bytes are in, whatever the page or its server say: windows-1252, shift_jis.",
        },
        "segment_by": {
            "type": "string",
            "enum": ["heading", "page"],
            "description": "Where segments start: at headings, or nowhere but at the start of the page.",
            "default": "heading",
        },
        "segment_depth": {
            "type": "integer",
            "minimum": 1,
            "maximum": 6,
            "description": "The deepest level of headings that starts a segment. Without it every level does.",
        },
        "notes": {
            "type": "string",
            "enum": ["footnotes", "keep"],
            "description": "footnotes: notes become Markdown footnotes; keep: they stay where the page has them, and "
            "references are ordinary links.",
            "default": "footnotes",
        },
        **_limit_schema(),
    },
    "additionalProperties": False,
}


class Options(Record):
    """What the user asked for."""

    content: Literal["main", "all"] = "main"
    encoding: str | None = None
    segment_by: Literal["heading", "page"] = "heading"
    segment_depth: int | None = None
    notes: Literal["footnotes", "keep"] = "footnotes"

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> Options:
        """The options by name; those of the limits are left to `limits_from`."""
        return cls(**{name: value for name, value in options.items() if name in fields_of(cls)})


def limits_from(options: Mapping[str, Any]) -> Limits:
    """The bounds on one page. Raises `InvalidOptionError` for one that is no positive integer."""
    return Limits.from_options({**_DEFAULTS, **options})
