"""`renderer=markdownify`: the book's documents in the dialect of another library."""

import sys

import pytest

MARKDOWNIFY = {"renderer": "markdownify"}


def test_text_is_in_the_librarys_dialect(read):
    book = read("<h1>Salt</h1><p>It was <em>dear</em>.</p>", MARKDOWNIFY, check=False)

    assert book.markdown == "Salt\n====\n\nIt was *dear*."


def test_segments_are_whole_documents_with_their_headings(read):
    book = read(["<h1>One</h1><h2 id='b'>Two</h2>", "<p>c</p>"], MARKDOWNIFY, check=False)

    assert [(s.heading, s.heading_level) for s in book.segments] == [("One", 1), (None, None)]


def test_links_and_pictures_lead_to_members(read):
    chapters = ['<p><a href="c2.xhtml#x">on</a> <img src="p.png" alt="a pan"/></p>', '<p id="x">y</p>']
    book = read(chapters, MARKDOWNIFY, check=False, files={"OPS/p.png": b"png"})

    assert book.texts[0] == "[on](OPS/c2.xhtml#x) ![a pan](OPS/p.png)"


def test_dangerous_links_are_plain_text(read):
    book = read('<p><a href="javascript:go()">go</a></p>', MARKDOWNIFY, check=False)

    assert book.markdown == "go"
    assert book.one("source.link_unsafe")


def test_what_is_left_out_is_left_out_here_too(read):
    book = read("<p>a<span hidden='hidden'>b</span>c</p>", MARKDOWNIFY, check=False)

    assert book.markdown == "ac"


def test_quality_is_unknown_since_there_is_no_ledger(read):
    quality = read("<p>a</p>", MARKDOWNIFY, check=False).document.quality

    assert (quality.lossiness, quality.confidence, quality.metadata) == ("unknown", None, {})


def test_a_converter_class_of_ones_own(read, tmp_path, monkeypatch):
    (tmp_path / "shouting_dialect.py").write_text(
        "from markdownify import MarkdownConverter\n"
        "class Shouting(MarkdownConverter):\n"
        "    def convert_em(self, el, text, parent_tags):\n"
        "        return text.upper()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    book = read("<p>very <em>dear</em></p>", MARKDOWNIFY | {"renderer_class": "shouting_dialect:Shouting"}, check=False)

    assert book.markdown == "very DEAR"


@pytest.mark.parametrize(
    "path",
    [
        "nowhere_at_all:X",
        "markdownify:Nothing",
        "no colon",
        "pathlib:PurePath.nothing",
        "os:getpid",
        "io:StringIO",
        "sys:exit",
        "os:sep",
        "markdownify:markdownify",
    ],
)
def test_a_class_that_cannot_be_used_is_an_invalid_option(read, path):
    book = read("<p>a</p>", MARKDOWNIFY | {"renderer_class": path}, check=False)

    assert not book.valid
    assert path in book.one("source.invalid_option").message


def test_without_the_library_the_install_line_is_named(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "markdownify", None)

    book = read("<p>a</p>", MARKDOWNIFY, check=False)

    assert "pip install markitect-filter[markdownify]" in book.one("source.missing_dependency").hint
