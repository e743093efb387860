"""Stage 4: what the markup says about the part that an element plays, looked up once per document."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from markitect_filter.epub3.xml_names import OPS

_TYPED = etree.XPath("descendant::*[@o:type or @role]", namespaces={"o": OPS})
_TYPE = f"{{{OPS}}}type"


@dataclass(frozen=True, slots=True)
class Typed:
    """An element with its `epub:type` values and its ARIA roles."""

    element: etree._Element
    types: tuple[str, ...]
    roles: tuple[str, ...]

    def is_any(self, kinds: frozenset[str]) -> bool:
        """Is it of one of these kinds, by either attribute?"""
        return not kinds.isdisjoint(self.types) or not kinds.isdisjoint(self.roles)


def find_typed(body: etree._Element) -> list[Typed]:
    """Every element below `body` that says what it is, in document order."""
    return [
        Typed(element, tuple((element.get(_TYPE) or "").split()), tuple((element.get("role") or "").split()))
        for element in _TYPED(body)
    ]
