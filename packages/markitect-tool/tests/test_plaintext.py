"""The reference adapter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool import (
    NormalizedMarkdownDocument,
    SourceAdapterMatchRequest,
    SourceAdapterRegistry,
    SourceAsset,
    SourceReadResult,
    inspect_source,
    normalize_source,
)
from markitect_tool.source.plaintext import plaintext_adapter_descriptor
from markitect_tool.source.textreader import PlainTextAdapter

REGISTRY = SourceAdapterRegistry([plaintext_adapter_descriptor()])


def _read(data: bytes, name: str = "a.txt", **choices: Any) -> SourceReadResult:
    return normalize_source(data, uri=name, registry=REGISTRY, **choices)


def _document(data: bytes, name: str = "a.txt", **choices: Any) -> NormalizedMarkdownDocument:
    result = _read(data, name, **choices)
    assert result.document is not None, result.diagnostics
    return result.document


def _codes(result: SourceReadResult) -> list[str]:
    return [found.code for found in result.diagnostics]


@pytest.mark.parametrize(
    ("data", "choices", "encoding"),
    [
        ("çà".encode(), {}, "utf-8"),
        ("\ufeffçà".encode(), {}, "utf-8"),
        ("\ufeffçà".encode("utf-16-le"), {}, "utf-16-le"),
        ("\ufeffçà".encode("utf-16-be"), {}, "utf-16-be"),
        ("\ufeffçà".encode("utf-32-le"), {}, "utf-32-le"),
        ("\ufeffçà".encode("utf-32-be"), {}, "utf-32-be"),
        ("çà".encode("utf-16-le"), {"options": {"encoding": "UTF-16LE"}}, "utf-16-le"),
        ("çà".encode("latin-1"), {"media_type": "text/plain; charset=ISO-8859-1"}, "iso-8859-1"),
        ("çà".encode("latin-1"), {"options": {"encoding": "latin-1"}}, "iso8859-1"),
        ("\ufeffçà".encode(), {"options": {"encoding": "utf-8"}}, "utf-8"),
    ],
)
def test_encoding_is_found(data: bytes, choices: dict[str, Any], encoding: str):
    document = _document(data, **choices)
    assert document.markdown == "çà"
    assert document.metadata.raw == {"encoding": encoding}
    assert document.diagnostics == []
    assert document.quality.lossiness == "none"


def test_last_resort_encoding_is_reported():
    document = _document(b"one\ncaf\xe9 \x93quoted\x94 \x81")
    assert document.markdown == "one\ncafé “quoted” \ufffd"
    (found,) = document.diagnostics
    assert (found.code, found.severity, found.line) == ("source.encoding_recovered", "warning", 2)
    assert found.details == {"encoding": "windows-1252", "replaced": 1}
    assert (document.quality.lossiness, document.quality.warnings) == ("low", 1)


def test_unknown_declared_charset_is_reported():
    result = _read(b"caf\xe9", media_type="text/plain; charset=klingon")
    assert _codes(result) == ["source.encoding_recovered"]
    assert "klingon" in result.diagnostics[0].message


def test_bytes_that_contradict_the_encoding_option_are_malformed():
    assert _codes(_read(b"caf\xe9", options={"encoding": "utf-8"})) == ["source.malformed"]


def test_bytes_that_contradict_their_byte_order_mark_are_malformed():
    assert _codes(_read(b"\xef\xbb\xbfok\n\xff")) == ["source.malformed"]


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "base64"])
def test_encoding_that_does_not_exist_is_an_invalid_option(encoding: str):
    result = _read(b"text", options={"encoding": encoding})
    assert _codes(result) == ["source.invalid_option"]


def test_binary_bytes_with_a_text_suffix_are_declined():
    result = _read(b"PK\x03\x04\x14\0\0\0")
    assert _codes(result) == ["source.unsupported_format"]
    assert result.diagnostics[0].details["declined"] == {"source.plaintext": "the bytes are binary"}


def test_binary_bytes_are_malformed_text_when_the_adapter_is_forced():
    result = _read(b"one\ntwo\0", adapter_id="source.plaintext")
    assert _codes(result) == ["source.malformed"]
    assert result.diagnostics[0].line == 2


@pytest.mark.parametrize("name", ["a", "a.xyz", "a.py"])
def test_text_without_a_text_suffix_is_not_claimed(name: str):
    assert _codes(_read(b"plain words", name)) == ["source.unsupported_format"]


def test_media_type_outweighs_the_suffix():
    match = PlainTextAdapter().can_read(
        SourceAdapterMatchRequest(SourceAsset("a", media_type="text/markdown"), content=b"x")
    )
    assert (match.matched, match.confidence) == (True, 90)


def test_line_ends_become_lf():
    assert _document(b"a\r\nb\rc\n").markdown == "a\nb\nc"


def test_plain_text_is_one_segment_and_keeps_its_characters():
    document = _document(b"\n\n# not a heading\n\n\n*stars*  \n\n")
    assert document.markdown == "# not a heading\n\n\n*stars*  "
    assert len(document.segments) == 1
    assert document.segments[0].heading is None


def test_markdown_is_cut_at_its_headings():
    document = _document(b"intro\n# One\ntext\n\n\n\nTwo\n---\nmore\n", "a.md")
    assert [
        (each.segment_id, each.order, each.heading, each.heading_level, each.markdown) for each in document.segments
    ] == [
        ("seg-0001", 0, None, None, "intro"),
        ("seg-0002", 1, "One", 1, "# One\ntext"),
        ("seg-0003", 2, "Two", 2, "Two\n---\nmore"),
    ]
    assert document.markdown == "intro\n\n# One\ntext\n\nTwo\n---\nmore"


def test_fenced_code_is_not_cut():
    document = _document(b"# One\n```\n# code\n\n\n# code\n```\n", "a.md")
    assert document.markdown == "# One\n```\n# code\n\n\n# code\n```"
    assert len(document.segments) == 1


def test_front_matter_is_a_segment_of_its_own():
    document = _document(b"---\ntitle: x\n---\ntext\n", "a.md")
    assert [each.markdown for each in document.segments] == ["---\ntitle: x\n---", "text"]


@pytest.mark.parametrize(("level", "count"), [(0, 1), (1, 2), (2, 3), (6, 3)])
def test_segment_level_limits_the_headings_that_cut(level: int, count: int):
    document = _document(b"# One\n\n# Two\n\n## Three", "a.md", options={"segment_level": level})
    assert len(document.segments) == count


def test_title_is_the_first_heading_of_level_one():
    assert _document(b"## Zero\n# One\n# Two", "a.md").metadata.title == "One"


@pytest.mark.parametrize(
    ("name", "media_type", "read_as"),
    [
        ("a.txt", None, "text/plain"),
        ("a.md", None, "text/markdown"),
        ("a.MARKDOWN", None, "text/markdown"),
        ("a.txt", "text/markdown", "text/markdown"),
        ("a.md", "text/plain", "text/plain"),
    ],
)
def test_media_type_says_how_the_text_was_read(name: str, media_type: str | None, read_as: str):
    document = _document(b"# One\n\n# Two", name, media_type=media_type)
    assert document.asset.media_type == read_as
    assert len(document.segments) == (2 if read_as == "text/markdown" else 1)


def test_blank_source_is_valid_and_said_to_be_empty():
    result = _read(b" \n\n")
    assert result.valid
    assert result.document is not None
    assert (result.document.markdown, result.document.segments) == ("", [])
    assert [(found.code, found.severity) for found in result.diagnostics] == [("source.text_empty", "info")]


@given(st.text(st.sampled_from("# a\n\r`-=>é\u2028\t"), min_size=1))
def test_segments_join_to_the_document_and_offsets_find_them_in_the_text(text: str):
    document = _document(text.encode(), "a.md")
    decoded = text.replace("\r\n", "\n").replace("\r", "\n")
    assert document.markdown == "\n\n".join(each.markdown for each in document.segments)
    assert [each.order for each in document.segments] == list(range(len(document.segments)))
    for each in document.segments:
        (span,) = each.provenance
        assert span.start_offset is not None
        assert decoded[span.start_offset : span.end_offset] == each.markdown
        lines = decoded.split("\n")[span.metadata["start_line"] - 1 : span.metadata["end_line"]]
        assert "\n".join(lines) == each.markdown
    kept = "".join("".join(each.markdown.split()) for each in document.segments)
    assert kept == "".join(decoded.split())


def test_inspection_finds_encoding_and_title_without_a_document():
    result = inspect_source("# Über".encode("utf-16"), uri="a.md", registry=REGISTRY)
    assert result.valid
    assert result.metadata.title == "Über"
    assert result.metadata.raw == {"encoding": "utf-16-le"}
    assert result.capabilities == {"segments": "headings", "pages": False}
    assert result.adapter["id"] == "source.plaintext"


def test_inspection_of_a_malformed_source_is_invalid():
    result = inspect_source(b"a\0b", uri="a.txt", adapter_id="source.plaintext", registry=REGISTRY)
    assert not result.valid
    assert [found.code for found in result.diagnostics] == ["source.malformed"]


def test_importing_the_descriptor_imports_no_reader():
    from markitect_tool.testing import run_fresh

    code = (
        "import sys; from markitect_tool.source.plaintext import plaintext_adapter_descriptor as d; d()\n"
        "print('markitect_tool.source.textreader' in sys.modules)"
    )
    assert run_fresh(code).stdout == "False\n"


@pytest.mark.parametrize("encoding", ["utf-8\0", "latin-\udcff"])
def test_encoding_that_is_no_name_is_an_invalid_option(encoding: str):
    result = normalize_source(b"text", uri="a.txt", options={"encoding": encoding})
    assert [found.code for found in result.diagnostics] == ["source.invalid_option"]


@pytest.mark.parametrize("charset", ["undefined", "idna", "utf-8\0", "latin-\udcff"])
def test_declared_charset_that_does_not_work_is_passed_over(charset: str):
    result = normalize_source(b"a" * 200, uri="a.txt", media_type=f"text/plain; charset={charset}")
    assert result.document is not None
    assert result.document.markdown == "a" * 200


def test_half_a_surrogate_pair_is_no_text():
    result = normalize_source(b"+2AA-", uri="a.txt", options={"encoding": "utf-7"})
    assert [found.code for found in result.diagnostics] == ["source.malformed"]


def test_empty_heading_is_no_heading_text():
    result = normalize_source(b"#\n\ntext\n", uri="a.md")
    assert SourceReadResult.from_dict(result.to_dict()) == result
