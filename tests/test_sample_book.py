"""The sample book that `make run` builds: the same bytes everywhere, and a sound EPUB to another reader."""

import runpy
import zipfile

import pytest
from ebooklib import epub
from markitect_tool import normalize_source


@pytest.fixture
def build(root):
    return runpy.run_path(str(root / "examples/source-adapters/sample-book/build.py"))["build"]


@pytest.fixture
def book(build, tmp_path):
    path = tmp_path / "made" / "sample.epub"
    build(path)
    return path


def test_building_twice_gives_the_same_bytes(book, build, tmp_path):
    build(tmp_path / "again.epub")
    assert (tmp_path / "again.epub").read_bytes() == book.read_bytes()


def test_archive_tells_nothing_of_the_machine(book):
    members = zipfile.ZipFile(book).infolist()
    assert {(member.date_time[0], member.create_system, member.external_attr >> 16) for member in members} == {
        (1980, 3, 0o600)
    }


def test_mimetype_is_the_first_member_and_uncompressed(book):
    first = zipfile.ZipFile(book).infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


def test_another_reader_finds_title_and_spine(book):
    read = epub.read_epub(str(book))
    assert read.get_metadata("DC", "title")[0][0] == "The Lamp at Low Water"
    assert [item for item, _ in read.spine] == ["title-page", "ebb", "flood", "notes"]


def test_book_converts_without_error_or_warning(book):
    result = normalize_source(book, uri="sample:book")
    assert result.valid
    assert [entry.message for entry in result.diagnostics if entry.severity != "info"] == []


def test_every_character_of_the_book_is_accounted_for(book):
    ledger = normalize_source(book, uri="sample:book").document.quality.metadata["ledger"]
    assert ledger["emitted"] + sum(ledger["skipped"].values()) == ledger["total"]
