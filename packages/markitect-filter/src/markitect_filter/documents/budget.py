"""What the work on one book has cost so far, held against its limits.

Work is counted, not timed: a book has the same outcome on every machine and under any load. The clock is only the last
resort. What is counted is what costs time and memory in proportion, and it is counted before the work is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from markitect_filter.documents.limits import Limits


class Budget:
    """The account of one book. Every method raises `LimitExceededError`, which names the member at hand."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.clock = clock
        self.started = clock()
        self.tags = 0
        self.tolerant_tags = 0
        self.text_bytes = 0
        self.output_bytes = 0
        self.entity_chars = 0

    def check_time(self, member: str | None = None) -> None:
        """Is there time left?"""
        if self.clock() - self.started > self.limits.seconds:
            raise self.limits.exceeded("seconds", "the book takes too long", path=member)

    def enter(self, data: bytes, member: str) -> None:
        """A document is about to be parsed."""
        self.check_time(member)
        limits = self.limits
        self.text_bytes += len(data)
        if self.text_bytes > limits.text_bytes:
            raise limits.exceeded("text_bytes", "the documents of the book are too long in all", path=member)
        self.tags += data.count(b"<")
        if self.tags > limits.book_tags:
            raise limits.exceeded("book_tags", "the documents of the book have too many tags in all", path=member)
        if self.tolerant_tags > limits.book_tolerant_tags:
            raise limits.exceeded(
                "book_tolerant_tags", "too much of the book is not well-formed and slow to repair", path=member
            )

    def expanded(self, characters: int, member: str) -> None:
        """A document has been parsed whose own entities came to so many characters: tags among them, uncounted."""
        self.entity_chars += characters
        if self.entity_chars > self.limits.entity_chars:
            raise self.limits.exceeded(
                "entity_chars", "the entities of the book's documents expand to too much in all", path=member
            )

    def repaired(self, data: bytes) -> None:
        """A document had to be read by the tolerant parser."""
        self.tolerant_tags += data.count(b"<")

    def wrote(self, size: int, member: str) -> None:
        """A document has been written: its blocks and notes come to `size` bytes."""
        self.output_bytes += size
        if self.output_bytes > self.limits.output_bytes:
            raise self.limits.exceeded("output_bytes", "the Markdown of the book is too long", path=member)
