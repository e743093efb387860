"""Formats with files for each document: Markdown, and a file for each segment."""

import pytest
from markitect_tool.canonical import digest_bytes
from markitect_tool.pipeline.errors import ConfigurationError
from markitect_tool.pipeline.exporters.making import make_exporter
from markitect_tool.pipeline.stages import ExportedFile, Exporter, WiringError, check_wiring


@pytest.fixture
def markdown():
    return make_exporter("markdown")


@pytest.fixture
def segments():
    return make_exporter("segments")


def test_markdown_is_one_file_with_a_line_end(markdown, record, target, files):
    exported = markdown.export(record("a/emma.epub", "# I\n\nOne.", "Two."), target)
    text = b"# I\n\nOne.\n\nTwo.\n"
    assert files(target) == {"a/emma.epub.md": text}
    assert exported == (ExportedFile("a/emma.epub.md", digest_bytes(text), len(text)),)


def test_segments_are_files_in_order_byte_for_byte(segments, record, target, files):
    exported = segments.export(record("emma.epub", "Preface.", "# Chapter I\n\nOne."), target)
    assert files(target) == {
        "emma.epub.segments/0000-segment.md": b"Preface.\n",
        "emma.epub.segments/0001-Chapter-I.md": b"# Chapter I\n\nOne.\n",
    }
    assert [file.path for file in exported] == list(files(target))


def test_segments_that_a_changed_document_has_no_more_are_removed(segments, record, target, files):
    segments.export(record("emma.epub", "# I\n\nOne.", "# II\n\nTwo.", "# III\n\nThree."), target)
    segments.export(record("emma.epub", "# I\n\nOne.", "# Second\n\nTwo."), target)
    assert list(files(target)) == ["emma.epub.segments/0000-I.md", "emma.epub.segments/0001-Second.md"]


def test_segments_of_a_document_whose_key_lies_in_the_folder_of_another_stay(segments, record, target, files):
    segments.export(record("a", "One."), target)
    segments.export(record("a.segments/0000-segment.md", "Two."), target)
    segments.export(record("a", "Three."), target)
    assert sorted(files(target).values()) == [b"Three.\n", b"Two.\n"]


def test_a_document_without_segments_has_no_segment_files(segments, record, target, files):
    assert segments.export(record("emma.epub"), target) == ()
    assert files(target) == {}


@pytest.mark.parametrize("format", ["markdown", "segments"])
def test_nothing_is_merged(format, record, target):
    exporter = make_exporter(format)
    exporter.export(record("emma.epub", "One."), target)
    assert exporter.finalize(target, ["emma.epub"]) == ()


@pytest.mark.parametrize("format", ["markdown", "segments", "jsonl", "parquet"])
def test_every_format_is_a_stage_that_refuses_what_is_no_record(format, record, target):
    exporter = make_exporter(format)
    assert isinstance(exporter, Exporter)
    check_wiring([exporter])
    assert exporter.format == format
    with pytest.raises(WiringError):
        exporter.export("text", target)


def test_fingerprints_differ_by_format_and_level_and_not_by_shards():
    assert len({make_exporter(name).fingerprint() for name in ("markdown", "segments", "jsonl", "parquet")}) == 4
    assert make_exporter("jsonl", level="segment").fingerprint() != make_exporter("jsonl").fingerprint()
    assert make_exporter("jsonl", shards=7).fingerprint() == make_exporter("jsonl").fingerprint()


@pytest.mark.parametrize(
    "options",
    [
        {"format": "docx"},
        {"format": "jsonl", "level": "page"},
        {"format": "jsonl", "shards": 0},
        {"format": "jsonl", "shards": 10_001},
        {"format": "jsonl", "shards": True},
        {"format": "markdown", "shards": 2},
        {"format": "markdown", "level": "segment"},
    ],
)
def test_what_a_format_does_not_have_is_refused(options):
    with pytest.raises(ConfigurationError):
        make_exporter(**options)
