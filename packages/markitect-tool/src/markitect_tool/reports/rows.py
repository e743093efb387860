"""Which blocks of two texts belong side by side, given the words that they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markitect_tool.reports.pages import Span
from markitect_tool.reports.words import Match, Words

_ENOUGH = 8  # words that two blocks share for certain
_SHARE = 3  # or one word in so many of the smaller block

Pairing = tuple[list[int], list[int]]


@dataclass(slots=True)
class Side:
    """Words of one text in order, and the block that each is in."""

    keys: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)  # of the blocks, in words

    def add(self, words: Words, start: int, end: int) -> None:
        """The next block: the words in the span."""
        low, high = words.within(start, end)
        self.keys += words.keys[low:high]
        self.spans += zip(words.starts[low:high], words.ends[low:high], strict=True)
        self.blocks += [len(self.sizes)] * (high - low)
        self.sizes.append(high - low)


def side_by_side(source: Side, made: Side, matches: Sequence[Match]) -> Iterator[Pairing]:
    """Rows of blocks, each block in one row, in the order of both texts."""
    top, left = 0, 0  # the first blocks that are in no row yet
    low = high = first = last = -1  # the row that is being made
    for one, other in _links(source, made, matches):
        if low >= 0 and (one <= high or other <= last):
            high, last = max(high, one), max(last, other)
            continue
        if low >= 0:
            yield list(range(low, high + 1)), list(range(first, last + 1))
            top, left = high + 1, last + 1
        yield from _alone(range(top, one), range(left, other), made)
        low = high = one
        first = last = other
    if low >= 0:
        yield list(range(low, high + 1)), list(range(first, last + 1))
        top, left = high + 1, last + 1
    yield from _alone(range(top, len(source.sizes)), range(left, len(made.sizes)), made)


def _links(source: Side, made: Side, matches: Sequence[Match]) -> list[tuple[int, int]]:
    """Pairs of blocks that share enough words; a comma in common is not enough."""
    shared: Counter[tuple[int, int]] = Counter()
    for at, there, size in matches:
        shared.update(zip(source.blocks[at : at + size], made.blocks[there : there + size], strict=True))
    return [
        (one, other)
        for (one, other), count in sorted(shared.items())
        if count >= _ENOUGH or count * _SHARE >= min(source.sizes[one], made.sizes[other])
    ]


def _alone(sources: Sequence[int], blocks: Sequence[int], made: Side) -> Iterator[Pairing]:
    """Rows for blocks without a counterpart: words against words, anything else by itself."""
    if sources and any(made.sizes[number] for number in blocks):
        yield list(sources), list(blocks)
        return
    for number in sources:
        yield [number], []
    for number in blocks:
        yield [], [number]
