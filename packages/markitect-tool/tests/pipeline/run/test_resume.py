"""What a second run into the same target does again, and what not."""

import os
import shutil
import sqlite3

import pytest


@pytest.fixture
def converted(library, mkt_run):
    """Three documents, converted; the second is one that notes each conversion of it."""
    library({"a.txt": "one", "b.deadly": f"FAKE b\nnote {mkt_run.folder}/notes\n", "c.txt": "three"})
    assert mkt_run.run().exit_code == 0
    return mkt_run


def conversions(run):
    return len((run.folder / "notes").read_text().split())


def reused(run):
    return run.status()["reused"]


def test_what_is_done_is_not_done_again(converted):
    assert converted.run("--resume").exit_code == 0
    assert conversions(converted) == 1
    assert reused(converted) == 3


def test_a_run_into_a_target_with_an_earlier_run_is_refused_with_a_hint(converted):
    before = converted.tree()
    ended = converted.run()
    assert ended.exit_code == 2
    assert "--resume" in ended.stderr
    assert converted.tree() == before


def test_to_resume_where_nothing_was_begun_is_to_begin(library, mkt_run):
    library({"a.txt": "one"})
    assert mkt_run.run("--resume").exit_code == 0
    assert mkt_run.tree() == {"a.txt.md": b"one\n"}


@pytest.mark.parametrize("flags", [[], ["--quick"]])
def test_a_document_that_was_changed_is_converted_again(flags, converted, library):
    library({"a.txt": "another"})
    assert converted.run("--resume", *flags).exit_code == 0
    assert converted.tree()["a.txt.md"] == b"another\n"
    assert (conversions(converted), reused(converted)) == (1, 2)


def test_a_change_that_size_and_time_hide_is_found_by_the_content(converted, library):
    status = os.stat(converted.folder / "books/a.txt")
    library({"a.txt": "two"})
    os.utime(converted.folder / "books/a.txt", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert converted.run("--resume", "--quick").exit_code == 0
    assert converted.tree()["a.txt.md"] == b"one\n"
    assert converted.run("--resume").exit_code == 0
    assert converted.tree()["a.txt.md"] == b"two\n"


def test_a_document_that_was_only_touched_is_not_converted_again(converted):
    os.utime(converted.folder / "books/b.deadly", (1, 1))
    assert converted.run("--resume").exit_code == 0
    assert conversions(converted) == 1


@pytest.mark.parametrize("flags", [[], ["--quick"]])
def test_a_result_that_was_deleted_is_made_again(flags, converted):
    before = converted.tree()
    os.unlink(converted.folder / "out/b.deadly.md")
    assert converted.run("--resume", *flags).exit_code == 0
    assert converted.tree() == before
    assert conversions(converted) == 2


def test_a_result_that_was_changed_is_made_again(converted):
    before = converted.tree()
    (converted.folder / "out/b.deadly.md").write_text("tampered with")
    assert converted.run("--resume").exit_code == 0
    assert converted.tree() == before


def test_a_result_that_was_cut_is_made_again_even_when_quick(converted):
    before = converted.tree()
    (converted.folder / "out/b.deadly.md").write_text("#")
    assert converted.run("--resume", "--quick").exit_code == 0
    assert converted.tree() == before


def test_a_new_document_is_converted(converted, library):
    library({"d.txt": "four"})
    assert converted.run("--resume").exit_code == 0
    assert converted.tree()["d.txt.md"] == b"four\n"
    assert reused(converted) == 3


def test_another_option_means_another_conversion(library, mkt_run):
    library({"a.md": "# One\n\n## Two\n", "b.txt": "text"})
    assert mkt_run.run("--format", "segments").exit_code == 0
    assert len(mkt_run.tree()) == 3
    assert mkt_run.run("--format", "segments", "--option", "segment_level=1", "--resume").exit_code == 0
    assert sorted(mkt_run.tree()) == ["a.md.segments/0000-One.md", "b.txt.segments/0000-segment.md"]


def test_another_format_takes_the_place_of_the_first(converted):
    assert converted.run("--format", "jsonl", "--resume").exit_code == 0
    assert [name for name in converted.tree() if not name.startswith(".")] == ["documents.jsonl"]
    assert converted.run("--resume").exit_code == 0
    assert sorted(converted.tree()) == ["a.txt.md", "b.deadly.md", "c.txt.md"]


def test_another_number_of_shards_parses_nothing_again(converted):
    assert converted.run("--format", "jsonl", "--resume").exit_code == 0
    assert converted.run("--format", "jsonl", "--shards", 2, "--resume").exit_code == 0
    assert conversions(converted) == 2
    assert [name for name in converted.tree() if not name.startswith(".")] == [
        "documents-00000-of-00002.jsonl",
        "documents-00001-of-00002.jsonl",
    ]


def test_a_changed_document_that_fails_leaves_no_result_of_its_former_state(library, mkt_run):
    library({"a.deadly": "FAKE a\n", "b.txt": "two"})
    mkt_run.run()
    library({"a.deadly": "no title"})
    assert mkt_run.run("--resume").exit_code == 1
    assert sorted(mkt_run.tree()) == ["b.txt.md"]


def test_a_document_that_cannot_be_read_for_now_keeps_its_result(converted):
    path = converted.folder / "books/a.txt"
    path.rename(converted.folder / "elsewhere")
    path.symlink_to("nowhere")
    assert converted.run("--resume").exit_code == 1
    assert converted.tree()["a.txt.md"] == b"one\n"
    path.unlink()
    (converted.folder / "elsewhere").rename(path)
    assert converted.run("--resume").exit_code == 0
    assert converted.status()["counts"] == {"done": 3, "failed": 0, "screened": 0}


def test_a_failure_that_the_content_decides_is_not_tried_again(library, mkt_run):
    library({"a.deadly": f"FAKE a\nnote {mkt_run.folder}/notes\nfail always\n"})
    mkt_run.run()
    assert mkt_run.run("--resume").exit_code == 1
    assert conversions(mkt_run) == 1


def test_a_document_that_killed_its_worker_is_tried_again(library, mkt_run):
    here = mkt_run.folder
    library({"a.deadly": f"FAKE a\nnote {here}/notes\nonce {here}/x exit 1\nonce {here}/y exit 1\n"})
    assert mkt_run.run().exit_code == 1
    assert mkt_run.run("--resume").exit_code == 0
    assert conversions(mkt_run) == 3


def test_a_document_that_took_too_long_is_tried_again_only_with_more_time(library, mkt_run):
    library({"a.deadly": f"FAKE a\nnote {mkt_run.folder}/notes\nonce {mkt_run.folder}/x sleep 600\n"})
    assert mkt_run.run("--timeout", "1.5").exit_code == 1
    assert mkt_run.run("--timeout", "1.5", "--resume").exit_code == 1
    assert conversions(mkt_run) == 1
    assert mkt_run.run("--timeout", "1m", "--resume").exit_code == 0
    assert list(mkt_run.tree()) == ["a.deadly.md"]


def test_what_screening_left_out_is_judged_anew(library, mkt_run):
    library({"a.txt": "more than ten bytes"})
    mkt_run.run("--max-size", "10")
    assert mkt_run.status()["counts"]["screened"] == 1
    mkt_run.run("--max-size", "100", "--resume")
    assert list(mkt_run.tree()) == ["a.txt.md"]


def test_results_of_documents_that_are_gone_stay_until_they_are_pruned(converted):
    os.unlink(converted.folder / "books/a.txt")
    ended = converted.run("--resume")
    assert ended.exit_code == 0
    assert "--prune" in ended.stderr
    assert converted.status()["removed"] == 1
    assert "a.txt.md" in converted.tree()
    assert converted.run("--resume", "--prune").exit_code == 0
    assert sorted(converted.tree()) == ["b.deadly.md", "c.txt.md"]
    assert converted.status()["removed"] == 0


def test_a_source_that_is_not_there_prunes_nothing(converted):
    before = converted.tree()
    (converted.folder / "books").rename(converted.folder / "away")
    assert converted.run("--resume", "--prune").exit_code == 1
    assert converted.tree() == before


def test_a_source_with_nothing_in_it_prunes_nothing(converted):
    before = converted.tree()
    (converted.folder / "books").rename(converted.folder / "away")
    (converted.folder / "books").mkdir()  # as a disk that is not mounted looks
    converted.run("--resume", "--prune")
    assert converted.tree() == before


def test_a_folder_that_leads_nowhere_prunes_nothing_of_it(library, mkt_run):
    library({"shelf/a.txt": "one", "b.txt": "two"})
    mkt_run.run()
    before = mkt_run.tree()
    (mkt_run.folder / "books/shelf").rename(mkt_run.folder / "away")
    (mkt_run.folder / "books/shelf").symlink_to("nowhere")
    assert mkt_run.run("--resume", "--prune").exit_code == 1
    assert mkt_run.tree() == before


def test_a_document_that_is_gone_with_its_result_does_not_stop_the_run(converted):
    converted.run("--format", "jsonl", "--resume")
    os.unlink(converted.folder / "books/a.txt")
    shutil.rmtree(converted.folder / "out/.mkt-fragments")
    ended = converted.run("--format", "jsonl", "--resume")
    assert ended.exit_code == 0, ended.stderr
    assert converted.status()["removed"] == 0
    assert len(converted.tree()["documents.jsonl"].splitlines()) == 2


def test_restart_converts_everything_again_and_removes_what_is_gone(converted):
    os.unlink(converted.folder / "books/a.txt")
    assert converted.run("--restart").exit_code == 0
    assert conversions(converted) == 2
    assert sorted(converted.tree()) == ["b.deadly.md", "c.txt.md"]


def test_a_folder_with_files_of_somebody_else_is_no_target(library, mkt_run):
    library({"a.txt": "one"})
    (mkt_run.folder / "out").mkdir()
    (mkt_run.folder / "out/precious").write_text("mine")
    ended = mkt_run.run()
    assert ended.exit_code == 2
    assert "precious" in ended.stderr
    assert mkt_run.tree() == {"precious": b"mine"}
    assert mkt_run.run("--restart").exit_code == 0
    assert sorted(mkt_run.tree()) == ["a.txt.md", "precious"]


def test_a_target_that_is_a_file_is_refused(library, mkt_run):
    library({"a.txt": "one"})
    (mkt_run.folder / "out").write_text("a file")
    ended = mkt_run.run()
    assert ended.exit_code == 2
    assert "no folder" in ended.stderr


def test_retry_tries_the_failed_documents_only(library, mkt_run):
    library(
        {"a.deadly": f"FAKE a\nonce {mkt_run.folder}/x fail\n", "b.deadly": f"FAKE b\nnote {mkt_run.folder}/notes\n"}
    )
    assert mkt_run.run().exit_code == 1
    assert mkt_run("pipeline", "retry", "out").exit_code == 0
    assert sorted(mkt_run.tree()) == ["a.deadly.md", "b.deadly.md"]
    assert conversions(mkt_run) == 1


def test_retry_with_a_code_tries_those_only(library, mkt_run):
    library({"a.deadly": f"FAKE a\nonce {mkt_run.folder}/x fail\n", "b.deadly": "no title"})
    mkt_run.run()
    assert mkt_run("pipeline", "retry", "out", "--code", "source.malformed").exit_code == 1
    assert mkt_run.tree() == {}
    assert mkt_run("pipeline", "retry", "out", "--code", "pipeline.adapter_failed").exit_code == 1
    assert list(mkt_run.tree()) == ["a.deadly.md"]


def test_retry_works_from_another_folder(library, mkt_run, monkeypatch):
    library({"a.deadly": f"FAKE a\nonce {mkt_run.folder}/x fail\n"})
    mkt_run.run()
    monkeypatch.chdir("/")
    assert mkt_run("pipeline", "retry", mkt_run.folder / "out").exit_code == 0
    assert list(mkt_run.tree()) == ["a.deadly.md"]


def test_retry_where_nothing_ran_says_so(mkt_run):
    ended = mkt_run("pipeline", "retry", "out")
    assert ended.exit_code == 1
    assert "pipeline.checkpoint_missing" in ended.stderr


def test_a_merged_file_that_was_deleted_is_made_again(converted):
    converted.run("--format", "jsonl", "--resume")
    before = converted.tree()
    os.unlink(converted.folder / "out/documents.jsonl")
    assert converted.run("--format", "jsonl", "--resume").exit_code == 0
    assert converted.tree() == before


def test_a_parsed_document_whose_export_failed_is_not_parsed_again(converted, library):
    """The target has a folder where the file should be; the record is kept until that is put right."""
    library({"d.deadly": f"FAKE d\nnote {converted.folder}/notes\n"})
    (converted.folder / "out/d.deadly.md").mkdir()
    assert converted.run("--resume").exit_code == 1
    with sqlite3.connect(converted.folder / "out/.mkt-run/checkpoint.sqlite") as database:
        assert database.execute("SELECT key, stage FROM kept").fetchall() == [("d.deadly", "record")]
    (converted.folder / "out/d.deadly.md").rmdir()
    assert converted.run("--resume").exit_code == 0
    assert "d.deadly.md" in converted.tree()
    assert conversions(converted) == 2
    with sqlite3.connect(converted.folder / "out/.mkt-run/checkpoint.sqlite") as database:
        assert database.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_retry_of_a_target_whose_fragments_are_gone_says_to_resume_which_mends_it(library, mkt_run):
    library({"a.txt": "one", "b.epub": b"PK\x03\x04 cut off"})
    assert mkt_run.run("--format", "jsonl").exit_code == 1
    whole = mkt_run.tree()["documents.jsonl"]
    shutil.rmtree(mkt_run.folder / "out/.mkt-fragments")
    ended = mkt_run.process("pipeline", "retry", "out")
    assert ended.returncode == 1
    assert "--resume" in ended.stderr
    assert "Give the same command again" not in ended.stderr
    assert "Traceback" not in ended.stderr
    assert mkt_run.run("--format", "jsonl", "--resume").exit_code == 1
    assert mkt_run.tree()["documents.jsonl"] == whole


def test_retry_with_nothing_to_try_again_says_so(converted):
    ended = converted("pipeline", "retry", "out")
    assert ended.exit_code == 0
    assert "nothing to try again" in ended.stderr
