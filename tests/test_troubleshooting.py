"""The troubleshooting guide knows every code, once, and says what was done and what to do."""

import re

import pytest
from markitect_tool.diagnostics import CATALOGUE

ROW = re.compile(r"^\| `([a-z._-]+)` \| (.*?) \| (.*?) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def rows(root):
    return ROW.findall((root / "docs/troubleshooting.md").read_text(encoding="utf-8"))


def test_every_code_of_the_catalogue_is_explained_once(rows):
    assert sorted(code for code, _, _ in rows) == sorted(CATALOGUE)


def test_every_explanation_says_what_it_means_and_what_to_do(rows):
    assert [code for code, meaning, remedy in rows if not (meaning.endswith(".") and remedy.endswith("."))] == []


def test_options_that_the_guide_names_exist(root):
    from markitect_filter.epub3.options import OPTION_SCHEMA
    from markitect_filter.html.options import OPTION_SCHEMA as HTML_OPTION_SCHEMA

    text = (root / "docs/troubleshooting.md").read_text(encoding="utf-8")
    named = set(re.findall(r"--option (\w+)=", text))
    assert named
    assert named <= set(OPTION_SCHEMA["properties"]) | set(HTML_OPTION_SCHEMA["properties"])
