"""The archive door: names, content, and archives that break the rules but can be read."""

import io
import os
import random
import struct
import unicodedata
import zipfile
import zlib

import pytest
from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.unpack import EncryptedMemberError, MemberError
from markitect_filter.epub3.href import resolve_href
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import (
    EmptySourceError,
    EncryptedSourceError,
    MalformedSourceError,
    MissingSourceError,
    NotAFileError,
    UnsupportedFormatError,
)

TEXT = b"The tide turns twice a day. " * 50


def zipped(members, method=zipfile.ZIP_DEFLATED):
    """An archive of (name, bytes) pairs, names kept as they are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            info = zipfile.ZipInfo("x")
            info.filename = name
            info.compress_type = method
            archive.writestr(info, data)
    return buffer.getvalue()


def patched(data, name, offset, value):
    """`data` with `value` at `offset` of the central directory's entry of `name`."""
    at = data.index(b"PK\x01\x02")
    while data[at + 46 : at + 46 + len(name)] != name.encode():
        at = data.index(b"PK\x01\x02", at + 1)
    return data[: at + offset] + value + data[at + offset + len(value) :]


def opened(data, sink=None, **limits):
    return Archive.open(data, limits=Limits(**limits), sink=sink if sink is not None else DiagnosticSink())


def codes(sink):
    return [entry.code for entry in sink]


# Content


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_member_is_read_and_digested(method):
    sink = DiagnosticSink()
    with opened(zipped([("a/b.txt", TEXT), ("empty", b"")], method), sink) as archive:
        assert (archive.read("a/b.txt"), archive.read("empty")) == (TEXT, b"")
        assert archive.size("a/b.txt") == len(TEXT)
        assert archive.digest("empty") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert codes(sink) == []


def test_the_digest_of_a_large_member_is_that_of_its_bytes():
    import hashlib

    data = os.urandom(1_500_000) + bytes(3_000_000)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with opened(zipped([("film", data)], method)) as archive:
            assert archive.digest("film") == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert archive.read("film") == data


def test_names_are_sorted_and_without_folders():
    with opened(zipped([("b/", b""), ("b/z", b""), ("a", b"")])) as archive:
        assert list(archive.names) == ["a", "b/z"]
        assert archive.exists("a")
        assert not archive.exists("b/")


def test_a_file_is_opened_as_bytes_are(tmp_path):
    path = tmp_path / "book.epub"
    path.write_bytes(zipped([("a", TEXT)]))
    with opened(path) as archive:
        assert archive.read("a") == TEXT


def test_zip64_sizes_and_data_descriptors_are_understood(tmp_path):
    class Unseekable(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *_):
            raise io.UnsupportedOperation

    buffer = Unseekable()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a", "w", force_zip64=True) as one:
        one.write(TEXT)
    with opened(buffer.getvalue()) as archive:
        assert archive.read("a") == TEXT


def test_a_zip64_directory_is_found():
    data = zipped([("a", TEXT)])
    end = data.rindex(b"PK\x05\x06")
    count, size, offset = struct.unpack_from("<HLL", data, end + 10)
    wide = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    record = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    with opened(data[:end] + wide + locator + record) as archive:
        assert archive.read("a") == TEXT


# Damage


def test_a_wrong_checksum_is_reported_and_the_bytes_are_kept():
    sink = DiagnosticSink()
    with opened(patched(zipped([("a", TEXT)]), "a", 16, b"\0\0\0\0"), sink) as archive:
        assert archive.read("a") == TEXT
    assert codes(sink) == ["source.member_corrupt"]


def test_what_can_be_unpacked_of_a_damaged_member_is_kept():
    text = random.Random(1).randbytes(50_000).hex().encode()
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)
    no_block_is_of_type_3 = b"\xff" * 1000
    data = patched(zipped([("a", packed + no_block_is_of_type_3)], zipfile.ZIP_STORED), "a", 10, struct.pack("<H", 8))
    sink = DiagnosticSink()
    with opened(data, sink) as archive:
        kept = archive.read("a")
    assert text.startswith(kept)
    assert len(kept) > len(text) - 20_000
    assert codes(sink) == ["source.member_corrupt"]


def test_a_member_of_which_nothing_can_be_unpacked_is_an_error():
    data = zipped([("a", TEXT)])
    start = 30 + len("a")
    with opened(data[:start] + b"\xff" * 10 + data[start + 10 :]) as archive, pytest.raises(MemberError) as caught:
        archive.read("a")
    assert (caught.value.diagnostic.code, caught.value.diagnostic.path) == ("source.member_corrupt", "a")


@pytest.mark.parametrize("lie", [0, 1, 1_000_000])
@pytest.mark.parametrize("field", [20, 24])  # packed and unpacked size
def test_declared_sizes_are_not_believed(field, lie):
    sink = DiagnosticSink()
    data = patched(zipped([("a", TEXT), ("b", TEXT)]), "a", field, struct.pack("<L", lie))
    with opened(data, sink) as archive:
        assert archive.read("a") == TEXT
        assert archive.read("b") == TEXT
    expected = ["source.archive_irregular"] if field == 24 or lie == 1_000_000 else []
    assert codes(sink) == expected


def test_a_header_offset_that_leads_nowhere_is_an_error_of_that_member():
    with opened(patched(zipped([("a", TEXT), ("b", TEXT)]), "a", 42, struct.pack("<L", 10**9))) as archive:
        with pytest.raises(MemberError):
            archive.read("a")
        assert archive.read("b") == TEXT


def test_members_that_overlap_are_reported_and_do_not_multiply():
    data = zipped([("a", TEXT), ("b", TEXT)])
    shared = patched(data, "b", 42, struct.pack("<L", 0))
    sink = DiagnosticSink()
    with opened(shared, sink, total_bytes=len(TEXT) + 10) as archive:
        archive.read("a")
        with pytest.raises(Exception, match="total_bytes"):
            archive.read("b")
    assert codes(sink) == ["source.archive_irregular"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_epub_does_not_allow_is_named(method):
    with opened(zipped([("a", TEXT)], method)) as archive, pytest.raises(MemberError, match=r"bzip2|LZMA"):
        archive.read("a")


@pytest.mark.parametrize("length", [0, 1, 4074, 4075, 4096, 65_535])
def test_the_end_of_an_archive_is_found_behind_a_comment(length):
    buffer = io.BytesIO(zipped([("a", TEXT), ("b", b"")]))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = (b"PK\x05\x06" * length)[:length]
    sink = DiagnosticSink()
    with opened(buffer.getvalue(), sink) as archive:
        assert archive.names == ["a", "b"]
        assert archive.read("a") == TEXT
    assert codes(sink) == []


def test_junk_around_the_archive_is_reported_and_skipped():
    sink = DiagnosticSink()
    with opened(b"\r\nHTTP junk\r\n" + zipped([("a", TEXT)]) + b"\0" * 100_000, sink) as archive:
        assert archive.read("a") == TEXT
    assert codes(sink) == ["source.archive_irregular"] * 2


@pytest.mark.parametrize("share", [0.1, 0.5, 2 / 3, 0.99])
def test_a_file_cut_short_is_one_clear_error(share):
    data = zipped([(f"{n}.xhtml", os.urandom(900)) for n in range(20)])
    with pytest.raises(MalformedSourceError, match="truncated") as caught:
        opened(data[: int(len(data) * share)])
    assert caught.value.diagnostic.code == "source.archive_truncated"
    assert caught.value.diagnostic.hint


def test_a_damaged_directory_is_an_error():
    data = zipped([("a", TEXT), ("b", TEXT)])
    at = data.rindex(b"PK\x01\x02")
    with pytest.raises(MalformedSourceError):
        opened(data[:at] + b"XXXX" + data[at + 4 :])


def test_what_is_no_archive_is_told_apart(tmp_path):
    with pytest.raises(EmptySourceError):
        opened(b"")
    with pytest.raises(UnsupportedFormatError):
        opened(b"%PDF-1.7 and so on")
    with pytest.raises(MalformedSourceError):
        opened(zipped([]))
    with pytest.raises(MissingSourceError):
        opened(tmp_path / "no-such.epub")
    with pytest.raises(NotAFileError):
        opened(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotAFileError):
        opened(tmp_path / "pipe")


# Encryption of the archive itself


def test_a_member_with_a_password_says_so():
    with opened(patched(zipped([("a", TEXT), ("b", TEXT)]), "a", 8, b"\x01\0")) as archive:
        with pytest.raises(EncryptedMemberError) as caught:
            archive.read("a")
        assert archive.read("b") == TEXT
    assert caught.value.diagnostic.details["scheme"] == "zip-password"


def test_an_archive_with_a_password_is_refused_whole():
    data = zipped([("mimetype", b"application/epub+zip"), ("a", TEXT)])
    with pytest.raises(EncryptedSourceError):
        opened(patched(data, "a", 8, b"\x01\0"))


# Names


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/../../b", "C:\\boot.ini", "c:/x", "..\\..\\x", "a\x01b", ".."])
def test_a_name_that_leads_out_of_the_book_is_not_used(name):
    sink = DiagnosticSink()
    with opened(zipped([(name, b"bad"), ("ok", b"good")]), sink) as archive:
        assert list(archive.names) == ["ok"]
    assert codes(sink) == ["source.member_unsafe"]


@pytest.mark.parametrize(
    ("stored", "name"),
    [("META-INF\\container.xml", "META-INF/container.xml"), ("/OPS/a.xhtml", "OPS/a.xhtml"), ("./a//b", "a/b")],
)
def test_a_name_in_another_notation_is_repaired_and_reported(stored, name):
    sink = DiagnosticSink()
    with opened(zipped([(stored, TEXT)]), sink) as archive:
        assert archive.read(name) == TEXT
    assert codes(sink) == ["source.member_renamed"]


def test_a_thousand_backslashes_are_one_diagnostic():
    sink = DiagnosticSink()
    opened(zipped([(f"a\\{n}", b"") for n in range(1_000)]), sink).close()
    assert [entry.details["count"] for entry in sink] == [1_000]


def test_a_repaired_name_never_displaces_a_proper_one():
    with opened(zipped([("a/b", b"proper"), ("a\\b", b"repaired")])) as archive:
        assert archive.read("a/b") == b"proper"


def test_a_symbolic_link_is_not_followed():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../../etc/passwd")
        archive.writestr("a", TEXT)
    sink = DiagnosticSink()
    with opened(buffer.getvalue(), sink) as opened_archive:
        assert list(opened_archive.names) == ["a"]
    assert codes(sink) == ["source.member_unsafe"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_last_of_two_members_of_one_name_counts():
    sink = DiagnosticSink()
    with opened(zipped([("a", b"first"), ("a", b"second")]), sink) as archive:
        assert archive.read("a") == b"second"
    assert codes(sink) == ["source.member_duplicate"]


def test_names_without_the_utf_8_mark_are_read_as_utf_8_when_they_can_be():
    data = zipped([("caf\u00e9", TEXT)])
    unmarked = data.replace(struct.pack("<H", 0x800), b"\0\0")
    sink = DiagnosticSink()
    with opened(unmarked, sink) as archive:
        assert list(archive.names) == ["café"]
    assert codes(sink) == []


def test_names_in_a_legacy_code_page_are_read_and_reported():
    data = zipped([("cafXX", TEXT)]).replace(b"cafXX", b"caf\x82y")
    sink = DiagnosticSink()
    with opened(data, sink) as archive:
        assert list(archive.names) == ["caféy"]
    assert codes(sink) == ["source.archive_irregular"]


# Looking names up


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [
        ("OPS/img/map.jpg", "OPS/img/Map.JPG"),
        ("OPS/café.xhtml", unicodedata.normalize("NFD", "OPS/café.xhtml")),
        (unicodedata.normalize("NFD", "OPS/café.xhtml"), "OPS/café.xhtml"),
        ("OPS/part one.xhtml", "OPS/part%20one.xhtml"),
        ("OPS/part%20one.xhtml", "OPS/part one.xhtml"),
        ("OPS/a.xhtml", "OPS\\a.xhtml"),
        ("OPS/STRASSE", "ops/straße"),
    ],
)
def test_the_only_alike_name_is_found_and_reported_once(stored, wanted):
    sink = DiagnosticSink()
    with opened(zipped([(stored, b""), ("other", b"")]), sink) as archive:
        assert [archive.find(wanted), archive.find(wanted)] == [stored, stored]
    assert [(entry.code, entry.path, entry.details["count"]) for entry in sink] == [
        ("source.member_renamed", stored, 2)
    ]


def test_an_exact_name_wins_over_an_alike_one_in_silence():
    sink = DiagnosticSink()
    with opened(zipped([("A.xhtml", b""), ("a.xhtml", b"")]), sink) as archive:
        assert (archive.find("A.xhtml"), archive.find("a.xhtml")) == ("A.xhtml", "a.xhtml")
    assert codes(sink) == []


def test_an_ambiguous_or_absent_name_is_not_found():
    with opened(zipped([("Map.jpg", b""), ("map.JPG", b"")])) as archive:
        assert archive.find("map.jpg") is None
        assert archive.find("chart.jpg") is None


@pytest.mark.parametrize(
    ("stored", "href"),
    [
        (["OPS/part one/café.xhtml"], "part%20one/caf%C3%A9.xhtml"),
        (["OPS/a%20b.xhtml", "OPS/a b.xhtml"], "a%20b.xhtml"),
        (["OPS/a b.xhtml"], "a b.xhtml"),
    ],
)
def test_a_percent_encoded_reference_finds_its_member_in_silence(stored, href):
    sink = DiagnosticSink()
    with opened(zipped([(name, b"") for name in stored]), sink) as archive:
        assert archive.member(resolve_href("OPS/book.opf", href)) == stored[0]
    assert codes(sink) == []


def test_a_reference_with_backslashes_is_found_and_reported():
    sink = DiagnosticSink()
    with opened(zipped([("OPS/t/a.xhtml", b"")]), sink) as archive:
        assert archive.member(resolve_href("OPS/book.opf", "t\\a.xhtml")) == "OPS/t/a.xhtml"
    assert codes(sink) == ["source.member_renamed"]
