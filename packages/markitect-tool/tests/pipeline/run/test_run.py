"""What `mkt pipeline run` does with documents that are well, and with those that are not."""

import io
import zipfile

import pytest


def test_each_document_becomes_a_file_below_the_target(library, mkt_run):
    library({"a.txt": "one", "shelf/b.txt": "two"})
    ended = mkt_run.run()
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert mkt_run.tree() == {"a.txt.md": b"one\n", "shelf/b.txt.md": b"two\n"}


def test_a_failed_document_stops_no_other_and_makes_the_status_one(library, mkt_run):
    library({"a.txt": "one", "b.epub": b"PK\x03\x04 cut off", "c.txt": "three"})
    ended = mkt_run.run()
    assert ended.exit_code == 1
    assert sorted(mkt_run.tree()) == ["a.txt.md", "c.txt.md"]
    assert "b.epub" in ended.stderr


def test_what_screening_leaves_out_is_told_of_and_no_failure(library, mkt_run):
    library({"a.txt": "one", "b.epub": b"%PDF-1.7\n"})
    assert mkt_run.run().exit_code == 0
    (row,) = mkt_run.status()["failures"]
    assert (row["key"], row["status"]) == ("b.epub", "screened")
    assert row["diagnostics"][0]["code"] == "pipeline.type_mismatch"


def test_strict_makes_what_is_screened_out_a_failure(library, mkt_run):
    library({"b.epub": b"%PDF-1.7\n"})
    assert mkt_run.run("--strict").exit_code == 1


def bomb():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("zeros", bytes(100 << 20))
    return packed.getvalue()


def test_a_messy_folder_is_gone_through_and_each_file_accounted_for(library, mkt_run):
    library(
        {
            "bomb.epub": bomb(),
            "truncated.epub": bomb()[:5000],
            "really-a.epub": b"%PDF-1.7\n" + b"1 0 obj\n" * 100,
            "latin.txt": "café".encode("latin-1"),
            "empty.txt": b"",
            "noise.bin": bytes(range(256)),
            "fine.txt": "fine",
        }
    )
    ended = mkt_run.run()
    assert ended.exit_code == 1
    status = mkt_run.status()
    assert status["counts"] == {"done": 2, "failed": 2, "screened": 3}
    said = {row["key"]: row["diagnostics"][0]["code"] for row in status["failures"]}
    assert said == {
        "bomb.epub": "pipeline.archive_bomb",
        "empty.txt": "pipeline.empty",
        "noise.bin": "source.unsupported_format",
        "really-a.epub": "pipeline.type_mismatch",
        "truncated.epub": "source.archive_truncated",
    }
    assert mkt_run.tree()["latin.txt.md"] == "café\n".encode()
    for name in said:
        assert name in ended.stderr


@pytest.mark.parametrize("order", ["exit 3", "kill 9", "crash now"])
def test_a_document_that_kills_its_worker_is_tried_twice_and_the_others_are_converted(order, library, mkt_run):
    notes = mkt_run.folder / "tries"
    documents = {f"{number:02}.txt": "fine" for number in range(9)}
    library({**documents, "04a.deadly": f"FAKE poison\nnote {notes}\n{order}\n"})
    ended = mkt_run.run("--workers", 2)
    assert ended.exit_code == 1
    assert len(mkt_run.tree()) == 9
    (row,) = mkt_run.status()["failures"]
    assert row["diagnostics"][0]["code"] == "pipeline.worker_died"
    assert row["attempts"] == 2
    assert len(notes.read_text().split()) == 2


def test_a_document_whose_worker_died_for_another_reason_is_converted_by_the_next(library, mkt_run):
    library({"a.deadly": f"FAKE a\nonce {mkt_run.folder}/mark kill 9\n", "b.txt": "fine"})
    assert mkt_run.run("--workers", 1).exit_code == 0
    assert sorted(mkt_run.tree()) == ["a.deadly.md", "b.txt.md"]


def test_a_document_that_takes_too_long_is_ended_and_tried_once(library, mkt_run):
    notes = mkt_run.folder / "tries"
    library({"a.deadly": f"FAKE a\nnote {notes}\nsleep 600\n", "b.txt": "fine"})
    ended = mkt_run.run("--timeout", "1.5")
    assert ended.exit_code == 1
    (row,) = mkt_run.status()["failures"]
    assert row["diagnostics"][0]["code"] == "pipeline.timeout"
    assert "1.5 s" in row["diagnostics"][0]["message"]
    assert len(notes.read_text().split()) == 1
    assert list(mkt_run.tree()) == ["b.txt.md"]


def test_a_document_that_takes_too_much_memory_is_ended(library, mkt_run, children):
    library({"a.deadly": "FAKE a\nhog 600\n", "b.txt": "fine"})
    ended = mkt_run.run("--memory", "300MiB")
    assert ended.exit_code == 1
    (row,) = mkt_run.status()["failures"]
    assert row["diagnostics"][0]["code"] == "pipeline.memory_exceeded"
    assert list(mkt_run.tree()) == ["b.txt.md"]


def test_an_adapter_that_raises_something_unforeseen_concerns_one_document(library, mkt_run):
    library({"a.deadly": "FAKE a\nfail of mine\n", "b.txt": "fine"})
    assert mkt_run.run().exit_code == 1
    (row,) = mkt_run.status()["failures"]
    (found,) = row["diagnostics"]
    assert found["code"] == "pipeline.adapter_failed"
    assert "of mine" in found["message"]
    assert "in fail" in found["details"]["traceback"]


def test_what_an_adapter_prints_does_not_get_between_driver_and_worker(library, mkt_run):
    library({"a.deadly": "FAKE a\nprint something\n", "b.txt": "fine"})
    ended = mkt_run.run()
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert len(mkt_run.tree()) == 2


def test_what_a_dying_worker_wrote_is_in_the_diagnostic(library, mkt_run, monkeypatch):
    library({"a.deadly": "FAKE a\nprint last words\nexit 1\n"})
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    mkt_run.run()
    (row,) = mkt_run.status()["failures"]
    assert "last words" in row["diagnostics"][0]["details"]["said"]


def test_a_source_that_is_gone_fails_and_leaves_a_run_to_resume(library, mkt_run):
    books = library({"a.txt": "one"})
    assert mkt_run.run().exit_code == 0
    books.rename(books.with_name("away"))
    ended = mkt_run.run("--resume")
    assert ended.exit_code == 1
    assert "Traceback" not in ended.stderr
    books.with_name("away").rename(books)
    assert mkt_run.run("--resume").exit_code == 0
    assert mkt_run.tree() == {"a.txt.md": b"one\n"}


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (
            ["--format", "segments"],
            ["a.md.segments/0000-One.md", "a.md.segments/0001-Two.md", "b.txt.segments/0000-segment.md"],
        ),
        (["--format", "jsonl"], ["documents.jsonl"]),
        (["--format", "jsonl", "--level", "segment"], ["segments.jsonl"]),
        (["--format", "parquet"], ["documents.parquet"]),
        (["--format", "jsonl", "--shards", "2"], ["documents-00000-of-00002.jsonl", "documents-00001-of-00002.jsonl"]),
    ],
)
def test_every_format_is_written(flags, names, library, mkt_run):
    library({"a.md": "# One\n\n# Two\n", "b.txt": "three"})
    assert mkt_run.run(*flags).exit_code == 0
    assert [name for name in mkt_run.tree() if not name.startswith(".")] == names


def test_the_bytes_do_not_depend_on_the_number_of_workers(library, mkt_run):
    library({f"{number:03}.md": f"# Number {number}\n\ntext\n" * 3 for number in range(40)})
    for workers in (1, 3):
        assert (
            mkt_run(
                "pipeline", "run", "books", "--out", f"out{workers}", "--format", "jsonl", "--workers", workers
            ).exit_code
            == 0
        )
    assert mkt_run.tree("out1") == mkt_run.tree("out3")


def test_results_inside_the_folder_that_is_read_are_no_sources(library, mkt_run):
    library({"a.txt": "one"})
    for flags in ([], ["--resume"]):
        ended = mkt_run("pipeline", "run", "books", "--out", "books/made", *flags)
        assert ended.exit_code == 0
    assert mkt_run.tree("books") == {"a.txt": b"one", "made/a.txt.md": b"one\n"} | {
        name: data for name, data in mkt_run.tree("books").items() if ".mkt-run" in name
    }


def test_a_folder_is_no_target_of_itself(library, mkt_run):
    library({"a.txt": "one"})
    ended = mkt_run("pipeline", "run", "books", "--out", "books", "--restart")
    assert ended.exit_code == 2
    assert "Name another folder" in ended.stderr


def test_the_largest_documents_are_begun_first_so_that_none_is_left_for_the_end(library, mkt_run):
    begun = mkt_run.folder / "begun"
    begun.mkdir()
    sizes = {"a": 1, "b": 3, "c": 2, "d": 5, "e": 4}
    library(
        {
            f"{name}.deadly": f"FAKE {name}\nnote {begun}/{name}\nsleep 0.02\n" + "#" * 4_000 * size
            for name, size in sizes.items()
        }
    )
    assert mkt_run.run("--workers", 1).exit_code == 0
    assert [path.name for path in sorted(begun.iterdir(), key=lambda path: path.stat().st_mtime_ns)] == list("debca")


def test_the_second_try_of_a_document_is_in_a_new_process_though_others_have_nothing_to_do(library, mkt_run):
    folder = mkt_run.folder
    others = {f"{name}.deadly": f"FAKE {name}\nnote {folder}/others\nsleep 0.3\n" + "#" * 4_000 for name in "abcd"}
    library({**others, "z.deadly": f"FAKE z\nnote {folder}/tries\nonce {folder}/x kill 9\n"})
    assert mkt_run.run("--workers", 2).exit_code == 0
    first, second = (folder / "tries").read_text().split()
    assert second not in {first, *(folder / "others").read_text().split()}


def test_what_a_document_took_is_told_though_its_worker_was_ended_for_it(library, mkt_run):
    library({"a.deadly": "FAKE a\nhog 400\n"})
    assert mkt_run.run("--memory", "200MiB").exit_code == 1
    assert mkt_run.status()["peak_bytes"] > 200 << 20
