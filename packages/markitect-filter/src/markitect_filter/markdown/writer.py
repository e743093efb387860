"""The walk: an XHTML tree, element by element and without recursion, to blocks of Markdown.

`Writer` keeps what is open: the frame that collects blocks, the spans around the text, the pieces of the paragraph so
far. The handlers in `elements` say what each element means; they only use the methods here. Text goes through
`flush` into `inline.render`, the one place where it becomes Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Final

from lxml import etree
from markitect_tool.named_tuple import NamedTuple

from .alphabet import INVISIBLE, SOFT_HYPHEN, Alphabet
from .inline import render
from .items import Place
from .layout import EXPLICIT, FORMULA, PARAGRAPH, Frame
from .ledger import Ledger, beyond_ascii, nonblank, nonblank_utf8
from .marks import (
    ANCHOR,
    DISPLAY,
    MARK,
    MARK_END,
    NOTE,
    OPTIONAL,
    OPTIONAL_END,
    PAGE,
    SOFT_BREAK,
    ZERO_WIDTH,
    Late,
    NoteReference,
    is_mark,
)
from .references import Directive, References
from .table import SPARE_CELLS
from .tree import count_text, text_of, utf8_of

MAX_NESTING = 16  # quotes count one, lists two: what parsers follow (markdown-it stops at 20)

BLANK = " \n\t\r"  # XML's white space; other spaces are text
_ANCHOR_MARKS = (f"{MARK}{ANCHOR}", f"{MARK}{PAGE}")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_ONLY_INVISIBLE = re.compile(rf"(?:[\s\x01-\x08\x0e\x0f{INVISIBLE}]|\x10[APLMUVTt][0-9]+\x11)*")

End = Callable[["Writer", etree._Element], None]
Handler = Callable[["Writer", etree._Element], "End | None"]


def done(writer: Writer, element: etree._Element) -> None:
    """Returned by a handler that has dealt with the whole element."""


class Cut(NamedTuple):
    """A place where a segment may start: before block `block` of the document."""

    block: int
    key: Hashable


class Heading(NamedTuple):
    """A heading in block `block`, as plain text."""

    block: int
    level: int
    text: str


class Drawing(NamedTuple):
    """An svg element: does it hold a picture, and what is said about it?"""

    element: etree._Element
    pictured: bool
    label: str


class Written(NamedTuple):
    """One document as blocks. Numbered marks are still in them (see `marks` and `finish`)."""

    blocks: list[str]
    kinds: list[str]
    cuts: list[Cut]
    headings: list[Heading]
    notes: dict[Hashable, str]
    ledger: Ledger
    flattened: dict[str, int]  # what Markdown could not say, and how often


class _Note(NamedTuple):
    """What was open around a note that is taken out of the flow."""

    key: Hashable
    frames: list[Frame]
    pieces: list[str]
    marks: list[tuple[str, str]]
    carry: str
    soft: int
    verse: bool
    in_link: int
    in_code: int
    level: int


class Writer:
    """Writes one document. `late` is shared by all documents of a book, and has the marks in `places`: of the anchors
    of each element."""

    def __init__(
        self,
        references: References,
        late: Late | None = None,
        directives: Mapping[etree._Element, Directive] | None = None,
        places: Mapping[etree._Element, str] | None = None,
        spare_cells: int = SPARE_CELLS,
    ) -> None:
        self.references: Final = references
        self.late: Final = late if late is not None else Late()
        self.directives: Final = dict(directives or {})
        self.places: Final = places or {}
        self.ledger = Ledger()
        self.alphabet = Alphabet.of(b"", "")
        self.top = Frame()
        self.frames: list[Frame] = [self.top]
        self.frame: Frame = self.top
        self.pieces: list[str] = []
        self.marks: list[tuple[str, str]] = []  # spans that are open: opening and closing mark
        self.reopened = 0  # so many pieces only open again what a block border had closed
        self.carry = ""  # anchors waiting for a block to stand in
        self.soft = 0  # inside of a heading or cell: blocks become soft breaks
        self.verse = False  # inside of a group of lines: borders of blocks part nothing, see `verse`
        self.in_link = 0
        self.in_code = 0
        self.in_quotation = 0
        self.in_embedded = 0
        self.level = 0  # of quotes and lists
        self.drawing: Drawing | None = None
        self.shown_definitions: frozenset[etree._Element] | None = None  # of drawings; None before somebody asks
        self.counters: list[int | None] = []  # of the lists in a heading or cell: the next number
        self.cuts: list[Cut] = []
        self.headings: list[Heading] = []
        self.notes: dict[Hashable, str] = {}
        self.flattened: dict[str, int] = {}
        self.spare_cells = spare_cells  # see `table`
        self._notes: list[_Note] = []

    def write(self, root: etree._Element) -> Written:
        """Write `root` (usually a body) and everything below it."""
        from .elements import ELEMENTS

        text = utf8_of(root)
        foreign = beyond_ascii(text)
        self.alphabet = Alphabet.of(text, foreign)
        self.ledger.total += nonblank_utf8(text, foreign)
        del text, foreign  # as long as the document
        self._walk(root, ELEMENTS)
        self.flush()
        self.close_to(self.top)
        self._place_carry()
        return Written(
            self.top.blocks,
            self.top.kinds,
            self.cuts,
            self.headings,
            self.notes,
            self.ledger,
            self.flattened,
        )

    def _walk(self, root: etree._Element, elements: Mapping[object, tuple[bool, Handler | None]]) -> None:
        directives = self.directives
        places = self.places
        stack: list[tuple[Iterator[etree._Element], etree._Element, bool, End | None]] = []
        children: Iterator[etree._Element] = iter((root,))
        while True:
            for element in children:
                block, handler = elements[element.tag]
                if block and self.pieces:
                    self.boundary()
                if (place := places.get(element)) is not None:
                    self.pieces.append(place)
                directive = directives.get(element)
                if directive is not None:
                    end = self._obey(element, directive, handler)
                elif handler is not None:
                    end = handler(self, element)
                else:
                    end = None
                if end is not done:
                    if (text := element.text) and (self.pieces or text.strip(BLANK)):
                        self.pieces.append(text)
                    if len(element):
                        stack.append((children, element, block, end))
                        children = iter(element)
                        break
                    if end is not None:
                        end(self, element)
                if block and self.pieces:
                    self.boundary()
                if (tail := element.tail) and element is not root and (self.pieces or tail.strip(BLANK)):
                    self.pieces.append(tail)
            else:
                if not stack:
                    return
                children, element, block, end = stack.pop()
                if end is not None:
                    end(self, element)
                if block and self.pieces:
                    self.boundary()
                if (tail := element.tail) and element is not root and (self.pieces or tail.strip(BLANK)):
                    self.pieces.append(tail)

    # -- what the caller knew

    def _obey(self, element: etree._Element, directive: Directive, handler: Handler | None) -> End | None:
        end = self._prepare(element, directive)
        if handler is None or end is done:
            return end
        if end is None:
            return handler(self, element) if not directive.plain else None
        if directive.worded:
            return end
        # a note or other capture: its own element still means what it means inside
        inner = handler(self, element)
        return inner if inner is done else _both(inner, end)

    def _prepare(self, element: etree._Element, directive: Directive) -> End | None:
        if directive.cut is not None:
            self.cuts.append(Cut(len(self.top.blocks), directive.cut))
        if directive.page is not None:
            self.pieces.append(self.late.add(PAGE, directive.page))
        if directive.skip is not None:
            self._leave_out(element, directive.skip)
            return done
        if directive.noteref is not None:
            if directive.worded:
                return _end_reference
            label = text_of(element)
            self.inner_marks(element)
            self.pieces.append(
                self.late.add(NOTE, NoteReference(directive.noteref, " ".join(label.split()), directive.superscript))
            )
            self.ledger.skip("note-reference", nonblank(label))
            return done
        if directive.note is not None:
            return self._start_note(directive.note, element in self.places)
        end: End | None = directive.also(self, element) if directive.also is not None else None
        return end

    def _leave_out(self, element: etree._Element, reason: str) -> None:
        self.inner_marks(element)
        self.ledger.skip(reason, count_text(element))

    def skip(self, element: etree._Element, reason: str) -> None:
        """Leave `element` out; links to places inside of it still lead here."""
        self._leave_out(element, reason)

    def inner_marks(self, element: etree._Element) -> None:
        """Keep the anchors and page breaks inside of an element that isn't walked."""
        if not len(element) or not (self.places or self.directives):
            return
        for inner in list(element.iterdescendants(etree.Element)):  # all at once: letting one go costs its depth
            if (place := self.places.get(inner)) is not None:
                self.pieces.append(place)
            directive = self.directives.get(inner)
            if directive is None:
                continue
            if directive.cut is not None:
                self.cuts.append(Cut(len(self.top.blocks), directive.cut))
            if directive.page is not None:
                self.pieces.append(self.late.add(PAGE, directive.page))

    def _start_note(self, key: Hashable, anchored: bool) -> End:
        """Set aside what is open; if it is `anchored` the last piece is of the note's own anchors."""
        anchors = self.pieces.pop() if anchored else ""
        self._notes.append(
            _Note(
                key,
                self.frames,
                self.pieces,
                self.marks,
                self.carry,
                self.soft,
                self.verse,
                self.in_link,
                self.in_code,
                self.level,
            )
        )
        self.frame = Frame()
        self.frames = [self.frame]
        self.pieces, self.marks, self.reopened, self.carry = [], [], 0, anchors
        self.soft = self.in_link = self.in_code = self.level = 0
        self.verse = False
        return _end_note

    def end_note(self) -> None:
        """Close the note that is being taken out; what was open before goes on."""
        self.flush()
        self.close_to(self.frames[0])
        self._place_carry()
        note = self._notes.pop()
        body = "\n\n".join(self.frame.blocks)
        if note.key in self.notes:
            body = f"{self.notes[note.key]}\n\n{body}"
        self.notes[note.key] = body
        self.frames, self.frame = note.frames, note.frames[-1]
        self.pieces, self.marks, self.carry = note.pieces, note.marks, note.carry
        self.soft, self.in_link, self.in_code, self.level = note.soft, note.in_link, note.in_code, note.level
        self.verse = note.verse
        self.reopened = len(self.marks)

    @property
    def in_note(self) -> bool:
        """Is a note being taken out of the flow?"""
        return bool(self._notes)

    # -- text

    def boundary(self) -> None:
        """The border of a block."""
        if not self.pieces:
            return
        if self.soft:
            self.pieces.append(SOFT_BREAK)
        elif not self.verse:
            self.flush()

    def flush(self, kind: str = PARAGRAPH) -> None:
        """Finish the paragraph."""
        pieces = self.pieces
        if not pieces:
            return
        if pieces[0][0] == MARK and not self.marks:
            self._take_anchors()
            if not pieces:
                return
        marked = len(pieces) > 1 or bool(self.marks) or is_mark(pieces[0])
        source = self.take()
        if source is None:
            return
        if marked and source.rstrip()[-1:] == MARK_END and (formula := self._formula(source)) is not None:
            self.frame.add(FORMULA, formula)
            return
        text = self.spell(source, "paragraph", marked=marked)
        if text:
            self.frame.add(kind, text)

    def _take_anchors(self) -> None:
        """Anchors in front of the paragraph wait for it with those that waited already."""
        pieces = self.pieces
        taken = 0
        for piece in pieces:
            if not (piece.startswith(_ANCHOR_MARKS) or piece.isspace()):
                break
            taken += 1
        self.carry += "".join([piece for piece in pieces[:taken] if piece[0] == MARK])
        del pieces[:taken]

    def take(self) -> str | None:
        """The paragraph so far, its spans closed; those that are open go on in the next one."""
        pieces = self.pieces
        if not pieces:
            return None
        if self.marks:
            if len(pieces) == self.reopened:
                return None
            pieces += [end for _, end in reversed(self.marks)]
            self.pieces = [start for start, _ in self.marks]
            self.reopened = len(self.marks)
        else:
            self.pieces = []
        source = "".join(pieces) if len(pieces) > 1 else pieces[0]
        if self.alphabet.soft_hyphens and SOFT_HYPHEN in source:
            self.ledger.skip("soft-hyphen", source.count(SOFT_HYPHEN))
            return source.replace(SOFT_HYPHEN, "")
        return source

    def spell(self, source: str, place: Place, *, marked: bool = True) -> str:
        """Source text with marks as Markdown, behind the anchors that wait; empty if nothing can be seen (then they go
        on waiting, and those in the text with them)."""
        alphabet = self.alphabet
        if alphabet.invisible and _ONLY_INVISIBLE.fullmatch(source) is not None:
            source, count = _INVISIBLE.subn("", source)
            self.ledger.skip("invisible", count)
        text, visible, emitted, lost = render(source, self.late, place, alphabet, anchors=self.carry, marked=marked)
        self.ledger.emitted += emitted
        if lost:
            self.note_flattened("emphasis", lost)
        if not visible:
            self.carry = text
            return ""
        self.carry = ""
        return text

    def _formula(self, source: str) -> str | None:
        """A paragraph that is nothing but a display formula, as a block of its own."""
        if f"{MARK}{DISPLAY}" not in source:
            return None
        zero = "".join(ZERO_WIDTH.findall(source))
        bare = ZERO_WIDTH.sub("", source).strip()
        if bare.count(MARK) != 1 or bare[1:2] != DISPLAY or bare[0] != MARK or bare[-1] != MARK_END:
            return None
        self.carry += zero
        return f"{self.anchors()}$$\n{self.late[int(bare[2:-1])]}\n$$"

    def open(self, start: str, end: str) -> None:
        """Open a span."""
        self.pieces.append(start)
        self.marks.append((start, end))

    def close(self) -> None:
        """Close the innermost span."""
        self.pieces.append(self.marks.pop()[1])
        self.reopened = 0

    def emit_text(self, text: str) -> None:
        """Text that isn't the tree's (a quotation mark): shown, but not counted."""
        encoded = text.encode()
        self.alphabet = self.alphabet.joined(Alphabet.of(encoded, beyond_ascii(encoded)))
        self.pieces.append(text)
        self.ledger.emitted -= nonblank(text)

    def refer(self, element: etree._Element, source: str) -> str | None:
        """The destination of a picture or other medium, if it has one; the caller of the writer hears of it."""
        return self.references.resource(element, source) if source.strip() else None

    # -- frames

    def push(self, frame: Frame) -> None:
        """Open a container."""
        self.frames.append(frame)
        self.frame = frame

    def close_to(self, frame: Frame) -> None:
        """Close every container above `frame`."""
        while self.frame is not frame:
            closing = self.frames.pop()
            self.frame = self.frames[-1]
            closing.close(self.frame)

    def add_block(self, kind: str, text: str) -> None:
        """A block that holds no inline text: anchors that wait come before it."""
        self.frame.add(kind, f"{self.anchors()}{text}")

    def anchors(self) -> str:
        """The anchors that wait, as a paragraph that goes if none of them is needed."""
        carry, self.carry = self.carry, ""
        return f"{OPTIONAL}{carry}\n\n{OPTIONAL_END}" if carry else ""

    def _place_carry(self) -> None:
        """Anchors with nothing after them stand at the end of what came before."""
        if not self.carry:
            return
        frame = self.frame
        if frame.blocks and frame.kinds[-1] in (PARAGRAPH, EXPLICIT, "h"):
            frame.blocks[-1] += self.carry
        elif frame.blocks:
            frame.blocks[-1] += f"{OPTIONAL}\n\n{self.carry}{OPTIONAL_END}"
        else:
            frame.add(PARAGRAPH, f"{OPTIONAL}{self.carry}{OPTIONAL_END}")
        self.carry = ""

    # -- reports

    def note_flattened(self, what: str, count: int = 1) -> None:
        """Remember that Markdown can't say something."""
        self.flattened[what] = self.flattened.get(what, 0) + count


def _end_note(writer: Writer, element: etree._Element) -> None:
    writer.end_note()


def _end_reference(writer: Writer, element: etree._Element) -> None:
    """A reference whose text was written: its sign comes behind."""
    directive = writer.directives[element]
    writer.pieces.append(writer.late.add(NOTE, NoteReference(directive.noteref, "", directive.superscript)))


def _both(first: End | None, second: End) -> End:
    if first is None:
        return second

    def end(writer: Writer, element: etree._Element) -> None:
        first(writer, element)
        second(writer, element)

    return end
