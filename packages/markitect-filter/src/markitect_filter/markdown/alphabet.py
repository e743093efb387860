"""Which characters that need care occur in a document: one look at all of its text saves one at every paragraph."""

from __future__ import annotations

from typing import Final, Self

from markitect_tool.named_tuple import NamedTuple

from .ledger import OTHER_SPACES

SPECIALS: Final = "\\`*_[]<&$~|"  # what Markdown may read as markup inside of a line
INVISIBLE: Final = "\u200b\u2060\ufeff"  # no blanks by Unicode, but nothing else when they stand alone
_BYTES: Final = tuple((char, ord(char)) for char in SPECIALS)
SOFT_HYPHEN: Final = "\xad"  # permission to break a line: layout, and in the way of every search


class Alphabet(NamedTuple):
    """What may occur in a text; never less than what does."""

    specials: str = SPECIALS
    other_spaces: str = OTHER_SPACES  # white space that XML doesn't count as such
    invisible: bool = True
    soft_hyphens: bool = True

    @classmethod
    def of(cls, text: bytes, foreign: str) -> Self:
        """What occurs in `text`, in UTF-8; `foreign` are its characters `beyond_ascii`."""
        specials = "".join([char for char, byte in _BYTES if byte in text])
        if not foreign:
            return cls(specials, "", False, False)
        return cls(
            specials,
            "".join([space for space in OTHER_SPACES if space in foreign]),
            any(char in foreign for char in INVISIBLE),
            SOFT_HYPHEN in foreign,
        )

    def joined(self, other: Self) -> Alphabet:
        """What may occur in either."""
        return Alphabet(
            "".join(sorted({*self.specials, *other.specials})),
            "".join(sorted({*self.other_spaces, *other.other_spaces})),
            self.invisible or other.invisible,
            self.soft_hyphens or other.soft_hyphens,
        )


ANY: Final = Alphabet()
