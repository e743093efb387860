"""The ledger: every character of the source is either emitted or skipped for a named reason.

Blanks are not counted, since both XHTML and Markdown fold them.
"""

from __future__ import annotations

import re

from markitect_tool.record import Struct, field

# the ASCII ones are all that XML allows (1.0, section 2.2); the others are rare
OTHER_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_ANY_OTHER = re.compile(f"[{OTHER_SPACES}]")
EVERY_SPACE = f" \t\n\r{OTHER_SPACES}"
_ASCII = bytes(range(128))
_UNCOUNTED = b" \n\t\r" + bytes(range(128, 256))


def nonblank(text: str) -> int:
    """How many characters of `text` are not white space (`str.isspace`)."""
    # counting is several times faster than splitting or searching, looking for what is not there faster still
    blanks = text.count(" ")
    for space in "\n\t\r":
        if space in text:
            blanks += text.count(space)
    if not text.isascii():
        blanks += len(_ANY_OTHER.findall(text))
    return len(text) - blanks


def beyond_ascii(text: bytes) -> str:
    """The characters of `text`, in UTF-8, that ASCII doesn't have: a few even in a long document, mostly."""
    return "" if text.isascii() else text.translate(None, _ASCII).decode()


def nonblank_utf8(text: bytes, foreign: str) -> int:
    """`nonblank` of `text` in UTF-8; `foreign` are its characters `beyond_ascii`."""
    return len(text.translate(None, _UNCOUNTED)) + nonblank(foreign)


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
