"""Names, signals and settings that nobody would think of."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from markitect_tool.errors import MissingSourceError
from markitect_tool.pipeline.process import Plan
from markitect_tool.pipeline.runner import Settings, Silence, run_pipeline


def books_of(run):
    return sqlite3.connect(run.folder / "out/.mkt-run/checkpoint.sqlite")


@pytest.mark.parametrize(
    "name",
    [
        b"with space.txt",
        b"line\nend.txt",
        b"escape\x1b[31m.txt",
        b"[bold]rich.txt",
        "naïve – ünïcode 書.txt".encode(),
        b"not utf-8 \xff\xfe.txt",
        b"-rf.txt",
        b"%41.txt",
        b"a" * 251 + b".txt",
        b"CON.txt",
    ],
)
def test_any_name_of_a_file_goes_through_and_is_recognised_when_resuming(name, mkt_run):
    folder = os.fsencode(mkt_run.folder / "books")
    os.mkdir(folder)
    with open(os.path.join(folder, name), "wb") as stream:
        stream.write(b"text")
    ended = mkt_run.run()
    assert ended.exit_code == 0, ended.stderr
    assert "\x1b" not in ended.stderr
    assert list(mkt_run.tree().values()) == [b"text\n"]
    assert mkt_run.run("--resume").exit_code == 0
    assert mkt_run.status()["reused"] == 1


def test_two_folders_with_the_same_names_do_not_meet(library, mkt_run):
    library({"one/a.txt": "1", "two/a.txt": "2", "a.txt": "3"})
    assert mkt_run("pipeline", "run", "books/one", "books/two", "books/a.txt", "--out", "out").exit_code == 0
    assert sorted(mkt_run.tree().values()) == [b"1\n", b"2\n", b"3\n"]


def test_a_target_with_signs_that_mean_something_in_a_uri(library, mkt_run):
    library({"a.txt": "1"})
    out = "what?is#this%20"
    assert mkt_run("pipeline", "run", "books", "--out", out).exit_code == 0
    assert mkt_run("pipeline", "status", out).exit_code == 0
    assert mkt_run.tree(out) == {"a.txt.md": b"1\n"}


def test_a_target_as_a_file_url_is_the_same_target(library, mkt_run):
    library({"a.txt": "1"})
    assert mkt_run.run().exit_code == 0
    url = (mkt_run.folder / "out").as_uri()
    assert mkt_run("pipeline", "run", "books", "--out", url, "--resume").exit_code == 0
    assert mkt_run.status()["reused"] == 1


def test_a_target_that_was_moved_is_resumed_and_retried_where_it_is(library, mkt_run):
    library({"a.deadly": f"FAKE a\nonce {mkt_run.folder}/x fail\n", "b.txt": "1"})
    mkt_run.run()
    (mkt_run.folder / "out").rename(mkt_run.folder / "moved")
    assert mkt_run("pipeline", "retry", "moved").exit_code == 0
    assert sorted(mkt_run.tree("moved")) == ["a.deadly.md", "b.txt.md"]
    assert not (mkt_run.folder / "out").exists()


def test_a_memory_limit_that_no_worker_can_keep_is_said_at_once(library, mkt_run, children):
    library({f"{number}.txt": "1" for number in range(5)})
    ended = mkt_run.run("--memory", "5MiB")
    assert ended.exit_code == 1
    assert "before it reads anything" in ended.stderr
    assert "--memory" in ended.stderr


def test_workers_that_cannot_start_end_the_run(library, mkt_run, monkeypatch):
    library({"a.txt": "1"})
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    ended = mkt_run.run()
    assert ended.exit_code == 1
    assert "pipeline.workers_failed" in ended.stderr


def test_what_a_document_has_started_ends_with_its_worker(library, mkt_run, alive, eventually):
    child = mkt_run.folder / "child"
    library({"a.deadly": f"FAKE a\nspawn {child}\nsleep 600\n"})
    assert mkt_run.run("--timeout", "2").exit_code == 1
    eventually(lambda: not alive(int(child.read_text())))


def test_what_a_worker_left_half_written_is_removed(library, mkt_run):
    library({"a.deadly": f"FAKE a\nleave {mkt_run.folder}/out/.mkt-0123456789ab.tmp\nkill 9\n", "b.txt": "1"})
    mkt_run.run()
    assert list(mkt_run.tree()) == ["b.txt.md"]


def test_what_a_killed_run_left_half_written_is_removed_by_the_next(library, mkt_run, eventually):
    started = mkt_run.folder / "started"
    library({"a.deadly": f"FAKE a\nonce {started} until {mkt_run.folder}/never\n"})
    process = mkt_run.start("pipeline", "run", "books", "--out", "out")
    eventually(started.exists)
    (mkt_run.folder / "out/.mkt-0123456789ab.tmp").touch()
    process.kill()
    process.communicate()
    assert mkt_run.run("--resume").exit_code == 0
    assert list(mkt_run.tree()) == ["a.deadly.md"]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs SIGHUP")
def test_a_closed_terminal_ends_a_run_unless_it_was_told_not_to(library, mkt_run, eventually):
    started = mkt_run.folder / "started"
    library({"a.deadly": f"FAKE a\nnote {started}\nuntil {mkt_run.folder}/go\n", "b.deadly": "FAKE b\nsleep 1\n"})
    process = mkt_run.start(
        *("pipeline", "run", "books", "--out", "out", "--workers", 1),
        before="import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)",
    )
    eventually(started.exists)
    process.send_signal(signal.SIGHUP)
    (mkt_run.folder / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0
    (mkt_run.folder / "go").unlink()
    started.unlink()
    process = mkt_run.start(
        *("pipeline", "run", "books", "--out", "out", "--workers", 1, "--restart"),
        before="import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)",  # whoever runs the tests may ignore it
    )
    eventually(started.exists)
    process.send_signal(signal.SIGHUP)
    process.stderr.readline()
    (mkt_run.folder / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 129


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "2>/dev/full", "<&-"])
def test_a_run_does_not_need_its_streams(closed, library, mkt_run):
    library({"a.txt": "1", "b.txt": b""})
    start = "from markitect_tool.cli.main import main; main()"
    command = f'"{sys.executable}" -c "{start}" pipeline run books --out out {closed}'
    ended = subprocess.run(["sh", "-c", command], cwd=mkt_run.folder, env=mkt_run.environment, check=False, timeout=120)
    assert list(mkt_run.tree()) == ["a.txt.md"]
    assert ended.returncode == 0


def test_passwords_are_not_kept(library, mkt_run):
    library({"a.txt": "1"})
    plan = Plan(("books", "memory://me:secret@nowhere"), "out", storage_options={"secret": "secret"})
    with pytest.raises(MissingSourceError):
        run_pipeline(plan, Settings(), Silence())
    with books_of(mkt_run) as database:
        assert "secret" not in str(database.execute("SELECT plan, settings FROM runs").fetchall())


@pytest.fixture
def database(mkt_run):
    """A context whose one object lies in a database, where it costs to look; sets what it holds."""
    folder = mkt_run.folder / "books"
    (folder / "notes").mkdir(parents=True)
    (folder / "opencontext.yaml").write_text(
        'opencontext: "1.0"\nid: p\ncollections:\n  notes: ./notes/**\nadapters: {sqlite: {enabled: true}}\n'
        'context:\n  note: "sqlite://./books.db?table=books&id=b&column=body"\n'
    )

    def hold(body):
        with sqlite3.connect(folder / "books.db") as opened:
            opened.execute("CREATE TABLE IF NOT EXISTS books (id TEXT PRIMARY KEY, body TEXT)")
            opened.execute("INSERT OR REPLACE INTO books VALUES ('b', ?)", [body])

    return hold


def run_context(run, *flags):
    place = "books/opencontext.yaml"
    return run("pipeline", "run", place, "--out", "out", "--workers", 1, "--adapter", "test.deadly", *flags)


def test_costly_content_is_not_fetched_again_for_what_is_done(database, mkt_run):
    database("FAKE first")
    assert run_context(mkt_run).exit_code == 0
    database("FAKE second")
    assert run_context(mkt_run, "--resume").exit_code == 0
    assert list(mkt_run.tree().values()) == [b"# first\n"]
    assert run_context(mkt_run, "--restart").exit_code == 0
    assert list(mkt_run.tree().values()) == [b"# second\n"]


def test_costly_content_whose_worker_died_is_kept(database, mkt_run):
    here = mkt_run.folder
    database(f"FAKE first\nonce {here}/x kill 9\nonce {here}/y kill 9\n")
    assert run_context(mkt_run).exit_code == 1
    database("FAKE second")
    assert run_context(mkt_run, "--resume").exit_code == 0
    (text,) = mkt_run.tree().values()
    assert text.startswith(b"# first\n")
    with books_of(mkt_run) as books:
        assert books.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_costly_content_that_is_at_fault_is_fetched_again_by_retry(database, mkt_run):
    database("no title")
    assert run_context(mkt_run).exit_code == 1
    database("FAKE better")
    assert run_context(mkt_run, "--resume").exit_code == 1
    assert mkt_run("pipeline", "retry", "out").exit_code == 0
    assert list(mkt_run.tree().values()) == [b"# better\n"]


def test_an_engine_that_is_not_installed_names_what_to_install(library, mkt_run, monkeypatch):
    library({"a.txt": "1"})
    monkeypatch.setitem(sys.modules, "ray", None)
    ended = mkt_run.run("--engine", "ray")
    assert ended.exit_code in (1, 2)
    assert "markitect-tool[ray]" in ended.stderr


def test_a_library_that_is_missing_is_named(library, mkt_run):
    library({"a.txt": "1"})
    ended = mkt_run.process(
        "pipeline", "run", "books", "--out", "out", before="import sys; sys.modules['pydantic'] = None"
    )
    assert ended.returncode == 1
    assert "markitect-tool[pipeline]" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_report_that_could_not_be_written_is_refused_before_the_run(library, mkt_run):
    library({"a.txt": "1"})
    assert mkt_run.run("--report", "nowhere/run.html").exit_code == 2
    assert os.listdir(mkt_run.folder) == ["books"]


def test_a_script_without_a_guard_can_run_a_pipeline(library, mkt_run):
    library({"a.txt": "1"})
    script = mkt_run.folder / "script.py"
    script.write_text(
        "from markitect_tool.pipeline.process import Plan\n"
        "from markitect_tool.pipeline.runner import Settings, Silence, run_pipeline\n"
        "print(run_pipeline(Plan(('books',), 'out'), Settings(), Silence()).counts)\n"
    )
    ended = subprocess.run([sys.executable, script], cwd=mkt_run.folder, capture_output=True, check=True, timeout=120)
    assert b"'done': 1" in ended.stdout


def test_a_module_of_the_current_folder_does_not_take_a_libraries_place(library, mkt_run):
    library({"a.txt": "1"})
    (mkt_run.folder / "pickle.py").write_text("raise SystemExit('mine')")
    assert mkt_run.run().exit_code == 0


def test_a_folder_that_vanishes_during_a_run_is_an_error_and_no_traceback(library, mkt_run, eventually):
    started = mkt_run.folder / "started"
    library({"a.deadly": f"FAKE a\nnote {started}\nuntil {mkt_run.folder}/go\n", "b.txt": "1"})
    process = mkt_run.start("pipeline", "run", "books", "--out", "out", "--workers", 1)
    eventually(started.exists)
    shutil.rmtree(mkt_run.folder / "out")
    time.sleep(1.2)
    (mkt_run.folder / "go").touch()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in err
