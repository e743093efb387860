"""What counts as a link, picture, anchor or footnote, and what only looks like one."""

import re
from importlib.metadata import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink
from markitect_tool.outputs.blocks import read_blocks
from markitect_tool.outputs.inlines import references, unescaped

EXAMPLE = re.compile(r"^`{32} example.*?\n(.*?)^\.\n(.*?)^`{32}$", re.MULTILINE | re.DOTALL)
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def found(text):
    """(kind, name) of the references in a text, each checked to stand where it says."""
    result = []
    for reference in references(text, read_blocks(text)):
        written = text[reference.start : reference.end]
        if reference.kind in ("link", "image"):
            assert unescaped(written) == reference.name
        result.append((reference.kind, reference.name))
    return result


def judged(text):
    """(kind, URL) of links and pictures as the parser finds them; None where the text has link definitions, which
    the parser attributes to the links that use them."""
    environment = {}
    result = []
    for block in PARSER.parse(text, environment):
        waiting = list(block.children or ())
        while waiting:
            token = waiting.pop(0)
            if token.type == "image":
                result.append(("image", token.attrs["src"]))
                waiting[:0] = token.children or []
            elif token.type == "link_open" and token.markup != "autolink":
                result.append(("link", token.attrs["href"]))
    return None if environment.get("references") else sorted(result)


def links_and_pictures(text):
    return sorted((kind, normalizeLink(name)) for kind, name in found(text) if kind in ("link", "image"))


def examples():
    for specification in ("commonmark", "gfm"):
        text = next(file for file in files("marko") if file.match(f"spec/{specification}.txt")).read_text()
        for number, match in enumerate(EXAMPLE.finditer(text), 1):
            yield pytest.param(match[1].replace("→", "\t"), id=f"{specification}-{number}")


@pytest.mark.parametrize("text", [*examples()])
def test_example_of_a_specification_has_the_links_that_a_parser_finds(text):
    judgement = judged(text)
    if judgement is None:
        assert {url for kind, url in links_and_pictures(text)} >= {
            entry["href"] for entry in defined_once(text).values()
        }
    else:
        assert links_and_pictures(text) == judgement


def defined_once(text):
    environment = {}
    PARSER.parse(text, environment)
    return environment["references"]


PIECES = [
    "[", "]", "](a)", "](<b c>)", "](d \"t\")", "![", "(", ")", "`", "``", "\\", "\n", "\n\n", "> ", "- ", "1. ",
    "    ", "# ", "```\n", "~~~\n", "<a id=\"x\">", "<!--", "-->", "<b>", "</b>", "| a | b |\n| --- | --- |\n", "|",
    "*", "word", " ", "<https://e.org>", "&amp;", "\"", "'", "---\n", "<div>\n", "\t",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_text_has_the_links_that_a_parser_finds(text):
    judgement = judged(text)
    if judgement is not None and "$" not in text:
        assert links_and_pictures(text) == judgement


@pytest.mark.parametrize(
    "text",
    [
        "`[a](b)`",
        "```\n[a](b)\n```",
        "- ```\n  [a](b)\n  ```",
        "> ````\n> ```\n> [a](b)\n> ````",
        "    [a](b)",
        "\\[a](b)",
        "[a\\](b)",
        "<b title='[a](b)'>",
        "<!-- [a](b) -->",
        "<pre>\n[a](b)\n</pre>",
        "$x[a](b)y$",
        "$$\n[a](b)\n$$",
        "[a] (b)",
        "[a](b c)",
        "<https://example.org/[a](b)>",
    ],
)
def test_lookalike_is_no_link(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "references_in_it"),
    [
        ("[a](b)", [("link", "b")]),
        ("![a](b)", [("image", "b")]),
        ("[![a](b)](c)", [("image", "b"), ("link", "c")]),
        ("![a [b](c)](d)", [("link", "c"), ("image", "d")]),
        ('[a](b\\(c "t\\"(")', [("link", "b(c")]),
        ("[a](<b c>)", [("link", "b c")]),
        ("[a](b&amp;c)", [("link", "b&c")]),
        ("| [a](b) | c |\n| --- | --- |\n| `x \\| y` | ![d](e) |", [("link", "b"), ("image", "e")]),
        ("- a ` b\n- c ` [d](e)", [("link", "e")]),
        ("| a ` b | c ` [d](e) |\n| --- | --- |", [("link", "e")]),
        ("5 $ and [a](b) and 6 $", [("link", "b")]),
        ('<a id="x"></a>[a](#x)', [("anchor", "x"), ("link", "#x")]),
        ("one\\\n[a](b)", [("link", "b")]),
        ("> one\\\n> [a](b)", [("link", "b")]),
        ("[^1] x\n\n[^1]: a [b](c)", [("note", "1"), ("link", "c")]),
        ("[^1](b)", [("link", "b")]),
        ("[a]: b\n\n[a]", [("link", "b")]),
    ],
)
def test_references_of_a_text(text, references_in_it):
    assert found(text) == references_in_it


def test_definition_of_a_footnote_reaches_to_its_last_line():
    text = "a[^n]\n\n[^n]: one\n\n    two\n\nthree"
    (note,) = read_blocks(text).notes
    assert text[note.start : note.end] == "[^n]: one\n\n    two"


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, "![](" * 20_000, "](" * 20_000, "`a``b" * 20_000, "<!--" * 20_000, "[a](b \"" * 20_000,
     "> " * 20_000, "- " * 5_000, "<a " * 20_000, "$a" * 50_000, "[^a]:" * 20_000, "| - " * 20_000],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_hostile_text_takes_no_more_than_a_moment(text):
    assert len(found(text)) <= 20_000
