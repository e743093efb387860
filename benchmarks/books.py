"""Books for measuring: of any size, the same bytes on every machine, no sentence of anybody else's.

Sentences are drawn from a few word lists by a generator of our own, because `random` promises the same numbers
only for the same version of Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markitect_filter.testing.books import Book, pack, page

MEGABYTE = 1_000_000
_PEOPLE = ["harbourmaster", "pilot", "cook", "surveyor", "clerk", "lighthouse-keeper", "ferryman", "diver", "widow"]
_THINGS = ["lantern", "chart", "rope", "anchor", "ledger", "barometer", "oar", "tide-table", "signal", "bell", "hull"]
_DEEDS = ["mended", "carried", "counted", "painted", "forgot", "lowered", "measured", "hid", "found", "weighed"]
_PLACES = ["quay", "breakwater", "customs house", "upper lock", "sandbank", "slipway", "old mill", "north pier"]
_TIMES = ["at low water", "before the fog lifted", "on the second Tuesday", "after the spring tide", "while it rained"]
_PICTURE = b"\x89PNG\r\n\x1a\n"


class Dice:
    """A linear congruential generator."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self._state >> 33) % bound

    def of(self, words: list[str]) -> str:
        """One of the words."""
        return words[self.below(len(words))]


def sentence(dice: Dice) -> str:
    """A sentence of some 12 words."""
    who, what, where = dice.of(_PEOPLE), dice.of(_THINGS), dice.of(_PLACES)
    text = f"the {who} {dice.of(_DEEDS)} the {what} by the {where} {dice.of(_TIMES)}"
    opened = "T" + text[1:]
    match dice.below(8):
        case 0:
            return f"“{opened},” said the {dice.of(_PEOPLE)}."
        case 1:
            return f"{opened}—or so the {dice.of(_PEOPLE)} told it."
        case 2:
            return f"It was <em>never</em> proved that {text}."
        case 3:
            return f"Nobody’s {dice.of(_THINGS)} was missing when {text}; few asked."
        case _:
            return f"{opened}, and the {dice.of(_PEOPLE)} {dice.of(_DEEDS)} it."


def paragraph(dice: Dice) -> str:
    """Three to nine sentences as an XHTML paragraph."""
    return f"<p>{' '.join(sentence(dice) for _ in range(3 + dice.below(7)))}</p>"


def prose(dice: Dice, size: int) -> str:
    """Paragraphs of `size` bytes or a little more, with a break between scenes now and then."""
    parts: list[str] = []
    written = 0
    while written < size:
        parts.append("<hr/>" if dice.below(25) == 0 else paragraph(dice))
        written += len(parts[-1].encode())
    return "\n".join(parts)


def novel(chapters: int = 12, size: int = 16_000) -> Book:
    """Chapters of prose, `size` bytes each."""
    dice = Dice(1)
    return Book(
        {f"c{n}.xhtml": f"<section><h2>Chapter {n}</h2>{prose(dice, size)}</section>" for n in range(1, chapters + 1)}
    )


def reference(chapters: int = 8, entries: int = 12) -> Book:
    """A handbook: headings, links between documents, notes in a document of their own, tables, lists, listings."""
    dice = Dice(2)
    pages: dict[str, str | bytes] = {}
    notes: list[str] = []
    for chapter in range(1, chapters + 1):
        parts = [f"<h1>Part {chapter}</h1>"]
        for entry in range(1, entries + 1):
            parts.append(_entry(dice, chapter, entry, chapters, entries, note=len(notes) + 1))
            notes.append(
                f'<li id="n{len(notes) + 1}" epub:type="endnote"><p>{sentence(dice)} '
                f'<a href="p{chapter}.xhtml#r{len(notes) + 1}" epub:type="backlink">↩</a></p></li>'
            )
        pages[f"p{chapter}.xhtml"] = f"<section>{''.join(parts)}</section>"
    pages["notes.xhtml"] = f'<section epub:type="endnotes"><h1>Notes</h1><ol>{"".join(notes)}</ol></section>'
    return Book(pages)


def _entry(dice: Dice, chapter: int, entry: int, chapters: int, entries: int, *, note: int) -> str:
    other = f"p{1 + dice.below(chapters)}.xhtml#e{1 + dice.below(entries)}"
    rows = "".join(
        f"<tr><td>{dice.of(_THINGS)}</td><td>{dice.below(900)}</td><td>{dice.of(_PLACES)}</td></tr>" for _ in range(4)
    )
    items = "".join(f"<li>{dice.of(_THINGS)} (<code>{dice.below(4096):03x}</code>)</li>" for _ in range(5))
    return (
        f'<section id="e{entry}"><h2>{chapter}.{entry} {dice.of(_THINGS).capitalize()}</h2>'
        f'<p>{sentence(dice)} See <a href="{other}">the entry</a> and '
        f'<a href="https://example.org/{chapter}/{entry}">the <i>register</i></a>.'
        f'<a id="r{note}" href="notes.xhtml#n{note}" epub:type="noteref">{note}</a> {sentence(dice)}</p>'
        f"<table><thead><tr><th>Thing</th><th>Count</th><th>Place</th></tr></thead><tbody>{rows}</tbody></table>"
        f"<ul>{items}</ul><blockquote><p>{sentence(dice)}</p></blockquote>"
        f"<pre>count = {dice.below(99)}\nplace = *north*</pre>{paragraph(dice)}</section>"
    )


def small() -> Book:
    """One page with a few lines: what is left is the fixed cost of a book."""
    return Book({"c1.xhtml": f"<h1>Log</h1>{paragraph(Dice(3))}"})


@dataclass(frozen=True, slots=True)
class Sized:
    """A book of `text` bytes of documents, `document` bytes each, and of `pictures` bytes that are no text.

    Its documents repeat each other. Nothing is deflated: what repeats itself so often would be taken for a bomb.
    """

    text: int
    document: int = 250_000
    pictures: int = 0

    def pack(self) -> bytes:
        """The book's file."""
        chapter = prose(Dice(4), self.document)
        count = max(1, round(self.text / self.document))
        pages = {f"c{n}.xhtml": f"<h2>Chapter {n}</h2>{chapter}" for n in range(1, count + 1)}
        drawn = {f"i{n}.png": size for n, size in enumerate(_sizes(self.pictures), start=1)}
        pages["c1.xhtml"] += "".join(f'<p><img src="{name}" alt="The quay"/></p>' for name in drawn)
        items = [f'<item id="{name[:-4]}" href="{name}" media-type="image/png"/>' for name in drawn]
        members = Book({name: page(body) for name, body in pages.items()}, manifest=items).contents()
        members |= {f"OPS/{name}": _PICTURE + bytes(size) for name, size in drawn.items()}
        return pack(members.items(), stored=True)


def _sizes(total: int, most: int = 2 * MEGABYTE) -> Iterator[int]:
    while total > 0:
        yield min(total, most)
        total -= most


FIXTURES = {"novel": novel, "reference": reference, "small": small}
