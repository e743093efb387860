"""How models hold the text of a source: nobody who uses them can tell."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from markitect_tool.errors import ModelError
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceAsset,
)

HALF_A_PAIR = "before \ud83d after"
TEXTS = [
    "",
    "plain",
    "na\u00efve",
    "\u201cquoted\u201d\n\nand more",
    "\U0001f40c and \u4e2d\u6587",
    HALF_A_PAIR,
    "\udc0c\ud83d",
]
OTHER_TEXTS = ["---\ntitle: A\n---\n\n\u201ca\u201d\n\nb", "\u201ca\u201d\n\n", "\u201ca\u201d\nb", "", HALF_A_PAIR]


def _segment(text: str, order: int = 0) -> NormalizedMarkdownSegment:
    return NormalizedMarkdownSegment(f"s{order}", order, text)


def _document(*texts: str, **changes: Any) -> NormalizedMarkdownDocument:
    return NormalizedMarkdownDocument.assemble(
        asset=SourceAsset("a.txt"),
        adapter_id="source.fake",
        adapter_version="1",
        options={},
        segments=[_segment(text, order) for order, text in enumerate(texts)],
        quality=NormalizationQuality("none"),
    ).but(**changes)


@pytest.mark.parametrize("text", TEXTS)
def test_a_segment_gives_the_text_that_it_was_given(text: str):
    segment = _segment(text)
    assert type(segment.markdown) is str
    assert segment.markdown == text


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "through",
    [
        lambda segment: pickle.loads(pickle.dumps(segment)),
        copy.deepcopy,
        replace,
        lambda segment: NormalizedMarkdownSegment.from_dict(segment.to_dict()),
    ],
    ids=["pickle", "deepcopy", "replace", "from_dict"],
)
def test_a_segment_comes_back_equal(text: str, through: Any):
    came_back = through(_segment(text))
    assert came_back == _segment(text)
    assert came_back.markdown == text


def test_segments_of_different_texts_are_not_equal():
    assert _segment("\u201ca\u201d") != _segment("\u201cb\u201d")


def test_a_segment_made_of_utf8_equals_one_made_of_text():
    made = NormalizedMarkdownSegment.of_utf8("\u201ca\u201d".encode(), segment_id="s0", order=0)
    assert made == _segment("\u201ca\u201d")
    assert repr(made) == repr(_segment("\u201ca\u201d"))


def test_half_a_surrogate_pair_is_a_question_mark_in_utf8_only():
    assert _segment(HALF_A_PAIR).markdown_utf8() == b"before ? after"
    assert _segment(HALF_A_PAIR).markdown == HALF_A_PAIR


def test_half_a_surrogate_pair_becomes_what_is_asked_for():
    assert _segment(HALF_A_PAIR).markdown_utf8("ignore") == b"before  after"
    with pytest.raises(UnicodeEncodeError):
        _segment(HALF_A_PAIR).markdown_utf8("strict")


@pytest.mark.parametrize("text", [["a"], b"a", 1, None])
def test_a_segment_takes_no_other_type_for_text(text: Any):
    with pytest.raises(ModelError, match=f"markdown takes str, not {type(text).__name__}"):
        _segment(text)


def test_a_segment_with_one_curly_quote_takes_a_byte_for_each_letter():
    tracemalloc.start()
    try:
        segment = _segment("\u201c" + "a" * 100_000)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert segment.order == 0
    assert held < 110_000


def test_a_document_joins_its_segments_when_asked():
    assert _document("\u201ca\u201d", "", "b").markdown == "\u201ca\u201d\n\n\n\nb"
    assert _document().markdown == ""
    assert _document(*TEXTS).markdown == "\n\n".join(TEXTS)


def test_a_text_that_was_asked_for_is_kept():
    document = _document("a", "b")
    assert document.markdown is document.markdown


@pytest.mark.parametrize("texts", [TEXTS, ["a"], []])
def test_the_pieces_of_a_document_in_utf8_are_its_text(texts: list[str]):
    document = _document(*texts)
    assert b"".join(document.markdown_utf8()) == document.markdown.encode("utf-8", "replace")


@pytest.mark.parametrize("text", OTHER_TEXTS)
def test_a_document_with_another_text_keeps_it(text: str):
    document = _document("\u201ca\u201d", "b", markdown=text)
    assert document.markdown == text
    assert NormalizedMarkdownDocument.from_dict(document.to_dict()).markdown == text
    assert b"".join(document.markdown_utf8()) == text.encode("utf-8", "replace")
    assert document != _document("\u201ca\u201d", "b")


def test_a_document_read_back_equals_the_one_that_was_written():
    document = _document("\u201ca\u201d", "b")
    assert NormalizedMarkdownDocument.from_dict(document.to_dict()) == document
    assert pickle.loads(pickle.dumps(document)) == document


@pytest.mark.parametrize(
    "through",
    [
        lambda document: document.but(cache_key="other"),
        lambda document: replace(document, cache_key="other"),
        lambda document: pickle.loads(pickle.dumps(document)),
        lambda document: NormalizedMarkdownDocument.from_dict(document.to_dict()),
    ],
    ids=["but", "replace", "pickle", "from_dict"],
)
def test_what_comes_of_a_document_holds_its_text_once(through: Any):
    tracemalloc.start()
    try:
        came_back = through(_document("\u201ca\u201d" * 50_000, "b"))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1.2 * len(came_back.segments[0].markdown_utf8())


def test_other_segments_leave_the_text_of_a_document_as_it_was():
    document = _document("a", "b").but(segments=[_segment("c")])
    assert document.markdown == "a\n\nb"
