"""`mkt source` in this process: options, formats, exit statuses."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from markitect_tool import (
    OptionalDependency,
    SourceAdapterRegistry,
    SourceInspectRequest,
    SourceInspectResult,
    __version__,
    normalize_source,
)
from markitect_tool.source import api, discovery
from markitect_tool.testing import fake_descriptor
from markitect_tool.testing.fakes import FakeAdapter

Mkt = Callable[..., Any]


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry of one adapter whose dependency is not installed, and one that is whole."""
    needs = [OptionalDependency("no_such_module", "fake-filter", "all")]
    registry = SourceAdapterRegistry(
        [fake_descriptor(), fake_descriptor("source.lacking", extensions=[".lack"], optional_dependencies=needs)]
    )
    for module in (api, discovery):
        monkeypatch.setattr(module, "default_source_adapter_registry", lambda: registry)


@pytest.mark.usefixtures("lacking")
def test_adapters_are_listed_in_aligned_columns(mkt: Mkt):
    result = mkt("source", "adapters")
    assert result.exit_code == 0
    assert result.stdout == (
        "ID              NAME  AVAILABLE                         SUFFIXES  MEDIA TYPES\n"
        "source.fake     Fake  yes                               .fake     text/x-fake\n"
        "source.lacking  Fake  no: pip install fake-filter[all]  .lack     text/x-fake\n"
    )


@pytest.mark.usefixtures("lacking")
def test_missing_dependency_is_a_warning_of_the_listing(mkt: Mkt):
    result = mkt("source", "adapters", "--format", "json")
    data = json.loads(result.stdout)
    assert data["valid"] is True
    assert [adapter["available"] for adapter in data["adapters"]] == [True, False]
    assert data["adapters"][1]["install"] == ["pip install fake-filter[all]"]
    (found,) = data["diagnostics"]
    assert (found["code"], found["severity"]) == ("source.missing_dependency", "warning")


@pytest.mark.usefixtures("lacking")
def test_adapter_with_a_missing_dependency_refuses_to_read(mkt: Mkt):
    result = mkt("source", "normalize", "-", "--uri", "x.lack", input=b"FAKE T\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error[source.missing_dependency]" in result.stderr
    assert "pip install fake-filter[all]" in result.stderr


@pytest.mark.usefixtures("lacking")
def test_one_adapter_is_described_with_its_options(mkt: Mkt):
    result = mkt("source", "adapters", "--adapter", "source.fake")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "id           source.fake"
    assert lines[-1] == "upper   true or false  false    Put the text in capitals."


def test_describing_an_unknown_adapter_is_an_error(mkt: Mkt):
    result = mkt("source", "adapters", "--adapter", "source.plaintxt", "--format", "json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["valid"]) == (1, False)
    assert data["diagnostics"][-1]["code"] == "source.unknown_adapter"


@pytest.mark.parametrize("command", [["adapters"], ["inspect", "a.txt"], ["normalize", "a.txt"]])
def test_yaml_says_the_same_as_json(mkt: Mkt, tmp_path: Path, command: list[str]):
    (tmp_path / "a.txt").write_text("Größe: «1» \u2028 x\n", "utf-8")
    in_json = mkt("source", *command, "--format", "json")
    in_yaml = mkt("source", *command, "--format", "yaml")
    assert yaml.safe_load(in_yaml.stdout) == json.loads(in_json.stdout)


def test_inspection_is_shown_as_facts(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Title\n")
    result = mkt("source", "inspect", "a.md")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:4] == [
        "source      a.md",
        "valid       yes",
        "adapter     source.plaintext 1.0.0",
        "media type  text/markdown",
    ]
    assert "title       Title" in result.stdout
    assert "pages       no" in result.stdout


def test_nested_capabilities_are_said_in_words(mkt: Mkt, monkeypatch: pytest.MonkeyPatch):
    class Capable(FakeAdapter):
        def inspect(self, request: SourceInspectRequest) -> SourceInspectResult:
            capabilities = {"counts": {"images": 3, "fonts": 0}, "pages": None, "forms": ["a", "b"], "svg": True}
            return SourceInspectResult(True, request.asset, capabilities=capabilities)

    descriptor = replace(fake_descriptor(), factory=lambda: Capable(fake_descriptor()))
    registry = SourceAdapterRegistry([descriptor])
    monkeypatch.setattr(api, "default_source_adapter_registry", lambda: registry)
    result = mkt("source", "inspect", "-", "--uri", "a.fake", input=b"x")
    assert result.stdout.splitlines()[-5:-1] == [
        "counts     images 3, fonts 0",
        "pages      none",
        "forms      a, b",
        "svg        yes",
    ]


def test_standard_input_with_uri_and_media_type(mkt: Mkt):
    arguments = ["--uri", "urn:x", "--media-type", "text/markdown", "--format", "json"]
    result = mkt("source", "normalize", "-", *arguments, input=b"# A\n\n# B\n")
    document = json.loads(result.stdout)["document"]
    assert document["asset"]["uri"] == "urn:x"
    assert len(document["segments"]) == 2


def test_uri_of_a_path_can_be_set(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.txt").write_text("x")
    result = mkt("source", "inspect", str(tmp_path / "a.txt"), "--uri", "library:1", "--format", "json")
    assert json.loads(result.stdout)["asset"]["uri"] == "library:1"


def test_command_and_api_agree(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.md").write_text("# A\n\nb\n")
    result = mkt("source", "normalize", "a.md", "--option", "segment_level=0", "--format", "json")
    assert json.loads(result.stdout) == normalize_source("a.md", options={"segment_level": 0}).to_dict()


def _fails_with(result: Any, code: str) -> None:
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.count("error[") == 1
    assert f"error[{code}]: " in result.stderr
    assert "  hint: " in result.stderr


def test_no_such_path(mkt: Mkt):
    _fails_with(mkt("source", "normalize", "gone.txt"), "source.not_found")


def test_folder(mkt: Mkt, tmp_path: Path):
    _fails_with(mkt("source", "normalize", str(tmp_path)), "source.not_a_file")


def test_pipe(mkt: Mkt, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.txt")
    _fails_with(mkt("source", "normalize", "pipe.txt"), "source.not_a_file")


def test_unreadable_file(mkt: Mkt, tmp_path: Path):
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    _fails_with(mkt("source", "normalize", "loop.txt"), "source.unreadable")


def test_empty_file(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.txt").touch()
    _fails_with(mkt("source", "normalize", "a.txt"), "source.empty")


def test_unknown_adapter(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.txt").write_text("x")
    _fails_with(mkt("source", "normalize", "a.txt", "--adapter", "source.plain"), "source.unknown_adapter")


def test_unknown_option(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.txt").write_text("x")
    result = mkt("source", "normalize", "a.txt", "--option", "encodin=utf-8")
    _fails_with(result, "source.unknown_option")
    assert "Did you mean encoding?" in result.stderr


def test_option_of_the_wrong_type(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.txt").write_text("x")
    _fails_with(mkt("source", "normalize", "a.txt", "--option", "segment_level=two"), "source.invalid_option")


@pytest.mark.parametrize("value", ["encoding", "=utf-8", " =x"])
def test_option_without_key_and_value_is_misuse(mkt: Mkt, value: str):
    result = mkt("source", "normalize", "a.txt", "--option", value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "key=value" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["normalize"],
        ["normalize", "a", "b"],
        ["normalize", "a", "--format", "text"],
        ["inspect", "a", "--format", "markdown"],
        ["adapters", "--nonsense"],
        ["nonsense"],
    ],
)
def test_misuse_ends_with_status_2(mkt: Mkt, arguments: list[str]):
    result = mkt("source", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: mkt source")


def test_invalid_json_has_valid_false_and_the_diagnostics(mkt: Mkt):
    result = mkt("source", "inspect", "gone.txt", "--format", "json")
    data = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, data["valid"]) == (1, "", False)
    assert data["diagnostics"][0]["code"] == "source.not_found"


def test_output_goes_to_the_file(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.txt").write_text("text")
    result = mkt("source", "normalize", "a.txt", "--output", "out.md")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert (tmp_path / "out.md").read_bytes() == b"text\n"


def test_invalid_result_leaves_the_output_file_alone(mkt: Mkt, tmp_path: Path):
    (tmp_path / "out.md").write_text("earlier")
    result = mkt("source", "normalize", "gone.txt", "--output", "out.md")
    assert result.exit_code == 1
    assert (tmp_path / "out.md").read_text() == "earlier"


def test_output_into_a_folder_that_is_not_there(mkt: Mkt, tmp_path: Path):
    (tmp_path / "a.txt").write_text("text")
    result = mkt("source", "normalize", "a.txt", "--output", "no/such/out.md")
    assert result.exit_code == 1
    assert result.stderr == "Error: Cannot write 'no/such/out.md': No such file or directory.\n"


@pytest.mark.parametrize("command", [["adapters"], ["inspect", "a.txt", "--format", "json"]])
def test_every_command_writes_to_a_file(mkt: Mkt, tmp_path: Path, command: list[str]):
    (tmp_path / "a.txt").write_text("text")
    shown = mkt("source", *command).stdout
    mkt("source", *command, "--output", "out")
    assert (tmp_path / "out").read_text() == shown


@pytest.mark.parametrize("arguments", [[], ["source"], ["source", "adapters"], ["completion"]])
def test_every_command_has_help(mkt: Mkt, arguments: list[str]):
    result = mkt(*arguments, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: {' '.join(['mkt', *arguments])}")


def test_unknown_command_is_misuse(mkt: Mkt):
    assert mkt("nonsense").exit_code == 2


def test_version(mkt: Mkt):
    assert mkt("--version").stdout == f"mkt, version {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(mkt: Mkt, shell: str):
    result = mkt("completion", shell)
    assert result.exit_code == 0
    assert f"_MKT_COMPLETE={shell}_complete" in result.stdout
