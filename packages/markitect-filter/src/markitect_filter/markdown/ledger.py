"""The ledger: every character of the source is either emitted or skipped for a named reason.

Blanks are not counted, since both XHTML and Markdown fold them.
"""

from __future__ import annotations

import re
from dataclasses import field

# the ASCII ones are all that XML allows (1.0, section 2.2); the others are rare
from markitect_tool.record import Struct, struct

_OTHERS = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_OTHER_SPACES = re.compile(f"[{_OTHERS}]")
EVERY_SPACE = f" \t\n\r{_OTHERS}"


def other_spaces(text: str) -> str:
    """The kinds of white space in `text` that XML doesn't count as such."""
    return "" if text.isascii() else "".join([space for space in _OTHERS if space in text])


def nonblank(text: str, others: str | None = None) -> int:
    """How many characters of `text` are not white space (`str.isspace`). `others`: its `other_spaces`, if known."""
    # counting is several times faster than splitting or searching, looking for what is not there faster still
    blanks = text.count(" ")
    for space in "\n\t\r":
        if space in text:
            blanks += text.count(space)
    if others is not None:
        for space in others:
            if space in text:
                blanks += text.count(space)
    elif not text.isascii():
        blanks += len(_OTHER_SPACES.findall(text))
    return len(text) - blanks


@struct()
class Ledger(Struct):
    """Characters of a source: `total` counted on the tree, the others counted where text is written or left out."""

    total: int = 0
    emitted: int = 0
    skipped: dict[str, int] = field(default_factory=dict)  # by reason

    def skip(self, reason: str, count: int) -> None:
        """Count characters left out because of `reason`."""
        if count:
            self.skipped[reason] = self.skipped.get(reason, 0) + count

    @property
    def balanced(self) -> bool:
        """Is every character accounted for?"""
        return self.total == self.emitted + sum(self.skipped.values())

    def add(self, other: Ledger) -> None:
        """Take the figures of another ledger in."""
        self.total += other.total
        self.emitted += other.emitted
        for reason, count in other.skipped.items():
            self.skip(reason, count)

    def to_dict(self) -> dict[str, object]:
        """`total`, `emitted` and `skipped` by reason, reasons sorted."""
        return {
            "total": self.total,
            "emitted": self.emitted,
            "skipped": dict(sorted((k, v) for k, v in self.skipped.items() if v)),
        }
