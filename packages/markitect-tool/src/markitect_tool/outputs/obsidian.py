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
from urllib.parse import unquote

from markitect_tool.outputs.blocks import Block
from markitect_tool.outputs.chapters import Chapter, Landing
from markitect_tool.outputs.inlines import Reference
from markitect_tool.outputs.pictures import as_destination
from markitect_tool.outputs.rewriting import Edit, edited

_TAG = re.compile(r"<[^>]*>")
_MARKUP = re.compile(r"[*`~$\\]|!?\[|\]\([^)]*\)|\]")
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
        edits = _mark(chapter, wanted, places)
        if edits:
            chapter.text = edited(chapter.text, edits)
            chapter.scan()
    return places


def _mark(chapter: Chapter, wanted: set[str], places: dict[str, Landing]) -> list[Edit]:
    blocks = chapter.blocks.blocks
    starts = [block.pieces[0][0] for block in blocks]
    titles = Counter(_heading_text(chapter.text, block) for block in blocks if block.kind == "heading")
    edits: dict[int, Edit] = {}
    named: dict[int, str] = {}  # block identifiers by the place that they stand at
    used: set[str] = set()
    for found in chapter.references:
        if found.kind != "anchor" or found.name not in wanted or found.name in places:
            continue
        places[found.name] = Landing(chapter.file, _fragment(chapter, found, titles, starts, edits, named, used))
    return list(edits.values())


def _fragment(
    chapter: Chapter,
    found: Reference,
    titles: Counter[str],
    starts: list[int],
    edits: dict[int, Edit],
    named: dict[int, str],
    used: set[str],
) -> str:
    block, text = found.block, chapter.text
    if not _TAG.sub("", text[: found.start].rpartition("<")[0]).strip(" #>-\n"):
        return ""  # nothing but marks before: the start of the chapter
    if block.kind == "heading":
        title = _heading_text(text, block)
        if title and titles[title] == 1:
            return as_destination(title)
    if block.kind == "paragraph" and block.note is None:
        end = block.pieces[-1][1]
        if end not in named:
            base = _BLOCK_ID.sub("-", found.name).strip("-") or "place"
            identifier, count = base, 2
            while identifier.lower() in used:
                identifier, count = f"{base}-{count}", count + 1
            used.add(identifier.lower())
            named[end] = identifier
            edits[end] = Edit(end, end, f" ^{identifier}")
        return f"^{named[end]}"
    return _heading_above(chapter, found, titles, starts)


def _heading_above(chapter: Chapter, found: Reference, titles: Counter[str], starts: list[int]) -> str:
    """For tables, footnotes and headings that occur twice: the nearest heading before that occurs once."""
    blocks = chapter.blocks.blocks
    for number in range(bisect_right(starts, found.start) - 1, -1, -1):
        if blocks[number].kind == "heading":
            title = _heading_text(chapter.text, blocks[number])
            if title and titles[title] == 1:
                return as_destination(title)
    return ""


def _heading_text(text: str, block: Block) -> str:
    """A heading as Obsidian wants it in a link."""
    ((start, end),) = block.pieces
    words = _MARKUP.sub("", _TAG.sub("", text[start:end]))
    return " ".join(_BARRED.sub(" ", words).split())
