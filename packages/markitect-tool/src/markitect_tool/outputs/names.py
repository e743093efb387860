"""Names for files that hold on Linux, macOS and Windows, and in links."""

from __future__ import annotations

import re
from unicodedata import category, normalize

_LONGEST = 96  # bytes in UTF-8: leaves room for an order in front, a number and a suffix behind
_APOSTROPHES = "'\u2018\u2019"
#: Names that Windows keeps for devices, whatever suffix follows.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\..*)?", re.IGNORECASE)


def file_stem(text: str, *, fallback: str) -> str:
    """`text` as the name of a file without suffix: letters, marks, digits and `_` as they are, the rest as `-`.

    In NFC, at most 96 bytes of UTF-8, never hidden, empty (then it is `fallback`) or the name of a device. Different
    texts may give the same stem; see `UniqueNames`.
    """
    kept = "".join(map(_fit, normalize("NFC", text)))
    stem = re.sub(r"-{2,}", "-", kept).strip("-")
    while stem and category(stem[0])[0] == "M":  # a mark without a letter would join what stands before the name
        stem = stem[1:].lstrip("-")
    stem = _shortened(stem) or fallback
    return f"{stem}-file" if _RESERVED.fullmatch(stem) else stem


def _fit(char: str) -> str:
    kind = category(char)
    if kind[0] in "LMN" or char == "_":
        return char
    return "" if char in _APOSTROPHES or kind == "Cf" else "-"


def _shortened(stem: str) -> str:
    """`stem` within the limit, cut between words where that does not cost half of it."""
    if len(stem.encode()) <= _LONGEST:
        return stem
    cut = stem.encode()[:_LONGEST].decode("utf-8", "ignore")
    words = cut.rpartition("-")[0]
    return (words if len(words) > len(cut) / 2 else cut).rstrip("-")


class UniqueNames:
    """Names that differ even where letter case and Unicode form are ignored."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}  # folded name -> the number that the next one like it gets

    def take(self, name: str) -> str:
        """`name`, or the first of `name-2`, `name-3` … that is free; the number goes before a suffix."""
        candidate = name
        count = self._next.get(_folded(name), 1)
        stem, dot, suffix = name.rpartition(".")
        if not stem:
            stem, dot, suffix = name, "", ""
        while _folded(candidate) in self._next:
            count = max(2, count)
            candidate = f"{stem}-{count}{dot}{suffix}"
            count += 1
        self._next[_folded(name)] = max(2, count)
        self._next.setdefault(_folded(candidate), 2)
        return candidate


def _folded(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold())
