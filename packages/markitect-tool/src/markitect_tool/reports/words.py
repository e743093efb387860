"""Texts as words, and which words two texts have in common.

The two texts are a page and its Markdown, so they are nearly the same, and long. What is equal at both ends goes first;
what is left is cut at words that occur once on each side (the patience algorithm), and only small remains are compared
word by word. The work is bounded: of texts that were made to resist, the rest counts as different.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markitect_tool.named_tuple import NamedTuple

# Words that stand for what has none: noncharacters of Unicode, which no text should hold.
PICTURE, FORMULA, NOTE = "\ufdd0", "\ufdd1", "\ufdd2"
STAND_INS = frozenset((PICTURE, FORMULA, NOTE))

_JOINERS = "\xad\u200b-\u200d\u2060\ufeff"  # soft hyphens and characters without width: not compared
_MARKS = (
    r"!-/:-@\[-`{-~\xa1-\xa9\xab\xac\xae-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7\u2010-\u205e\u2190-\u2bff\u3000-\u303f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufdd0-\ufdd2\ufffc\ufffd"
)
# scripts that part words by nothing: each character is one
_UNPARTED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
# Digits are words of their own, since the sign of a note may follow a word without a blank.
_WORD = re.compile(rf"[0-9]+|[^\s0-9{_MARKS}{_UNPARTED}]+|[{_UNPARTED}]|[{_MARKS}]")
_STAND_IN = re.compile("[\ufdd0-\ufdd2]")
_JOINER = re.compile(f"[{_JOINERS}]")

_SMALL = 10_000  # pairs of words that are compared one by one
_PAIRS = 8  # that cost as much as a look at a word
_EFFORT = 12  # how often each word may be looked at, on average


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: where each is in it, and what it is compared by."""

    starts: Sequence[int]
    ends: Sequence[int]
    keys: Sequence[str]

    def __len__(self) -> int:
        return len(self.keys)

    def within(self, start: int, end: int) -> tuple[int, int]:
        """The range of the words that start in `text[start:end]`."""
        return bisect_left(self.starts, start), bisect_left(self.starts, end)

    def count(self, start: int, end: int) -> int:
        """How many words start in `text[start:end]`."""
        low, high = self.within(start, end)
        return high - low


class Match(NamedTuple):
    """`size` equal words, from `source` in the one text and from `made` in the other."""

    source: int
    made: int
    size: int


def plain(text: str) -> str:
    """`text` without characters that stand for something else here."""
    return _STAND_IN.sub("\ufffd", text)


def words_of(text: str) -> Words:
    """The words, numbers and marks of `text` in order, each mark on its own."""
    found = list(_WORD.finditer(text))
    keys = [match[0] for match in found]
    if _JOINER.search(text) is not None:
        keys = [key if key.isascii() else _JOINER.sub("", key) for key in keys]
        if "" in keys:
            found = [match for match, key in zip(found, keys, strict=True) if key]
            keys = [key for key in keys if key]
    return Words([match.start() for match in found], [match.end() for match in found], keys)


def common_words(source: Sequence[str], made: Sequence[str]) -> list[Match]:
    """The runs of words that both have in the same order, none overlapping, neighbours joined."""
    found: list[Match] = []
    effort = _EFFORT * (len(source) + len(made) + _SMALL)
    regions = [(0, len(source), 0, len(made))]
    while regions:
        low, high, first, last = regions.pop()
        head = 0
        while low + head < high and first + head < last and source[low + head] == made[first + head]:
            head += 1
        if head:
            found.append(Match(low, first, head))
            low, first = low + head, first + head
        tail = 0
        while low < high - tail and first < last - tail and source[high - tail - 1] == made[last - tail - 1]:
            tail += 1
        if tail:
            found.append(Match(high - tail, last - tail, tail))
            high, last = high - tail, last - tail
        if low == high or first == last:
            continue
        effort -= high - low + last - first
        if (high - low) * (last - first) <= _SMALL:
            effort -= (high - low) * (last - first) // _PAIRS
            if effort > 0:
                found += _one_by_one(source, made, low, high, first, last)
        elif effort > 0:
            regions += _between(_unique(source, made, low, high, first, last), low, high, first, last)
    return _joined(sorted(found))


def _unique(
    source: Sequence[str], made: Sequence[str], low: int, high: int, first: int, last: int
) -> list[tuple[int, int]]:
    """Pairs of places with the same words that occur once on each side, as many as are in the same order."""
    for length in (1, 2, 4):
        here = _once(source, low, high, length)
        there = _once(made, first, last, length)
        pairs = [(place, there[words]) for words, place in here.items() if words in there]
        if pairs:
            return _rising(pairs)
    return []


def _once(words: Sequence[str], low: int, high: int, length: int) -> dict[str, int]:
    """Runs of `length` words that occur once, and where; in order of place."""
    runs = words[low:high]
    if length > 1:
        runs = [" ".join(words[place : place + length]) for place in range(low, high - length + 1)]
    counts = Counter(runs)
    return {run: low + place for place, run in enumerate(runs) if counts[run] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of `pairs`, sorted by the first places, whose second places rise too."""
    tops: list[int] = []  # the smallest second place that ends a rise of each length
    ends: list[int] = []  # the pair that has it
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(tops, place)
        before.append(ends[length - 1] if length else -1)
        if length == len(tops):
            tops.append(place)
            ends.append(number)
        else:
            tops[length], ends[length] = place, number
    found = []
    number = ends[-1] if ends else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _between(
    pairs: Sequence[tuple[int, int]], low: int, high: int, first: int, last: int
) -> list[tuple[int, int, int, int]]:
    """The regions that begin at each of the pairs, and the one in front of them."""
    if not pairs:
        return []
    bounds = [(low, first), *pairs, (high, last)]
    return [(a, c, b, d) for (a, b), (c, d) in pairwise(bounds) if a < c or b < d]


def _one_by_one(
    source: Sequence[str], made: Sequence[str], low: int, high: int, first: int, last: int
) -> Iterator[Match]:
    """The longest common subsequence of two small regions."""
    rows = [[0] * (last - first + 1)]  # rows[i][j]: its length in the last i words and the last j words
    for place in range(high - 1, low - 1, -1):
        word, below, row = source[place], rows[-1], [0]
        for column in range(1, last - first + 1):
            if word == made[last - column]:
                row.append(below[column - 1] + 1)
            else:
                row.append(max(below[column], row[-1]))
        rows.append(row)
    while low < high and first < last:
        left, right = high - low, last - first
        if source[low] == made[first]:
            yield Match(low, first, 1)
            low, first = low + 1, first + 1
        elif rows[left - 1][right] >= rows[left][right - 1]:
            low += 1
        else:
            first += 1


def _joined(matches: Sequence[Match]) -> list[Match]:
    joined: list[Match] = []
    for match in matches:
        if joined:
            source, made, size = joined[-1]
            if match.source == source + size and match.made == made + size:
                joined[-1] = Match(source, made, size + match.size)
                continue
        joined.append(match)
    return joined
