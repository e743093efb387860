"""The other renderer, and its agreement with ours where the dialects are the same."""

import pytest
from markdown_it import MarkdownIt
from markitect_filter.markdown.markdownify_renderer import load_converter, render

PLAIN = "<h1>Salt</h1><p>The tide\n went out.</p><h2>Tin</h2><p>Nobody <em>saw</em> <strong>it</strong>.</p><hr/>"


def test_plain_markup_reads_the_same_in_both_dialects(parse, write, text_of):
    html = MarkdownIt().render
    theirs = render(parse(PLAIN), load_converter(heading_style="ATX"))
    assert text_of(html(theirs)) == text_of(html(write(PLAIN)))


def test_converter_of_ones_own(parse, tmp_path, monkeypatch):
    (tmp_path / "own_converter.py").write_text(
        "from markdownify import MarkdownConverter\n"
        "class Shouting(MarkdownConverter):\n"
        "    def convert_p(self, el, text, parent_tags):\n"
        "        return text.upper()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert render(parse("<p>tide</p>"), load_converter("own_converter:Shouting")) == "TIDE"


@pytest.mark.parametrize("path", ["markdownify", ":X", "markdownify:"])
def test_path_of_another_form_is_an_error(path):
    with pytest.raises(ValueError, match="not of the form"):
        load_converter(path)


def test_void_elements_and_prefixes_are_html(parse):
    markup = "<p>a<br/>b <svg:svg><svg:text>c</svg:text></svg:svg></p>"
    assert render(parse(markup), load_converter(newline_style="backslash")) == "a\\\nb c"
