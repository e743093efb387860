"""A document in chapters: one file each, whose links and footnotes work across the files.

A chapter is a segment; with a `depth`, the segments below so many levels of the contents join the one above. The text
of a chapter is that of its segments, byte for byte, except for destinations that lead into another file, and for
footnotes that another chapter refers to: they are defined in each file that does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from markitect_tool.outputs.blocks import Blocks, NoteDefinition, read_blocks
from markitect_tool.outputs.inlines import Reference, references
from markitect_tool.outputs.names import file_stem
from markitect_tool.outputs.pictures import Pictures, as_destination
from markitect_tool.outputs.rewriting import Edit, edited
from markitect_tool.outputs.segments import heading_paths, pages_of
from markitect_tool.outputs.slugs import heading_slugs
from markitect_tool.source.held import SEGMENT_SEPARATOR
from markitect_tool.source.model import NormalizedMarkdownDocument, NormalizedMarkdownSegment


@dataclass(slots=True)
class Chapter:
    """A chapter on its way into a file. `path` are the headings from the top down to its own title."""

    number: int  # from 1
    title: str
    path: list[str]
    segments: list[NormalizedMarkdownSegment]
    text: str = ""
    file: str = ""
    blocks: Blocks = field(default_factory=Blocks)
    references: list[Reference] = field(default_factory=list)

    @property
    def pages(self) -> list[str]:
        """The labels of its pages, each once, in order."""
        return list(dict.fromkeys(label for segment in self.segments for label in pages_of(segment)))

    def scan(self) -> None:
        """Find out what the text refers to."""
        self.blocks = read_blocks(self.text)
        self.references = list(references(self.text, self.blocks))


def chapters_of(document: NormalizedMarkdownDocument, depth: int | None = None) -> list[Chapter]:
    """The chapters of a document, named and numbered, with their footnotes."""
    chapters: list[Chapter] = []
    above: list[str] = []
    for segment, path in zip(document.segments, heading_paths(document), strict=True):
        deep = depth is not None and len(path) > depth
        if not (deep and chapters and above[:depth] == path[:depth]):
            shown = path[:depth] if deep else path
            chapters.append(_begin(len(chapters) + 1, segment, shown, above))
        chapters[-1].segments.append(segment)
        above = path
    width = max(2, len(str(len(chapters))))
    for chapter in chapters:
        chapter.text = SEGMENT_SEPARATOR.join(segment.markdown for segment in chapter.segments)
        chapter.file = f"{chapter.number:0{width}}-{file_stem(chapter.title, fallback='chapter')}.md"
    _spread_notes(chapters)
    for chapter in chapters:
        chapter.scan()
    return chapters


def _begin(number: int, segment: NormalizedMarkdownSegment, path: list[str], above: list[str]) -> Chapter:
    """The chapter that begins with `segment`; the label in the contents is its title, where it has one of its own."""
    own = path[-1] if path and path != above else None
    title = " ".join((own or segment.heading or "").split()) or f"Text {number}"
    if own is None:
        path = [*path, title]  # the text before the first chapter, or one that goes on without an entry
    return Chapter(number, title, [*path[:-1], title], [])


def _spread_notes(chapters: Sequence[Chapter]) -> None:
    """Put the definition of each footnote into the files that refer to it, and out of those that do not."""
    blocks = [read_blocks(chapter.text) if "[^" in chapter.text else Blocks() for chapter in chapters]
    definitions: dict[str, str] = {}
    for chapter, found in zip(chapters, blocks, strict=True):
        for note in found.notes:
            definitions.setdefault(note.label, chapter.text[note.start : note.end])
    if not definitions:
        return
    inside: dict[str, list[str]] = {}  # the footnotes that a footnote refers to
    outside: list[list[str]] = []  # and those that the text of a chapter does
    for chapter, found in zip(chapters, blocks, strict=True):
        outside.append([])
        for reference in references(chapter.text, found, definitions):
            if reference.kind == "note":
                label = reference.block.note
                (outside[-1] if label is None else inside.setdefault(label, [])).append(reference.name)
    needed = [_closure(labels, inside) for labels in outside]
    anywhere = {label for labels in needed for label in labels}
    for chapter, found, labels in zip(chapters, blocks, needed, strict=True):
        here = {note.label for note in found.notes}
        labels |= _closure(here - anywhere, inside)  # what nobody refers to stays where it is
        idle = [note for note in found.notes if note.label in anywhere and note.label not in labels]
        missing = [definitions[label] for label in labels if label not in here]
        if idle or missing:
            kept = edited(chapter.text, [_without(chapter.text, note) for note in idle]).rstrip("\n")
            chapter.text = SEGMENT_SEPARATOR.join([kept, *missing] if kept else missing)


def _closure(labels: Iterable[str], inside: Mapping[str, Iterable[str]]) -> dict[str, None]:
    """The footnotes `labels`, those that they refer to, and so on, in order."""
    found: dict[str, None] = {}
    waiting = deque(labels)
    while waiting:
        label = waiting.popleft()
        if label not in found:
            found[label] = None
            waiting.extend(inside.get(label, ()))
    return found


def _without(text: str, note: NoteDefinition) -> Edit:
    """Take a definition out, with the empty lines behind it."""
    end = note.end
    while text.startswith("\n", end):
        end += 1
    return Edit(note.start, end, "")


@dataclass(frozen=True, slots=True)
class Landing:
    """Where an anchor is: the file, and the fragment that leads there; "" is the start of the file."""

    file: str
    fragment: str | None = None  # None: as the link has it


def landings(chapters: Iterable[Chapter]) -> dict[str, Landing]:
    """Where the anchors of all chapters are. Of two with one name the first counts, as in a browser; explicit ones go
    before those that programs make of headings."""
    found: dict[str, Landing] = {}
    chapters = list(chapters)
    for chapter in chapters:
        for reference in chapter.references:
            if reference.kind == "anchor":
                found.setdefault(reference.name, Landing(chapter.file))
    for chapter in chapters:
        for slug in heading_slugs(chapter.text, chapter.blocks):
            found.setdefault(slug, Landing(chapter.file))
    return found


def relinked(chapter: Chapter, places: dict[str, Landing], pictures: Pictures, folder: str) -> str:
    """The text of a chapter with links that lead into other files, and to pictures in `folder`."""
    edits = [edit for found in chapter.references if (edit := _edit(chapter, found, places, pictures, folder))]
    return edited(chapter.text, edits)


def _edit(
    chapter: Chapter, found: Reference, places: dict[str, Landing], pictures: Pictures, folder: str
) -> Edit | None:
    if found.kind == "link" and found.name.startswith("#"):
        landing = places.get(unquote(found.name[1:]))
        if landing is None:
            return None
        file = "" if landing.file == chapter.file else as_destination(landing.file)
        if landing.fragment is None:
            return Edit(found.start, found.start, file) if file else None
        fragment = f"#{landing.fragment}" if landing.fragment else ""
        return Edit(
            found.start, found.end, f"{file or (as_destination(chapter.file) if not fragment else '')}{fragment}"
        )
    path = pictures.path_of(found)
    return pictures.edit(chapter.text, found, path, folder) if path is not None else None
