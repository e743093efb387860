"""Targets that cannot be written to, checkpoints that are none, two runs at once."""

import os
import shutil
import sqlite3
import subprocess
import sys

import pytest
from markitect_tool.pipeline.schema import APPLICATION_ID, VERSION

CHECKPOINT = ".mkt-run/checkpoint.sqlite"


@pytest.fixture
def in_namespace(mkt_run):
    """Runs a shell script where file systems can be mounted, with `$MKT` for `mkt pipeline`; what it prints."""
    trial = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    if shutil.which("unshare") is None or subprocess.run(trial, capture_output=True, check=False).returncode:
        if os.environ.get("MARKITECT_REQUIRE_ALL"):
            pytest.fail("this system mounts no file system in a namespace")
        pytest.skip("needs the right to mount in a namespace of its own")
    mkt = mkt_run.folder / "mkt"
    mkt.write_text(f"#!{sys.executable}\nfrom markitect_tool.cli.main import main\nmain()\n")
    mkt.chmod(0o755)

    def run(script):
        ended = subprocess.run(
            ["unshare", "-rm", "sh", "-c", f"set -u\n{script}"],
            cwd=mkt_run.folder,
            env={**mkt_run.environment, "MKT": f"{mkt} pipeline"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert "Traceback" not in ended.stdout
        return ended.stdout

    return run


@pytest.mark.parametrize("flags", ["", "--format jsonl", "--format segments"], ids=["markdown", "jsonl", "segments"])
def test_a_run_that_fills_the_disk_says_so_stops_and_can_be_resumed(flags, library, mkt_run, in_namespace):
    library({f"{number:03}.md": f"# {number}\n\n" + "text " * 8000 for number in range(100)})
    said = in_namespace(
        f"""
        mkdir out && mount -t tmpfs -o size=6m tmpfs out
        $MKT run books --out out --workers 2 {flags}; echo "status $?"
        find out -name '*.tmp'
        mount -o remount,size=100m out
        $MKT run books --out out --workers 2 {flags} --resume; echo "status $?"
        cp -r out kept
        $MKT run books --out fresh --workers 2 {flags}
        """
    )
    first, second = said.split("status ")[:2]
    assert "storage.full" in first
    assert f"{mkt_run.folder}/out/" in first
    assert "Make room" in first
    assert "--resume" in first
    assert first.count("failed: ") < 12  # it stopped, and did not try a hundred
    assert second.startswith("1\n")
    assert ".tmp" not in second.partition("\n")[2].partition("run ")[0]
    assert "status 0" in said
    assert "not converted again" in second  # what fitted was remembered, though the disk was full
    assert mkt_run.tree("kept") == mkt_run.tree("fresh")


def test_a_run_whose_checkpoint_cannot_grow_says_so_and_can_be_resumed(library, mkt_run, in_namespace):
    library({f"{number:04}.txt": "text" for number in range(1000)})
    said = in_namespace(
        """
        mkdir books2 && mount -t tmpfs -o size=200k tmpfs books2
        $MKT run books --out out --workers 2 --checkpoint books2/checkpoint; echo "status $?"
        mount -o remount,size=100m books2
        $MKT run books --out out --workers 2 --checkpoint books2/checkpoint --resume; echo "status $?"
        """
    )
    first = said.partition("status ")[0]
    assert "storage.full" in first
    assert "books2/checkpoint" in first
    assert "status 1" in said
    assert said.endswith("status 0\n")
    assert len(mkt_run.tree()) == 1000


def test_a_read_only_target_is_refused_with_its_path(library, in_namespace):
    library({"a.txt": "one"})
    said = in_namespace(
        """
        mkdir out && mount -t tmpfs -o ro tmpfs out
        $MKT run books --out out; echo "status $?"
        mount -o remount,rw out
        $MKT run books --out out --resume; echo "status $?"
        """
    )
    assert "storage.read_only" in said
    assert "/out" in said
    assert "status 1" in said
    assert said.endswith("status 0\n")


def test_a_target_that_becomes_read_only_ends_the_run(library, mkt_run, in_namespace):
    library(
        {
            "a.txt": "one",
            "b.deadly": f"FAKE b\nnote {mkt_run.folder}/started\nuntil {mkt_run.folder}/go\n",
            **{f"c{number:03}.txt": "text" for number in range(200)},
        }
    )
    said = in_namespace(
        """
        mkdir out
        $MKT run books --out out --workers 1 --checkpoint checkpoint &
        while ! [ -e started ]; do sleep 0.05; done
        mount --bind out out && mount -o remount,bind,ro out; touch go
        wait $!; echo "status $?"
        umount out
        $MKT run books --out out --workers 1 --checkpoint checkpoint --resume; echo "status $?"
        """
    )
    assert "storage.read_only" in said
    assert "status 1" in said
    assert said.endswith("status 0\n")
    assert len(mkt_run.tree()) == 202


def test_a_target_that_may_not_be_written_ends_the_run_after_some_documents(library, mkt_run, in_namespace):
    """Root may write anywhere, so the folder is made unwritable by what lies over it."""
    library({f"{number:03}/a.txt": "text" for number in range(100)})
    (mkt_run.folder / "out").mkdir()
    for number in range(100):
        (mkt_run.folder / f"out/{number:03}").write_text("a file where a folder should be")
    ended = mkt_run.run("--restart")
    assert ended.exit_code == 1
    assert ended.stderr.count("failed: ") <= 12
    assert mkt_run.status()["state"] == "stopped"


def test_files_beyond_what_the_system_allows_are_one_failure_each(library, mkt_run):
    library({"a.txt": "text " * 40_000, "b.txt": "text"})
    limit = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))"
    )
    ended = mkt_run.process("pipeline", "run", "books", "--out", "out", "--workers", 1, before=limit)
    assert ended.returncode == 1
    assert "a.txt" in ended.stderr
    assert list(mkt_run.tree()) == ["b.txt.md"]


def test_two_runs_at_once_are_refused(library, mkt_run, eventually):
    library({"a.deadly": f"FAKE a\nnote {mkt_run.folder}/started\nuntil {mkt_run.folder}/go\n"})
    first = mkt_run.start("pipeline", "run", "books", "--out", "out")
    eventually((mkt_run.folder / "started").exists)
    for arguments in (["--resume"], ["--restart"], ["--resume", "--checkpoint", "elsewhere.sqlite"]):
        second = mkt_run.run(*arguments)
        assert second.exit_code == 1
        assert "pipeline.checkpoint_in_use" in second.stderr
        assert str(first.pid) in second.stderr
    assert mkt_run.status()["state"] == "running"
    (mkt_run.folder / "go").touch()
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert mkt_run.status()["state"] == "complete"


@pytest.fixture
def checkpoint(library, mkt_run):
    """The checkpoint of a run that has ended."""
    library({f"{number}.txt": f"number {number}" for number in range(5)})
    mkt_run.run()
    return mkt_run.folder / "out" / CHECKPOINT


def test_another_programs_database_is_not_touched(mkt_run, library):
    library({"a.txt": "one"})
    path = mkt_run.folder / "mine.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mine (it)")
    before = path.read_bytes()
    for flags in ([], ["--resume"], ["--restart"]):
        ended = mkt_run.run("--checkpoint", path, *flags)
        assert ended.exit_code == 1
        assert "pipeline.checkpoint_foreign" in ended.stderr
        assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_not_touched(mkt_run, library):
    library({"a.txt": "one"})
    (mkt_run.folder / "notes").write_text("my notes")
    ended = mkt_run.run("--checkpoint", "notes", "--restart")
    assert ended.exit_code == 1
    assert "pipeline.checkpoint_foreign" in ended.stderr
    assert (mkt_run.folder / "notes").read_text() == "my notes"


def test_a_newer_checkpoint_is_not_touched(checkpoint, mkt_run):
    with sqlite3.connect(checkpoint) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    for arguments in (["run", "books", "--out", "out", "--resume"], ["status", "out"], ["retry", "out"]):
        ended = mkt_run("pipeline", *arguments)
        assert ended.exit_code == 1
        assert "pipeline.checkpoint_newer" in ended.stderr
        assert "Upgrade" in ended.stderr


@pytest.mark.parametrize("damage", ["cut", "zeros", "noise"])
def test_a_damaged_checkpoint_is_said_to_be(damage, checkpoint, mkt_run):
    data = checkpoint.read_bytes()
    checkpoint.write_bytes(
        {
            "cut": data[: len(data) // 2],
            "zeros": data[:100] + bytes(len(data) - 100),
            "noise": data[:200] + os.urandom(len(data) - 200),
        }[damage]
    )
    for path in checkpoint.parent.glob("*-wal"):
        path.unlink()
    ended = mkt_run.run("--resume")
    assert ended.exit_code == 1
    assert "pipeline.checkpoint_corrupt" in ended.stderr
    assert "--restart" in ended.stderr
    checkpoint.unlink()
    assert mkt_run.run("--restart").exit_code == 0
    assert len(mkt_run.tree()) == 5


def test_an_empty_file_is_a_checkpoint_that_was_never_begun(library, mkt_run):
    library({"a.txt": "one"})
    (mkt_run.folder / "checkpoint").touch()
    assert mkt_run.run("--checkpoint", "checkpoint").exit_code == 0


def test_a_checkpoint_knows_itself(checkpoint):
    with sqlite3.connect(checkpoint) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_target_on_no_file_system_needs_a_place_for_the_checkpoint(library, mkt_run):
    library({"a.txt": "one"})
    ended = mkt_run("pipeline", "run", "books", "--out", "ftp://nowhere.invalid/out")
    assert ended.exit_code == 2
    assert "--checkpoint" in ended.stderr


def test_a_target_in_memory_is_refused_since_workers_are_other_processes(library, mkt_run):
    library({"a.txt": "one"})
    ended = mkt_run("pipeline", "run", "books", "--out", "memory://out", "--checkpoint", "c")
    assert ended.exit_code == 2
    assert "memory of one process" in ended.stderr


def test_status_where_nothing_ran_says_so(mkt_run):
    ended = mkt_run("pipeline", "status", "out")
    assert ended.exit_code == 1
    assert "pipeline.checkpoint_missing" in ended.stderr


def test_status_reads_a_target_that_cannot_be_written(checkpoint, in_namespace):
    said = in_namespace('mount --bind out out && mount -o remount,bind,ro out && $MKT status out; echo "status $?"')
    assert "converted  5" in said
    assert said.endswith("status 0\n")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE documents SET outputs = '5'",
        "UPDATE documents SET outputs = '[[1]]'",
        "UPDATE documents SET diagnostics = '[1]'",
        "UPDATE documents SET diagnostics = '{}}'",
        "UPDATE runs SET plan = '{}'",
        "UPDATE runs SET settings = '[]'",
    ],
)
def test_a_checkpoint_with_records_that_are_none_is_said_to_be_damaged(damage, checkpoint, mkt_run):
    with sqlite3.connect(checkpoint) as database:
        database.execute(damage)
    for command in (["status", "out"], ["retry", "out"], ["run", "books", "--out", "out", "--resume"]):
        ended = mkt_run("pipeline", *command)
        assert ended.exit_code in (0, 1)  # not every command reads every column
        assert ended.exit_code == 0 or "pipeline.checkpoint_corrupt" in ended.stderr


@pytest.mark.parametrize("name", ["checkpoint.sqlite.lock", "checkpoint.sqlite.reserve"])
def test_a_link_in_a_prepared_target_does_not_lead_to_the_file_behind_it(name, library, mkt_run):
    library({"a.txt": "one"})
    precious = mkt_run.folder / "precious"
    precious.write_text("kept")
    (mkt_run.folder / "out/.mkt-run").mkdir(parents=True)
    (mkt_run.folder / "out/.mkt-run" / name).symlink_to(precious)
    ended = mkt_run.run()
    assert precious.read_text() == "kept"
    assert ended.exit_code == (1 if name.endswith(".lock") else 0)


def test_a_source_that_is_not_there_is_refused_before_the_target_is_made(library, mkt_run):
    library({"a.txt": "one"})
    ended = mkt_run("pipeline", "run", "books", "nosuch", "@no.txt", "--out", "out")
    assert ended.exit_code == 2
    assert "nosuch and no no.txt" in ended.stderr
    assert not (mkt_run.folder / "out").exists()
