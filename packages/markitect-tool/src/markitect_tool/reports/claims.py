"""Which parts of the source's pages stand as footnotes in the Markdown.

Notes move: from the end of a page, or from a page of their own, to the segment that refers to them. The provenance says
where each comes from, not how far it goes; that is found by comparing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markitect_tool.reports.pages import Page, Span
from markitect_tool.reports.words import Match, common_words, words_of
from markitect_tool.source.model import NormalizedMarkdownDocument

_DESTINATION = re.compile(r"\]\([^()\s]*\)")
_SLACK = 200  # characters by which a note may be longer in the source than as a footnote: labels, links back
_BORDER = "\n\n"  # between blocks
_SIGN = 8  # characters of a label or a link back
_ENOUGH = 0.5  # the share of a footnote's words that must be there


@dataclass(slots=True)
class Claim:
    """A footnote and the part of a page that it is. Without `span` that could not be found."""

    segment: int
    start: int  # of the definition in the segment's Markdown
    page: Page
    offset: int
    markdown: str
    span: Span | None = None


def claim_notes(document: NormalizedMarkdownDocument, pages: Mapping[str | None, Page]) -> dict[int, list[Claim]]:
    """The footnotes of each segment, by its order. What could be found of them is marked as taken in its page."""
    claims: list[Claim] = []
    for order, segment in enumerate(document.segments):
        for entry in segment.provenance:
            page = pages.get(entry.package_path)
            start, end = entry.start_offset, entry.end_offset
            if entry.metadata.get("kind") != "note" or page is None or page.is_long or start is None or end is None:
                continue
            if (offset := page.anchors.get(entry.anchor or "")) is not None:
                claims.append(Claim(order, start, page, offset, segment.markdown[start:end]))
    offsets: dict[str | None, list[int]] = {}
    for claim in claims:
        offsets.setdefault(claim.page.path, []).append(claim.offset)
    sorted_offsets = {path: sorted(set(places)) for path, places in offsets.items()}
    spans: dict[tuple[str | None, int], Span | None] = {}  # a note may be referred to from several segments
    found: dict[int, list[Claim]] = {}
    for claim in claims:
        key = (claim.page.path, claim.offset)
        if key not in spans:
            spans[key] = span = _extent(claim, sorted_offsets[claim.page.path])
            if span is not None:
                claim.page.taken.append(span)
        claim.span = spans[key]
        found.setdefault(claim.segment, []).append(claim)
    return found


def _extent(claim: Claim, offsets: list[int]) -> Span | None:
    """From the note's anchor to its last word that is in the footnote, with its label and the way back."""
    page, start = claim.page, claim.offset
    following = bisect_right(offsets, start)
    end = min(
        offsets[following] if following < len(offsets) else len(page.text),
        start + 2 * len(claim.markdown) + _SLACK,
    )
    low, high = page.words.within(start, end)
    footnote = words_of(_DESTINATION.sub("]", claim.markdown))
    matches = common_words(page.words.keys[low:high], footnote.keys)
    best = _last_of(matches)
    common = sum(
        key.isalnum() for match in matches[:best] for key in footnote.keys[match.made : match.made + match.size]
    )
    if not common or common < _ENOUGH * sum(key.isalnum() for key in footnote.keys[2:]):
        return None
    last = page.words.ends[low + matches[best - 1].source + matches[best - 1].size - 1]
    block_end = page.text.find(_BORDER, last, end)
    rest = page.text[last : end if block_end < 0 else block_end]
    if not any(char.isalpha() for char in rest) and len(rest) <= _SIGN:
        last += len(rest)
    before = page.text[max(0, start - _SIGN - len(_BORDER)) : start]
    label = before.rpartition(_BORDER)[2]
    if len(label) <= _SIGN and not any(char.isalpha() for char in label):
        start -= len(label)
    return start, last


def _last_of(matches: Sequence[Match]) -> int:
    """How many of the matches belong to the note. Behind its end, a word here and there is the same by chance."""
    best, top, score, at = 0, 0.0, 0.0, 0
    for number, match in enumerate(matches, 1):
        score += match.size - (match.source - at) / 2
        at = match.source + match.size
        if score > top:
            best, top = number, score
    return best
