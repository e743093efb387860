"""A page of the source while it is compared."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

from markitect_tool.named_tuple import NamedTuple
from markitect_tool.reports.words import FORMULA, Words, plain, words_of
from markitect_tool.source.pages import SourcePage

Span = tuple[int, int]
_BLOCK_END = re.compile(r"\n{2,}")


Kind = Literal["missing", "added", "rewritten"]


class Mark(NamedTuple):
    """A difference in a text: words that the other one lacks, or has in another form."""

    start: int
    end: int
    kind: Kind


class Page:
    """A page of the source: its words, its blocks, and what of it stands as footnotes."""

    def __init__(self, page: SourcePage, longest: int = 4_000_000) -> None:
        """A page of more than `longest` characters is not looked into."""
        self.path = page.path
        self.is_long = len(page.text) > longest
        self.text = plain(page.text)
        self.anchors = page.anchors
        self.taken: list[Span] = []
        self._formulas = page.formulas

    @cached_property
    def words(self) -> Words:
        """Its words; not known before they are asked for, since a page may be too long."""
        return _words(self.text, self._formulas)

    def forget_words(self) -> None:
        """Free their memory; they can be had again."""
        self.__dict__.pop("words", None)

    def blocks(self) -> Iterator[Span]:
        """The spans of its blocks, in order."""
        start = 0
        for end in _BLOCK_END.finditer(self.text):
            yield start, end.start()
            start = end.end()
        yield start, len(self.text)

    def remaining(self) -> list[Span]:
        """Its blocks without what is taken. What holds no word is none."""
        if self.is_long:
            return [(0, len(self.text))]
        found: list[Span] = []
        taken = sorted(self.taken)
        number = 0
        for start, end in self.blocks():
            while number < len(taken) and taken[number][1] <= start:
                number += 1
            at = number
            while at < len(taken) and taken[at][0] < end:
                found.append((start, taken[at][0]))
                start = max(start, taken[at][1])
                at += 1
            found.append((start, end))
        return [(start, end) for start, end in found if start < end and self.words.count(start, end)]


def _words(text: str, formulas: Sequence[Span]) -> Words:
    """The words of a page; a formula is one, whatever its signs."""
    if not formulas:
        return words_of(text)
    parts: list[str] = []
    at = 0
    for start, end in formulas:
        parts += (text[at:start], FORMULA, " " * (end - start - 1))
        at = end
    words = words_of("".join((*parts, text[at:])))
    ends = dict(formulas)
    return Words(
        words.starts, [ends.get(start, end) for start, end in zip(words.starts, words.ends, strict=True)], words.keys
    )


def overlapping(marks: Sequence[Mark], start: int, end: int) -> Iterator[Mark]:
    """Of sorted marks that do not overlap, those in the span, cut to it."""
    number = max(0, bisect_left(marks, (start,)) - 1)
    while number < len(marks) and marks[number].start < end:
        mark = marks[number]
        if mark.end > start:
            yield Mark(max(mark.start, start), min(mark.end, end), mark.kind)
        number += 1
