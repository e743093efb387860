"""Formats that merge documents: every byte follows from the documents, whatever happened on the way."""

import errno
import itertools
import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pyarrow.parquet
import pytest
from markitect_tool.canonical import digest_bytes
from markitect_tool.pipeline.exporters import parquet
from markitect_tool.pipeline.exporters.making import make_exporter
from markitect_tool.pipeline.exporters.merging import FRAGMENTS
from markitect_tool.pipeline.exporters.shards import READ_AHEAD, shards_of
from markitect_tool.pipeline.exporters.tables import schema_of
from markitect_tool.pipeline.records import DocumentRecord
from markitect_tool.pipeline.storage import open_url
from markitect_tool.pipeline.storage_errors import NotStoredError, StorageFullError, StorageUnavailableError

ALL = list(itertools.product(("jsonl", "parquet"), ("document", "segment"), (1, 3)))
KEYS = ["a.epub", "b.epub", "c/d.epub", "e.epub", "f.epub"]


@pytest.fixture
def records(record):
    return {key: record(key, f"# {key}\n\nText.", "More  \u2028 “text”.\n\x0b") for key in KEYS}


@pytest.mark.parametrize(("format", "level", "shards"), ALL)
class TestAnyMergingFormat:
    @pytest.fixture
    def exporter(self, format, level, shards):
        return make_exporter(format, level=level, shards=shards)

    def test_the_order_in_which_documents_are_done_changes_no_byte(self, exporter, records, target, files, tmp_path):
        other = open_url(str(tmp_path / "other"))
        for key in KEYS:
            exporter.export(records[key], target)
        for key in reversed(KEYS):
            exporter.export(records[key], other)
        exporter.export(records["b.epub"], other)  # twice: its first outcome was lost
        merged = exporter.finalize(target, KEYS)
        exporter.finalize(other, KEYS)
        assert files(target) == files(other)
        assert {file.path: file.digest for file in merged} == {
            name: digest_bytes(data) for name, data in files(target).items()
        }
        assert [file.size for file in merged] == [len(data) for data in files(target).values()]

    def test_every_document_is_in_one_shard(self, exporter, records, target, level, format):
        for record in records.values():
            exporter.export(record, target)
        found = [key for file in exporter.finalize(target, KEYS) for key in keys_of(target.read(file.path), format)]
        each = 2 if level == "segment" else 1
        assert sorted(found) == sorted(KEYS * each)

    def test_a_document_that_is_not_among_the_keys_is_left_out(self, exporter, records, target, format):
        for record in records.values():
            exporter.export(record, target)
        found = {key for file in exporter.finalize(target, KEYS[1:]) for key in keys_of(target.read(file.path), format)}
        assert found == set(KEYS[1:])

    def test_a_merge_that_fails_leaves_the_old_files_and_is_repeated(self, exporter, records, target, files):
        for key in KEYS[:2]:
            exporter.export(records[key], target)
        exporter.finalize(target, KEYS[:2])
        before = files(target)
        with pytest.raises(NotStoredError):
            exporter.finalize(target, KEYS)
        assert set(files(target)) == set(before)
        for record in records.values():
            exporter.export(record, target)
        exporter.finalize(target, KEYS)
        assert {key for name, data in files(target).items() for key in keys_of(data, exporter.format)} == set(KEYS)

    def test_without_documents_there_are_files_without_rows(self, exporter, target, shards, format):
        merged = exporter.finalize(target, [])
        assert len(merged) == shards
        assert [keys_of(target.read(file.path), format) for file in merged] == [[]] * shards


def keys_of(data, format):
    if format == "parquet":
        return pyarrow.parquet.read_table(pyarrow.BufferReader(data)).column("key").to_pylist()
    lines = [json.loads(line) for line in data.decode().split("\n")[:-1]]
    return [line["key"] if "key" in line else line["provenance"]["key"] for line in lines]


def test_a_damaged_fragment_is_an_error_with_a_remedy(records, target):
    exporter = make_exporter("parquet")
    (fragment,) = exporter.export(records[KEYS[0]], target)
    target.write_durably(fragment.path, b"damaged\n")
    with pytest.raises(StorageUnavailableError) as caught:
        exporter.finalize(target, KEYS[:1])
    assert "--prune" in caught.value.diagnostic.hint


def test_no_room_for_temporary_files_is_an_error_of_storage(target, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("builtins.open", full)
    with pytest.raises(StorageFullError):
        make_exporter("jsonl", shards=2).finalize(target, KEYS)


def test_shards_of_another_number_are_removed_and_nothing_else(records, target):
    for record in records.values():
        make_exporter("jsonl").export(record, target)
    target.write_durably("documents.parquet", b"somebody else's")
    target.write_durably("documents-old.jsonl", b"somebody else's")
    for shards in (4, 2, 1):
        merged = make_exporter("jsonl", shards=shards).finalize(target, KEYS)
    assert [file.path for file in merged] == ["documents.jsonl"]
    there = [file.name for file in target.list(recursive=False)]
    assert there == ["documents-old.jsonl", "documents.jsonl", "documents.parquet"]


def test_names_of_shards_sort_in_their_order(target):
    merged = make_exporter("jsonl", level="segment", shards=12).finalize(target, [])
    assert merged[0].path == "segments-00000-of-00012.jsonl"
    assert [file.path for file in merged] == sorted(file.path for file in merged)


def test_a_line_of_a_document_is_its_record(records, target):
    exporter = make_exporter("jsonl")
    exporter.export(records["a.epub"], target)
    exporter.finalize(target, ["a.epub"])
    assert DocumentRecord.model_validate_json(target.read("documents.jsonl")) == records["a.epub"]


def test_a_file_that_was_touched_gives_the_same_lines(record, target):
    exporter = make_exporter("jsonl")
    once, again = (exporter.export(record("a.epub", "One.", modified_ns=time), target) for time in (1, 2))
    assert once == again


def test_a_line_of_a_segment_has_what_an_index_needs(records, target):
    exporter = make_exporter("jsonl", level="segment")
    exporter.export(records["a.epub"], target)
    exporter.finalize(target, ["a.epub"])
    first, second = map(json.loads, target.read("segments.jsonl").decode().split("\n")[:-1])
    assert (first["key"], first["text"], first["heading_path"]) == ("a.epub", "# a.epub\n\nText.", ["a.epub"])
    assert (second["pages"], second["anchors"], second["source_href"]) == (["2"], ["a1"], "1.xhtml")
    assert second["text"] == "More  \u2028 “text”.\n\x0b"


@pytest.mark.parametrize("level", ["document", "segment"])
def test_a_table_has_the_fixed_schema_whatever_is_in_it(level, records, target):
    exporter = make_exporter("parquet", level=level)
    exporter.export(records["a.epub"], target)
    for keys in ([], ["a.epub"]):
        (file,) = exporter.finalize(target, keys)
        schema = pyarrow.parquet.read_schema(pyarrow.BufferReader(target.read(file.path)))
        assert schema.equals(schema_of(level))
        assert schema.metadata == {b"markitect.schema": f"markitect.{level}-table.v1".encode()}


def test_cells_of_a_document(records, target):
    exporter = make_exporter("parquet")
    exporter.export(records["a.epub"], target)
    exporter.finalize(target, ["a.epub"])
    (row,) = pyarrow.parquet.read_table(pyarrow.BufferReader(target.read("documents.parquet"))).to_pylist()
    assert (row["title"], row["creators"], row["language"]) == ("Emma", ["Jane Austen"], "en")
    assert (row["source_uri"], row["segment_count"], row["confidence"]) == ("file:///a.epub", 2, 0.5)
    assert row["markdown"] == records["a.epub"].normalized().markdown
    assert json.loads(row["identifiers"]) == {"isbn": "1"}
    assert row["publisher"] is None


def test_cells_of_a_segment(records, target):
    exporter = make_exporter("parquet", level="segment")
    exporter.export(records["a.epub"], target)
    exporter.finalize(target, ["a.epub"])
    first, second = pyarrow.parquet.read_table(pyarrow.BufferReader(target.read("segments.parquet"))).to_pylist()
    assert (first["order"], first["byte_start"], first["byte_end"]) == (0, 0, 15)
    assert second["text"] == "More  \u2028 “text”.\n\x0b"
    assert json.loads(second["provenance"])[0]["page"] == "2"


@pytest.mark.parametrize(("limit", "value"), [("ROW_GROUP_ROWS", 2), ("ROW_GROUP_BYTES", 900)])
def test_row_groups_are_bounded_by_rows_and_by_bytes(limit, value, records, target, monkeypatch):
    monkeypatch.setattr(parquet, limit, value)
    exporter = make_exporter("parquet", level="segment")
    for record in records.values():
        exporter.export(record, target)
    exporter.finalize(target, KEYS)
    found = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(target.read("segments.parquet"))).metadata
    assert [found.row_group(number).num_rows for number in range(found.num_row_groups)] == [2] * 5


def test_a_fragment_holds_one_document_and_stays(records, target):
    exporter = make_exporter("jsonl", level="segment")
    (fragment,) = exporter.export(records["a.epub"], target)
    exporter.finalize(target, ["a.epub"])
    assert fragment.path.startswith(f"{FRAGMENTS}/jsonl-segments/")
    assert target.read(fragment.path) == target.read("segments.jsonl")


def test_more_fragments_than_are_read_ahead_stay_in_order(record, target):
    exporter = make_exporter("jsonl", level="segment")
    keys = [f"{number:04}" for number in range(3 * READ_AHEAD + 1)]
    for key in keys:
        exporter.export(record(key, "Text."), target)
    exporter.finalize(target, keys)
    assert keys_of(target.read("segments.jsonl"), "jsonl") == keys


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("keys", [["b", "a"], ["a", "a"]])
def test_keys_that_do_not_ascend_are_refused(shards, keys, target):
    with pytest.raises(ValueError, match="ascend"):
        make_exporter("jsonl", shards=shards).finalize(target, keys)


@pytest.mark.parametrize("shards", [1, 3])
def test_keys_come_from_a_database_that_only_one_thread_may_ask(shards, records, target):
    exporter = make_exporter("jsonl", shards=shards)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE documents (key)")
        for key, record in records.items():
            database.execute("INSERT INTO documents VALUES (?)", (key,))
            exporter.export(record, target)
        keys = (key for (key,) in database.execute("SELECT key FROM documents ORDER BY key"))
        assert len(exporter.finalize(target, keys)) == shards


def test_keys_are_spread_in_bounded_memory(monkeypatch):
    monkeypatch.setattr("markitect_tool.pipeline.exporters.shards._KEYS_IN_MEMORY", 3)
    keys = sorted(["line\nfeed", "\ud800", *map(str, range(50))])
    with shards_of(iter(keys), 4) as shards:
        spread = [list(shard) for shard in shards]
    assert sorted(itertools.chain(*spread)) == keys
    assert all(shard == sorted(shard) and shard for shard in spread)


def test_a_bucket_gives_the_same_bytes(records, target, bucket, files):
    exporter = make_exporter("parquet", level="segment", shards=2)
    for storage in (target, bucket):
        for record in records.values():
            exporter.export(record, storage)
        exporter.finalize(storage, KEYS)
    assert files(target) == files(bucket)


def test_the_clock_is_not_in_a_table(records, target):
    exporter = make_exporter("parquet")
    exporter.export(records["a.epub"], target)
    exporter.finalize(target, ["a.epub"])
    assert str(datetime.now(UTC).year).encode() not in target.read("documents.parquet")
