"""What MkDocs' parser reads is what a CommonMark parser reads in ours."""

import markdown
import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt
from markitect_tool.outputs.python_markdown import for_python_markdown
from mdit_py_plugins.footnote import footnote_plugin
from mkdocs.utils.meta import get_data

COMMONMARK = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).use(footnote_plugin)
EXTENSIONS = ["footnotes", "sane_lists", "tables", "pymdownx.escapeall", "pymdownx.superfences", "pymdownx.tilde"]
SETTINGS = {"pymdownx.escapeall": {"hardbreak": True}, "pymdownx.tilde": {"subscript": False}}
SHAPE = ["h1", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "pre", "table", "td", "em", "strong", "br", "a"]


def shape(html):
    """Elements in their order, with the text in between; paragraphs and footnotes' looks left out."""
    page = BeautifulSoup(html, "html.parser")
    for look in page.select(".footnotes-sep, .footnote > hr, .footnote-ref, .footnote-backref, a[class*=backref]"):
        look.decompose()
    for section in page.select(".footnotes, .footnote"):
        section.name = "div"
    names = [(tag.name, "".join(tag.get_text().split())) for tag in page.find_all(SHAPE)]
    return sorted(names), "".join(page.get_text().split())


@pytest.mark.parametrize(
    "text",
    [
        "- a\n  - b\n    - c\n- d",
        "- a\n\n  b\n\n  - c\n- d",
        "1. a\n   1. b\n\n   2. c\n2. d",
        "10. a\n    - b",
        "1) a\n2) b",
        "- a\n\n+ b",
        "1. a\n\n1) b",
        "- > a\\\n  > b\n- c",
        "- a\n  > b\n  > c\n- d",
        "> a\n\n> b",
        "> - a\n>   - b\n>\n> c",
        "- ```\n  a\n\n  b\n  ```\n- c",
        "- a\n\n  ```\n  - x\n      y\n  ```\n- c",
        "- | a | b |\n  | --- | --- |\n  | c | d |",
        "#1 of 2\n\ntext\\\n#2",
        "a\\\nb \\* \\< \\~",
        "a[^1]\n\n[^1]:\n    > b\n    >\n    > c",
        "a[^1]\n\n[^1]: b\n\n    - c\n      - d",
        '~~a~~ *b _c_* **_d_** wor&#100;*"q"*',
        "- - a\n  - b\n- c",
    ],
)
def test_text_is_read_as_it_is_meant(text):
    converted = markdown.markdown(for_python_markdown(text), extensions=EXTENSIONS, extension_configs=SETTINGS)
    assert shape(converted) == shape(COMMONMARK.render(text))


@pytest.mark.parametrize("text", ["Note: a", "Template: x.html\n\nb", "   key:", "---\na: b\n---\n"])
def test_first_line_is_no_metadata_of_mkdocs(text):
    body, data = get_data(for_python_markdown(text))
    assert data == {}
    assert body.strip() == text.strip()


@pytest.mark.parametrize("text", ["[TOC]", "- [TOC]", "a\n\n> [TOC]", "| a |\n| --- |\n| [TOC] |"])
def test_text_orders_no_table_of_contents(text):
    extensions = [*EXTENSIONS, "toc"]
    converted = markdown.markdown(
        for_python_markdown(f"# h\n\n{text}"), extensions=extensions, extension_configs=SETTINGS
    )
    assert "[TOC]" in BeautifulSoup(converted, "html.parser").get_text()
    assert 'class="toc"' not in converted


def test_page_begins_with_a_heading_of_level_1():
    assert for_python_markdown("## A\n\nb\n\n#### c\n\n# d") == "# A\n\nb\n\n### c\n\n# d"


def test_headings_of_a_page_that_begins_with_text_stay():
    assert for_python_markdown("a\n\n## B") == "a\n\n## B"


@pytest.mark.parametrize("text", ["plain\n\ntext", "    code", "```\n- a\n  - b\n```", "", "# A\n\n*b*"])
def test_what_is_read_alike_stays(text):
    assert for_python_markdown(text) == text
