"""Stage 5: what the writer is told of notes and of the references to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lxml import etree

from markitect_filter.documents.notes.notes import Found
from markitect_filter.documents.notes.references import NoteRef
from markitect_filter.markdown.references import Directive


def mark_notes(found: Found, references: Iterable[NoteRef], directive: Callable[[etree._Element], Directive]) -> int:
    """Give the elements of notes and references their directives. Returns the characters of labels that were taken out
    of the tree: they are no longer there to be counted."""
    for ref in references:
        assert ref.element is not None  # the document is in memory
        entry = directive(ref.element)
        entry.noteref, entry.superscript, entry.worded = ref.target, ref.raised, ref.worded
        if (superscript := ref.own_superscript()) is not None:
            directive(superscript).plain = True
    labels = 0
    for note in found.notes:
        for block in note.blocks:
            directive(block).note = note.key
        if note.label is not None:
            directive(note.label).skip = "note-label"
        labels += note.label_chars
        for link in note.backlinks:
            entry = directive(link)
            entry.skip, entry.noteref = "note-backlink", None
    for element in found.remains:
        directive(element).skip = "note-heading"
    return labels
