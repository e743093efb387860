"""Headings of a Markdown text, as CommonMark sees them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markitect_tool.source.headings import Heading, headings


def _found(text: str) -> list[tuple[int, int, str]]:
    return [tuple(heading) for heading in headings(text.split("\n"))]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One", [(0, 1, "One")]),
        ("###### Six ######", [(0, 6, "Six")]),
        ("####### Seven", []),
        ("#hashtag", []),
        ("   ## Indented", [(0, 2, "Indented")]),
        ("    # Code", []),
        ("\t# Code", []),
        ("#", [(0, 1, "")]),
        ("## ##", [(0, 2, "")]),
        ("# # #", [(0, 1, "#")]),
        ("# A #1", [(0, 1, "A #1")]),
        ("One\n===", [(0, 1, "One")]),
        ("One\n---", [(0, 2, "One")]),
        ("One\ntwo\n===", [(0, 1, "One two")]),
        ("\n---\n", []),
        ("- item\n---", []),
        ("> quote\n===", []),
        ("1. item\n   more\n---", []),
        ("One\n    still\n---", [(0, 2, "One still")]),
        ("```\n# no\n```\n# yes", [(3, 1, "yes")]),
        ("~~~~\n# no\n~~~\n# no\n~~~~\n# yes", [(5, 1, "yes")]),
        ("```\n# never closed", []),
        ("``` a`b\n# yes", [(1, 1, "yes")]),
        ("<!--\n# no\n\n# no\n-->\n# yes", [(5, 1, "yes")]),
        ("<pre>\n\n# no\n</pre>\n# yes", [(4, 1, "yes")]),
        ("text\n# yes", [(1, 1, "yes")]),
        ("- item\n# yes", [(1, 1, "yes")]),
        ("* * *\n===", []),
        ("- item\n\n  # no\n\n# yes", [(4, 1, "yes")]),
        ("- item\n\n  no\n---", []),
        ("- ```\n  # no\n  ```\n\nYes\n---", [(4, 2, "Yes")]),
        ("text\n14. a year\n---", [(0, 2, "text 14. a year")]),
    ],
)
def test_headings_of(text: str, expected: list[tuple[int, int, str]]):
    assert _found(text) == expected


def test_front_matter_is_no_heading():
    assert _found("---\ntitle: x\n# comment\n---\n# Yes") == [(4, 1, "Yes")]


def test_rule_at_the_top_is_no_front_matter():
    assert _found("---\n# Yes") == [(1, 1, "Yes")]


def test_heading_is_named():
    assert next(headings(["# One"])) == Heading(line=0, level=1, text="One")


_LINES = st.sampled_from(
    [
        "",
        "text",
        "  text",
        "# A",
        "  ## B #",
        "===",
        "---",
        "```",
        "  ```",
        "~~~",
        "> q",
        "    code",
        "***",
        "####### no",
        "<!-- x",
        "-->",
        "- item",
        "7. item",
        "1. item",
        "<pre>",
        "</pre>",
        "<div>",
        "<b>",
    ]
)


@settings(max_examples=300)
@given(st.lists(_LINES, max_size=9).filter(lambda lines: lines[:1] != ["---"]))
def test_an_independent_parser_finds_the_same_headings(lines: list[str]):
    expected = [
        (token.map[0], int(token.tag[1]))
        for token in MarkdownIt("commonmark").parse("\n".join(lines))
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    assert [(heading.line, heading.level) for heading in headings(lines)] == expected


def test_long_run_of_blanks_in_a_heading_takes_no_longer_than_text():
    """In quadratic time this would take minutes."""
    blanks = " " * 200_000
    assert [heading.text for heading in headings([f"# a{blanks}b{blanks}#"])] == [f"a{blanks}b"]
