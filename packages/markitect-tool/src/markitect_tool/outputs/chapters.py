"""A document in chapters: one file each, whose links and footnotes work across the files.

A chapter is a segment; with a `depth`, the segments below so many levels of the contents join the one above. The text
of a chapter is that of its segments, byte for byte, except for destinations that lead into another file, and for
footnotes that another chapter refers to: they are defined in each file that does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from markitect_tool.outputs.blocks import Blocks, NoteDefinition, read_blocks
from markitect_tool.outputs.inlines import Reference, references
from markitect_tool.outputs.names import file_stem
from markitect_tool.outputs.pictures import Pictures, as_destination
from markitect_tool.outputs.rewriting import Edit, edited
from markitect_tool.outputs.segments import heading_paths, pages_of
from markitect_tool.outputs.slugs import heading_slugs
from markitect_tool.source.model import SEGMENT_SEPARATOR, NormalizedMarkdownDocument, NormalizedMarkdownSegment


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
    texts = [chapter.text for chapter in chapters]
    blocks = [read_blocks(text) if "[^" in text else Blocks() for text in texts]
    homes: dict[str, tuple[int, NoteDefinition]] = {}
    for number, found in enumerate(blocks):
        for note in found.notes:
            homes.setdefault(note.label, (number, note))
    if not homes:
        return
    wanted = [_labels_wanted(text, found, homes) for text, found in zip(texts, blocks, strict=True)]
    everywhere = {label for labels in wanted for label in labels}
    for chapter, found, labels in zip(chapters, blocks, wanted, strict=True):
        defined = {note.label for note in found.notes}
        idle = [note for note in found.notes if note.label not in labels and note.label in everywhere]
        missing: list[str] = []
        while more := [label for label in labels if label not in defined]:  # a note may refer to a note
            for label in more:
                number, note = homes[label]
                defined.add(label)
                missing.append(texts[number][note.start : note.end])
                labels |= _labels_wanted(missing[-1], read_blocks(missing[-1]), homes)
        kept = edited(chapter.text, [Edit(note.start, note.end, "") for note in idle]) if idle else chapter.text
        chapter.text = SEGMENT_SEPARATOR.join([kept.rstrip("\n"), *missing]) if idle or missing else kept


def _labels_wanted(text: str, blocks: Blocks, known: Iterable[str]) -> dict[str, None]:
    """The footnotes that a text refers to, in order."""
    return dict.fromkeys(found.name for found in references(text, blocks, known) if found.kind == "note")


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
    return picture_edit(found, path, pictures, folder) if path is not None else None


def picture_edit(found: Reference, path: str, pictures: Pictures, folder: str) -> Edit:
    """Point a picture at its file in `folder`; what stands behind a `#` stays."""
    _, hash_sign, fragment = found.name.partition("#")
    file = as_destination(f"{folder}/{pictures.names[path]}" if folder else pictures.names[path])
    return Edit(found.start, found.end, f"{file}{hash_sign}{as_destination(fragment)}")
