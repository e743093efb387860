"""Records: exact in JSON, strict about their fields."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.diagnostics import diagnostic
from markitect_tool.errors import ModelError
from markitect_tool.pipeline.records import (
    MAX_DEPTH,
    CharacterSpan,
    Classification,
    DocumentRecord,
    ParserInput,
    Provenance,
)
from markitect_tool.source.api import normalize_source
from pydantic import ValidationError

DIGEST = "sha256:" + "0" * 64
PROVENANCE = Provenance(uri="a.txt", key="a.txt", digest=DIGEST, size=3, source="folder")
CLASSIFICATION = Classification(media_type="text/plain", textual=True)

texts = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=4),
    max_leaves=12,
)
json_objects = st.dictionaries(texts, json_values, max_size=4)


def raw(content=b"abc", **changes):
    fields = {"content": content, "provenance": PROVENANCE, "classification": CLASSIFICATION, **changes}
    return ParserInput(**fields)


@given(st.binary())
def test_bytes_come_back_from_json(content):
    again = ParserInput.model_validate_json(raw(content).model_dump_json())
    assert type(again.content) is bytes
    assert again == raw(content)


@given(texts)
def test_texts_come_back_from_json(content):
    again = ParserInput.model_validate_json(raw(content).model_dump_json())
    assert type(again.content) is str
    assert again == raw(content)


def test_text_that_could_be_base64_stays_text():
    assert ParserInput.model_validate_json(raw("YWJj").model_dump_json()).content == "YWJj"


@given(st.binary() | texts, json_objects)
def test_python_data_and_pickles_come_back(content, config):
    record = raw(content, config=config)
    assert ParserInput.model_validate(record.model_dump()) == record
    assert ParserInput.model_validate(record.model_dump(mode="json")) == record
    assert pickle.loads(pickle.dumps(record)) == record


@given(json_objects, json_objects)
def test_hints_and_metadata_come_back_from_json(config, metadata):
    record = raw(config=config, provenance=PROVENANCE.model_copy(update={"metadata": metadata}))
    again = ParserInput.model_validate_json(record.model_dump_json())
    assert again.config == config
    assert repr(again) == repr(record)  # -0.0 and 1.0 are equal to others, and different


def test_bytes_travel_as_base64_of_the_url_safe_alphabet():
    data = raw(b"\xfb\xff\x00").model_dump(mode="json")
    assert (data["content"], data["content_encoding"]) == ("-_8A", "base64")


def test_text_travels_as_it_is():
    data = raw("naïve").model_dump(mode="json")
    assert (data["content"], data["content_encoding"]) == ("naïve", "text")


@pytest.mark.parametrize("written", ["-_8A", "+/8A"])
def test_both_alphabets_of_base64_are_read(written):
    data = raw().model_dump(mode="json")
    del data["content_encoding"]  # bytes are the rule
    import json

    assert ParserInput.model_validate_json(json.dumps({**data, "content": written})).content == b"\xfb\xff\x00"


@pytest.mark.parametrize("written", ["nö", "abc", "ab!c", "a b c d"])
def test_content_that_is_no_base64_is_refused(written):
    data = {**raw().model_dump(mode="json"), "content": written}
    with pytest.raises(ValidationError, match="not base64"):
        ParserInput.model_validate(data)


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"content_encoding": "text"}, "content is bytes"), ({"content_encoding": "gzip"}, "not 'gzip'")],
)
def test_content_encoding_that_contradicts_is_refused(changes, said):
    with pytest.raises(ValidationError, match=said):
        ParserInput.model_validate({**raw().model_dump(), **changes})


def test_lone_surrogate_in_content_is_refused_with_a_remedy():
    with pytest.raises(ValidationError, match=r"U\+DC80 at character 1.*as bytes"):
        raw("a\udc80")


@pytest.mark.parametrize(
    "config",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": 2**63},
        {"a": ["\ud800"]},
        {"\ud800": 1},
        {"a": {1: 2}},
        {"a": b"bytes"},
        {"a": {1, 2}},
    ],
)
def test_what_json_would_not_give_back_is_refused(config):
    with pytest.raises(ValidationError):
        raw(config=config)


def test_nesting_is_bounded_below_what_json_readers_bear():
    nested = "x"
    for _ in range(MAX_DEPTH - 1):
        nested = [nested]
    record = raw(config={"a": nested})
    assert ParserInput.model_validate_json(record.model_dump_json()) == record
    with pytest.raises(ValidationError, match="levels deep"):
        raw(config={"a": [nested]})


def test_endlessly_nested_hints_are_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(ValidationError):
        raw(config={"a": endless})


def test_hints_belong_to_the_record():
    config = {"languages": ["de"]}
    record = raw(config=config)
    config["languages"].append("fr")
    assert record.config == {"languages": ["de"]}


@pytest.mark.parametrize("missing", ["provenance", "classification", "content"])
def test_input_without_a_required_part_is_refused(missing):
    data = raw().model_dump()
    del data[missing]
    with pytest.raises(ValidationError, match=missing):
        ParserInput.model_validate(data)


@pytest.mark.parametrize("missing", ["provenance", "classification"])
def test_document_record_without_a_required_part_is_refused(missing):
    data = failed().model_dump()
    del data[missing]
    with pytest.raises(ValidationError, match=missing):
        DocumentRecord.model_validate(data)


@pytest.mark.parametrize("field", ["uri", "key", "digest", "size", "source"])
def test_provenance_needs_identity(field):
    data = PROVENANCE.model_dump()
    del data[field]
    with pytest.raises(ValidationError, match=field):
        Provenance.model_validate(data)


@pytest.mark.parametrize(
    "changes", [{"uri": ""}, {"key": ""}, {"digest": "md5:00"}, {"digest": DIGEST + "\n"}, {"size": -1}, {"extra": 1}]
)
def test_provenance_refuses_what_does_not_fit(changes):
    with pytest.raises(ValidationError):
        Provenance.model_validate({**PROVENANCE.model_dump(), **changes})


def test_records_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        raw().content = b"other"


@pytest.mark.parametrize("record", [raw(), "failed"])
def test_record_of_another_version_is_refused(record):
    record = failed() if record == "failed" else record
    version = record.schema_version.replace("v1", "v2")
    with pytest.raises(ValidationError, match="schema_version"):
        type(record).model_validate({**record.model_dump(), "schema_version": version})


def test_span_that_ends_before_it_starts_is_refused():
    with pytest.raises(ValidationError, match="before it starts"):
        CharacterSpan(start=2, end=1)


def test_data_is_the_bytes_of_either_kind():
    assert (raw(b"\xff").data, raw("ä").data) == (b"\xff", b"\xc3\xa4")


# Documents


def document():
    return normalize_source(b"# One\n\nText.\n", uri="a.md", name="a.md").document


def failed():
    return DocumentRecord.of(raw(), None, [diagnostic("source.malformed", "It is broken.")])


def test_document_comes_back_from_json():
    record = DocumentRecord.of(raw(), document(), [], span=CharacterSpan(start=0, end=12))
    again = DocumentRecord.model_validate_json(record.model_dump_json())
    assert again == record
    assert again.normalized() == document()
    assert pickle.loads(pickle.dumps(record)).normalized() == document()


def test_document_record_inherits_what_the_source_stamped():
    record = DocumentRecord.of(raw(), document(), [])
    assert (record.provenance, record.classification) == (PROVENANCE, CLASSIFICATION)


def test_record_that_is_no_document_is_refused():
    with pytest.raises(ValidationError, match="document_id"):
        DocumentRecord(provenance=PROVENANCE, classification=CLASSIFICATION, document={"markdown": "x"})


def test_record_without_a_document_says_why():
    with pytest.raises(ValidationError, match="needs an error"):
        DocumentRecord.of(raw(), None, [])
    record = failed()
    assert not record.valid
    assert record.findings() == [diagnostic("source.malformed", "It is broken.")]
    with pytest.raises(ModelError, match="could not be parsed"):
        record.normalized()


def test_record_with_a_document_is_valid():
    assert DocumentRecord.of(raw(), document(), [diagnostic("source.text_empty", "Blank.")]).valid
