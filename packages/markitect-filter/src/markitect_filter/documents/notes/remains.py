"""Stage 5: what is left where notes were taken out: headings and rules with nothing under them, numbers of lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lxml import etree

from markitect_filter.documents.notes.blocks import HEADINGS, has_content, is_called_notes, is_element, is_notes_title
from markitect_filter.documents.xml_names import local_name

_PICTURES = frozenset(["img", "image", "svg", "math"])
_ANCESTORS = 3  # so far up a part of a section of notes is looked for
_XHTML_HEADINGS = tuple(f"{{*}}{name}" for name in HEADINGS)


def keep_numbers(taken: Collection[etree._Element]) -> None:
    """Write down the number of each item of an ordered list that follows one that was taken out."""
    lists = dict.fromkeys(element.getparent() for element in taken if local_name(element) == "li")
    for parent in lists:
        if parent is None or local_name(parent) != "ol":
            continue
        items = [child for child in parent.iterchildren(etree.Element) if local_name(child) == "li"]
        backwards = parent.get("reversed") is not None
        number = _integer(parent.get("start"), len(items) if backwards else 1)
        gap = False
        for item in items:
            number = _integer(item.get("value"), number)
            if item in taken:
                gap = True
            elif gap:
                item.set("value", str(number))
                gap = False
            number += -1 if backwards else 1


def _integer(value: str | None, default: int) -> int:
    text = (value or "").strip()
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < 10 else default


def emptied_headings(
    body: etree._Element, taken: Collection[etree._Element], references: Iterable[etree._Element]
) -> list[etree._Element]:
    """Headings and rules of sections of notes that hold nothing else any more. Not those of a document that holds
    nothing else at all: that one may go as a whole, later."""
    referring = {ancestor for link in references for ancestor in link.iterancestors(*_XHTML_HEADINGS)}
    empty: dict[etree._Element, bool] = {}
    around = _ancestors(body, taken)
    for element in around:
        empty[element] = _is_emptied(element, taken, empty, referring)
    if empty.get(body):
        return []
    found: list[etree._Element] = []
    for element in around:
        parent = element.getparent()
        if not empty[element]:
            found.extend(_titles_of_nothing(element, taken, empty, referring))
        elif parent is not None and not empty.get(parent):
            found.extend(_headings_of(element, taken))
    return list(dict.fromkeys(found))


def _ancestors(body: etree._Element, taken: Collection[etree._Element]) -> list[etree._Element]:
    """All elements around what was taken out, up to the body, the inner ones first."""
    depths = {body: 0}
    for element in taken:
        chain = []
        parent = element.getparent()
        while parent is not None and parent not in depths:
            chain.append(parent)
            parent = parent.getparent()
        if parent is not None:
            for depth, ancestor in enumerate(reversed(chain), start=depths[parent] + 1):
                depths[ancestor] = depth
    return sorted(depths, key=lambda element: -depths[element])


def _is_emptied(
    parent: etree._Element,
    taken: Collection[etree._Element],
    empty: dict[etree._Element, bool],
    referring: Collection[etree._Element],
) -> bool:
    """Does it hold nothing but headings, rules and what was taken out?"""
    if (parent.text or "").strip():
        return False
    for child in parent:
        if (child.tail or "").strip():
            return False
        if not is_element(child) or child in taken or local_name(child) == "hr" or empty.get(child):
            continue
        if local_name(child) in HEADINGS:
            if child in referring or any(local_name(e) in _PICTURES for e in child.iterdescendants(etree.Element)):
                return False
        elif has_content(child):
            return False
    return True


def _titles_of_nothing(
    parent: etree._Element,
    taken: Collection[etree._Element],
    empty: dict[etree._Element, bool],
    referring: Collection[etree._Element],
) -> list[etree._Element]:
    """Children of `parent` such as "Notes" that only what was taken out follows, up to the next heading or rule."""
    found = []
    title: etree._Element | None = None
    went = False
    for child in parent:
        if is_element(child) and local_name(child) in ("hr", *HEADINGS):
            deeper = title is not None and local_name(title) < local_name(child) < "hr"  # a part of it stays
            if title is not None and went and not deeper:
                found.append(title)
            titled = local_name(child) != "hr" and child not in referring and is_notes_title(child)
            title, went = child if titled else None, False
        elif child in taken or empty.get(child):
            went = True
        elif title is not None and is_element(child) and has_content(child):
            title = None
        if (child.tail or "").strip():
            title = None
    return [*found, title] if title is not None and went else found


def _headings_of(top: etree._Element, taken: Collection[etree._Element]) -> list[etree._Element]:
    """The headings and rules of `top`, if it is a section of notes: by name, by its heading, or without one. A part of
    such a section that stays keeps its heading."""
    if any(map(is_called_notes, list(top.iterancestors())[:_ANCESTORS])):
        return []
    found = []
    waiting = [top]
    while waiting:
        element = waiting.pop()
        if element in taken:
            continue
        if local_name(element) == "hr" or local_name(element) in HEADINGS:
            found.append(element)
        else:
            waiting.extend(child for child in reversed(element) if is_element(child))
    headings = [element for element in found if local_name(element) != "hr"]
    if not headings or is_called_notes(top) or is_notes_title(headings[0]):
        return found
    return []
