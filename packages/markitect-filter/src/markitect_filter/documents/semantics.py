"""Stage 4: what the markup says about the part that an element plays, looked up once per document."""

from __future__ import annotations

from functools import lru_cache

from lxml import etree
from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.attributes import TYPE, Attributes

_USUAL = 200  # characters


class Typed(NamedTuple):
    """An element with its `epub:type` values and its ARIA roles."""

    element: etree._Element
    types: tuple[str, ...]
    roles: tuple[str, ...]

    def is_any(self, kinds: frozenset[str]) -> bool:
        """Is it of one of these kinds, by either attribute?"""
        return not kinds.isdisjoint(self.types) or not kinds.isdisjoint(self.roles)


def find_typed(body: etree._Element, attributes: Attributes) -> list[Typed]:
    """Every element below `body` that says what it is, in document order. Not those that only say it in words of other
    vocabularies (`z3998:roman`), which nobody asks for and some books are full of."""
    found = []
    known: dict[str | None, tuple[str, ...]] = {None: ()}
    for element in dict.fromkeys(attributes.types):
        kinds, role = element.get(TYPE), element.get("role")
        types, roles = known.get(kinds), known.get(role)
        if types is None:
            types = known[kinds] = _own_words(kinds)
        if roles is None:
            roles = known[role] = _own_words(role)
        if (types or roles) and element is not body:
            found.append(Typed(element, types, roles))
    return found


def _own_words(attribute: str | None) -> tuple[str, ...]:
    return tuple(value for value in values_of(attribute) if ":" not in value)


def values_of(attribute: str | None) -> tuple[str, ...]:
    """The values of `epub:type` or `role`."""
    if not attribute:
        return ()
    return _known(attribute) if len(attribute) < _USUAL else tuple(attribute.split())


@lru_cache(maxsize=512)  # a book has a few dozens of values and repeats them thousands of times
def _known(attribute: str) -> tuple[str, ...]:
    return tuple(attribute.split())
