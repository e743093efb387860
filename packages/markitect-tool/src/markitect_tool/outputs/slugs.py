"""The ids that programs make of headings, for Markdown whose author relied on them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markitect_tool.outputs.blocks import Blocks

_MARKUP = re.compile(r"<[^<>]*>|[*`~\\]|!?\[|\]\([^()]*\)|\]|\s#+\s*\Z")
_DROPPED = re.compile(r"[^\w\- ]")


def heading_slugs(text: str, blocks: Blocks) -> Iterator[str]:
    """The ids of the headings of a text, as GitHub, MkDocs and mdBook make them of plain words: in lower case, without
    punctuation, blanks as `-`."""
    for block in blocks.blocks:
        if block.kind == "heading":
            ((start, end),) = block.pieces
            words = _DROPPED.sub("", _MARKUP.sub("", text[start:end]).strip().lower())
            if slug := words.replace(" ", "-"):
                yield slug
