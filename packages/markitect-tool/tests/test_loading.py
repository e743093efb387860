"""From paths and bytes to assets."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from markitect_tool import SourceAsset, SourceReadRequest, inspect_source
from markitect_tool.canonical import digest_bytes
from markitect_tool.errors import (
    EmptySourceError,
    MissingSourceError,
    NotAFileError,
    SourceError,
    UnreadableSourceError,
)
from markitect_tool.source.loading import Measurement, derive_uri, identify, measure, read_bytes


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("books/a.epub", "books/a.epub"),
        ("./books//x/../a.epub", "books/a.epub"),
        ("../a.epub", "../a.epub"),
        ("a b#1?.epub", "a%20b%231%3F.epub"),
        ("http:x.epub", "http%3Ax.epub"),
        ("Über.epub", "%C3%9Cber.epub"),
        ("/srv/a b.epub", "file:///srv/a%20b.epub"),
        (b"\xff.txt".decode("utf-8", "surrogateescape"), "%FF.txt"),
    ],
)
def test_default_uri_of_a_path(path: str, uri: str):
    assert derive_uri(path) == uri


def test_default_uri_of_bytes_is_their_rfc_6920_name():
    # The example of RFC 6920, section 8.1.
    assert derive_uri(b"Hello World!") == "ni:///sha-256;f4OxZX_x_FO5LcGBSKHWXfwtSx-j1ncoSt3SABJtkGk"


def test_given_uri_replaces_the_derived_one(tmp_path: Path):
    assert identify(tmp_path / "a.epub", uri="urn:isbn:1").uri == "urn:isbn:1"


def test_path_gives_name_and_lower_case_suffix():
    asset = identify("Books/A.EPUB")
    assert (asset.path, asset.name, asset.extension) == ("Books/A.EPUB", "A.EPUB", ".epub")


def test_bytes_take_name_and_suffix_from_the_uri():
    asset = identify(b"x", uri="https://example.org/a/My%20Book.MD?raw=1#top")
    assert (asset.path, asset.name, asset.extension) == (None, "My Book.MD", ".md")


def test_given_name_comes_before_the_uri():
    assert identify(b"x", uri="git:HEAD", name="notes.txt").extension == ".txt"


def test_bytes_without_name_have_no_suffix():
    asset = identify(b"x")
    assert (asset.name, asset.extension) == (None, None)


def test_media_type_is_lower_cased():
    assert identify(b"x", media_type=" Text/Plain; Charset=UTF-8 ").media_type == "text/plain; charset=utf-8"


def test_file_is_measured(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"12345")
    os.utime(path, ns=(7, 7))
    asset, content = measure(path, identify(path))
    assert (asset.size, asset.mtime_ns, asset.digest) == (5, 7, digest_bytes(b"12345"))
    assert content is None


def test_a_large_file_is_measured_while_others_work(tmp_path: Path):
    path = tmp_path / "large.bin"
    path.write_bytes(b"12345678" * (1 << 20))
    asset = identify(path)
    begun = Measurement(path, asset)
    assert begun.content is None
    measured = begun.result()
    assert measured == begun.result()
    assert (measured.size, measured.digest) == (8 << 20, digest_bytes(path.read_bytes()))


def test_what_reading_a_large_file_finds_is_said_when_its_measure_is_asked_for(tmp_path: Path, monkeypatch):
    path = tmp_path / "large.txt"
    path.write_bytes(b"text " * (1 << 20))

    def fail(stream, block_size):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("markitect_tool.source.loading.digest_stream", fail)
    begun = Measurement(path, identify(path))
    with pytest.raises(UnreadableSourceError, match="Input/output error"):
        begun.result()
    result = inspect_source(path)
    assert not result.valid
    assert [found.code for found in result.diagnostics] == ["source.unreadable"]


def test_bytes_are_measured_and_passed_on():
    asset, content = measure(b"12345", identify(b"12345"))
    assert (asset.size, asset.mtime_ns, asset.digest) == (5, None, digest_bytes(b"12345"))
    assert content == b"12345"


def test_missing_path(tmp_path: Path):
    with pytest.raises(MissingSourceError, match="No such file"):
        measure(tmp_path / "gone", identify(tmp_path / "gone"))


def test_file_used_as_a_folder(tmp_path: Path):
    (tmp_path / "a").write_text("x")
    with pytest.raises(MissingSourceError):
        measure(tmp_path / "a" / "b", identify(tmp_path / "a" / "b"))


def test_network_address_is_told_to_be_fetched_first():
    with pytest.raises(MissingSourceError) as caught:
        measure("https://example.org/a.epub", identify("https://example.org/a.epub"))
    assert caught.value.diagnostic.hint == "Only local files are read here; fetch it first."


def test_path_with_nul_character():
    with pytest.raises(MissingSourceError, match=r"a\\0b"):
        measure("a\0b", SourceAsset("x", path="a\0b"))


def test_folder(tmp_path: Path):
    with pytest.raises(NotAFileError, match="folder"):
        measure(tmp_path, identify(tmp_path))


def test_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotAFileError, match="pipe"):
        measure(tmp_path / "pipe", identify(tmp_path / "pipe"))


def test_device():
    with pytest.raises(NotAFileError, match="device"):
        measure("/dev/zero", identify("/dev/zero"))


def test_link_that_points_at_itself(tmp_path: Path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UnreadableSourceError, match="cannot be read"):
        measure(tmp_path / "loop", identify(tmp_path / "loop"))


def test_name_that_is_too_long(tmp_path: Path):
    path = tmp_path / ("x" * 5000)
    with pytest.raises(UnreadableSourceError):
        measure(path, identify(path))


def test_refused_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "secret.txt"
    path.write_text("x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("builtins.open", refuse)  # root may read everything, so the mode bits are no test
    with pytest.raises(UnreadableSourceError, match="Permission denied") as caught:
        measure(path, identify(path))
    assert caught.value.diagnostic.code == "source.unreadable"


@pytest.mark.parametrize("empty", [b"", "path"])
def test_empty_source(tmp_path: Path, empty: bytes | str):
    source = empty if isinstance(empty, bytes) else tmp_path / "empty.txt"
    if isinstance(source, Path):
        source.write_bytes(b"")
    with pytest.raises(EmptySourceError):
        measure(source, identify(source))


def test_file_name_that_is_not_text_is_passed_on_as_bytes(tmp_path: Path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt")
    Path(os.fsdecode(path)).write_bytes(b"text")
    source = os.fsdecode(path)
    asset, content = measure(source, identify(source))
    assert (asset.path, asset.name, content) == (None, "caf\ufffd.txt", b"text")
    assert asset.uri.endswith("/caf%E9.txt")


def test_adapter_gets_content_before_path(tmp_path: Path):
    request = SourceReadRequest(SourceAsset("u", path=str(tmp_path)), content=b"12345")
    assert read_bytes(request) == b"12345"
    assert read_bytes(request, 2) == b"12"


def test_adapter_gets_the_bytes_of_the_path(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"12345")
    request = SourceReadRequest(SourceAsset("u", path=str(tmp_path / "a")))
    assert read_bytes(request) == b"12345"
    assert read_bytes(request, 2) == b"12"


def test_adapter_without_content_and_path():
    with pytest.raises(UnreadableSourceError, match="neither"):
        read_bytes(SourceReadRequest(SourceAsset("u")))


def test_adapter_whose_path_is_gone(tmp_path: Path):
    with pytest.raises(SourceError) as caught:
        read_bytes(SourceReadRequest(SourceAsset("u", path=str(tmp_path / "gone"))))
    assert caught.value.diagnostic.code == "source.not_found"


def test_file_whose_size_the_system_does_not_tell_is_read():
    if not os.path.exists("/proc/version"):
        pytest.skip("needs /proc")
    asset, _ = measure("/proc/version", identify("/proc/version"))
    assert asset.size == len(Path("/proc/version").read_bytes()) > 0


def test_empty_path_is_named_in_the_message():
    with pytest.raises(MissingSourceError, match="No such file: ''"):
        measure("", identify(""))


def test_file_uri_is_told_from_a_remote_one():
    with pytest.raises(MissingSourceError) as caught:
        measure("file:///a.md", identify("file:///a.md"))
    assert caught.value.diagnostic.hint == "Give the path itself, not a URI."


def test_path_that_no_system_has_does_not_exist():
    with pytest.raises(MissingSourceError):
        measure("\ud800.md", identify("\ud800.md"))


def test_uri_is_text():
    assert identify(b"x", uri="caf\udce9 \ud800").uri == "caf%E9 %ED%A0%80"
