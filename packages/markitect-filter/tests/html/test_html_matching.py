"""Which sources the adapter claims, among all that are installed."""

import pytest
from markitect_tool import default_source_adapter_registry, inspect_source, normalize_source
from markitect_tool.testing.isolation import HEAVY_MODULES, run_fresh

PAGE = b"<!doctype html><p>Tide"


def chosen(content, **arguments):
    result = inspect_source(content, registry=default_source_adapter_registry(), **arguments)
    assert "source.adapter_ambiguous" not in [entry.code for entry in result.diagnostics]
    return result.adapter.get("id")


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.xhtml", "a.xht"])
def test_suffix_chooses_html(name):
    assert chosen(PAGE, uri=name) == "source.html"


@pytest.mark.parametrize("media_type", ["text/html", "text/html; charset=utf-8", "application/xhtml+xml", "TEXT/HTML"])
def test_media_type_chooses_html_whatever_the_suffix(media_type):
    assert chosen(PAGE, uri="a.txt", media_type=media_type) == "source.html"


@pytest.mark.parametrize(
    "content",
    [
        PAGE,
        b"\xef\xbb\xbf\n<!DOCTYPE  HTML><p>x",
        b'<?xml version="1.0"?>\n<!-- a < b --><HTML lang=en><p>x',
        "<!doctype html><p>x".encode("utf-16"),
    ],
)
def test_bytes_of_which_nothing_is_known_are_told_by_their_start(content):
    assert chosen(content) == "source.html"


@pytest.mark.parametrize(
    "content", [b"<p>x", b"# a\n\n<html>", b"low < high", b"<?xml version='1.0'?><feed/>", b"<htmlx>"]
)
def test_bytes_that_do_not_start_like_a_page_are_not_claimed(content):
    assert chosen(content) is None


def test_text_that_shows_markup_is_text():
    assert chosen(PAGE, uri="a.txt") == "source.plaintext"
    assert chosen(PAGE, uri="a.md") == "source.plaintext"


def test_page_under_the_name_of_a_book_is_not_read_as_one():
    result = normalize_source(PAGE, uri="a.epub")
    assert [entry.code for entry in result.diagnostics] == ["source.unsupported_format"]


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"PK\x03\x04" + bytes(60), "ZIP"), (b"%PDF-1.7\n", "PDF"), (b"\x1f\x8b\x08" + bytes(9), "gzip")],
)
def test_file_of_another_format_under_the_name_of_a_page_is_refused(content, word):
    (told,) = normalize_source(content, uri="a.html").diagnostics
    assert told.code == "source.unsupported_format"
    assert word in told.message


def test_adapter_that_is_asked_for_by_name_explains_what_it_got():
    (told,) = normalize_source(b"%PDF-1.7\n", uri="a.html", adapter_id="source.html").diagnostics
    assert told.code == "source.malformed"
    assert "PDF" in told.message


def test_matching_imports_no_parser():
    code = (
        "from markitect_filter.adapters import html_adapter_descriptor\n"
        "from markitect_tool import SourceAsset\n"
        "html_adapter_descriptor().to_dict()\n"
        "import sys\n"
        "print('markitect_filter.html.page' in sys.modules)"
    )
    assert run_fresh(code, forbid=HEAVY_MODULES).stdout == "False\n"
