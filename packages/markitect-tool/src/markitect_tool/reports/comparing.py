"""The words of the source's pages and those of the Markdown: what is in both, in one only, or in another form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markitect_tool.reports.claims import Claim
from markitect_tool.reports.pages import Kind, Mark, Page, Span, overlapping
from markitect_tool.reports.rendering import Block, Rendered, StandIn
from markitect_tool.reports.rows import Side, side_by_side
from markitect_tool.reports.words import FORMULA, NOTE, PICTURE, STAND_INS, Match, Words, common_words, words_of

_SIGN = 8  # characters of the sign of a note, of its label, of the way back: "[12]", "*", "↩"


@dataclass(slots=True)
class Row:
    """Blocks that stand side by side."""

    page: Page | None = None
    source: list[Span] = field(default_factory=list)  # of the page's text
    marks: list[Mark] = field(default_factory=list)  # in the source, sorted
    made: list[Block] = field(default_factory=list)
    different: bool = False


class View:
    """A segment for a person: its rows, and the marks in its text."""

    def __init__(self, number: int, rendered: Rendered, claims: Sequence[Claim], labels: frozenset[str]) -> None:
        """`number` is its order in the document, `labels` are those of the printed pages that it is on."""
        self.number = number
        self.rendered = rendered
        self.claims = sorted(claims, key=lambda claim: claim.start)
        self.labels = labels
        self.words: Words = words_of(rendered.text)
        self.rows: list[Row] = []
        self.marks: list[Mark] = []
        places = (start for start, key in zip(self.words.starts, self.words.keys, strict=True) if key in STAND_INS)
        self.stand_ins: dict[int, StandIn] = dict(zip(places, rendered.stand_ins, strict=True))

    @property
    def differences(self) -> int:
        """How many of its rows differ."""
        return sum(row.different for row in self.rows)

    def blocks(self, *, notes: bool) -> list[Block]:
        """Its blocks: the definitions of footnotes, or the others."""
        return [block for block in self.rendered.blocks if (block.note is not None) == notes]


def compare_page(page: Page, views: Sequence[View]) -> None:
    """Compare `page` with the segments that come from it: rows and marks go into both."""
    chunks = page.remaining()
    owners = [(view, block) for view in views for block in view.blocks(notes=False)]
    source, made = Side(), Side()
    for chunk in chunks:
        source.add(page.words, *chunk)
    for view, block in owners:
        made.add(view.words, block.start, block.end)
    matches = common_words(source.keys, made.keys)
    marks = _mark(source, made, matches, [view for view, _ in owners])
    current = views[0]
    for sources, blocks in side_by_side(source, made, matches):
        rows: list[tuple[View, Row]] = []
        for number in blocks:
            view, block = owners[number]
            if not rows or rows[-1][0] is not view:
                rows.append((view, Row(page)))
            rows[-1][1].made.append(block)
        if not rows:
            rows.append((current, Row(page)))
        rows[0][1].source = spans = [chunks[number] for number in sources]
        rows[0][1].marks = [mark for span in spans for mark in overlapping(marks, *span)]
        current = rows[-1][0]
        for view, row in rows:
            view.rows.append(row)


def compare_notes(view: View) -> None:
    """Compare the footnotes of a segment with what they were in the source, a row for each."""
    blocks = view.blocks(notes=True)
    for number, block in enumerate(blocks):
        claim = view.claims[number] if len(view.claims) == len(blocks) else None
        row = Row(made=[block])
        view.rows.append(row)
        if claim is not None and claim.span is not None:
            row.page, row.source = claim.page, [claim.span]
            source, made = Side(), Side()
            source.add(claim.page.words, *claim.span)
            made.add(view.words, block.start, block.end)
            row.marks = _mark(source, made, common_words(source.keys, made.keys), [view], of_note=True)


def compare_nothing(view: View) -> None:
    """The rows of a segment whose source is not known."""
    view.rows = [Row(made=[block]) for block in view.rendered.blocks]


def judge(view: View) -> None:
    """Say of each row whether it differs. To be called when everything is compared."""
    view.marks.sort()
    for row in view.rows:
        row.different = any(mark.kind != "rewritten" for mark in row.marks) or any(
            any(overlapping(view.marks, block.start, block.end)) for block in row.made
        )


def _mark(
    source: Side, made: Side, matches: Sequence[Match], owners: Sequence[View], *, of_note: bool = False
) -> list[Mark]:
    """What does not match: the marks of the source. Those of the Markdown go to the `owners` of its blocks."""
    marks: list[Mark] = []
    at, there = 0, 0
    for match in [*matches, Match(len(source.keys), len(made.keys), 0)]:
        if at == match.source and there == match.made:
            at, there = at + match.size, there + match.size
            continue
        stand_ins = []
        words = []
        for number in range(there, match.made):
            if made.keys[number] in STAND_INS:
                stand_ins.append(owners[made.blocks[number]].stand_ins[made.spans[number][0]])
            else:
                words.append(number)
        lost = source.keys[at : match.source]
        written = "".join(made.keys[number] for number in words)
        labels = owners[made.blocks[there]].labels if there < len(made.blocks) else frozenset[str]()
        edge = of_note and (at == 0 or match.source == len(source.keys))
        if _is_same(lost, written, stand_ins):
            words = []
            kind: Kind = "rewritten"
        elif _is_rewritten(lost, stand_ins, labels) or (edge and _is_sign("".join(lost))):
            kind = "rewritten"
        else:
            kind = "missing"
        marks += (Mark(*span, kind) for _, span in _runs(source, range(at, match.source)))
        for block, span in _runs(made, words):
            owners[block].marks.append(Mark(*span, "added"))
        at, there = match.source + match.size, match.made + match.size
    return marks


def _runs(side: Side, numbers: Sequence[int]) -> Iterator[tuple[int, Span]]:
    """Neighbouring words of one block, as one span."""
    start = 0
    for index in range(1, len(numbers) + 1):
        if (
            index == len(numbers)
            or numbers[index] != numbers[index - 1] + 1
            or (side.blocks[numbers[index]] != side.blocks[numbers[index - 1]])
        ):
            first, last = numbers[start], numbers[index - 1]
            yield side.blocks[first], (side.spans[first][0], side.spans[last][1])
            start = index


def _is_same(lost: Sequence[str], written: str, stand_ins: Sequence[StandIn]) -> bool:
    """Whether the words are the same but for the sign of a note that grew together with a number: "1747" and "12"."""
    text = "".join(lost)
    room = _SIGN * sum(found.char == NOTE for found in stand_ins)
    return bool(written) and text.startswith(written) and len(text) - len(written) <= room


def _is_rewritten(lost: Sequence[str], stand_ins: Sequence[StandIn], labels: frozenset[str]) -> bool:
    """Whether words of the source are there in another form: the sign of a note, a formula, the text of a picture, the
    number of a printed page."""
    text = "".join(lost)
    if text in labels:
        return True
    of_kind: dict[str, list[str]] = {}
    for found in stand_ins:
        of_kind.setdefault(found.char, []).append(found.text)
    notes = of_kind.get(NOTE, ())
    if notes and len(text) <= _SIGN * len(notes):
        return True
    if len(text) <= 2 * sum(map(len, of_kind.get(FORMULA, ()))):
        return bool(text)
    described = {key for alternative in of_kind.get(PICTURE, ()) for key in words_of(alternative).keys}
    return bool(described) and described.issuperset(lost)


def _is_sign(text: str) -> bool:
    return len(text) <= _SIGN and not any(char.isalpha() for char in text)
