"""The ledger: every character of the source is either emitted or skipped for a named reason.

Blanks are not counted, since both XHTML and Markdown fold them.
"""

from __future__ import annotations

import re

# the ASCII ones are all that XML allows (1.0, section 2.2); the others are rare
from markitect_tool.record import Struct, field

_OTHERS = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
OTHER_SPACES = re.compile(f"[{_OTHERS}]")
EVERY_SPACE = f" \t\n\r{_OTHERS}"


def nonblank(text: str, other_spaces: bool = True) -> int:
    """How many characters of `text` are not white space (`str.isspace`). `other_spaces`: may there be any but XML's?"""
    # counting is several times faster than splitting, and this is asked of every paragraph
    blanks = text.count(" ") + text.count("\n") + text.count("\t") + text.count("\r")
    if other_spaces and not text.isascii() and OTHER_SPACES.search(text) is not None:
        blanks += len(OTHER_SPACES.findall(text))
    return len(text) - blanks


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
