"""The plug-in, through MarkItDown's own command and its own class."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from markitdown import FileConversionException, MarkItDown, StreamInfo
from markitect_filter import markitdown_plugin
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_filter.testing.books import Book
from markitect_tool import SourceAdapterRegistry, normalize_source

ROOT = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or ROOT.parent / "shared/corpus")
#: A note, which only our converter makes a footnote of.
CHAPTER = (
    '<h1>Night</h1><p>Low water<a epub:type="noteref" href="#n">1</a> at nine.<br/>Salt at ten.</p>'
    '<aside epub:type="footnote" id="n"><p>Per barrel.</p></aside>'
)
MARKDOWN = "# Night\n\nLow water[^1] at nine.\\\nSalt at ten.\n\n[^1]: Per barrel."


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "harbour.epub"
    path.write_bytes(Book({"c1.xhtml": CHAPTER}).pack())
    return path


@pytest.fixture
def plugged():
    """MarkItDown with its own converters and, of all plug-ins, ours."""

    def make(**arguments):
        markitdown = MarkItDown()
        markitdown_plugin.register_converters(markitdown, **arguments)
        return markitdown

    return make


def markitdown(*arguments, **settings):
    return subprocess.run(
        [sys.executable, "-m", "markitdown", *map(str, arguments)],
        capture_output=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        **settings,
    )


def ours(path):
    registry = SourceAdapterRegistry([epub3_adapter_descriptor()])
    return normalize_source(path.read_bytes(), uri="book:real", registry=registry).document


def test_command_uses_the_plugin_before_its_own_converter(book):
    ended = markitdown("--use-plugins", book)
    assert (ended.returncode, ended.stdout.decode().strip()) == (0, MARKDOWN)


def test_command_without_plugins_does_not(book):
    assert "[^1]" not in markitdown(book).stdout.decode()


def test_command_lists_the_plugin():
    assert b"markitect_filter.markitdown_plugin" in markitdown("--list-plugins").stdout


def test_command_reads_a_book_from_standard_input(book):
    ended = markitdown("--use-plugins", input=book.read_bytes())
    assert ended.stdout.decode().strip() == MARKDOWN


def test_command_says_what_is_wrong_with_a_book(book):
    book.write_bytes(book.read_bytes()[:300])
    ended = markitdown("--use-plugins", book)
    assert ended.returncode == 1
    assert ended.stdout == b""
    assert b"MarkitectEpubConverter threw FileConversionException" in ended.stderr
    assert b"[source.archive_truncated]" in ended.stderr


def test_real_book_is_what_our_adapter_makes_of_it():
    books = sorted(CORPUS.glob("se/*.epub"))
    if not books:
        pytest.skip("no corpus")
    ended = markitdown("--use-plugins", books[0])
    assert ended.stdout.decode().strip() == ours(books[0]).markdown


def test_title_of_the_book_is_told(book, plugged):
    assert plugged().convert(book).title == ours(book).metadata.title


def test_options_of_the_adapter_are_taken(book, plugged):
    assert "[^1]" not in plugged(markitect_options={"notes": "keep"}).convert(book).markdown
    assert "[^1]" not in plugged().convert(book, markitect_options={"notes": "keep"}).markdown


def test_option_that_does_not_exist_is_an_error(book, plugged):
    with pytest.warns(UserWarning, match="goes on to its own"):
        text = plugged(markitect_options={"note": "keep"}).convert(book).markdown
    assert "Night" in text  # of MarkItDown's converter


@pytest.mark.parametrize(
    ("extension", "mimetype", "accepted"),
    [
        (".epub", None, True),
        (".EPUB", None, True),
        (None, "application/epub+zip", True),
        (None, "application/x-epub+zip", True),
        (".zip", "application/zip", False),
        (None, None, False),
    ],
)
def test_plugin_accepts_books_only(book, extension, mimetype, accepted):
    converter = markitdown_plugin.MarkitectEpubConverter()
    with book.open("rb") as stream:
        assert converter.accepts(stream, StreamInfo(extension=extension, mimetype=mimetype)) is accepted
        assert stream.tell() == 0


def test_error_has_code_and_remedy(book):
    converter = markitdown_plugin.MarkitectEpubConverter()
    book.write_bytes(book.read_bytes()[:300])
    with (
        book.open("rb") as stream,
        pytest.warns(UserWarning, match="harbour"),
        pytest.raises(FileConversionException, match=r"harbour\.epub.*\[source\.archive_truncated\].*Fetch"),
    ):
        converter.convert(stream, StreamInfo(extension=".epub", filename="harbour.epub"))
