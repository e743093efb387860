"""`inspect_source` and `normalize_source`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import markitect_tool
import pytest
from markitect_tool import (
    OptionalDependency,
    SourceAdapterDescriptor,
    SourceAdapterRegistry,
    SourceInspectRequest,
    SourceReadRequest,
    SourceReadResult,
    inspect_source,
    normalize_source,
)
from markitect_tool.canonical import canonical_json
from markitect_tool.diagnostics import diagnostic
from markitect_tool.errors import LimitExceededError
from markitect_tool.testing import fake_descriptor
from markitect_tool.testing.fakes import FakeAdapter

Helper = Callable[..., Any]
GOOD = b"FAKE Title\nbody"
HELPERS = pytest.mark.parametrize("helper", [inspect_source, normalize_source])


def _registry(**changes: Any) -> SourceAdapterRegistry:
    return SourceAdapterRegistry([fake_descriptor(**changes)])


def _with_read(read: Callable[[SourceReadRequest], SourceReadResult]) -> SourceAdapterRegistry:
    class Reading(FakeAdapter):
        def read(self, request: SourceReadRequest) -> SourceReadResult:
            return read(request)

    descriptor: SourceAdapterDescriptor = replace(fake_descriptor(), factory=lambda: Reading(descriptor))
    return SourceAdapterRegistry([descriptor])


def _codes(result: Any) -> list[str]:
    return [found.code for found in result.diagnostics]


def test_path_and_bytes_give_the_same_document_under_one_uri(tmp_path: Path):
    path = tmp_path / "a.fake"
    path.write_bytes(GOOD)
    from_path = normalize_source(path, uri="library/a.fake", registry=_registry()).document
    from_text = normalize_source(str(path), uri="library/a.fake", registry=_registry()).document
    from_bytes = normalize_source(GOOD, uri="library/a.fake", registry=_registry()).document
    assert from_path is not None
    assert from_bytes is not None
    assert from_path == from_text
    assert from_path.document_id == from_bytes.document_id
    assert from_path.cache_key == from_bytes.cache_key
    assert from_path.markdown == from_bytes.markdown


def test_relative_path_gives_the_same_ids_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    keys = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.fake").write_bytes(GOOD)
        monkeypatch.chdir(tmp_path / name)
        document = normalize_source("a.fake", registry=_registry()).document
        assert document is not None
        keys.add((document.document_id, document.cache_key))
    assert len(keys) == 1


def test_cache_key_depends_on_options_and_the_default_counts_as_given():
    keys = [
        normalize_source(GOOD, uri="a.fake", options=options, registry=_registry()).document.cache_key  # type: ignore[union-attr]
        for options in ({}, {"upper": False}, {"upper": True})
    ]
    assert keys[0] == keys[1] != keys[2]


def test_document_records_adapter_and_options():
    document = normalize_source(GOOD, uri="a.fake", registry=_registry()).document
    assert document is not None
    assert document.adapter == {"id": "source.fake", "version": "1", "options": {"upper": False}}


def test_option_texts_are_read_by_the_schema():
    result = normalize_source(GOOD, uri="a.fake", option_texts=[("upper", "yes")], registry=_registry())
    assert result.document is not None
    assert result.document.markdown == "# TITLE\n\nBODY"


@HELPERS
def test_bad_source_gives_an_invalid_result(helper: Helper, tmp_path: Path):
    result = helper(tmp_path / "gone.fake", registry=_registry())
    assert not result.valid
    assert _codes(result) == ["source.not_found"]


@HELPERS
def test_unsupported_format(helper: Helper):
    result = helper(b"x", uri="a.unheard-of", registry=_registry())
    assert not result.valid
    assert _codes(result) == ["source.unsupported_format"]
    assert result.diagnostics[0].severity == "error"


@HELPERS
def test_malformed_source(helper: Helper):
    result = helper(b"not fake", uri="a.fake", registry=_registry())
    assert not result.valid
    assert _codes(result) == ["source.malformed"]


@HELPERS
def test_unknown_adapter(helper: Helper):
    result = helper(GOOD, uri="a.fake", adapter_id="source.fak", registry=_registry())
    assert _codes(result) == ["source.unknown_adapter"]
    assert result.diagnostics[0].source == "a.fake"


@HELPERS
def test_unknown_option(helper: Helper):
    result = helper(GOOD, uri="a.fake", options={"uper": True}, registry=_registry())
    assert not result.valid
    assert _codes(result) == ["source.unknown_option"]


@HELPERS
def test_option_of_the_wrong_type(helper: Helper):
    result = helper(GOOD, uri="a.fake", options={"upper": "very"}, registry=_registry())
    assert _codes(result) == ["source.invalid_option"]


@HELPERS
def test_missing_dependency_is_a_diagnostic_with_the_command(helper: Helper):
    needs = [OptionalDependency("no_such_module", "fake-filter", "all")]
    result = helper(GOOD, uri="a.fake", registry=_registry(optional_dependencies=needs))
    assert not result.valid
    assert _codes(result) == ["source.missing_dependency"]
    assert result.diagnostics[0].hint == "Install it: pip install fake-filter[all]"


def test_invalid_inspection_still_names_the_adapter():
    result = inspect_source(GOOD, uri="a.fake", options={"nope": 1}, registry=_registry())
    assert result.adapter == {"id": "source.fake", "version": "1"}
    assert result.asset.uri == "a.fake"


def test_ambiguous_choice_is_a_warning_in_a_valid_result():
    registry = SourceAdapterRegistry([fake_descriptor("source.a"), fake_descriptor("source.b")])
    result = normalize_source(GOOD, uri="a.fake", registry=registry)
    assert result.valid
    assert _codes(result) == ["source.adapter_ambiguous"]
    assert result.document is not None
    assert result.document.adapter["id"] == "source.a"


def test_error_that_an_adapter_raises_becomes_a_diagnostic():
    def read(request: SourceReadRequest) -> SourceReadResult:
        raise LimitExceededError("Too deep.", path="a/b", limit=3)

    result = normalize_source(GOOD, uri="a.fake", registry=_with_read(read))
    assert not result.valid
    (found,) = result.diagnostics
    assert (found.code, found.source, found.path) == ("source.limit_exceeded", "a.fake", "a/b")


def test_import_that_fails_while_reading_is_a_missing_dependency():
    def read(request: SourceReadRequest) -> SourceReadResult:
        import no_such_module  # type: ignore[import-not-found]  # noqa: F401

        raise AssertionError("the import succeeded")

    result = normalize_source(GOOD, uri="a.fake", registry=_with_read(read))
    assert _codes(result) == ["source.missing_dependency"]
    assert result.diagnostics[0].details["dependency"] == "no_such_module"


def test_unknown_exceptions_propagate():
    def read(request: SourceReadRequest) -> SourceReadResult:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        normalize_source(GOOD, uri="a.fake", registry=_with_read(read))


def test_diagnostics_of_an_invalid_read_are_kept():
    found = diagnostic("source.malformed", "broken")
    registry = _with_read(lambda request: SourceReadResult(False, diagnostics=[found]))
    assert normalize_source(GOOD, uri="a.fake", registry=registry).diagnostics == [found]


def test_inspecting_never_reads():
    def read(request: SourceReadRequest) -> SourceReadResult:
        raise AssertionError("inspect_source called read")

    result = inspect_source(GOOD, uri="a.fake", registry=_with_read(read))
    assert result.valid
    assert result.metadata.title == "Title"


def test_adapter_gets_bytes_without_a_file():
    seen: list[SourceInspectRequest] = []

    class Watching(FakeAdapter):
        def inspect(self, request: SourceInspectRequest) -> Any:
            seen.append(request)
            return super().inspect(request)

    descriptor: SourceAdapterDescriptor = replace(fake_descriptor(), factory=lambda: Watching(descriptor))
    inspect_source(GOOD, uri="a.fake", registry=SourceAdapterRegistry([descriptor]))
    assert (seen[0].content, seen[0].asset.path, seen[0].options) == (GOOD, None, {"upper": False})


CONTRACT_NAMES = [
    "SourceAsset",
    "SourceMetadata",
    "SourceProvenance",
    "NormalizedMarkdownSegment",
    "NormalizedMarkdownDocument",
    "NormalizationQuality",
    "SourceAdapterDescriptor",
    "SourceReadAdapter",
    "SourceAdapterRegistry",
    "SourceAdapterMatchRequest",
    "SourceAdapterMatch",
    "SourceInspectRequest",
    "SourceInspectResult",
    "SourceReadRequest",
    "SourceReadResult",
    "default_source_adapter_registry",
    "discover_source_adapters",
    "inspect_source",
    "normalize_source",
]


@pytest.mark.parametrize("name", CONTRACT_NAMES)
def test_contract_name_is_exported(name: str):
    assert getattr(markitect_tool, name).__name__ == name
    assert name in dir(markitect_tool)


def test_star_import_gives_the_public_names():
    names: dict[str, Any] = {}
    exec("from markitect_tool import *", names)
    assert set(CONTRACT_NAMES) <= set(names)


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert markitect_tool.__version__ == version("markitect-tool")


def test_other_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        markitect_tool.nonsense  # noqa: B018


@HELPERS
@pytest.mark.parametrize("options", [{"upper": {1, 2}}, {"upper": float("nan")}, {1: 2}])
def test_option_that_is_no_json_gives_an_invalid_result(helper: Helper, options: Any):
    result = helper(GOOD, uri="a.fake", options=options, registry=_registry())
    assert _codes(result) == ["source.invalid_option"]


def test_adapter_that_returns_something_else_is_a_bug():
    with pytest.raises(TypeError, match=r"source\.fake returns None instead of a SourceReadResult"):
        normalize_source(GOOD, uri="a.fake", registry=_with_read(lambda request: None))  # type: ignore[arg-type, return-value]


def test_refusal_without_a_reason_gets_an_error():
    result = normalize_source(GOOD, uri="a.fake", registry=_with_read(lambda request: SourceReadResult(False)))
    assert _codes(result) == ["source.malformed"]
    assert result.diagnostics[0].source == "a.fake"


@HELPERS
@pytest.mark.parametrize(
    ("choices", "needs"),
    [({"options": {"uper": True}}, []), ({}, [OptionalDependency("no_such_module", "fake-filter")])],
    ids=["option", "dependency"],
)
def test_error_before_the_adapter_runs_names_the_source(helper: Helper, choices: Any, needs: Any):
    result = helper(GOOD, uri="a.fake", registry=_registry(optional_dependencies=needs), **choices)
    assert [found.source for found in result.diagnostics] == ["a.fake"]


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e999"])
def test_option_text_that_is_no_number_gives_an_invalid_result(text: str):
    schema = {"properties": {"pause": {"type": "number"}}}
    descriptor = replace(fake_descriptor(), option_schema=schema)
    result = normalize_source(
        GOOD, uri="a.fake", option_texts=[("pause", text)], registry=SourceAdapterRegistry([descriptor])
    )
    assert _codes(result) == ["source.invalid_option"]


@HELPERS
def test_under_a_given_uri_neither_place_nor_time_of_the_file_is_in_the_result(tmp_path: Path, helper: Helper):
    copies = [tmp_path / "a" / "x.txt", tmp_path / "b" / "x.txt"]
    for number, copy in enumerate(copies):
        copy.parent.mkdir()
        copy.write_bytes(b"text\n")
        os.utime(copy, ns=(number, number))

    one, two = (canonical_json(helper(copy, uri="book:x").to_dict()) for copy in copies)

    assert one == two


def test_without_a_uri_the_asset_names_its_path(tmp_path: Path):
    source = tmp_path / "x.txt"
    source.write_bytes(b"text\n")

    document = normalize_source(source).document
    assert document is not None
    assert document.asset.path == str(source)
