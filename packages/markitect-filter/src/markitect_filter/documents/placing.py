"""Stage 8: what only the marks of the whole source decide: where each note is defined, and which places get an id.

Everything is decided from the order of the text, nothing from time or chance.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import Any, cast
from unicodedata import normalize

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.packed import MarkedUtf8, numbers_in
from markitect_filter.documents.text import Document, Segment, Text
from markitect_filter.markdown.layout import PARAGRAPH
from markitect_filter.markdown.marks import (
    ANCHOR,
    LINK,
    NOTE,
    NUMBERED,
    OPTIONAL,
    OPTIONAL_END,
    NoteReference,
)

_UNFIT = re.compile(r"[^\w.-]+")
_PLAIN_LABEL = re.compile(r"[A-Za-z0-9]{1,12}")
_BRACKETS = " \t[](){}.:"
_LONGEST_ID = 100  # characters of a fragment or name; it stands at every link
_FOOTNOTE_ID = re.compile(r"fn(?:ref)?[-:]?[0-9]+")  # what renderers call footnotes and references to them


def note_key(source: Text, reference: NoteReference) -> Place | None:
    """The note that a reference means, None if there is none."""
    key = source.notes.keys.get(cast(Place, reference.key))
    return key if key in source.note_bodies else None


def return_orphans(source: Text, documents: Sequence[Document]) -> None:
    """Notes whose references were all left out with the text around them go back to the document that holds them."""
    if not source.note_bodies:
        return
    reached: set[Place] = set()

    def follow(text: MarkedUtf8) -> None:
        waiting = [text]
        while waiting:
            [references] = numbers_in(waiting.pop(), NOTE)
            for number in references:
                key = note_key(source, cast(NoteReference, source.late[number]))
                if key is not None and key not in reached:
                    reached.add(key)
                    waiting.append(source.note_bodies[key][1])

    written = {document.member: document.written for document in documents if document.written is not None}
    for document in written.values():
        follow(document.joined)
    changed: dict[str, list[bytes]] = {}
    for key, (member, packed) in list(source.note_bodies.items()):
        if key in reached:
            continue
        follow(packed)
        del source.note_bodies[key]
        if member not in changed:
            changed[member] = written[member].blocks()
        blocks = changed[member]
        anchors = packed.decode().replace(OPTIONAL, "").replace(OPTIONAL_END, "")
        if not NUMBERED.sub("", anchors).strip():
            if blocks and anchors:
                blocks[-1] += f"{OPTIONAL}\n\n{anchors.strip()}{OPTIONAL_END}".encode()
            continue
        blocks.append(packed)
        written[member].kinds.append(PARAGRAPH)
        source.sink.report(
            "source.note_unreferenced",
            "The reference to a note was left out; the note itself is kept as text.",
            path=member,
            once=("note_orphan", member),
        )
    for member, blocks in changed.items():
        written[member].put(blocks)


class Placement:
    """Where notes are defined: each in the first segment that refers to it, directly or from another note. And the ids
    of the places that links lead to: only those get an anchor."""

    def __init__(self, source: Text, segments: Sequence[Segment]) -> None:
        self.source = source
        self.home: dict[Place, int] = {}  # note -> the segment that defines it
        self.labels: dict[Place, str] = {}
        self.notes: dict[int, list[Place]] = {}  # segment -> the notes that it defines
        self.ids: dict[Place, str] = {}
        self.anchors: dict[Place, int] = {}  # place -> the number of its first anchor
        self.needed: frozenset[bytes] = frozenset()  # the marks of anchors that are written, by number
        wanted: set[Place] = set()
        anchors: list[int] = []
        late: list[Any] = source.late.entries
        labels = _Names(fold=True)
        for number, segment in enumerate(segments):
            waiting = deque([segment.text])
            while waiting:
                found, links, references = numbers_in(waiting.popleft(), ANCHOR, LINK, NOTE)
                anchors += found
                wanted.update([late[link].key for link in links])
                for mark in references:
                    reference: NoteReference = late[mark]
                    key = note_key(source, reference)
                    if key is not None and key not in self.home:
                        self.home[key] = number
                        self.labels[key] = _label(reference.label, labels)
                        self.notes.setdefault(number, []).append(key)
                        waiting.append(source.note_bodies[key][1])
                    elif key is None or self.home[key] != number:
                        wanted.add(cast(Place, key or reference.key))
        if wanted:
            self._name(wanted, anchors)

    def _name(self, wanted: set[Place], anchors: list[int]) -> None:
        """Give the places that `wanted` lead to their ids, in the order of `anchors`."""
        late: list[Any] = self.source.late.entries
        first = self.anchors.setdefault
        for mark in anchors:
            first(late[mark], mark)
        landings = {self.landing(place)[0] for place in wanted}
        names = _Names()
        for place in self.anchors:
            if place in landings:
                self.ids[place] = _id(place, names)
        self.needed = frozenset(b"%d" % self.anchors[place] for place in self.ids)

    def landing(self, place: Place) -> tuple[Place | None, bool]:
        """The place whose anchor stands for `place`, and whether that is what was asked for."""
        if place in self.anchors:  # also in a note that stands elsewhere, whatever stands in for its document
            return place, True
        found, exact = self.source.places.resolve(place)
        if found is None or found in self.anchors:
            return found, exact
        whole = (found[0], "")
        return (whole, False) if whole in self.anchors else (None, False)


def _label(shown: str, names: _Names) -> str:
    """The note's own label where it is fit and free, else one that no other note has."""
    label = normalize("NFKC", shown).strip(_BRACKETS)  # full-width brackets and digits
    return names.take(label if _PLAIN_LABEL.fullmatch(label) else "note")


class _Names:
    """Names that are in use; one that is taken gets a number. With `fold` letter case makes no difference."""

    def __init__(self, *, fold: bool = False) -> None:
        self._next: dict[str, int] = {}  # name -> the number that the next one like it gets
        self._key = str.lower if fold else str

    def __contains__(self, name: str) -> bool:
        return self._key(name) in self._next

    def take(self, name: str) -> str:
        """`name`, or the first `name-2`, `name-3` … that is free."""
        key, candidate = self._key(name), name
        count = self._next.get(key, 1)
        while candidate in self:
            count = max(2, count)
            candidate = f"{name}-{count}"
            count += 1
        self._next[key] = max(2, count)
        self._next.setdefault(self._key(candidate), 2)
        return candidate


def _id(place: Place, names: _Names) -> str:
    """An id made of the fragment, or of the document's name; with that name before it when it is taken."""
    member, fragment = place
    base = _fit(fragment)
    if base and base not in names and _FOOTNOTE_ID.fullmatch(base) is None:
        return names.take(base)
    stem = _fit(member.rpartition("/")[2].partition(".")[0]) or "document"
    base = base or stem
    return names.take(f"{stem}-{base}" if base in names or _FOOTNOTE_ID.fullmatch(base) else base)


def _fit(text: str) -> str:
    return _UNFIT.sub("-", text[:_LONGEST_ID]).strip("-")
