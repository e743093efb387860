"""A document as one Markdown file, whose pictures lie in a folder."""

from __future__ import annotations

from markitect_tool.outputs.blocks import read_blocks
from markitect_tool.outputs.front_matter import document_entries, yaml_front_matter
from markitect_tool.outputs.inlines import references
from markitect_tool.outputs.pictures import Pictures, referenced_pictures
from markitect_tool.outputs.rewriting import edited
from markitect_tool.source.model import NormalizedMarkdownDocument


class Single:
    """One text and its pictures; where those lie is told by `picture_folder`, relative to the text, with `/`."""

    def __init__(self, document: NormalizedMarkdownDocument, picture_folder: str) -> None:
        self._markdown = document.markdown
        self._folder = picture_folder
        self._references = list(references(self._markdown, read_blocks(self._markdown)))
        self.pictures: Pictures = referenced_pictures(document, self._references)

    def text(self, pictures: Pictures) -> str:
        """The Markdown with its links to `pictures`, which are those that can be had."""
        edits = [
            pictures.edit(self._markdown, found, path, self._folder)
            for found in self._references
            if (path := pictures.path_of(found)) is not None
        ]
        return edited(self._markdown, edits)


def with_front_matter(document: NormalizedMarkdownDocument, text: str) -> str:
    """`text`, which is the whole document, behind its front matter."""
    return yaml_front_matter(document_entries(document)) + text
