"""Where links lead in Obsidian, which follows neither ids in HTML nor links to footnotes.

It follows `note.md`, `note.md#A heading` and `note.md#^block`, where ` ^block` stands at the end of a paragraph or list
item (https://help.obsidian.md/links). So an anchor at the start of a chapter is the chapter, one in a heading is the
heading, and one in a paragraph is the paragraph, which gets a block identifier.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from markitect_tool.outputs.blocks import Block
from markitect_tool.outputs.chapters import Chapter, Landing
from markitect_tool.outputs.inlines import Reference
from markitect_tool.outputs.names import UniqueNames
from markitect_tool.outputs.pictures import as_destination
from markitect_tool.outputs.rewriting import Edit, edited

_TAG = re.compile(r"<[^<>]*>")
_MARKUP = re.compile(r"[*`~$\\]|!?\[|\]\([^()]*\)|\]")
_OPENING = re.compile(r"(?:[ #>\n-]|<[^<>]*>)*")  # what may stand before the first word of a chapter
_LONGEST_OPENING = 2000  # characters: a repeat remembers every step
_BARRED = re.compile(r"[#|^:%\[\]]+")  # in links to headings these are blanks
_BLOCK_ID = re.compile(r"[^A-Za-z0-9-]+")


def note_landings(chapters: Iterable[Chapter]) -> dict[str, Landing]:
    """Where the anchors of all chapters are, by links that Obsidian follows. Paragraphs that anchors stand in get block
    identifiers, and chapters with some are read again."""
    chapters = list(chapters)
    wanted = {
        unquote(found.name[1:]) for chapter in chapters for found in chapter.references if found.name.startswith("#")
    }
    places: dict[str, Landing] = {}
    for chapter in chapters:
        marked = _Chapter.of(chapter)
        for found in chapter.references:
            if found.kind == "anchor" and found.name in wanted and found.name not in places:
                places[found.name] = Landing(chapter.file, marked.fragment(found))
        if marked.edits:
            chapter.text = edited(chapter.text, marked.edits.values())
            chapter.scan()
    return places


@dataclass(slots=True)
class _Chapter:
    """The places of one chapter that links can lead to."""

    chapter: Chapter
    opening: int  # where its first word is
    headings: list[tuple[int, str]]  # those that occur once: offset, text
    edits: dict[int, Edit] = field(default_factory=dict)  # block identifiers by where they stand
    named: dict[int, str] = field(default_factory=dict)
    names: UniqueNames = field(default_factory=UniqueNames)

    @classmethod
    def of(cls, chapter: Chapter) -> _Chapter:
        opening = _OPENING.match(chapter.text, 0, _LONGEST_OPENING)
        found = [
            (block.pieces[0][0], _heading_text(chapter.text, block))
            for block in chapter.blocks.blocks
            if block.kind == "heading"
        ]
        counts = Counter(text for _, text in found)
        once = [(place, text) for place, text in found if text and counts[text] == 1]
        return cls(chapter, opening.end() if opening else 0, once)

    def fragment(self, found: Reference) -> str:
        """What leads to an anchor in this chapter; "" is its start."""
        block = found.block
        if found.start <= self.opening:
            return ""
        if block.kind == "paragraph" and block.note is None:
            return f"^{self._identify(block.pieces[-1][1], found.name)}"
        # an anchor in a heading leads to it; tables, footnotes, headings that occur twice to the one before them
        place = block.pieces[0][0] if block.kind == "heading" else found.start
        before = bisect_right(self.headings, place, key=lambda heading: heading[0])
        return as_destination(self.headings[before - 1][1]) if before else ""

    def _identify(self, end: int, name: str) -> str:
        """The identifier of the block that ends there."""
        if end not in self.named:
            self.named[end] = self.names.take(_BLOCK_ID.sub("-", name).strip("-") or "place")
            self.edits[end] = Edit(end, end, f" ^{self.named[end]}")
        return self.named[end]


def _heading_text(text: str, block: Block) -> str:
    """A heading as Obsidian wants it in a link."""
    ((start, end),) = block.pieces
    words = _MARKUP.sub("", _TAG.sub("", text[start:end]))
    return " ".join(_BARRED.sub(" ", words).split())
