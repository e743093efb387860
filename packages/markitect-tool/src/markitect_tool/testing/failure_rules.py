"""What bad input must lead to: a diagnostic that says what to do, never an exception or half a document."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from markitect_tool.diagnostics import CATALOGUE, Diagnostic
from markitect_tool.source.messages import (
    SourceAdapterMatch,
    SourceAdapterMatchRequest,
    SourceInspectRequest,
    SourceInspectResult,
    SourceReadRequest,
    SourceReadResult,
)
from markitect_tool.testing.isolation import run_fresh
from markitect_tool.testing.subject import Sample, Subject

READING = """
import json, sys
from pathlib import Path
from markitect_tool.source.api import inspect_source, normalize_source
from markitect_tool.source.registry import SourceAdapterRegistry
from markitect_tool.testing.subject import load_descriptor
descriptor = load_descriptor(sys.argv[1])
arguments = {
    "source": Path(sys.argv[2]).read_bytes(),
    "uri": "sample:" + Path(sys.argv[2]).name,
    "adapter_id": descriptor.id,
    "registry": SourceAdapterRegistry([descriptor]),
}
json.dump([inspect_source(**arguments).to_dict(), normalize_source(**arguments).to_dict()], sys.stdout)
"""


class FailureRules(Subject):
    """Rules for sources and options that cannot be used."""

    def test_malformed_source_is_refused_with_an_error(self) -> None:
        result = self.read(self.malformed)
        assert_refused(result)
        assert errors(result), "no error diagnostic says why"

    def test_malformed_source_is_refused_on_inspection(self) -> None:
        result = self.inspect(self.malformed)
        assert not result.valid
        assert errors(result)

    def test_malformed_source_raises_nothing_at_the_edge_of_the_adapter(self) -> None:
        """For those who call an adapter without `normalize_source`, which would catch it."""
        adapter, asset, content = self.descriptor.factory(), self.malformed.asset, self.malformed.content
        assert errors(adapter.read(SourceReadRequest(asset, content=content)))
        assert errors(adapter.inspect(SourceInspectRequest(asset, content=content)))

    def test_errors_name_the_source_and_survive_json(self) -> None:
        for entry in errors(self.read(self.malformed)):
            assert entry.code in CATALOGUE
            assert entry.source
            assert Diagnostic.from_dict(entry.to_dict()) == entry

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
    def test_truncated_source_gives_a_result(self, share: float) -> None:
        cut = self.good.content[: int(len(self.good.content) * share)]
        self.assert_survives(cut)

    @pytest.mark.parametrize("size", [1, 64, 4096])
    def test_noise_gives_a_result(self, size: int) -> None:
        self.assert_survives(noise(size))

    def test_source_with_damaged_bytes_gives_a_result(self) -> None:
        for position in range(0, len(self.good.content), max(1, len(self.good.content) // 24)):
            damaged = bytearray(self.good.content)
            damaged[position] ^= 0xFF
            self.assert_survives(bytes(damaged))

    def test_empty_source_is_refused_or_read_as_an_empty_document(self) -> None:
        self.assert_survives(b"")

    def test_unknown_option_is_an_error(self) -> None:
        if self.descriptor.option_schema.get("additionalProperties"):
            pytest.skip("the adapter permits free-form options")
        result = self.read(self.good, {"no-such-option": True})
        assert_refused(result)
        assert [entry.code for entry in errors(result)] == ["source.unknown_option"]
        assert "no-such-option" in errors(result)[0].message

    def test_option_of_the_wrong_type_is_an_error(self) -> None:
        if not self.invalid_options:
            pytest.skip("the adapter declares no options")
        result = self.read(self.good, self.invalid_options)
        assert_refused(result)
        assert {entry.code for entry in errors(result)} == {"source.invalid_option"}
        assert not self.inspect(self.good, self.invalid_options).valid

    def test_missing_dependency_is_a_diagnostic_with_the_install_command(self, tmp_path: Path) -> None:
        required = [need for need in self.descriptor.optional_dependencies if need.required]
        if not required:
            pytest.skip("the adapter needs no library")
        for need in required:
            path = self.good.write(tmp_path)
            ended = run_fresh(READING, self.entry_point, str(path), hide=[need.import_name])
            assert ended.returncode == 0, ended.stderr
            for result in json.loads(ended.stdout):
                assert result["valid"] is False
                assert "document" not in result
                missing = [entry for entry in result["diagnostics"] if entry["code"] == "source.missing_dependency"]
                assert need.import_name in missing[0]["message"]
                assert need.install_command in missing[0]["hint"]

    def assert_survives(self, content: bytes) -> None:
        """Bytes that may be anything, under the name of the good source, are matched, inspected and read."""
        source = Sample(self.good.name, content)
        match = self.descriptor.factory().can_read(SourceAdapterMatchRequest(source.asset, content=content))
        assert isinstance(match, SourceAdapterMatch)
        inspected, read = self.inspect(source), self.read(source)
        assert inspected.valid == (not errors(inspected))
        assert SourceInspectResult.from_dict(inspected.to_dict()) == inspected
        assert_consistent(read)


def errors(result: SourceReadResult | SourceInspectResult) -> list[Diagnostic]:
    """The diagnostics that make a result invalid."""
    return [entry for entry in result.diagnostics if entry.severity == "error"]


def assert_refused(result: SourceReadResult) -> None:
    """An invalid result carries no document."""
    assert not result.valid
    assert result.document is None


def assert_consistent(result: SourceReadResult) -> None:
    """Whatever the source, a result is valid exactly when no error was found, and survives JSON."""
    assert result.valid == (not errors(result))
    assert (result.document is not None) == result.valid
    assert SourceReadResult.from_dict(result.to_dict()) == result


def noise(size: int) -> bytes:
    """Bytes without structure, the same in every run."""
    return hashlib.shake_128(b"noise").digest(size)
