"""Stage 5: notes of several blocks: which of the blocks after a note's first one are the note's as well.

Nothing marks them. What stands between two notes is the earlier one's where it cannot be the text: in a container that
is called one of notes, or that holds notes and none of their references. Everywhere else a doubt leaves a block in
place, since the text must never be taken for a note.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from lxml import etree

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.notes.blocks import (
    HEADINGS,
    NOTE,
    has_content,
    is_called_notes,
    is_element,
    is_named,
    is_notes_title,
    types_of,
)
from markitect_filter.documents.notes.labels import starts_labelled
from markitect_filter.documents.notes.references import NoteRef
from markitect_filter.documents.xml_names import local_name

_CONTINUES = frozenset(["p", "blockquote", "ul", "ol", "dl", "pre", "table", "figure", "div"])
_BREAK = frozenset({"pagebreak", "doc-pagebreak"})
_ANCESTORS = 3  # so far up a container is asked whether it is called one of notes


@dataclass(slots=True, eq=False, repr=False)
class Candidate:
    """A note that was found: its first `block`, and what it is known by."""

    block: etree._Element
    places: list[Place]  # what references call it, the first is its key
    references: list[NoteRef]
    labels: set[str]  # of the references, bare
    backlinks: list[etree._Element]
    only_label: bool  # the block holds nothing else
    term: etree._Element | None = None  # of a definition list, which holds the label
    more: list[etree._Element] = field(default_factory=list)  # further blocks


class _Entry:
    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.following: list[etree._Element] = []  # blocks that may be its own
        self.stopped = False  # something follows that can't be


class _Group:
    """Notes between two headings or rules."""

    def __init__(self, opener: etree._Element | None) -> None:
        self.opener = opener
        self.entries: list[_Entry] = []
        self.interleaved = False  # references to these notes stand between them


def extend_notes(
    found: Mapping[etree._Element, Candidate],
    holders: Mapping[etree._Element, Collection[etree._Element]],
    is_target: Callable[[etree._Element], bool],
    *,
    all_notes: bool,
) -> None:
    """Give the notes their further blocks. `holders` has for each parent of notes its children with references to
    them; `is_target` tells whether a reference leads to an element; `all_notes`: the document is one of notes."""
    parents: dict[etree._Element, int] = {}
    for candidate in found.values():
        parent = candidate.block.getparent()
        if parent is not None:
            parents[parent] = parents.get(parent, 0) + 1
    for parent, count in parents.items():
        groups = list(_groups(parent, found, holders.get(parent, ()), is_target))
        called = all_notes or _is_in_notes(parent)
        apart = count > 1 and not holders.get(parent)
        interleaved = any(group.interleaved for group in groups)
        for group in groups:
            _share_out(group, called=called, apart=apart, interleaved=interleaved)


def _is_in_notes(parent: etree._Element) -> bool:
    element: etree._Element | None = parent
    for _ in range(_ANCESTORS):
        if element is None:
            return False
        if is_called_notes(element):
            return True
        element = element.getparent()
    return False


def _groups(
    parent: etree._Element,
    found: Mapping[etree._Element, Candidate],
    holders: Collection[etree._Element],
    is_target: Callable[[etree._Element], bool],
) -> Iterator[_Group]:
    group = _Group(None)
    for child in parent:
        candidate = found.get(child)
        entry = group.entries[-1] if group.entries else None
        if candidate is not None:
            group.entries.append(_Entry(candidate))
        elif is_element(child) and local_name(child) in ("hr", *HEADINGS):
            yield group
            group = _Group(child)
        elif entry is not None and child in holders:
            group.interleaved = entry.stopped = True
        elif entry is not None and not entry.stopped and is_element(child) and not _is_nothing(child):
            if _may_continue(child, entry.candidate, is_target):
                entry.following.append(child)
            else:
                entry.stopped = True
        if group.entries and (child.tail or "").strip():
            group.entries[-1].stopped = True
    yield group


def _is_nothing(element: etree._Element) -> bool:
    """Is it an empty paragraph or the mark of a printed page?"""
    return bool(types_of(element) & _BREAK) or not has_content(element)


def _may_continue(element: etree._Element, candidate: Candidate, is_target: Callable[[etree._Element], bool]) -> bool:
    """May the element be more of that note? Not what is a note, heading or list item of its own."""
    name = local_name(element)
    if name != "dd" if local_name(candidate.block) == "dd" else name not in _CONTINUES:
        return False
    if starts_labelled(element):
        return False
    for inner in element.iter(etree.Element):
        if is_target(inner) or local_name(inner) in ("hr", *HEADINGS) or types_of(inner) & NOTE:
            return False
    return True


def _share_out(group: _Group, *, called: bool, apart: bool, interleaved: bool) -> None:
    entries = group.entries
    if not entries:
        return
    opener = group.opener
    titled = opener is not None and local_name(opener) != "hr" and is_notes_title(opener)
    everything = called or (not group.interleaved and (titled or apart))
    ruled = opener is not None and local_name(opener) == "hr"
    ends = not entries[-1].following and not entries[-1].stopped
    between = (
        len(entries) > 1 and not interleaved and (ruled or ends) and not any(entry.stopped for entry in entries[:-1])
    )
    for entry in entries:
        candidate = entry.candidate
        name = local_name(candidate.block)
        if name not in ("p", "dd"):
            continue  # li, aside, div hold all of it
        if name == "dd" or everything or (between and entry is not entries[-1]):
            candidate.more = entry.following
        else:
            candidate.more = list(takewhile(is_named, entry.following)) if is_named(candidate.block) else []
            if not candidate.more and candidate.only_label:
                candidate.more = entry.following[:1]
