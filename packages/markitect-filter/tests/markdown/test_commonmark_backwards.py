"""The specifications' own examples, backwards: their HTML through the writer gives Markdown that means the same HTML.

The texts of the specifications come with a development dependency; no example is kept in this repository.
"""

import re
from importlib.metadata import files

import pytest

EXAMPLE = re.compile(r"^`{32} example.*?\n(.*?)^\.\n(.*?)^`{32}$", re.M | re.S)
RAW_HTML = "raw HTML that the dialect has no form for"

EXCEPTIONS = {}


def examples(name):
    text = next(file for file in files("marko") if file.match(f"spec/{name}.txt")).read_text()
    for number, match in enumerate(EXAMPLE.finditer(text), 1):
        yield f"{name} {number}", match[2].replace("→", "\t")


EXAMPLES = dict([*examples("commonmark"), *examples("gfm")])


@pytest.mark.parametrize("name", EXAMPLES)
def test_html_of_the_example_comes_back(name, write, render, same):
    html = EXAMPLES[name]
    assert same(render(write(html))) == same(html)
