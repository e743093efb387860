"""Every bound on what one book may cost, in one place.

Each limit is an adapter option of the same name with `max_` before it (`--option max_members=100000`). They
are enforced while reading and never from declared sizes. The defaults admit ordinary books with room to
spare: an illustrated textbook has some thousand members and pages of a few megabytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from markitect_tool.errors import InvalidOptionError, LimitExceededError
from markitect_tool.record import Record, field, fields_of

from markitect_filter.markup.limits import DEFAULT_MARKUP_LIMITS, MarkupLimitError, MarkupLimits

OPTION_PREFIX = "max_"
_MIB = 1024 * 1024


def _limit(default: int, unit: str, description: str, *, most: int | None = None) -> Any:
    return field(default=default, metadata={"unit": unit, "description": description, "most": most})


class Limits(Record, kw_only=True):
    """The bounds on one book. Each value is a positive integer; its unit is in the field's metadata."""

    archive_bytes: int = _limit(2048 * _MIB, "bytes", "size of the book's own file")
    members: int = _limit(50_000, "members", "files in the archive")
    member_bytes: int = _limit(32 * _MIB, "bytes", "one member that is read into memory, unpacked")
    structural_bytes: int = _limit(
        16 * _MIB, "bytes", "one container, package, navigation or encryption file, unpacked"
    )
    asset_bytes: int = _limit(1024 * _MIB, "bytes", "one image, sound, film or font, unpacked for its digest")
    total_bytes: int = _limit(2048 * _MIB, "bytes", "everything unpacked for one book")
    ratio: int = _limit(200, "times", "unpacked size against packed size, beyond `ratio_floor_bytes`")
    ratio_floor_bytes: int = _limit(
        4 * _MIB, "bytes", "unpacked size up to which any ratio is fine: blank pages pack hundreds to one"
    )
    depth: int = _limit(
        DEFAULT_MARKUP_LIMITS.depth, "elements", "nesting in one document; deeper tags are dropped", most=2000
    )
    tags: int = _limit(DEFAULT_MARKUP_LIMITS.tags, "tags", "start and end tags in one document")
    attributes: int = _limit(DEFAULT_MARKUP_LIMITS.attributes, "attributes", "attributes in one document")
    tolerant_tags: int = _limit(
        DEFAULT_MARKUP_LIMITS.tolerant_tags, "tags", "tags in one document that is not well-formed"
    )
    entity_chars: int = _limit(
        DEFAULT_MARKUP_LIMITS.entity_chars, "characters", "expansion of the entities that documents declare, in all"
    )
    book_tags: int = _limit(800_000, "tags", "start and end tags in all documents of the reading order")
    book_tolerant_tags: int = _limit(
        100_000, "tags", "tags in all documents that are not well-formed, those of the last one not counted"
    )
    text_bytes: int = _limit(128 * _MIB, "bytes", "all documents of the reading order, unpacked")
    spine_items: int = _limit(50_000, "items", "documents in the reading order")
    toc_entries: int = _limit(50_000, "entries", "entries of one list of the navigation")
    table_cells: int = _limit(250_000, "cells", "what spans and padding may add to the tables of one document")
    output_bytes: int = _limit(24 * _MIB, "bytes", "Markdown written for one book, as UTF-8")
    seconds: int = _limit(60, "seconds", "time for one book")

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Limits:
        """The limits with those that `options` sets; other options are not looked at.

        Raises `InvalidOptionError` for a value that is not a positive integer (or digits that spell one).
        """
        values: dict[str, int] = {}
        for name, default, most in _KNOWN:
            given = options.get(OPTION_PREFIX + name)
            if given is not None and given is not default:
                values[name] = _positive(OPTION_PREFIX + name, given, most)
        return cls(**values) if values else DEFAULT_LIMITS

    @classmethod
    def option_schema(cls) -> dict[str, dict[str, Any]]:
        """JSON-schema properties of the options, for the adapter's descriptor."""
        schema: dict[str, dict[str, Any]] = {}
        for name, limit in fields_of(cls).items():
            entry = {
                "type": "integer",
                "minimum": 1,
                "default": limit.default,
                "description": f"Limit in {limit.metadata['unit']}: {limit.metadata['description']}.",
            }
            if limit.metadata["most"] is not None:
                entry["maximum"] = limit.metadata["most"]
            schema[OPTION_PREFIX + name] = entry
        return schema

    @cached_property
    def markup(self) -> MarkupLimits:
        """The bounds on one document, for the parsers."""
        return MarkupLimits(
            depth=self.depth,
            tags=self.tags,
            attributes=self.attributes,
            tolerant_tags=self.tolerant_tags,
            entity_chars=self.entity_chars,
        )

    def exceeded(self, limit: str, message: str, *, path: str | None = None, **details: Any) -> LimitExceededError:
        """The error for reaching `limit`: `message` says what did, the rest how far and how to raise it."""
        return limit_exceeded(limit, getattr(self, limit), message, path=path, **details)


def limit_exceeded(
    limit: str, value: int, message: str, *, path: str | None = None, **details: Any
) -> LimitExceededError:
    """An error that names the limit, its value and the option that raises it."""
    option = OPTION_PREFIX + limit
    return LimitExceededError(
        f"{message} (limit {limit}: {value:,})",
        path=path,
        hint=f"Raise it with --option {option}=N if you trust the source.",
        limit=limit,
        value=value,
        option=option,
        **details,
    )


def from_markup(error: MarkupLimitError, path: str) -> LimitExceededError:
    """A parser's limit as the book's limit: same name, with the member and the option."""
    return limit_exceeded(error.limit, error.value, str(error), path=path)


def _positive(option: str, value: Any, most: int | None) -> int:
    number = int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidOptionError(f"{option} must be a positive integer, not {value!r}", option=option)
    if most is not None and number > most:
        raise InvalidOptionError(f"{option} must be at most {most}, not {value!r}", option=option)
    return number


DEFAULT_LIMITS = Limits()
_KNOWN = tuple((name, limit.default, limit.metadata["most"]) for name, limit in fields_of(Limits).items())
