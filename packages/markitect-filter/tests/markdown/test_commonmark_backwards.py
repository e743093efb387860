"""The specifications' own examples, backwards: their HTML through the writer gives Markdown that means the same HTML.

The texts of both specifications come with a development dependency; none of their examples is kept in this
repository. Examples with raw HTML are left out: they show HTML that Markdown has no form for.
"""

import re
from importlib.metadata import files

import pytest
from markdown_it import MarkdownIt

EXAMPLE = re.compile(r"^`{32} example.*?\n(.*?)^\.\n(.*?)^`{32}$", re.MULTILINE | re.DOTALL)

NOTHING = "an element without content says nothing, so nothing is written"
CODE_EDGES = "white space at the edges of a code span is layout, as in any other span"
REASONS = {
    "empty headings": NOTHING,
    "empty code block": NOTHING,
    "empty quote": NOTHING,
    "empty bullet": NOTHING,
    "no-break space at the start of a line": "blanks at the edges of a line are layout",
    "blank code span": NOTHING,
    "code span with blanks at its edges": CODE_EDGES,
    "title of several lines": "a title is one line; its line breaks become blanks",
    "emphasis three deep": "emphasis in emphasis in emphasis looks like emphasis in emphasis",
    "task list": "no part of the dialect: the box becomes a character, ☐ or ☑",
    "fragment without target": "a fragment that leads nowhere in the document is no link",
}
EXCEPTIONS = {
    "commonmark": {
        49: "empty headings",
        **dict.fromkeys((96, 99, 100, 114, 207), "empty code block"),
        **dict.fromkeys((187, 209, 210), "empty quote"),
        **dict.fromkeys((250, 251, 252, 254, 285), "empty bullet"),
        311: "no-break space at the start of a line",
        **dict.fromkeys((108, 334), "blank code span"),
        **dict.fromkeys((331, 332, 336), "code span with blanks at its edges"),
        165: "title of several lines",
        **dict.fromkeys((416, 465), "emphasis three deep"),
        497: "fragment without target",
    },
    "gfm": {
        49: "empty headings",
        **dict.fromkeys((96, 99, 100, 114, 215), "empty code block"),
        **dict.fromkeys((187, 217, 218), "empty quote"),
        **dict.fromkeys((258, 259, 260, 262, 295), "empty bullet"),
        321: "no-break space at the start of a line",
        **dict.fromkeys((108, 344), "blank code span"),
        **dict.fromkeys((341, 342, 346), "code span with blanks at its edges"),
        165: "title of several lines",
        **dict.fromkeys((426, 475), "emphasis three deep"),
        **dict.fromkeys((279, 280), "task list"),
        509: "fragment without target",
    },
}


def examples():
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for specification, exceptions in EXCEPTIONS.items():
        text = next(file for file in files("marko") if file.match(f"spec/{specification}.txt")).read_text()
        for number, match in enumerate(EXAMPLE.finditer(text), 1):
            markdown, html = match[1].replace("→", "\t"), match[2].replace("→", "\t")
            tokens = parser.parse(markdown)
            if not any(t.type.startswith("html") for token in tokens for t in (token, *(token.children or ()))):
                yield pytest.param(html, exceptions.get(number), id=f"{specification}-{number}")


@pytest.mark.parametrize(("html", "exception"), [*examples()])
def test_html_of_the_example_comes_back(html, exception, write, render, same):
    if exception is None:
        assert same(render(write(html))) == same(html)
    else:
        assert same(render(write(html))) != same(html), "no exception any more"


def test_every_exception_has_a_reason():
    assert {name for exceptions in EXCEPTIONS.values() for name in exceptions.values()} == set(REASONS)
