"""`mkt` as a process of its own: streams, encodings, pipes, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
MKT = [sys.executable, "-c", "from markitect_tool.cli.main import main; main()"]


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_output_is_utf8_in_any_locale(mkt_process: Run, tmp_path: Path, locale: str):
    (tmp_path / "a.txt").write_text("naïve – “日本”\n", "utf-8")
    ended = mkt_process("source", "normalize", "a.txt", LC_ALL=locale, PYTHONIOENCODING="ascii")
    assert ended.returncode == 0
    assert ended.stdout == "naïve – “日本”\n".encode()


def test_diagnostics_are_utf8_in_any_locale(mkt_process: Run):
    ended = mkt_process("source", "normalize", "日本.txt", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert "日本.txt" in ended.stderr.decode()


def test_file_name_that_is_not_text(mkt_process: Run, tmp_path: Path):
    name = b"caf\xe9.txt"
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_bytes(b"text")
    ended = mkt_process("source", "normalize", name, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert '"uri": "caf%E9.txt"' in ended.stdout.decode("utf-8")


def test_bytes_from_a_pipe_are_read(mkt_process: Run):
    ended = mkt_process("source", "normalize", "-", "--uri", "a.txt", input=b"a\r\nb")
    assert (ended.returncode, ended.stdout) == (0, b"a\nb\n")


def test_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path):
    (tmp_path / "a.txt").write_text("line\n" * 200_000)
    with subprocess.Popen(
        [*MKT, "source", "normalize", "a.txt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"line\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_disk_is_one_clear_message(tmp_path: Path):
    (tmp_path / "a.txt").write_text("text")
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*MKT, "source", "normalize", "a.txt"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            check=False,
            timeout=60,
        )
    assert (ended.returncode, ended.stderr) == (1, b"Error: Cannot write: No space left on device.\n")


@pytest.mark.parametrize(
    ("redirection", "status", "message"),
    [("<&-", 2, "Standard input is closed"), (">&-", 1, "Cannot write: the stream is closed.")],
)
def test_closed_stream_is_one_clear_message(tmp_path: Path, redirection: str, status: int, message: str):
    command = f'"$1" -c "$2" source normalize - --uri a.txt {redirection}'
    ended = subprocess.run(
        ["sh", "-c", command, "sh", MKT[0], MKT[2]],
        input=None if "<" in redirection else b"text",
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=tmp_path,
        check=False,
        timeout=60,
    )
    assert ended.returncode == status
    assert message in ended.stderr.decode()
    assert "Traceback" not in ended.stderr.decode()


def test_no_colour_in_a_pipe(mkt_process: Run):
    ended = mkt_process("source", "adapters", TERM="xterm-256color")
    assert b"\x1b" not in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("words", "cursor", "completed"),
    [
        ("mkt so", "1", "source"),
        ("mkt source n", "2", "normalize"),
        ("mkt source inspect --ad", "3", "--adapter"),
        ("mkt source inspect --adapter source.pl", "4", "source.plaintext"),
    ],
)
def test_shell_completion(mkt_process: Run, words: str, cursor: str, completed: str):
    ended = mkt_process(_MKT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=cursor)
    assert ended.stdout.decode().split() == [f"plain,{completed}"]


def test_listing_adapters_works_without_a_home(mkt_process: Run):
    ended = mkt_process("source", "adapters", HOME="/nonexistent")
    assert ended.returncode == 0
    assert b"source.plaintext" in ended.stdout


@pytest.mark.parametrize(
    ("source", "arguments", "status", "shown"),
    [("a.txt", "", 0, b"caf\xc3\xa9\n"), ("gone.txt", "", 1, b""), ("a.txt", "--output no/such", 1, b"")],
)
def test_closed_standard_error_leaves_standard_output_to_the_text(
    tmp_path: Path, source: str, arguments: str, status: int, shown: bytes
):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")  # which is worth a warning
    ended = subprocess.run(
        ["sh", "-c", f'"$1" -c "$2" source normalize {source} {arguments} 2>&-', "sh", MKT[0], MKT[2]],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (status, shown)


def test_standard_input_that_cannot_be_read_is_one_clear_message(tmp_path: Path):
    ended = subprocess.run(
        ["sh", "-c", '"$1" -c "$2" source normalize - 0>out', "sh", MKT[0], MKT[2]],
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (1, b"Error: Cannot read standard input: Bad file descriptor.\n")


@pytest.mark.parametrize("option", ["--uri", "--media-type", "--adapter", "--option"])
def test_argument_that_is_not_utf8_is_misuse(mkt_process: Run, option: str):
    ended = mkt_process("source", "normalize", "a.txt", option, b"encoding=\xff")
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"it is not UTF-8" in ended.stderr
