"""How a run tells a person how far it is, on a terminal and elsewhere."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest
from markitect_tool.cli import progress
from markitect_tool.pipeline.process import Outcome

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def outcome(status="done", reused=False, size=None):
    return Outcome("k", "k", status, reused=reused, size=size)


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes when it is told to."""

    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


@pytest.fixture
def lines(clock):
    said = []
    watching = progress.Lines(said.append)
    return watching, said, clock


def test_a_line_comes_now_and_then_with_rate_errors_and_time_left(lines):
    watching, said, clock = lines
    watching.begin(lambda: (1000, 0))
    while watching._tally.total is None:
        time.sleep(0.001)
    for _ in range(97):
        watching.document(outcome())
    watching.document(outcome("screened"))
    watching.document(outcome(reused=True))
    watching.document(outcome("failed", reused=True))
    watching.tick()
    assert said == []
    clock.now += 10
    watching.tick()
    watching.tick()
    assert said == ["100 of 1,000 documents, 9.8/s, 1 failed, 1 screened out, 2 unchanged, 1:32 left"]


def test_without_a_total_there_is_no_time_left(lines):
    watching, said, clock = lines
    watching.document(outcome())
    clock.now += 20
    watching.tick()
    assert said == ["1 documents, 0.1/s"]


def test_a_flood_of_failures_is_cut_short(lines):
    watching, said, _ = lines
    for _ in range(50):
        watching.document(outcome("failed"))
    assert len(said) == 11
    assert "more documents have failed" in said[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
def test_on_a_terminal_there_is_a_bar(library, mkt_run):
    library({f"{number:02}.deadly": "FAKE a\nsleep 0.2\n" for number in range(15)} | {"bad.txt": b""})
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", "from markitect_tool.cli.main import main; main()"),
            *("pipeline", "run", "books", "--out", "out", "--workers", "1"),
        ],
        cwd=mkt_run.folder,
        env={**mkt_run.environment, "TERM": "xterm-256color", "COLUMNS": "120"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=inner,
    )
    os.close(inner)
    shown = b""
    while process.poll() is None or select.select([outer], [], [], 0)[0]:
        if select.select([outer], [], [], 0.1)[0]:
            try:
                shown += os.read(outer, 65536)
            except OSError:  # the other end is closed
                break
    os.close(outer)
    text = ESCAPES.sub("", shown.decode())
    assert process.wait() == 0
    assert process.stdout.read() == b""
    process.stdout.close()
    assert re.search(r"Converting .* \d+/16", text)
    assert re.search(r"\d\.\d/s", text)
    assert "1 screened out" in text
    assert "converted" in text  # the summary


def test_elsewhere_there_is_no_escape_sequence(library, mkt_run):
    library({"a.txt": "one", "b\x1b[31m.txt": ""})
    ended = mkt_run.process("pipeline", "run", "books", "--out", "out")
    assert "\x1b" not in ended.stderr
    assert ended.stdout == ""


def test_the_summary_counts_by_status_and_by_code(library, mkt_run):
    library({"a.txt": "one", "b.txt": b"caf\xe9", "c.txt": b"caf\xe9", "d.epub": b"PK\x03\x04", "e.txt": b""})
    shown = mkt_run.run().stderr
    assert re.search(r"documents +5\n +converted +3\n +failed +1\n +screened out +1\n", shown)
    assert re.search(r"warning +source.encoding_recovered +2 +2\n", shown)
    assert re.search(r"d.epub\n +failed \[source.archive_truncated\]", shown)


def test_status_gives_the_same_as_data(library, mkt_run):
    library({"a.txt": "one", "e.txt": b""})
    mkt_run.run()
    for style in ("json", "yaml"):
        shown = mkt_run("pipeline", "status", "out", "--format", style)
        assert shown.exit_code == 0
        assert "pipeline.empty" in shown.stdout
    data = json.loads(mkt_run("pipeline", "status", "out", "--format", "json").stdout)
    assert data["state"] == "complete"
    assert data["format"] == "markdown"
    assert data["counts"] == {"done": 1, "failed": 0, "screened": 1}
    assert data["codes"] == [{"code": "pipeline.empty", "severity": "warning", "documents": 1, "diagnostics": 1}]
    assert {row["key"] for row in data["slowest"]} == {"a.txt", "e.txt"}


def test_status_names_all_when_asked_to(library, mkt_run):
    library({f"{number:02}.txt": b"" for number in range(30)})
    mkt_run.run()
    short = mkt_run("pipeline", "status", "out").stdout
    assert "... and 10 more" in short
    assert "29.txt" not in short
    assert "29.txt" in mkt_run("pipeline", "status", "out", "--verbose").stdout


def test_status_writes_the_report(library, mkt_run):
    library({"a.txt": "one"})
    mkt_run.run()
    assert mkt_run("pipeline", "status", "out", "--report", "page.html").exit_code == 0
    assert "a.txt" in (mkt_run.folder / "page.html").read_text()


def test_the_time_left_follows_the_size_of_what_is_left(lines):
    watching, said, clock = lines
    watching.begin(lambda: (20, 20_000_000))
    while watching._tally.total is None:
        time.sleep(0.001)
    watching.document(outcome(size=18_950_000))
    clock.now += 19
    watching.tick()
    assert said == ["1 of 20 documents, 0.1/s, 2.0 s left"]
