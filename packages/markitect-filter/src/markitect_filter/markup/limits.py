"""What one document may cost, and the errors that say it cannot be read."""

from __future__ import annotations

from markitect_tool.errors import MarkitectError
from markitect_tool.record import Record


class MarkupLimits(Record):
    """Bounds on one document, checked before the parser builds anything of that size."""

    depth: int = 256
    """Nested elements. Deeper ones are unwrapped: their text stays, their tags go. At most 2000."""
    tags: int = 400_000
    """Tags in one document, start and end tags counted alike."""
    attributes: int = 1_000_000
    """Attributes in one document (counted as equals signs, so never too few); a quarter when it is not well-formed."""
    tolerant_tags: int = 100_000
    """Tags in a document that only the slower tolerant parser can read."""
    entity_chars: int = 1_000_000
    """Characters that entities declared by the document itself may expand to, in all."""


DEFAULT_MARKUP_LIMITS = MarkupLimits()


class MarkupError(MarkitectError):
    """A document from which no element tree can be made.

    `line` is 1-based when known. `limit` and `value` are set by `MarkupLimitError` only.
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class MarkupLimitError(MarkupError):
    """A document over one of `MarkupLimits`; `limit` is the field's name, `value` its setting."""

    def __init__(self, limit: str, value: int, message: str) -> None:
        super().__init__(message)
        self.limit = limit
        self.value = value
