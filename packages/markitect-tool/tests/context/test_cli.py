"""`mkt context` in this process: output, formats, exit statuses."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from markitect_tool.canonical import digest_bytes
from markitect_tool.context.registry import default_context_registry

Mkt = Callable[..., Any]
Write = Callable[..., Path]
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def example() -> str:
    """The folder of the example project."""
    return str(Path(__file__).parents[4] / "examples/opencontext-project")


class TestValidate:
    def test_sound_project(self, mkt: Mkt, example: str) -> None:
        result = mkt("context", "validate", "-C", example)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == ("project   Harbour office\nmanifest  opencontext.yaml\nobjects   6\nvalid     yes\n")

    def test_problems_are_on_standard_error(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": "content_uri: crm://x\n", "notes/b.md": ""})
        result = mkt("context", "validate", "-C", str(folder))
        assert result.exit_code == 1
        assert "valid     no" in result.stdout
        assert "error[unknown-scheme]" in result.stderr
        assert "--> notes/a.yaml" in result.stderr
        assert "error[context.object_invalid]" in result.stderr

    @pytest.mark.parametrize(("style", "parse"), [("json", json.loads), ("yaml", yaml.safe_load)])
    def test_data_holds_every_diagnostic(self, mkt: Mkt, write_project: Write, style: str, parse: Any) -> None:
        folder = write_project({"notes/a.yaml": "content_uri: crm://x\n"})
        result = mkt("context", "validate", "-C", str(folder), "--format", style)
        data = parse(result.stdout)
        assert (result.exit_code, data["valid"], data["objects"], result.stderr) == (1, False, 1, "")
        assert [entry["code"] for entry in data["diagnostics"]] == ["unknown-scheme"]

    def test_warnings_do_not_fail(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.md": "A."}, manifest="roles: {}\n")
        result = mkt("context", "validate", "-C", str(folder))
        assert result.exit_code == 0
        assert "warning[context.unenforced_section]" in result.stderr

    def test_manifest_is_found_from_a_folder_below(self, mkt: Mkt, example: str) -> None:
        assert mkt("context", "validate", "-C", f"{example}/context/policies").exit_code == 0

    def test_offline_skips_what_is_remote(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": "content_uri: https://example.org/a\n"})
        result = mkt("context", "validate", "-C", str(folder), "--offline")
        assert result.exit_code == 0
        assert "warning[context.source_skipped]" in result.stderr

    def test_no_manifest_is_status_3(self, mkt: Mkt) -> None:
        result = mkt("context", "validate")
        assert (result.exit_code, result.stdout) == (3, "")
        assert "error[context.manifest_missing]" in result.stderr

    def test_unsupported_version_is_status_1(self, mkt: Mkt, tmp_path: Path) -> None:
        (tmp_path / "opencontext.yaml").write_text("opencontext: 2.0\n")
        result = mkt("context", "validate", "--format", "json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)["diagnostics"][0]["code"] == "context.unsupported_version"


class TestList:
    def test_columns_are_aligned(self, mkt: Mkt, example: str) -> None:
        lines = mkt("context", "list", "-C", example).stdout.splitlines()
        assert lines[0].split() == ["ID", "TYPE", "FROM", "TITLE"]
        column = lines[0].index("TYPE")
        assert [line[column - 2 : column] for line in lines] == ["  "] * 7

    def test_data_leaves_content_out(self, mkt: Mkt, example: str) -> None:
        (first, *rest) = json.loads(mkt("context", "list", "-C", example, "--format", "json").stdout)["objects"]
        assert first == {
            "id": "berths.north",
            "type": "berth",
            "title": "North quay",
            "path": "context/berths/north.yaml",
            "content_type": "application/json",
        }
        assert len(rest) == 5

    def test_project_without_objects(self, mkt: Mkt, write_project: Write) -> None:
        result = mkt("context", "list", "-C", str(write_project({}, manifest="collections: {}")))
        assert (result.exit_code, result.stdout) == (0, "There is no object.\n")


class TestGet:
    def test_object_with_its_content(self, mkt: Mkt, example: str) -> None:
        result = mkt("context", "get", "inbox.visitor", "-C", example)
        head, _, content = result.stdout.partition("\n\n")
        assert result.exit_code == 0
        assert "trust         untrusted" in head.splitlines()
        assert content.startswith("We lay at the north quay")

    def test_content_cannot_steer_the_terminal(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.md": "a\x1b[2Jb\tc\\td\n"})
        assert "a\\x1b[2Jb\tc\\td" in mkt("context", "get", "notes.a", "-C", str(folder)).stdout

    def test_data(self, mkt: Mkt, example: str) -> None:
        data = json.loads(mkt("context", "get", "berths.north", "-C", example, "--format", "json").stdout)
        assert data["object"]["content"]["depth_m"] == 4.5

    def test_unknown_object_is_status_3_and_names_near_ones(self, mkt: Mkt, example: str) -> None:
        result = mkt("context", "get", "mision", "-C", example)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "hint: Near to it: mission." in result.stderr

    def test_object_that_does_not_resolve_is_status_1(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": "content_uri: file://./gone.md\n"})
        result = mkt("context", "get", "notes.a", "-C", str(folder))
        assert (result.exit_code, result.stdout) == (1, "")
        assert "error[source-unavailable]" in result.stderr

    def test_limits_that_are_not_enforced_are_shown(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.md": "---\npermissions: {read: [x]}\n---\nA.", "notes/b.md": "B."})
        assert "permissions" in mkt("context", "get", "notes.a", "-C", str(folder)).stderr
        assert mkt("context", "get", "notes.b", "-C", str(folder)).stderr == ""

    def test_text_in_an_old_encoding_becomes_markdown_with_its_provenance(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project(
            {
                "notes/a.yaml": "content_uri: file://./letter.txt\ntrust: verified\n",
                "letter.txt": "Grüße".encode("latin-1"),
            }
        )
        result = mkt("context", "get", "notes.a", "-C", str(folder), "--format", "json")
        data = json.loads(result.stdout)
        assert (data["object"]["content"], data["object"]["trust"]) == ("Grüße", "verified")
        assert data["object"]["provenance"]["normalized"]["adapter"]["id"] == "source.plaintext"
        assert [entry["code"] for entry in data["diagnostics"]] == ["source.encoding_recovered"]

    def test_format_that_nothing_reads_is_unavailable(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": "content_uri: file://./p.png\n", "p.png": b"\x89PNG\r\n\0\xff"})
        result = mkt("context", "get", "notes.a", "-C", str(folder))
        assert result.exit_code == 1
        assert "nothing here makes Markdown of it" in result.stderr


class TestLoad:
    def test_bytes_are_written_as_they_are(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"data.bin": b"\xff\r\n\0end"})
        result = mkt("context", "load", "file://./data.bin", "-C", str(folder))
        assert (result.exit_code, result.stdout_bytes, result.stderr) == (0, b"\xff\r\n\0end", "")

    def test_bytes_are_written_to_a_file(self, mkt: Mkt, write_project: Write, tmp_path: Path) -> None:
        folder = write_project({"data.bin": b"\xff\0"})
        assert mkt("context", "load", "file://./data.bin", "-C", str(folder), "--output", "out").stdout_bytes == b""
        assert (tmp_path / "out").read_bytes() == b"\xff\0"
        assert stat.S_ISREG((tmp_path / "out").stat().st_mode)

    def test_folder_without_a_manifest_will_do(self, mkt: Mkt, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("text")
        assert mkt("context", "load", "file://./a.txt").stdout == "text"

    def test_verbose_says_what_was_loaded(self, mkt: Mkt, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("text")
        assert mkt("context", "load", "file://./a.txt", "-v").stderr == (
            f"trust   trusted\ndigest  {digest_bytes(b'text')}\ntype    text/plain\n"
        )

    def test_data_has_text_or_base64(self, mkt: Mkt, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("text")
        (tmp_path / "a.bin").write_bytes(b"\xff")
        text = json.loads(mkt("context", "load", "file://./a.txt", "--format", "json").stdout)
        assert (text["content"], text["trust"], text["digest"]) == ("text", "trusted", digest_bytes(b"text"))
        assert (
            json.loads(mkt("context", "load", "file://./a.bin", "--format", "json").stdout)["content_base64"] == "/w=="
        )

    @pytest.mark.parametrize(
        ("uri", "code"),
        [
            ("file://./gone", "source-unavailable"),
            ("nobody://x", "unknown-scheme"),
            ("file://./../x", "path-traversal"),
            ("no uri", "unknown-scheme"),
        ],
    )
    def test_failure_is_status_1_and_writes_nothing(self, mkt: Mkt, uri: str, code: str) -> None:
        result = mkt("context", "load", uri)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"error[{code}]" in result.stderr

    def test_rules_of_the_manifest_hold(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"a.txt": "text"}, manifest="adapters: {file: {enabled: false}}\n")
        result = mkt("context", "load", "file://./a.txt", "-C", str(folder))
        assert result.exit_code == 1
        assert "disabled" in result.stderr

    def test_folder_that_does_not_exist_is_status_3(self, mkt: Mkt) -> None:
        assert mkt("context", "load", "file://./a", "-C", "gone").exit_code == 3

    def test_loaded_bytes_go_on_to_be_markdown(self, mkt_process: Run, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes(b"a\r\nb")
        loaded = mkt_process("context", "load", "file://./a.txt")
        made = mkt_process("source", "normalize", "-", "--uri", "a.txt", input=loaded.stdout)
        assert (made.returncode, made.stdout) == (0, b"a\nb\n")


class TestBundle:
    def test_markdown_is_the_default(self, mkt: Mkt, example: str) -> None:
        result = mkt("context", "bundle", "-C", example)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith("# Harbour office\n")

    @pytest.mark.parametrize(("style", "parse"), [("json", json.loads), ("yaml", yaml.safe_load)])
    def test_data(self, mkt: Mkt, example: str, style: str, parse: Any) -> None:
        data = parse(mkt("context", "bundle", "-C", example, "--format", style).stdout)
        assert [entry["id"] for entry in data["objects"]][:2] == ["berths.north", "berths.tides"]
        assert data["digest"].startswith("sha256:")

    def test_digest_is_the_same_in_every_run(self, mkt: Mkt, example: str) -> None:
        runs = {mkt("context", "bundle", "-C", example, "--format", "text").stdout for _ in range(2)}
        assert len(runs) == 1

    def test_chosen_objects(self, mkt: Mkt, example: str) -> None:
        data = json.loads(mkt("context", "bundle", "mission", "-C", example, "--format", "json").stdout)
        assert [entry["id"] for entry in data["objects"]] == ["mission"]

    def test_errors_leave_no_bundle(self, mkt: Mkt, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": "content_uri: crm://x\n", "notes/b.md": "B."})
        result = mkt("context", "bundle", "-C", str(folder))
        assert (result.exit_code, result.stdout) == (1, "")
        assert "error[unknown-scheme]" in result.stderr

    def test_limits_that_are_not_enforced_need_no_scopes(self, mkt: Mkt, write_project: Write) -> None:
        folder = str(write_project({"notes/a.md": "A."}, manifest="roles: {}\n"))
        refused = mkt("context", "bundle", "-C", folder)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "--no-scopes" in refused.stderr
        assert mkt("context", "bundle", "-C", folder, "--no-scopes").exit_code == 0


@pytest.mark.parametrize("arguments", [["get"], ["load"], ["validate", "x"], ["list", "--format", "xml"]])
def test_misuse_is_status_2(mkt: Mkt, arguments: list[str]) -> None:
    assert mkt("context", *arguments).exit_code == 2


@pytest.mark.parametrize("style", ["json", "yaml", "text", "markdown"])
def test_object_in_a_file_whose_name_is_not_text(mkt: Mkt, write_project: Write, style: str) -> None:
    folder = write_project({"notes/a.md": "A."})
    (folder / os.fsdecode(b"notes/caf\xe9.md")).write_text("B.")
    result = mkt("context", "bundle", "-C", str(folder), "--format", style)
    assert (result.exit_code, result.exception) == (0, None)
    assert "notes.caf" in result.stdout


def test_file_whose_name_is_not_text_cannot_be_pointed_at(mkt: Mkt, write_project: Write) -> None:
    folder = write_project({}, manifest="collections: {pictures: pictures/*.png}")
    (folder / "pictures").mkdir()
    (folder / os.fsdecode(b"pictures/p\xff.png")).write_bytes(b"\xff")
    result = mkt("context", "validate", "-C", str(folder), "--format", "json")
    assert [entry["code"] for entry in json.loads(result.stdout)["diagnostics"]] == ["source-unavailable"]


@pytest.mark.parametrize("command", ["validate", "list", "get", "load", "bundle"])
def test_help_of_every_command(mkt: Mkt, command: str) -> None:
    result = mkt("context", command, "--help")
    assert result.exit_code == 0
    assert "-C DIR" in result.stdout


def test_ids_complete_in_the_shell(write_project: Write) -> None:
    folder = write_project({"notes/a.md": "A.", "notes/b.md": "B."})
    ended = subprocess.run(
        [sys.executable, "-c", "from markitect_tool.cli.main import main; main()"],
        env={"_MKT_COMPLETE": "bash_complete", "COMP_WORDS": "mkt context get notes.", "COMP_CWORD": "3"},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.stdout.split() == ["plain,notes.a", "plain,notes.b"]


def test_what_an_adapter_prints_is_no_output(mkt: Mkt, write_project: Write, install: Callable[..., None]) -> None:
    module = """
from markitect_tool.context import AdapterResult
print("imported")
class Chatty:
    name, schemes, remote = "chatty", ("chatty",), False
    def load(self, uri, ctx):
        print("loading")
        return AdapterResult(b"bytes")
"""
    install("chatty", "[markitect_tool.context_adapters]\nchatty = chatty:Chatty\n", module)
    default_context_registry.cache_clear()
    folder = write_project({"notes/a.yaml": "content_uri: chatty:x\n"})
    try:
        loaded = mkt("context", "load", "chatty:x", "-C", str(folder))
        validated = mkt("context", "validate", "-C", str(folder), "--format", "json")
    finally:
        default_context_registry.cache_clear()
    assert (loaded.stdout, loaded.stderr) == ("bytes", "imported\nloading\n")
    assert (json.loads(validated.stdout)["valid"], validated.stderr) == (True, "loading\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_interruption_does_not_wait_for_a_load_that_hangs(write_project: Write) -> None:
    folder = write_project({"notes/a.yaml": "content_uri: git://v1/notes/a.yaml\n"})
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    os.mkfifo(folder / ".git/packed-refs")
    # a shell's background job starts with interruptions ignored, and its children inherit that
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = f"{heard}from markitect_tool.cli.main import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "context", "validate"], cwd=folder, stderr=subprocess.DEVNULL
    ) as running:
        descriptor = os.open(folder / ".git/packed-refs", os.O_WRONLY)  # waits for the reader
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=20) != 0
        os.close(descriptor)
