"""A document as a folder of chapters with an index, in the layout of the program that will read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markitect_tool.outputs.chapters import Chapter, chapters_of, landings, relinked
from markitect_tool.outputs.front_matter import document_entries, yaml_front_matter
from markitect_tool.outputs.layouts import INDEX, LAYOUTS, Layout, contents, index_page
from markitect_tool.outputs.obsidian import note_landings
from markitect_tool.outputs.obsidian_text import as_obsidian_shows_it
from markitect_tool.outputs.pictures import Pictures, referenced_pictures
from markitect_tool.outputs.python_markdown import for_python_markdown
from markitect_tool.source.model import NormalizedMarkdownDocument

PICTURE_FOLDER = "assets"


class Split:
    """What a folder of chapters consists of. Made once, it names its files; the pictures' bytes come from elsewhere."""

    def __init__(
        self,
        document: NormalizedMarkdownDocument,
        *,
        layout: str = "plain",
        depth: int | None = None,
        picture_folder: str = PICTURE_FOLDER,
        front_matter: bool = False,
    ) -> None:
        """`layout` is one of `LAYOUTS`; `depth` as in `chapters_of`; `picture_folder` lies beside the chapters."""
        self._document = document
        self._layout: Layout = LAYOUTS[layout]
        self._folder = picture_folder
        self._front_matter = front_matter
        self.chapters = chapters_of(document, depth)
        if layout == "obsidian":
            for chapter in self.chapters:
                chapter.text = as_obsidian_shows_it(chapter.text)
                chapter.scan()
        found = [reference for chapter in self.chapters for reference in chapter.references]
        self.pictures: Pictures = referenced_pictures(document, found)

    @property
    def title(self) -> str:
        """The title of the whole."""
        metadata, asset = self._document.metadata, self._document.asset
        return " ".join((metadata.title or asset.name or "").split()) or "Untitled"

    def texts(self, pictures: Pictures) -> Iterator[tuple[str, str]]:
        """Every text file: its path in the folder, and its content. `pictures` are those that can be had."""
        places = note_landings(self.chapters) if self._layout.name == "obsidian" else landings(self.chapters)
        metadata, entries = self._document.metadata, contents(self.chapters)
        yield from self._layout.extra(metadata, self.title, entries)
        head = yaml_front_matter(document_entries(self._document)) if self._front_matter else ""
        yield self._inside(INDEX), head + index_page(metadata, self.title, entries)
        for chapter in self.chapters:
            text = relinked(chapter, places, pictures, self._folder)
            if self._layout.name == "mkdocs":
                text = for_python_markdown(text)
            head = yaml_front_matter(self._entries(chapter)) if self._front_matter else ""
            yield self._inside(chapter.file), f"{head}{text}\n" if text else head

    def picture_path(self, name: str) -> str:
        """Where in the folder the picture that is called `name` goes."""
        return self._inside(f"{self._folder}/{name}")

    def _inside(self, name: str) -> str:
        return f"{self._layout.content}/{name}" if self._layout.content else name

    def _entries(self, chapter: Chapter) -> dict[str, Any]:
        """What front matter says about a chapter."""
        whole = document_entries(self._document)
        pages = chapter.pages
        return {
            "title": chapter.title,
            "book": whole.pop("title"),
            **whole,
            "weight": chapter.number,
            "heading_path": chapter.path,
            "pages": pages[0] if len(pages) == 1 else f"{pages[0]}-{pages[-1]}" if pages else None,
        }
