"""Models become JSON data and come back."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool import (
    Diagnostic,
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceAdapterMatch,
    SourceAsset,
    SourceInspectResult,
    SourceMetadata,
    SourceProvenance,
    SourceReadRequest,
    SourceReadResult,
)
from markitect_tool.errors import ModelError
from markitect_tool.serialization import plain_json

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
optional = st.none() | texts
counts = st.none() | st.integers(min_value=0)

assets = st.builds(SourceAsset, names, optional, optional, optional, optional, counts, counts, optional, json_objects)
metadata = st.builds(
    SourceMetadata,
    title=optional,
    creators=st.lists(names, max_size=3),
    language=optional,
    identifiers=st.dictionaries(names, names, max_size=2),
    raw=json_objects,
)
provenance = st.builds(
    SourceProvenance,
    source_uri=names,
    package_path=optional,
    anchor=optional,
    page=optional,
    start_offset=counts,
    end_offset=counts,
    metadata=json_objects,
)
qualities = st.builds(
    NormalizationQuality,
    st.sampled_from(["none", "low", "medium", "high", "unknown"]),
    st.none() | st.floats(0.0, 1.0),
    counts,
    counts,
    json_objects,
)
diagnostics = st.builds(
    Diagnostic, names, names, st.sampled_from(["info", "warning"]), optional, optional, counts, optional, json_objects
)


@st.composite
def documents(draw: st.DrawFn) -> NormalizedMarkdownDocument:
    bodies = draw(st.lists(texts, max_size=3))
    segments = [
        NormalizedMarkdownSegment(
            f"seg-{order}",
            order,
            body,
            draw(optional),
            draw(counts),
            draw(st.lists(names, max_size=2)),
            draw(st.lists(provenance, max_size=2)),
            draw(json_objects),
        )
        for order, body in enumerate(bodies)
    ]
    return NormalizedMarkdownDocument.assemble(
        asset=draw(assets),
        adapter_id=draw(names),
        adapter_version=draw(names),
        options=draw(json_objects),
        segments=segments,
        quality=draw(qualities),
        metadata=draw(metadata),
        diagnostics=draw(st.lists(diagnostics, max_size=2)),
        provenance=draw(st.lists(provenance, max_size=2)),
        attachments=draw(st.lists(assets, max_size=2)),
    )


@given(st.one_of(assets, metadata, provenance, qualities, diagnostics, documents()))
def test_model_survives_json(model: Any):
    assert type(model).from_dict(json.loads(json.dumps(model.to_dict()))) == model


@given(documents())
def test_results_and_requests_survive_json(document: NormalizedMarkdownDocument):
    read = SourceReadResult(True, document, document.diagnostics)
    inspected = SourceInspectResult(True, document.asset, document.adapter, document.metadata)
    request = SourceReadRequest(document.asset, {"a": [1, None]})
    for model in (read, inspected, request):
        assert type(model).from_dict(json.loads(json.dumps(model.to_dict()))) == model


@given(st.one_of(assets, metadata, provenance, qualities, diagnostics, documents()))
def test_no_field_is_serialised_empty_except_markdown(model: Any):
    for name, value in model.to_dict().items():
        assert name == "markdown" or value not in (None, "", [], {})


def test_empty_optional_text_is_none():
    assert SourceMetadata(title="").title is None


def test_optional_fields_are_left_out():
    assert SourceAsset("book.epub").to_dict() == {"uri": "book.epub"}
    assert SourceMetadata().to_dict() == {}


def test_false_and_zero_are_kept():
    match = SourceAdapterMatch("source.fake", matched=False, confidence=0)
    assert match.to_dict() == {"adapter_id": "source.fake", "matched": False, "confidence": 0}
    assert SourceProvenance("u", start_offset=0).to_dict() == {"source_uri": "u", "start_offset": 0}


def test_empty_markdown_is_kept():
    segment = NormalizedMarkdownSegment("seg-0001", 0, "")
    assert segment.to_dict() == {"segment_id": "seg-0001", "order": 0, "markdown": ""}


def test_empty_values_inside_free_form_data_are_kept():
    asset = SourceAsset("u", metadata={"empty": "", "none": None, "list": []})
    assert asset.to_dict()["metadata"] == {"empty": "", "none": None, "list": []}


def test_request_content_stays_in_the_process():
    request = SourceReadRequest(SourceAsset("u"), content=b"bytes")
    assert request.to_dict() == {"asset": {"uri": "u"}}
    assert "bytes" not in repr(request)


@pytest.mark.parametrize("model", [SourceAsset("u"), SourceMetadata(), NormalizationQuality("none")])
def test_models_are_frozen(model: Any):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(model, dataclasses.fields(model)[0].name, "other")


def test_lists_given_to_a_model_are_copied():
    creators = ["Ada"]
    built = SourceMetadata(creators=creators)
    creators.append("Grace")
    assert built.creators == ["Ada"]


def test_serialised_data_is_a_copy():
    asset = SourceAsset("u", metadata={"list": [1]})
    asset.to_dict()["metadata"]["list"].append(2)
    assert asset.metadata == {"list": [1]}


@given(json_objects)
def test_plain_json_is_equal_and_shares_nothing(value: dict[str, Any]):
    copy = plain_json(value)
    assert copy == value
    assert json.dumps(copy) == json.dumps(value)
    containers = {id(each) for each in _containers(value)}
    assert not any(id(each) in containers for each in _containers(copy))


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)


class Text(str):
    """No plain text."""


def test_plain_json_makes_plain_texts_of_others():
    for value in ({"a": Text("b")}, {Text("a"): "b"}, [Text("b")]):
        copy = plain_json(value)
        texts = [*copy, *copy.values()] if isinstance(copy, dict) else copy
        assert copy == value
        assert {type(text) for text in texts} == {str}


def test_whatever_a_field_for_a_text_is_given_it_is_looked_at():
    odd: Any = ("a", {"b": (1,)})
    assert SourceAsset("u", name=odd).name == ["a", {"b": [1]}]
    with pytest.raises(ModelError, match=r"SourceAsset\.name"):
        SourceAsset("u", name=["a", float("nan")])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"SourceAsset\.uri is required"):
        SourceAsset("", name=odd)


def test_tuples_become_lists():
    assert SourceAsset("u", metadata={"pair": (1, 2)}).metadata == {"pair": [1, 2]}


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", float("nan"), float("inf"), {1: "a"}, object()])
def test_values_that_json_cannot_carry_are_refused(value: Any):
    with pytest.raises(ModelError, match=r"SourceAsset\.metadata\.odd"):
        SourceAsset("u", metadata={"odd": value})


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({}, "needs 'uri'"),
        ({"uri": ""}, "must not be empty"),
        ({"uri": "u", "colour": "red"}, "no field 'colour'"),
        ({"uri": "u", "size": "7"}, "size takes int, not str"),
        ({"uri": "u", "metadata": []}, "metadata takes dict, not list"),
        ("u", "not by a str"),
    ],
)
def test_data_that_is_no_model_is_refused(data: Any, complaint: str):
    with pytest.raises(ModelError, match=complaint):
        SourceAsset.from_dict(data)


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_quality_confidence_is_bounded(confidence: float):
    with pytest.raises(ModelError, match="confidence"):
        NormalizationQuality("none", confidence)


def test_quality_lossiness_is_one_of_five():
    with pytest.raises(ModelError, match="lossiness"):
        NormalizationQuality("some")  # type: ignore[arg-type]


def test_match_confidence_is_bounded():
    with pytest.raises(ModelError, match="confidence"):
        SourceAdapterMatch("source.fake", True, 101)


def test_error_diagnostic_contradicts_a_valid_result():
    error = Diagnostic("source.malformed", "broken", "error")
    with pytest.raises(ModelError, match="not valid"):
        SourceInspectResult(True, SourceAsset("u"), diagnostics=[error])


def test_valid_read_result_needs_a_document():
    with pytest.raises(ModelError, match="document"):
        SourceReadResult(True)


def _document(*segments: NormalizedMarkdownSegment) -> NormalizedMarkdownDocument:
    return NormalizedMarkdownDocument.assemble(
        asset=SourceAsset("u"),
        adapter_id="source.fake",
        adapter_version="1",
        options={},
        segments=segments,
        quality=NormalizationQuality("none"),
    )


def test_document_markdown_joins_the_segments_in_order():
    document = _document(NormalizedMarkdownSegment("b", 1, "second"), NormalizedMarkdownSegment("a", 0, "first"))
    assert document.markdown == "first\n\nsecond"
    assert [segment.segment_id for segment in document.segments] == ["a", "b"]


def test_document_refuses_orders_with_a_gap():
    with pytest.raises(ModelError, match="orders"):
        _document(NormalizedMarkdownSegment("a", 1, "text"))


def test_document_refuses_repeated_segment_ids():
    with pytest.raises(ModelError, match="unique"):
        _document(NormalizedMarkdownSegment("a", 0, "x"), NormalizedMarkdownSegment("a", 1, "y"))


def test_document_schema_version_is_v1():
    assert _document().schema_version == "markitect.source.v1"


def test_serialisation_is_the_same_in_any_process_and_locale():
    code = (
        "import sys; from markitect_tool import normalize_source\n"
        "from markitect_tool.canonical import canonical_json\n"
        "result = normalize_source('# Über\\n\\nçà'.encode(), uri='x.md', options={'segment_level': 2})\n"
        "sys.stdout.buffer.write(canonical_json(result.to_dict()).encode())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, **environment}
        ).stdout
        for environment in (
            {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"},
            {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"},
        )
    }
    assert len(outputs) == 1
    assert "Über".encode() in outputs.pop()


@pytest.mark.parametrize(
    "build",
    [
        lambda: SourceReadRequest({"uri": "u"}),  # type: ignore[arg-type]
        lambda: SourceReadRequest([SourceAsset("u")]),  # type: ignore[arg-type]
        lambda: SourceReadResult(False, diagnostics=["broken"]),  # type: ignore[list-item]
        lambda: SourceReadResult.from_dict({"valid": False, "diagnostics": {"code": "source.empty"}}),
        lambda: SourceReadRequest.from_dict({"asset": [{"uri": "u"}]}),
    ],
    ids=["mapping", "list for one", "text in a list", "one for a list in data", "list for one in data"],
)
def test_field_for_models_takes_nothing_else(build: Any):
    with pytest.raises(ModelError):
        build()


def test_null_in_data_counts_as_missing():
    data = {"title": None, "creators": None, "raw": None}
    assert SourceMetadata.from_dict(data) == SourceMetadata()
    with pytest.raises(ModelError, match="needs 'uri'"):
        SourceAsset.from_dict({"uri": None})


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (SourceAsset, {"uri": "u", "size": True}),
        (SourceMetadata, {"creators": ["a", 1]}),
        (SourceMetadata, {"identifiers": {"isbn": 978}}),
        (SourceMetadata, {1: "a", "colour": "red"}),
    ],
)
def test_data_of_another_type_is_refused(model: Any, data: Any):
    with pytest.raises(ModelError):
        model.from_dict(data)


def test_data_without_end_is_refused():
    endless: dict[str, Any] = {}
    endless["again"] = endless
    with pytest.raises(ModelError, match=r"SourceMetadata is nested too deeply"):
        SourceMetadata(raw=endless)


@given(documents())
def test_invalid_result_has_no_document(document: NormalizedMarkdownDocument):
    with pytest.raises(ModelError, match="no document"):
        SourceReadResult(False, document)


@given(documents())
def test_error_of_the_document_makes_a_result_invalid(document: NormalizedMarkdownDocument):
    error = Diagnostic("source.malformed", "Broken.", "error")
    with pytest.raises(ModelError, match="not valid"):
        SourceReadResult(True, dataclasses.replace(document, diagnostics=[error]))
