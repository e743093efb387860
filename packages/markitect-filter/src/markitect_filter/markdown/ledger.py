"""The ledger: every character of the source is either emitted or skipped for a named reason.

Blanks are not counted, since both XHTML and Markdown fold them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


def nonblank(text: str) -> int:
    """How many characters of `text` are not white space (`str.isspace`)."""
    return len("".join(text.split()))


@dataclass(slots=True)
class Ledger:
    """Characters of a source: `total` counted on the tree, the others counted where text is written or left out."""

    total: int = 0
    emitted: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def skip(self, reason: str, count: int) -> None:
        """Count characters left out because of `reason`."""
        if count:
            self.skipped[reason] += count

    @property
    def balanced(self) -> bool:
        """Is every character accounted for?"""
        return self.total == self.emitted + self.skipped.total()

    def add(self, other: Ledger) -> None:
        """Take the figures of another ledger in."""
        self.total += other.total
        self.emitted += other.emitted
        self.skipped.update(other.skipped)

    def to_dict(self) -> dict[str, object]:
        """`total`, `emitted` and `skipped` by reason, reasons sorted."""
        return {
            "total": self.total,
            "emitted": self.emitted,
            "skipped": dict(sorted((k, v) for k, v in self.skipped.items() if v)),
        }
