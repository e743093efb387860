"""Which characters that need care occur in a document: one look at all of its text saves one at every paragraph."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from .ledger import EVERY_SPACE, other_spaces

SPECIALS: Final = "\\`*_[]<&$~|"  # what Markdown may read as markup inside of a line
INVISIBLE: Final = "\u200b\u2060\ufeff"  # no blanks by Unicode, but nothing else when they stand alone
SOFT_HYPHEN: Final = "\xad"  # permission to break a line: layout, and in the way of every search


class Alphabet(NamedTuple):
    """What may occur in a text; never less than what does."""

    specials: str = SPECIALS
    other_spaces: str = EVERY_SPACE[4:]  # white space that XML doesn't count as such
    invisible: bool = True
    soft_hyphens: bool = True

    @classmethod
    def of(cls, text: str) -> Self:
        """What occurs in `text`."""
        specials = "".join([char for char in SPECIALS if char in text])
        if text.isascii():
            return cls(specials, "", False, False)
        return cls(
            specials,
            other_spaces(text),
            any(char in text for char in INVISIBLE),
            SOFT_HYPHEN in text,
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
