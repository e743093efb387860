"""What a person sees, and how files are written."""

from __future__ import annotations

import io
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from markitect_tool.cli import output
from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.outputs.files import write_file, write_pieces
from markitect_tool.source.messages import SourceReadResult
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceAsset,
    SourceProvenance,
)


def _reported(capfd: pytest.CaptureFixture[str], found: list[Diagnostic], *, verbose: bool = False) -> str:
    output.report(found, verbose=verbose)
    captured = capfd.readouterr()
    assert captured.out == ""
    return captured.err


def _links(count: int) -> list[Diagnostic]:
    return [
        diagnostic("source.link_target_missing", f"No target {number}.", source="b.epub", path="a.xhtml")
        for number in range(count)
    ]


def test_errors_come_before_warnings(capfd: pytest.CaptureFixture[str]):
    found = [*_links(1), diagnostic("source.malformed", "Broken.", source="b.epub", hint="Repair it.")]
    assert _reported(capfd, found) == (
        "error[source.malformed]: Broken.\n  --> b.epub\n  hint: Repair it.\n"
        "warning[source.link_target_missing]: No target 0.\n  --> b.epub > a.xhtml\n"
        "1 error, 1 warning\n"
    )


def test_repeated_code_is_shown_three_times_and_counted(capfd: pytest.CaptureFixture[str]):
    text = _reported(capfd, _links(500))
    assert text.count("warning[") == 3
    assert text.endswith("  ... and 497 more source.link_target_missing\n500 warnings (--verbose shows all)\n")


def test_verbose_shows_all_and_the_notes(capfd: pytest.CaptureFixture[str]):
    text = _reported(capfd, [*_links(5), diagnostic("source.text_empty", "Nothing.")], verbose=True)
    assert text.count("warning[") == 5
    assert "info[source.text_empty]: Nothing.\n" in text
    assert text.endswith("5 warnings, 1 note\n")


def test_notes_are_only_counted(capfd: pytest.CaptureFixture[str]):
    text = _reported(capfd, [*_links(1), diagnostic("source.text_empty", "Nothing.")])
    assert "info[" not in text
    assert text.endswith("\n1 warning, 1 note (--verbose shows all)\n")


def test_notes_alone_are_silence(capfd: pytest.CaptureFixture[str]):
    assert _reported(capfd, [diagnostic("source.text_empty", "Nothing.")]) == ""


def test_nothing_found_is_silence(capfd: pytest.CaptureFixture[str]):
    assert _reported(capfd, []) == ""


def test_equal_hints_are_said_once(capfd: pytest.CaptureFixture[str]):
    found = [diagnostic("source.malformed", str(number), hint="Repair it.") for number in range(3)]
    assert _reported(capfd, found).count("hint") == 1


def test_count_of_a_diagnostic_is_shown(capfd: pytest.CaptureFixture[str]):
    found = [diagnostic("source.link_unsafe", "Disarmed.", count=12, line=3, source="b", path="c")]
    assert "Disarmed. (12 times)\n  --> b > c:3\n" in _reported(capfd, found)


def test_source_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str]):
    text = _reported(capfd, [diagnostic("source.malformed", "a\x1b[2Jb\nc\x9b", path="\x07")])
    assert "a\\x1b[2Jb\\nc\\x9b" in text
    assert "\x1b" not in text
    assert "\\x07" in text


def test_typographic_characters_are_no_control_characters():
    assert output.printable("a\xa0b – 👩\u200d🔬") == "a\xa0b – 👩\u200d🔬"
    assert output.printable("\u202eabc\u2028\ud800") == "\\u202eabc\\u2028\\ud800"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert output.paint("x", io.StringIO(), fg="red") == "x"
    assert output.paint("x", _Terminal(), fg="red") == "\x1b[31mx\x1b[0m"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert output.paint("x", _Terminal(), fg="red") == "x"


def test_colour_stays_out_of_files(tmp_path: Path):
    output.write_styled("\x1b[1mID\x1b[0m", str(tmp_path / "out"))
    assert (tmp_path / "out").read_text() == "ID\n"


def test_facts_without_a_value_are_left_out():
    assert output.facts([("title", "T"), ("rights", None), ("long name", 0)]) == "title      T\nlong name  0"


def test_new_file_gets_the_mode_of_the_umask(tmp_path: Path):
    before = os.umask(0o027)
    try:
        write_file(str(tmp_path / "out"), b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_existing_file_keeps_its_mode(tmp_path: Path):
    path = tmp_path / "out"
    path.write_text("earlier")
    path.chmod(0o600)
    write_file(str(path), b"x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == b"x"


def test_link_keeps_pointing_at_its_target(tmp_path: Path):
    (tmp_path / "real").write_text("earlier")
    (tmp_path / "link").symlink_to("real")
    write_file(str(tmp_path / "link"), b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"x"


@pytest.mark.parametrize("failing", ["os.fsync", "os.replace"])
def test_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str):
    path = tmp_path / "out"
    path.write_text("earlier")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(failing, fail)
    with pytest.raises(OSError, match="disk full"):
        write_file(str(path), b"x")
    assert path.read_text() == "earlier"
    assert os.listdir(tmp_path) == ["out"]


def test_interrupted_write_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(str(tmp_path / "out"), b"x")
    assert os.listdir(tmp_path) == []


def test_device_is_written_to_directly():
    write_file("/dev/null", b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_name_may_be_as_long_as_the_system_allows(tmp_path: Path):
    name = "山" * 85  # 255 bytes
    write_file(str(tmp_path / name), b"x")
    assert os.listdir(tmp_path) == [name]


def test_pipe_behind_a_descriptor_is_written_to_directly():
    """As in `--output >(command)`, and in `--output /dev/stdout | command`."""
    reading, writing = os.pipe()
    try:
        write_file(f"/dev/fd/{writing}", b"x")
        assert os.read(reading, 10) == b"x"
    finally:
        os.close(reading)
        os.close(writing)


def test_file_that_may_not_be_written_is_left_alone():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = Path(folder, "out")
        path.write_text("earlier")
        path.chmod(0o444)
        child = os.fork()
        if child == 0:
            try:
                if os.getuid() == 0:
                    os.setuid(65534)
                write_file(str(path), b"x")
            except PermissionError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert path.read_text() == "earlier"


def test_half_a_surrogate_pair_is_the_same_in_json_and_yaml(tmp_path: Path):
    value = {"title": "a\ud800", "other": "日本"}
    output.write(output.as_json(value), str(tmp_path / "json"))
    output.write(output.as_yaml(value), str(tmp_path / "yaml"))
    assert yaml.safe_load((tmp_path / "yaml").read_bytes()) == json.loads((tmp_path / "json").read_bytes())


@pytest.mark.parametrize(
    ("pieces", "written"),
    [
        ([], b""),
        ([b"", b""], b""),
        ([b"a", b"b"], b"ab\n"),
        ([b"a", b"b\n"], b"ab\n"),
        ([b"a\n", b""], b"a\n"),
        ([b"a\n", b"b"], b"a\nb\n"),
    ],
)
def test_pieces_end_with_one_newline(tmp_path: Path, pieces: list[bytes], written: bytes):
    output.write_pieces(pieces, str(tmp_path / "out"))
    assert (tmp_path / "out").read_bytes() == written


def test_pieces_go_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]):
    output.write_pieces(iter([b"a", b"b"]))
    assert capfdbinary.readouterr().out == b"ab\n"


def test_a_piece_that_fails_leaves_the_old_file(tmp_path: Path):
    def pieces() -> Iterator[bytes]:
        yield b"new"
        raise ZeroDivisionError

    path = tmp_path / "out"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_pieces(str(path), pieces())
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]


def test_json_in_pieces_is_the_json_of_the_whole():
    segments = [NormalizedMarkdownSegment(f"s{n}", n, text) for n, text in enumerate(["\u201ca\u201d", "", "\ud83d"])]
    document = NormalizedMarkdownDocument.assemble(
        asset=SourceAsset("a.txt"),
        adapter_id="source.fake",
        adapter_version="1",
        options={"nested": {"list": [1, None]}},
        segments=segments,
        quality=NormalizationQuality("low", confidence=0.5),
        provenance=[SourceProvenance("a.txt", start_offset=0)],
    )
    for result in (SourceReadResult(True, document, _links(2)), SourceReadResult(True, document)):
        assert b"".join(output.json_pieces(result)).decode() == output.as_json(result.to_dict()).replace("\ud83d", "?")
