"""Nothing is overwritten unasked, and what fails leaves nothing."""

import errno
import os

import pytest
from markitect_tool.outputs import folder as folder_module
from markitect_tool.source import api


def test_picture_of_the_same_name_is_not_overwritten(mkt, harbour, here, files, png):
    (here / "pics").mkdir()
    (here / "pics/map.png").write_bytes(b"mine")
    result = mkt(harbour, "--output", "out.md", "--assets", "pics")
    assert result.exit_code == 1
    assert "--force" in result.stderr
    assert files(here / "pics") == {"map.png": b"mine"}
    assert not (here / "out.md").exists()
    assert mkt(harbour, "--output", "out.md", "--assets", "pics", "--force").exit_code == 0
    assert files(here / "pics") == {"map.png": png}


@pytest.mark.parametrize("output", ["pics/map.png", "pics/MAP.png"])
def test_text_in_the_place_of_a_picture_is_refused(mkt, harbour, here, output, files, png):
    result = mkt(harbour, "--output", output, "--assets", "pics", "--force")
    assert (result.exit_code, "where the picture" in result.stderr) == (1, True)
    assert list(files(here)) == ["harbour.epub"]


def test_same_command_twice_is_no_conflict(mkt, harbour):
    for _ in range(2):
        assert mkt(harbour, "--output", "out.md", "--assets", "pics").exit_code == 0


def test_pictures_go_when_the_text_cannot_be_written(mkt, harbour, here):
    (here / "out.md").mkdir()
    result = mkt(harbour, "--output", "out.md", "--assets", "pics")
    assert result.exit_code == 1
    assert not (here / "pics").exists()


def test_full_disk_leaves_nothing(mkt, harbour, here, monkeypatch, files):
    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(folder_module, "write_file", full)
    for arguments in (["--output", "out.md", "--assets", "pics"], ["--split", "out"]):
        result = mkt(harbour, *arguments)
        assert (result.exit_code, "No space left" in result.stderr) == (1, True)
        assert list(files(here)) == ["harbour.epub"]


def test_source_that_changes_meanwhile_is_refused(mkt, harbour, here, monkeypatch, files):
    read = api.normalize_source

    def and_change(source, **how):
        result = read(source, **how)
        harbour.write_bytes(harbour.read_bytes() + b"\0")
        return result

    monkeypatch.setattr(api, "normalize_source", and_change)
    result = mkt(harbour, "--output", "out.md", "--assets", "pics")
    assert (result.exit_code, "changed" in result.stderr) == (1, True)
    assert list(files(here)) == ["harbour.epub"]


def test_folder_with_other_files_is_refused_without_force(mkt, harbour, here, files):
    (here / "out").mkdir()
    (here / "out/mine.md").write_bytes(b"mine")
    result = mkt(harbour, "--split", "out")
    assert (result.exit_code, "--force" in result.stderr) == (1, True)
    assert files(here / "out") == {"mine.md": b"mine"}
    assert mkt(harbour, "--split", "out", "--force").exit_code == 0
    assert files(here / "out")["mine.md"] == b"mine"


def test_invalid_source_makes_no_folder(mkt, here, files):
    (here / "a.epub").write_bytes(b"nothing")
    assert mkt("a.epub", "--split", "out").exit_code == 1
    assert list(files(here)) == ["a.epub"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--assets", "pics"],
        ["--assets", "pics", "--output", "-"],
        ["--assets", "pics", "--output", "a.json", "--format", "json"],
        ["--split", "out", "--output", "a.md"],
        ["--split", "out", "--format", "jsonl"],
        ["--front-matter", "yaml", "--format", "json"],
        ["--layout", "mkdocs"],
        ["--split-depth", "1"],
        ["--force"],
        ["--split", "out", "--layout", "mdbook", "--front-matter", "yaml"],
        ["--split", ""],
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together_are_misuse(mkt, harbour, here, arguments, files):
    result = mkt(harbour, *arguments)
    assert result.exit_code == 2
    assert list(files(here)) == ["harbour.epub"]


def test_killed_run_does_not_block_the_next_one(mkt, harbour, here):
    (here / "out/.mkt-0123456789ab.tmp").mkdir(parents=True)
    assert mkt(harbour, "--split", "out").exit_code == 0
    assert (here / "out/index.md").exists()
