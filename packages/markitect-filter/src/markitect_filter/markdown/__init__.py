"""An XHTML tree to canonical Markdown; knows no EPUB. The dialect is specified in docs/canonical-markdown.md.

Read `elements` first, the table of what each element means; then `writer`, the walk. A paragraph becomes Markdown in
`inline`, containers in `layout`, tables in `table`; `finish` fills in what only the whole book knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

    from .references import References

__all__ = ["to_markdown"]


def to_markdown(root: etree._Element, references: References | None = None) -> str:
    """The Markdown of an XHTML tree that stands alone; see `standalone.to_markdown`."""
    from .standalone import to_markdown

    return to_markdown(root, references)
