"""Killed at any moment, and resumed: the same bytes, nothing twice, nothing missing.

The suite does this with a part of the corpus; `make kill` with all of it.
"""

import os
import random
import shutil
import signal
import sys
import time
from contextlib import suppress

import pytest

KILLS = 10  # for each format, so 30 in all
EVERY = 1 if os.environ.get("MARKITECT_WHOLE_CORPUS") else 7  # book of the corpus

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


@pytest.fixture
def books(corpus, mkt_run):
    """A folder with real books, with a text and a document that is no book among them."""
    folder = mkt_run.folder / "books"
    folder.mkdir()
    for path in sorted(corpus.rglob("*.epub"))[::EVERY]:
        shutil.copy(path, folder / f"{path.parent.name}-{path.name}")
    (folder / "broken.epub").write_bytes(b"PK\x03\x04 cut off")
    (folder / "note.txt").write_text("a note")
    return folder


@pytest.mark.parametrize(
    ("seed", "flags"),
    [(1, ["--format", "markdown"]), (2, ["--format", "segments"]), (3, ["--format", "jsonl", "--shards", "2"])],
    ids=["markdown", "segments", "jsonl"],
)
def test_killed_at_random_moments_and_resumed_the_output_is_that_of_one_run(
    seed, flags, books, mkt_run, children, eventually
):
    command = ["pipeline", "run", "books", "--workers", 2, "--resume", *flags]
    whole = mkt_run.process(*command, "--out", "whole")
    assert whole.returncode == 1  # for the broken book
    chance = random.Random(seed)
    killed = {"driver": 0, "worker": 0}
    while sum(killed.values()) < KILLS:
        before = files_in(mkt_run.folder / "out")
        process = mkt_run.start(*command, "--out", "out")
        if chance.random() < 0.7:  # amid the documents; otherwise as it may happen, at the start for one
            eventually(lambda: files_in(mkt_run.folder / "out") > before or process.poll() is not None)  # noqa: B023
        time.sleep(chance.uniform(0, 1.5))
        workers = children(process.pid)
        if workers and killed["worker"] < KILLS // 2:
            kill(chance.choice(workers))
            killed["worker"] += 1
            time.sleep(chance.uniform(0, 1))
        if process.poll() is not None:  # it was done before: begin anew
            shutil.rmtree(mkt_run.folder / "out")
        else:
            killed["driver"] += 1
        process.kill()
        process.communicate()
    ended = mkt_run.process(*command, "--out", "out")
    assert ended.returncode == 1
    assert mkt_run.tree("out") == mkt_run.tree("whole")
    assert killed["driver"] >= KILLS // 2


def files_in(folder):
    """How many there are; a run that goes on may take some away meanwhile."""
    return sum(len(files) for _, _, files in os.walk(folder))


def kill(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def test_no_worker_outlives_a_driver_that_is_killed(library, mkt_run, children, alive, eventually):
    library({f"{number}.deadly": "FAKE a\nsleep 600\n" for number in range(4)})
    process = mkt_run.start("pipeline", "run", "books", "--out", "out", "--workers", 2)
    eventually(lambda: len(children(process.pid)) == 2)
    workers = children(process.pid)
    process.kill()
    process.communicate()
    eventually(lambda: not any(map(alive, workers)))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_polite_signal_ends_a_run_after_the_documents_in_hand(number, status, library, mkt_run, eventually):
    started = mkt_run.folder / "started"
    library(
        {
            "b.deadly": f"FAKE b\nnote {started}\nuntil {mkt_run.folder}/go\n",
            **{f"c{number:03}.deadly": "FAKE c\nsleep 0.5\n" for number in range(100)},
        }
    )
    process = mkt_run.start("pipeline", "run", "books", "--out", "out", "--workers", 1)
    eventually(started.exists)
    process.send_signal(number)
    assert "Stopping" in process.stderr.readline()
    (mkt_run.folder / "go").touch()
    _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert "--resume" in err
    assert "b.deadly.md" in mkt_run.tree()
    assert len(mkt_run.tree()) < 10
    assert mkt_run.status()["state"] == "interrupted"


def test_a_signal_ends_a_run_that_is_still_putting_its_sources_in_order(mkt_run, eventually):
    os.mkfifo(mkt_run.folder / "list")
    process = mkt_run.start("pipeline", "run", "@list", "--out", "out")
    with open(mkt_run.folder / "list", "w") as stream:  # opens when the run does
        stream.write("a.txt\n")
        stream.flush()
        eventually((mkt_run.folder / "out/.mkt-run/checkpoint.sqlite.reserve").exists)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "Traceback" not in err


def test_a_second_signal_does_not_wait_for_documents(library, mkt_run, children, alive, eventually):
    started = mkt_run.folder / "started"
    library({"a.deadly": f"FAKE a\nnote {started}\nsleep 600\n"})
    process = mkt_run.start("pipeline", "run", "books", "--out", "out", "--workers", 1)
    eventually(started.exists)
    workers = children(process.pid)
    process.send_signal(signal.SIGINT)
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "--resume" in err
    assert not any(map(alive, workers))


def test_a_control_c_of_the_terminal_does_not_reach_the_workers(library, mkt_run, eventually):
    started = mkt_run.folder / "started"
    library({"a.deadly": f"FAKE a\nnote {started}\nuntil {mkt_run.folder}/go\n"})
    process = mkt_run.start("pipeline", "run", "books", "--out", "out", "--workers", 1, start_new_session=True)
    eventually(started.exists)
    os.killpg(process.pid, signal.SIGINT)
    process.stderr.readline()
    (mkt_run.folder / "go").touch()
    process.communicate(timeout=60)
    assert list(mkt_run.tree()) == ["a.deadly.md"]


def test_an_interrupted_run_is_resumed_from_where_it_was(library, mkt_run, eventually):
    notes = mkt_run.folder / "notes"
    library(
        {f"{number}.deadly": f"FAKE a\nnote {notes}\n" for number in range(5)}
        | {"9.deadly": f"FAKE a\nnote {notes}\nonce {mkt_run.folder}/first sleep 600\n"}
    )
    process = mkt_run.start("pipeline", "run", "books", "--out", "out", "--workers", 1)
    eventually(lambda: (mkt_run.folder / "first").exists())
    time.sleep(1.5)  # what was done is committed within a second
    process.kill()
    process.communicate()
    assert mkt_run.run("--resume").exit_code == 0
    assert len(notes.read_text().split()) == 5 + 2
    assert len(mkt_run.tree()) == 6
