"""Archives that break the rules of ZIP, end to end: text comes out wherever it can be had, and what was done said."""

import os
import struct

import pytest
from markitect_filter.testing.archives import (
    CRC,
    FLAGS,
    HEADER,
    METHOD,
    PACKED,
    SIZE,
    field_of,
    patched,
    renamed,
    streamed,
)
from markitect_filter.testing.books import Book, pack
from markitect_tool import normalize_source

GAP = "Missing from this copy of the book: OPS/b.xhtml"
BOOK = Book({"a.xhtml": "<p>core</p>", "b.xhtml": "<p>second</p>"})
SOUND = BOOK.pack()
CHAPTER = "OPS/b.xhtml"


def test_the_sound_book_has_nothing_to_report(read):
    reading = read(SOUND)
    assert reading.markdown == "core\n\nsecond"
    assert reading.codes == []


@pytest.mark.parametrize("share", [0.05, 0.4, 0.66, 0.95])
def test_a_book_cut_short_is_one_clear_error(share, read):
    reading = read(SOUND[: int(len(SOUND) * share)])
    assert not reading.valid
    assert reading.codes == ["source.archive_truncated"]
    assert "again" in reading.one("source.archive_truncated").hint


@pytest.mark.parametrize("data", [b"junk" * 100 + SOUND, SOUND + b"junk" * 100], ids=["before", "after"])
def test_junk_around_the_archive_is_skipped_and_reported(data, read):
    reading = read(data)
    assert reading.markdown == "core\n\nsecond"
    assert "source.archive_irregular" in reading.codes


@pytest.mark.parametrize("lie", [0, 1, 2**31, 2**32 - 2])
def test_a_false_size_changes_nothing(lie, read):
    assert read(patched(SOUND, CHAPTER, SIZE, lie)).markdown == "core\n\nsecond"


def test_a_wrong_checksum_is_reported_and_the_text_kept(read):
    reading = read(patched(SOUND, CHAPTER, CRC, 1))
    assert reading.markdown == "core\n\nsecond"
    assert reading.codes == ["source.member_corrupt"]


def test_two_members_that_share_their_data_are_reported(read):
    reading = read(patched(SOUND, CHAPTER, HEADER, field_of(SOUND, "OPS/a.xhtml", HEADER)))
    assert reading.texts[0] == "core"
    assert reading.codes == ["source.archive_irregular", "source.member_corrupt"]


def test_a_member_with_a_password_is_a_gap_and_reported(read):
    reading = read(patched(SOUND, CHAPTER, FLAGS, 1))
    assert reading.texts[0] == "core"
    assert GAP in reading.texts[1]
    assert reading.one("source.encrypted").severity == "warning"


def test_the_last_of_two_chapters_of_one_name_counts(read):
    reading = read(pack([*BOOK.contents().items(), (CHAPTER, BOOK.contents()["OPS/a.xhtml"])]))
    assert reading.markdown == "core\n\ncore"
    assert reading.codes == ["source.member_duplicate"]


def test_names_with_backslashes_are_read_as_slashes(read):
    reading = read(pack((name.replace("/", "\\"), content) for name, content in BOOK.contents().items()))
    assert reading.markdown == "core\n\nsecond"
    assert "source.member_renamed" in reading.codes


@pytest.mark.parametrize("name", ["/OPS/b.xhtml", "./OPS/b.xhtml", "OPS//b.xhtml"])
def test_a_chapter_under_an_absolute_or_roundabout_name_is_found(name, read):
    members = [(name if member == CHAPTER else member, content) for member, content in BOOK.contents().items()]
    assert read(pack(members)).markdown == "core\n\nsecond"


def test_a_chapter_whose_name_climbs_out_is_a_gap(read):
    members = [("../b.xhtml" if name == CHAPTER else name, content) for name, content in BOOK.contents().items()]
    reading = read(pack(members))
    assert GAP in reading.texts[1]
    assert "source.member_unsafe" in reading.codes


def test_a_chapter_that_is_a_symbolic_link_is_not_followed(read, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("4711")
    data = pack([*((n, c) for n, c in BOOK.contents().items() if n != CHAPTER), (CHAPTER, str(secret))])
    mode = (38, "<L")  # the entry's external attributes
    reading = read(patched(data, CHAPTER, mode, 0o120777 << 16))
    assert "4711" not in reading.markdown
    assert GAP in reading.texts[1]
    assert "source.member_unsafe" in reading.codes


def test_zip64_headers_and_data_descriptors_are_read(read):
    reading = read(streamed(BOOK.contents().items()))
    assert reading.markdown == "core\n\nsecond"


@pytest.mark.parametrize("method", [0, 8])
def test_stored_and_deflated_books_give_the_same(method, read):
    assert read(BOOK.pack(stored=method == 0)).markdown == "core\n\nsecond"


@pytest.mark.parametrize(
    ("method", "name"), [(12, "bzip2"), (14, "LZMA"), (93, "Zstandard"), (99, "AES"), (77, "method 77")]
)
def test_another_method_is_a_gap_that_names_it(method, name, read):
    reading = read(patched(SOUND, CHAPTER, METHOD, method))
    assert GAP in reading.texts[1]
    assert name in reading.one("source.spine_item_unreadable").message


def test_a_name_in_a_legacy_code_page_is_found(read):
    book = Book({"a.xhtml": "<p>core</p>", "café.xhtml": "<p>second</p>"})
    utf8 = {name.replace("é", "xx"): content for name, content in book.contents().items()}
    data = renamed(pack(utf8.items()), b"cafxx.xhtml", b"caf\x82x.xhtml")  # é in code page 437
    package = BOOK.contents()["OPS/package.opf"]
    assert isinstance(package, str)
    book = Book({"a.xhtml": "<p>core</p>"}, package=package.replace("b.xhtml", "caféx.xhtml"))
    members = [*book.contents().items(), ("OPS/cafxx.xhtml", BOOK.contents()[CHAPTER])]
    data = renamed(pack(members), b"OPS/cafxx.xhtml", b"OPS/caf\x82x.xhtml")
    reading = read(data)
    assert reading.markdown == "core\n\nsecond"
    assert "source.archive_irregular" in reading.codes


def test_a_directory_that_counts_wrong_is_read_to_its_end(read):
    end = SOUND.rindex(b"PK\x05\x06")
    reading = read(SOUND[: end + 8] + struct.pack("<HH", 1, 1) + SOUND[end + 12 :])
    assert reading.markdown == "core\n\nsecond"


def test_a_packed_size_beyond_the_file_reads_what_is_there(read):
    assert read(patched(SOUND, CHAPTER, PACKED, 2**31)).texts[0] == "core"


def test_a_package_document_that_cannot_be_unpacked_is_an_error(read):
    reading = read(patched(SOUND, "OPS/package.opf", METHOD, 14))
    assert not reading.valid
    assert reading.one("source.member_corrupt").severity == "error"


@pytest.mark.parametrize("kind", ["folder", "pipe", "missing", "empty"])
def test_what_is_no_file_is_one_clear_error(kind, tmp_path):
    path = tmp_path / "book.epub"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("this system has no pipes in folders")
        os.mkfifo(path)
    elif kind == "empty":
        path.write_bytes(b"")
    result = normalize_source(path)
    code = {"folder": "not_a_file", "pipe": "not_a_file", "missing": "not_found", "empty": "empty"}[kind]
    assert [entry.code for entry in result.diagnostics] == [f"source.{code}"]


def test_an_end_record_in_the_comment_is_none(read):
    at = SOUND.rindex(b"PK\x05\x06")
    fake = b"PK\x05\x06" + bytes(18)
    assert read(SOUND[: at + 20] + b"\x16\x00" + fake).markdown == "core\n\nsecond"
