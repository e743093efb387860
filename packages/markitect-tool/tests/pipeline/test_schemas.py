"""The JSON Schemas in `docs/schemas` are those of the records, and records fit them."""

import json
import runpy
from pathlib import Path

import jsonschema
import pytest
from markitect_tool.diagnostics import diagnostic
from markitect_tool.pipeline.records import (
    RECORDS,
    Classification,
    DocumentRecord,
    ParserInput,
    Provenance,
    record_schema,
)

ROOT = Path(__file__).parents[4]
PROVENANCE = Provenance(uri="a", key="a", digest="sha256:" + "0" * 64, size=3, source="list", metadata={"trust": "low"})
CLASSIFICATION = Classification(media_type="text/plain", language="de", textual=True)
INPUT = ParserInput(content=b"abc", config={"encoding": "utf-8"}, provenance=PROVENANCE, classification=CLASSIFICATION)
SAMPLES = {
    "parser-input.v1": INPUT,
    "document-record.v1": DocumentRecord.of(INPUT, None, [diagnostic("source.empty", "It is empty.")]),
    "provenance.v1": PROVENANCE,
    "classification.v1": CLASSIFICATION,
}

# As version 1 wrote them first: they have to be read for as long as there is a version 1.
OF_OLD = {
    "parser-input.v1": """{"schema_version":"markitect.parser-input.v1","content":"_wA=","config":{"encoding":"x"},
        "provenance":{"uri":"u","key":"k","digest":"sha256:%s","size":2,"source":"folder","name":"n",
        "modified_ns":1,"span":null,"metadata":{}},"classification":{"media_type":"a/b","language":null,
        "textual":false},"content_encoding":"base64"}""",
    "document-record.v1": """{"schema_version":"markitect.document-record.v1","provenance":{"uri":"u","key":"k",
        "digest":"sha256:%s","size":2,"source":"folder","name":null,"modified_ns":null,"span":{"start":0,"end":2},
        "metadata":{"a":1}},"classification":{"media_type":"a/b","language":"en","textual":true},"document":null,
        "diagnostics":[{"code":"source.empty","message":"Empty.","severity":"error"}]}""",
}


def test_files_are_up_to_date():
    expected = runpy.run_path(str(ROOT / "scripts/record_schemas.py"))["schemas"]()
    assert {path: path.read_text("utf-8") for path in (ROOT / "docs/schemas").iterdir()} == expected


@pytest.mark.parametrize("name", RECORDS)
def test_record_fits_its_schema(name):
    schema = record_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(SAMPLES[name].model_dump_json()), schema)


@pytest.mark.parametrize("name", RECORDS)
def test_schema_refuses_unknown_fields(name):
    data = {**json.loads(SAMPLES[name].model_dump_json()), "surprise": 1}
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.validate(data, record_schema(name))


@pytest.mark.parametrize("name", ["parser-input.v1", "document-record.v1"])
def test_schema_has_the_version_that_records_carry(name):
    version = record_schema(name)["properties"]["schema_version"]["const"]
    assert version == f"markitect.{name}"
    assert SAMPLES[name].schema_version == version


@pytest.mark.parametrize("name", OF_OLD)
def test_records_of_the_first_day_are_read(name):
    text = OF_OLD[name] % ("0" * 64)
    jsonschema.validate(json.loads(text), record_schema(name))
    assert json.loads(RECORDS[name].model_validate_json(text).model_dump_json()) == json.loads(text)
