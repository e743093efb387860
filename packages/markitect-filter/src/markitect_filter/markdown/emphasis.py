"""The delimiters of a paragraph's spans: chosen, then proved to be read back as they are meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from .delimiters import Run, Span, flanking, intended, matches, needs_reference
from .escape import has_reference
from .items import Item, Kind, Place
from .marks import EM, STRIKE, STRONG

_PREFERENCES = (("*", "*"), ("_", "*"), ("*", "_"))  # for emphasis and strong emphasis, tried in this order
_ROUNDS = 4
_OTHER = {"*": "_", "_": "*"}


def delimit(items: list[Item], place: Place) -> int:
    """Choose characters for the spans in `items`; how many spans had to be given up."""
    ends = [(n, item) for n, item in enumerate(items) if item.delimiter is not None]
    if not ends:
        return 0
    for emphasis, strong in (*_PREFERENCES, _PREFERENCES[0]):
        _choose_characters(items, ends, {EM: emphasis, STRONG: strong, STRIKE: "~"})
        runs = _runs(items, place)
        wanted, got = intended(runs), matches(runs)
        if got == wanted:
            return 0
    lost = 0
    for _ in range(_ROUNDS):
        lost += _give_up(runs, wanted, got)
        runs = _runs(items, place)
        wanted, got = intended(runs), matches(runs)
        if got == wanted:
            return lost
    return lost + _give_up(runs, wanted, [])


def _choose_characters(items: list[Item], ends: list[tuple[int, Item]], preferred: Mapping[str, str]) -> None:
    """Another character than preferred inside of a span of the same kind, and where `***a***` would be read the
    wrong way round: as strong emphasis inside of emphasis."""
    closes = {id(item.mate): n for n, item in ends if item.mate is not None}
    inside: dict[str, list[str]] = {EM: [], STRONG: [], STRIKE: []}
    for n, item in ends:
        delimiter = item.delimiter
        assert delimiter is not None
        if item.kind is Kind.CLOSE:
            delimiter.char = inside[item.mark].pop()
            continue
        char = preferred[item.mark]
        outer = items[n - 1] if n else item
        if inside[item.mark]:
            char = _OTHER[inside[item.mark][-1]]
        elif item.mark == EM and outer.mark == STRONG and closes.get(id(outer)) == closes[id(item)] + 1:
            char = _OTHER[inside[STRONG][-1]]
        delimiter.char = char
        inside[item.mark].append(char)


def _runs(items: list[Item], place: Place) -> list[Run]:
    """Touching delimiters of one character. Where it takes that, a letter beside becomes a character reference."""
    for item in items:
        item.first_as_reference = item.last_as_reference = False
    found: list[tuple[Run, Item | None, Item | None]] = []
    n = 0
    while n < len(items):
        first = items[n].delimiter
        if first is None or first.dropped:
            n += 1
            continue
        end = n + 1
        delimiters = [first]
        while end < len(items):
            following = items[end].delimiter
            if following is None or following.dropped or following.char != first.char:
                break
            delimiters.append(following)
            end += 1
        opens = [delimiter.opens for delimiter in delimiters]
        left, before = _neighbour(items, place, n - 1, -1, False in opens)
        right, after = _neighbour(items, place, end, 1, True in opens)
        found.append((Run(delimiters, True in opens, False in opens, before, after), left, right))
        n = end
    while sum([_help(*each) for each in found]):  # a lone letter between two runs is beside both
        pass
    for run, left, right in found:
        run.can_open, run.can_close = flanking(
            run.char,
            run.before,
            run.after,
            left is not None and left.last_as_reference,
            right is not None and right.first_as_reference,
        )
    return [run for run, _, _ in found]


def _help(run: Run, left: Item | None, right: Item | None) -> bool:
    """Write the letters beside `run` as references where it takes that. Does it change what another run sees?"""
    before, after = needs_reference(
        run,
        before=left is not None and left.last_as_reference,
        after=right is not None and right.first_as_reference,
    )
    shared = False
    if before and left is not None and not left.last_as_reference and has_reference(run.before):
        left.last_as_reference = True
        if len(left.text) == 1:
            left.first_as_reference = shared = True
    if after and right is not None and not right.first_as_reference and has_reference(run.after):
        right.first_as_reference = True
        if len(right.text) == 1:
            right.last_as_reference = shared = True
    return shared


def _neighbour(items: list[Item], place: Place, n: int, step: int, inner: bool) -> tuple[Item | None, str]:
    """The item and character beside a run. Towards the inside of its span a mark that may vanish counts as
    punctuation, towards the outside as nothing: the stricter reading each time."""
    while 0 <= n < len(items):
        item = items[n]
        if item.kind is Kind.TEXT:
            return item, item.text[0 if step > 0 else -1]
        if item.kind is Kind.BREAK:
            if place == "cell":
                return None, "<"
            return None, "\\" if step > 0 else " "  # a hard break is a backslash and the next line
        if item.delimiter is not None:
            if not item.delimiter.dropped:
                return None, item.delimiter.char
        elif not item.may_vanish:
            return None, "`"  # code, tags, links, formulas: all edged with punctuation
        elif inner:
            return None, "["
        n += step
    return None, ""


def _give_up(runs: list[Run], wanted: list[Span], got: list[Span]) -> int:
    """Drop the spans that are not read back; all of them where the ones found are not to blame."""
    ends = [delimiter for run in runs for delimiter in run.delimiters if not delimiter.opens]
    left = Counter(got)
    failing = []
    for span, end in zip(wanted, ends, strict=True):
        if left[span]:
            left[span] -= 1
        else:
            failing.append(end)
    for end in failing or ends:
        assert end.mate is not None
        end.dropped = end.mate.dropped = True
    return len(failing or ends)
