"""What is left out before parsing, and what is not."""

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.diagnostics import diagnostic
from markitect_tool.pipeline import archives
from markitect_tool.pipeline.archives import declared
from markitect_tool.pipeline.records import Classification, ParserInput, Provenance
from markitect_tool.pipeline.screening import ScreeningLimits, screen
from markitect_tool.pipeline.stages import SourceItem

LIMITS = ScreeningLimits(max_bytes=1_000_000, max_unpacked=10_000_000, ratio_floor=100_000, max_members=500)


def raw(name, content):
    return ParserInput(
        content=content,
        provenance=Provenance(
            uri=name, key=name, digest="sha256:" + "0" * 64, size=len(content), source="folder", name=name
        ),
        classification=Classification(media_type="application/octet-stream", textual=False),
    )


def screened(name, content, limits=LIMITS):
    found = screen(raw(name, content), limits)
    return found.code if found else None


def packed(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# By what listing knows


@pytest.mark.parametrize(
    ("size", "code"),
    [(0, "pipeline.empty"), (1, None), (1_000_000, None), (1_000_001, "pipeline.too_large"), (None, None)],
)
def test_item_is_judged_by_its_size(size, code):
    found = screen(SourceItem("a", "a", size), LIMITS)
    assert (found and found.code) == code


def test_problem_that_is_a_warning_is_the_reason():
    problem = diagnostic("pipeline.not_a_file", "A pipe.")
    assert screen(SourceItem("a", "a", problem=problem), LIMITS) is problem


def test_problem_that_is_an_error_is_left_to_loading():
    assert screen(SourceItem("a", "a", problem=diagnostic("source.not_found", "Gone.")), LIMITS) is None


def test_what_is_screened_out_is_a_warning_with_its_source():
    found = screen(SourceItem("a", "uri", 0), LIMITS)
    assert (found.severity, found.source) == ("warning", "uri")


@pytest.mark.parametrize("name", ["cover.jpg", "x/metadata.opf", "font.ttf", "a.PDF", "Thumbs.db", "a%20b.mobi"])
def test_item_that_no_adapter_reads_by_its_name_is_left_out_unread(name):
    found = screen(SourceItem(name, name, 10), LIMITS)
    assert found.code == "pipeline.unsupported"
    assert screen(SourceItem(name, name, 10), ScreeningLimits(check_formats=False)) is None


@pytest.mark.parametrize("name", ["a.epub", "a.TXT", "a.md", "README", "a.xyz", "v1.2 final"])
def test_item_that_some_adapter_may_read_goes_on(name):
    assert screen(SourceItem(name, name, 10), LIMITS) is None


def test_item_with_a_declared_type_is_not_judged_by_its_name():
    item = SourceItem("a.json", "a.json", 10, config={"media_type": "text/markdown"})
    assert screen(item, LIMITS) is None


# By content


@pytest.mark.parametrize("content", [b"", ""])
def test_content_without_bytes_is_empty(content):
    assert screened("a.txt", content) == "pipeline.empty"


@pytest.mark.parametrize("content", [b"x" * 1_000_001, "x" * 1_000_001])
def test_content_beyond_the_limit_is_too_large(content):
    assert screened("a.txt", content) == "pipeline.too_large"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.epub", b"%PDF-1.7\n"),
        ("a.epub", b"<!DOCTYPE html><title>404</title>"),
        ("a.epub", b"\xef\xbb\xbf \n<html>"),
        ("a.epub", b'<?xml version="1.0"?><a/>'),
        ("a.epub", b"\x1f\x8b\x08\x00" + bytes(20)),
        ("a.EPUB", b"Rar!\x1a\x07\x01\x00"),
        ("a.epub", b"\xff\xd8\xff\xe0" + bytes(10)),
        ("a.epub", bytes(60) + b"BOOKMOBI"),
        ("a.pdf", b"PK\x03\x04" + bytes(30)),
        ("a.txt", b"PK\x03\x04" + bytes(30)),
        ("a.txt", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3"),
        ("a.md", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("a.html", b"\x89PNG\r\n\x1a\n"),
        ("a.jpg", b"%PDF-1.7\n"),
    ],
)
def test_content_of_another_format_than_its_name_is_a_mismatch(name, content):
    assert screened(name, content) == "pipeline.type_mismatch"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"plain"),
        ("a.txt", b"caf\xe9 in an old encoding"),
        ("a.txt", "UTF-16 text".encode("utf-16")),
        ("a.txt", b"MZ is how programs begin."),
        ("a.txt", b"PK and BZh are only letters here"),
        ("a.txt", b"GIF89a was a format"),
        ("a.txt", b"<!doctype html> is how pages begin"),
        ("a.txt", b"Of %PDF- the first line"),
        ("a.md", b"<html>inline</html>"),
        ("a.html", b"<p>a piece of a page"),
        ("a.html", b'<?xml version="1.0"?><html/>'),
        ("a.epub", b"random damage that begins like nothing"),
        ("a.epub", b"PK\x03\x04 cut off"),
        ("a.epub", b"PK"),
        ("unknown.xyz", b"%PDF-1.7\n"),
        ("no suffix", b"\x89PNG\r\n\x1a\n"),
        ("a.txt", b"\x1b$B$3$s\x1b(B"),
    ],
)
def test_content_that_may_be_what_its_name_says_goes_on(name, content):
    assert screened(name, content) is None


def test_types_are_not_compared_when_switched_off():
    assert screened("a.epub", b"%PDF-1.7\n", ScreeningLimits(check_types=False)) is None


def test_text_of_its_own_keeps_no_promise_of_a_name():
    assert screened("a.epub", "text") is None


def test_message_says_what_it_is_instead():
    found = screen(raw("a.epub", b"%PDF-1.7\n"), LIMITS)
    assert found.message == "a.epub is named .epub, but is a PDF."
    assert found.details == {"suffix": ".epub", "found": "application/pdf"}


# Archives


def test_ordinary_archive_goes_on():
    assert screened("a.epub", packed({"mimetype": b"application/epub+zip", "a.xhtml": b"<p>text</p>" * 50})) is None


def test_small_archive_may_have_any_ratio():
    assert screened("a.epub", packed({"a": bytes(99_000)})) is None


def test_ratio_beyond_the_limit_is_a_bomb():
    found = screen(raw("a.epub", packed({"a": bytes(1_000_000)})), LIMITS)
    assert found.code == "pipeline.archive_bomb"
    assert found.details["declared_size"] == 1_000_000


def test_size_beyond_the_limit_is_a_bomb():
    limits = ScreeningLimits(max_unpacked=50_000, ratio_floor=10**9)
    assert screened("a.zip", packed({"a": bytes(50_001)}), limits) == "pipeline.archive_bomb"


def test_too_many_members_are_a_bomb():
    assert screened("a.epub", packed({str(number): b"" for number in range(501)})) == "pipeline.archive_bomb"


def test_bomb_is_found_whatever_it_is_named():
    assert screened("holiday", packed({"a": bytes(1_000_000)})) == "pipeline.archive_bomb"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_bomb_in_archives_in_archives_is_found(method):
    bomb = packed({"a": bytes(1_000_000)})
    for level in range(4):
        bomb = packed({f"{level}.zip": bomb, "note.txt": b"harmless"}, method)
    assert screened("a.zip", bomb) == "pipeline.archive_bomb"


def test_many_archives_of_moderate_ratio_add_up():
    inner = packed({"a": b"0123456789abcdef" * 4000})
    outer = packed({f"{number}.zip": inner for number in range(200)})
    assert screened("a.zip", outer) == "pipeline.archive_bomb"


def test_archives_nested_without_end_are_a_bomb():
    content = packed({"a": b""})
    for _ in range(12):
        content = packed({"a.zip": content})
    assert screened("a.zip", content) == "pipeline.archive_bomb"


def test_archive_in_a_book_goes_on():
    assert screened("a.epub", packed({"a.xhtml": b"<p>text</p>", "data.zip": packed({"d.csv": b"1,2"})})) is None


def test_nothing_but_nested_archives_is_unpacked(monkeypatch):
    def never(*_):
        raise AssertionError("unpacked")

    monkeypatch.setattr(archives.zlib, "decompressobj", never)
    assert screened("a.epub", packed({"a": bytes(1_000_000)})) == "pipeline.archive_bomb"
    assert screened("a.epub", packed({"a.xhtml": b"text" * 100})) is None


def test_memory_for_nested_archives_is_bounded():
    large = packed({"a.zip": bytes(archives.MAX_NESTED_BYTES + 1)})
    found = declared(large, 10, 10**12)
    assert (found.members, found.depth, found.unseen) == (1, 0, False)


def test_nested_archive_that_lies_about_its_size_is_unpacked_only_so_far():
    content = bytearray(packed({"a.zip": bytes(archives.MAX_NESTED_BYTES + 1)}))
    struct.pack_into("<L", content, content.rindex(b"PK\x01\x02") + 24, 100)
    found = declared(bytes(content), 10, 10**12)
    assert (found.size, found.depth) == (100, 0)


def test_archive_in_an_archive_that_cannot_be_unpacked_is_no_bomb():
    inner = packed({"a.txt": b"text" * 99}, zipfile.ZIP_LZMA)
    middle = packed({"inner.zip": inner}, zipfile.ZIP_LZMA)
    assert screened("a.epub", packed({"a.xhtml": b"<p>text</p>", "middle.zip": middle})) is None


def test_overlapping_members_count_each_time():
    """A directory may list one packed piece many times over."""
    single = packed({"a": bytes(40_000)})
    start = single.rindex(b"PK\x01\x02")
    end = single.rindex(b"PK\x05\x06")
    entry = single[start:end]
    count = 400
    record = bytearray(single[end:])
    struct.pack_into("<HHL", record, 8, count, count, len(entry) * count)
    assert screened("a.zip", single[:start] + entry * count + bytes(record)) == "pipeline.archive_bomb"


def test_sizes_of_zip64_are_read():
    plain = packed({"a": b"x"})
    start = plain.rindex(b"PK\x01\x02")
    end = plain.rindex(b"PK\x05\x06")
    entry = bytearray(plain[start:end])
    struct.pack_into("<LL", entry, 20, 0xFFFFFFFF, 0xFFFFFFFF)
    struct.pack_into("<H", entry, 30, 20)
    entry += struct.pack("<HHQQ", 1, 16, 2**40, 1)
    record = bytearray(plain[end:])
    struct.pack_into("<L", record, 12, len(entry))
    assert declared(plain[:start] + bytes(entry) + bytes(record), 10, 2**50).size == 2**40


def test_archive_behind_other_bytes_is_found():
    assert declared(b"MZ" + bytes(100) + packed({"a": b"xyz"}), 10, 100).size == 3


def test_damaged_archive_is_left_to_its_reader():
    whole = packed({"a": bytes(1_000_000)})
    assert screened("a.epub", whole[: len(whole) // 2]) is None


@given(st.binary(max_size=300), st.integers(0, 400), st.binary(max_size=40))
def test_no_bytes_make_screening_fail(content, at, patch):
    sound = packed({"a.txt": b"text", "b.zip": packed({"c": b"d"})})
    for data in (content, b"PK\x03\x04" + content, sound[:at] + patch + sound[at + len(patch) :], sound[:at]):
        if data:
            screened("a.epub", data)
