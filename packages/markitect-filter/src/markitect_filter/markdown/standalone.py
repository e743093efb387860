"""Markup that stands alone: fragments lead to places in the same text, whatever is hidden stays hidden."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, unquote

from lxml import etree

from .finish import finish
from .marks import ANCHOR, Late, LinkTarget
from .references import Directive, PlainReferences, References
from .writer import Writer

_HREF = ("href", "{http://www.w3.org/1999/xlink}href")


class FragmentReferences(PlainReferences):
    """Fragments lead to the elements below `root` that carry them, every other safe reference where it says."""

    def __init__(self, root: etree._Element, late: Late) -> None:
        super().__init__()
        self.directives: dict[etree._Element, Directive] = {}
        self.anchors: dict[etree._Element, str] = {}  # their marks
        self._places: set[str] = set()
        elements = list(root.iter(etree.Element))
        wanted = {name for element in elements for key in _HREF if (name := _fragment(element.get(key))) is not None}
        for element in elements:
            if element.get("hidden") is not None:
                self.directives[element] = Directive(skip="hidden")
            name = element.get("id") or (element.get("name") if str(element.tag).endswith("a") else None)
            if name in wanted and name not in self._places:
                self._places.add(name)
                self.anchors[element] = late.add(ANCHOR, name)

    def link(self, element: etree._Element, href: str) -> LinkTarget | None:
        """Inside the document, elsewhere, or nowhere."""
        name = _fragment(href)
        if name is None:
            return super().link(element, href)
        if name in self._places:
            return LinkTarget(url=f"#{quote(name)}", title=element.get("title"))
        self.problem("source.link_target_missing", f"No element has the id {name!r}.", element)
        return None


def _fragment(href: str | None) -> str | None:
    """The place in the same document that `href` names, if it does."""
    href = (href or "").strip()
    return unquote(href[1:]) if href.startswith("#") and len(href) > 1 else None


def to_markdown(root: etree._Element, references: References | None = None) -> str:
    """The Markdown of `root` (an html, body or any other element) and everything below it.

    Elements that links inside of it lead to get an anchor; elements with a `hidden` attribute are left out.
    `references` says where links and pictures lead, as URLs, and hears of problems. By default fragments lead to
    the elements that carry them and every other safe URL is taken as it stands.
    """
    late = Late()
    fragments = FragmentReferences(root, late)
    writer = Writer(references or fragments, late, fragments.directives, fragments.anchors)
    written = writer.write(root)

    def resolve(kind: str, number: int, offset: int) -> str:
        return f'<a id="{escape(str(late[number]))}"></a>' if kind == ANCHOR else ""

    return finish("\n\n".join(written.blocks).encode(), resolve).decode()
