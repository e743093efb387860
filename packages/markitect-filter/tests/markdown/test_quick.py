"""The quick way through a paragraph and the long one give the same Markdown."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markitect_filter.markdown import quick
from markitect_filter.markdown.alphabet import Alphabet
from markitect_filter.markdown.inline import _render_items, render
from markitect_filter.markdown.ledger import beyond_ascii, nonblank, nonblank_utf8
from markitect_filter.markdown.marks import (
    ANCHOR,
    ATOM,
    BREAK,
    CODE,
    CODE_END,
    EM,
    EM_END,
    LINK,
    LINK_END,
    NOTE,
    PAGE,
    SOFT_BREAK,
    STRONG,
    STRONG_END,
    TAG,
    TAG_END,
    URL,
    URL_END,
    Late,
    LinkTarget,
    NoteReference,
    mark,
)

EXAMPLES = int(os.environ.get("MARKITECT_EXAMPLES", "250"))
LATE = Late()
for entry in (
    LinkTarget(url="http://a.b/c", title="t`"),
    LinkTarget(key="k"),
    "place",
    NoteReference("n", "1"),
    "![a|b](c.png)",
    "$x$",
):
    LATE.add(ANCHOR, entry)  # the kind does not matter: entries 0 to 5
SPANS = [
    (EM, EM_END),
    (STRONG, STRONG_END),
    (CODE, CODE_END),
    (mark(URL, 0), mark(URL_END, 0)),
    (mark(LINK, 1), mark(LINK_END, 1)),
    (mark(TAG, 0), mark(TAG_END, 0)),
]
EASY = [
    "a",
    "Wort",
    "1",
    " ",
    " ",
    ".",
    ",",
    "“",
    "—",
    "é",
    "(",
    ")",
    "!",
    ":",
    "^",
    "-",
    "#",
    "\u2003",
    "\xa0",
    "\x85",
]
SPECIAL = [*"\\`*_[]<&$~|", "](", "amp;", "[x] "]
MARKS = [BREAK, SOFT_BREAK, mark(ANCHOR, 2), mark(PAGE, 2), mark(NOTE, 3), mark(ATOM, 4), mark(ATOM, 5)]
pieces = st.sampled_from([*EASY, *EASY, *EASY, *SPECIAL, *MARKS, *MARKS])


def spans(children):
    return st.tuples(st.sampled_from(SPANS), st.lists(children, min_size=1, max_size=4)).map(
        lambda made: f"{made[0][0]}{''.join(made[1])}{made[0][1]}"
    )


paragraphs = st.lists(st.recursive(pieces, spans, max_leaves=8), max_size=8).map("".join)


@pytest.mark.parametrize("place", ["paragraph", "heading", "cell"])
@settings(max_examples=EXAMPLES, deadline=None)
@given(source=paragraphs)
def test_quick_way_writes_what_the_long_way_writes(place, source):
    assert render(source, LATE, place) == _render_items(source, LATE, place)


@settings(max_examples=EXAMPLES, deadline=None)
@given(source=paragraphs)
def test_anchors_before_a_paragraph_are_as_those_at_its_start(source):
    before = mark(ANCHOR, 2)
    assert render(source, LATE, anchors=before) == render(f"{before}{source}", LATE)


@pytest.mark.parametrize(
    "source",
    [
        f"plain {EM}emphasis{EM_END}, {STRONG}strong{STRONG_END}.",
        f"a {mark(URL, 0)}link{mark(URL_END, 0)} and a note{mark(NOTE, 3)}",
        f"{mark(ANCHOR, 2)}Text{BREAK}and {CODE}code{CODE_END}",
        f"a verse{mark(NOTE, 3)}{BREAK}{mark(ANCHOR, 2)}and the next",
        f"{EM}Exit.{EM_END}{BREAK}{EM}“Enter{EM_END}",
        "sold for $5, bought for $4 ~ $3 (~ 10 %)",
        f"{EM}Costs{EM_END}: $5 to $4 {mark(URL, 0)}$3{mark(URL_END, 0)} {mark(TAG, 0)}$2{mark(TAG_END, 0)}",
        "AT&T, &c.; R&D",
        f"132{EM}f{EM_END}, un{EM}believ{EM_END}able",
        f"see {mark(LINK, 1)}{EM}the appendix{EM_END}{mark(LINK_END, 1)}.",
        f"{mark(URL, 0)}{STRONG}Chapter{STRONG_END} 1{mark(URL_END, 0)}",
        f"A line{BREAK}{mark(ANCHOR, 2)}{EM}and the next{EM_END}",
        f"[a] {mark(LINK, 1)}[1]{mark(LINK_END, 1)} [b]",
        f"the {CODE}{mark(URL, 0)}option{mark(URL_END, 0)}{CODE_END} of it",
    ],
)
def test_common_paragraphs_go_the_quick_way(source):
    assert quick.spell(source, LATE, "paragraph") is not None
    assert render(source, LATE, "paragraph") == _render_items(source, LATE, "paragraph")


@pytest.mark.parametrize("char", "*_")
def test_a_delimiter_after_an_anchor_goes_the_long_way(char):
    source = f"{mark(ANCHOR, 2)}{char}a note"
    assert render(source, LATE) == _render_items(source, LATE, "paragraph")


def test_a_line_break_in_a_heading_is_a_blank_for_the_anchors_after_it():
    source = f"Part{BREAK}{mark(ANCHOR, 2)}One"
    assert render(source, LATE, "heading") == _render_items(source, LATE, "heading")


@given(text=st.text(st.sampled_from([*"ab \t\n\r", "é", "漢", "😀", "\x85", "\xa0", "\u2009", "\u3000"])))
def test_text_counts_the_same_as_bytes(text):
    encoded = text.encode()
    assert nonblank_utf8(encoded, beyond_ascii(encoded)) == nonblank(text) == sum(not char.isspace() for char in text)


@settings(max_examples=EXAMPLES, deadline=None)
@given(source=paragraphs)
def test_knowing_the_alphabet_changes_nothing(source):
    encoded = source.encode()
    assert render(source, LATE, alphabet=Alphabet.of(encoded, beyond_ascii(encoded))) == render(source, LATE)


@pytest.mark.parametrize(
    "source",
    [f"a{EM}b{EM_END}c {STRONG}d{STRONG_END}", f"{EM} a{EM_END}", "a*b*", f"{CODE}a{mark(ANCHOR, 2)}{CODE_END}"],
)
def test_what_needs_thought_goes_the_long_way(source):
    assert quick.spell(source, LATE, "paragraph") is None
