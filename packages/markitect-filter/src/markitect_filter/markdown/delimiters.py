"""Which delimiters make the emphasis that is meant: CommonMark 0.31, section 6.2, read backwards.

A delimiter that would not be recognised where it stands (`a*"b"*`) is helped by writing the letter beside it as a
character reference, since a reference starts and ends with punctuation: `&#97;*"b"*`. What was chosen is then proved
by running the specification's own matching over it; a span that still fails is given up, and the caller told.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .escape import is_punctuation, is_space, may_be_punctuation

Span = tuple[int, int, int]  # opening run, closing run, weight


class Delimiter:
    """One end of a span. `weight` is 1 for emphasis, 2 for strong emphasis and strikethrough."""

    __slots__ = ("char", "dropped", "mate", "opens", "weight")

    def __init__(self, weight: int, opens: bool, char: str = "*", mate: Delimiter | None = None) -> None:
        self.weight = weight
        self.opens = opens
        self.char = char
        self.mate = mate
        self.dropped = False

    @property
    def text(self) -> str:
        return "" if self.dropped else self.char * self.weight


class Run:
    """Delimiters of one character that touch, with the visible characters on both sides. Is one of them to open a span,
    to close one?"""

    __slots__ = ("after", "before", "can_close", "can_open", "closes", "delimiters", "opens")

    def __init__(self, delimiters: list[Delimiter], opens: bool, closes: bool, before: str, after: str) -> None:
        self.delimiters = delimiters
        self.opens = opens
        self.closes = closes
        self.before = before
        self.after = after
        self.can_open = False
        self.can_close = False

    @property
    def char(self) -> str:
        return self.delimiters[0].char

    @property
    def length(self) -> int:
        return sum(d.weight for d in self.delimiters)


@lru_cache(maxsize=4096)
def flanking(
    char: str, before: str, after: str, before_is_reference: bool, after_is_reference: bool
) -> tuple[bool, bool]:
    """May a run of `char` open, may it close (left- and right-flanking, section 6.2)? Doubtful neighbours count against
    it."""
    before_space, after_space = is_space(before), is_space(after)
    before_punct = before_is_reference or is_punctuation(before)
    after_punct = after_is_reference or is_punctuation(after)
    before_maybe = before_punct or may_be_punctuation(before)
    after_maybe = after_punct or may_be_punctuation(after)
    left = not after_space and (not after_maybe or before_space or before_punct)
    right = not before_space and (not before_maybe or after_space or after_punct)
    if char == "_":
        return left and (not right or before_punct), right and (not left or after_punct)
    return left, right


def needs_reference(run: Run, *, before: bool, after: bool) -> tuple[bool, bool]:
    """Must the character before, the one after, be written as a character reference for `run` to work? `before` and
    `after` tell which already is one."""
    for before_too in (before, True):
        for after_too in (after, True):
            can_open, can_close = flanking(run.char, run.before, run.after, before_too, after_too)
            if (can_open or not run.opens) and (can_close or not run.closes):
                return before_too, after_too
    return before, after


def matches(runs: Sequence[Run]) -> list[Span]:
    """The spans that a parser finds, in the order in which they close."""
    left = [run.length for run in runs]
    found: list[Span] = []
    openers: list[int] = []
    for j, closer in enumerate(runs):
        if closer.can_close:
            while left[j]:
                k = _opener(runs, openers, left, j)
                if k is None:
                    break
                i = openers[k]
                weight = 2 if left[i] >= 2 and left[j] >= 2 else 1
                if closer.char == "~":
                    weight = 2
                found.append((i, j, weight))
                left[i] -= weight
                left[j] -= weight
                del openers[k + 1 :]
                if not left[i]:
                    openers.pop()
        if closer.can_open and left[j]:
            openers.append(j)
    return found


def _opener(runs: Sequence[Run], openers: list[int], left: list[int], j: int) -> int | None:
    closer = runs[j]
    for k in range(len(openers) - 1, -1, -1):
        opener = runs[openers[k]]
        if opener.char != closer.char or not left[openers[k]]:
            continue
        both = opener.can_close or closer.can_open
        total = opener.length + closer.length
        if both and total % 3 == 0 and (opener.length % 3 or closer.length % 3):
            continue  # the rule of three, rules 9 and 10
        return k
    return None


def intended(runs: Sequence[Run]) -> list[Span]:
    """The spans that are meant, in the order in which they close."""
    where = {id(d): n for n, run in enumerate(runs) for d in run.delimiters}
    return [
        (where[id(d.mate)], n, d.weight)
        for n, run in enumerate(runs)
        for d in run.delimiters
        if not d.opens and id(d.mate) in where
    ]
