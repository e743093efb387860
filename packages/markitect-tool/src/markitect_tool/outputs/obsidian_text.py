"""Book text that Obsidian would take for an order: comment, link to a note, tag, highlight, name of a block, callout.

Such are escaped by backslashes, which CommonMark and Obsidian read alike (https://help.obsidian.md/syntax). What is no
plain text stays: code, formulas, HTML, destinations, and the words by which a link names its definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markitect_tool.outputs.blocks import read_blocks
from markitect_tool.outputs.inlines import LINK_OPENING, PlainText, plain_texts
from markitect_tool.outputs.rewriting import Edit, edited

_TELLING = re.compile(r"%%|==|#|\^|\[\[|\[!")
_ORDER = re.compile(
    r"(?<!\w)(?P<address>(?:https?://|www\.)(?:(?!%%|\[\[)[^\s<\x00\x01])*)"  # a link as it is, backslashes and all
    r"|(?P<comment>%%+)"
    r"|(?P<highlight>==+)"
    r"|(?<![^\s*_~=()>\x00\x01\[])(?P<tag>\#)(?=\d*[^\s\d!-,.:-@\[-^`{-~\x00\x01\u2000-\u206f\u2e00-\u2e7f])"
    r"|(?P<brackets>(?<=[\[\x01])\[|\[(?=[\[\x01]))"
    r"|(?P<note>\^)(?=[\[\x01])"
    r"|(?<!\S)(?P<name>\^)(?=[A-Za-z0-9-]+[ \t]*\Z)",
)
_CALLOUT = re.compile(r"[\[\x01](?=!)")


def as_obsidian_shows_it(text: str) -> str:
    """`text` so that Obsidian shows what CommonMark shows."""
    if not _TELLING.search(text):
        return text
    return edited(text, [edit for plain in plain_texts(text, read_blocks(text), _TELLING) for edit in _escapes(plain)])


def _escapes(plain: PlainText) -> Iterator[Edit]:
    for position in sorted(_orders(plain)):
        offset = plain.offset(position)
        yield Edit(offset, offset, "\\")


def _orders(plain: PlainText) -> set[int]:
    """The characters that need a backslash."""
    found: set[int] = set()
    highlights: list[range] = []
    for match in _ORDER.finditer(plain.text):
        place = range(match.start(), match.end())
        match match.lastgroup:
            case "address":
                pass
            case "highlight":
                highlights.append(place)
            case "brackets":
                found.update(_bracket(plain, match.start()))
            case _:
                found.update(place)
    if len(highlights) > 1:  # one alone marks nothing
        found.update(position for place in highlights for position in place)
    if plain.block.quotes and (callout := _CALLOUT.match(plain.text)):
        # the bracket of a link must stay one
        found.update([1] if callout[0] == LINK_OPENING else _bracket(plain, 0))
    return found


def _bracket(plain: PlainText, opening: int) -> set[int]:
    """A bracket, and the one that closes it, lest that close another."""
    return {opening, plain.closings.get(opening, opening)}
