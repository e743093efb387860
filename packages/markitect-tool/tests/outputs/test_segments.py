"""Segment records: offsets, heading paths, pages."""

import json

import pytest
from markitect_tool import normalize_source
from markitect_tool.errors import ModelError
from markitect_tool.outputs.segments import heading_paths, segment_records
from markitect_tool.source.model import SourceProvenance

KEYS = [
    "schema_version", "document_id", "segment_id", "order", "heading", "heading_level", "heading_path", "text", "pages",
    "source_uri", "source_href", "anchors", "byte_start", "byte_end", "line_start", "line_end", "language", "title",
    "creators", "provenance", "metadata",
]  # fmt: skip


def test_every_record_has_the_same_keys_in_the_same_order(make):
    records = list(segment_records(make("a", ("b", {"heading": "B", "heading_level": 1}))))
    assert [list(record) for record in records] == [KEYS, KEYS]


def test_records_are_json(make):
    document = make(("a", {"provenance": [SourceProvenance("book:1", page="i")], "metadata": {"role": "body"}}))
    assert json.loads(json.dumps(list(segment_records(document)))) == list(segment_records(document))


def test_bytes_are_those_of_the_text(make):
    document = make("Köln 火", "", "# B\n\n𝄞 clef", "end")
    data = document.markdown.encode()
    for record in segment_records(document):
        assert data[record["byte_start"] : record["byte_end"]].decode() == record["text"]


def test_lines_are_those_of_the_text(make):
    document = make("one\ntwo", "three", "four\n\nfive")
    lines = document.markdown.split("\n")
    for record in segment_records(document):
        assert "\n".join(lines[record["line_start"] - 1 : record["line_end"]]) == record["text"]


def test_text_that_occurs_twice_has_two_places(make):
    records = list(segment_records(make("same", "same")))
    assert [record["byte_start"] for record in records] == [0, 6]


def test_document_that_is_not_its_segments_is_refused(make):
    from dataclasses import replace

    with pytest.raises(ModelError, match="s1"):
        list(segment_records(replace(make("a"), markdown="b")))


def test_pages_are_those_of_the_provenance_each_once(make):
    spans = [SourceProvenance("book:1", page=page) for page in ("i", "i", None, "ii")]
    (record,) = segment_records(make(("a", {"provenance": spans})))
    assert record["pages"] == ["i", "ii"]


def test_heading_path_follows_the_levels_of_headings(make):
    headed = [("a", 1), ("b", 2), ("c", 3), ("d", 2), ("e", 1)]
    document = make(*((text, {"heading": text, "heading_level": level}) for text, level in headed))
    assert heading_paths(document) == [["a"], ["a", "b"], ["a", "b", "c"], ["a", "d"], ["e"]]


def test_table_of_contents_goes_before_the_levels(make):
    document = make(("x", {"heading": "H", "heading_level": 1, "metadata": {"section_path": ["Part", "H"]}}))
    assert heading_paths(document) == [["Part", "H"]]


def test_segment_without_a_heading_goes_on_under_the_one_before(make):
    assert heading_paths(make("x", ("a", {"heading": "A", "heading_level": 1}), "b")) == [[], ["A"], ["A"]]


def test_source_without_segments_has_no_records(make):
    assert list(segment_records(make())) == []


def test_markdown_with_front_matter_keeps_its_offsets():
    text = "---\ntitle: x\n---\n\n# A\n\nb\n\n\n# C\n"
    document = normalize_source(text.encode(), uri="a.md", name="a.md").document
    data = document.markdown.encode()
    assert [data[r["byte_start"] : r["byte_end"]].decode() for r in segment_records(document)] == [
        segment.markdown for segment in document.segments
    ]
