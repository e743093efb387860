"""Fixtures of the tool's tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from markitect_tool.cli.main import cli
from markitect_tool.source import discovery

Mkt = Callable[..., Result]


@pytest.fixture
def contract_fixtures() -> Path:
    """The inputs and expected outputs that stand for the contract."""
    return Path(__file__).parents[3] / "examples" / "source-adapters" / "contract"


@pytest.fixture
def mkt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mkt:
    """Runs the command in this process, inside an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, input: bytes | None = None) -> Result:
        return CliRunner().invoke(cli, list(arguments), input=input, prog_name="mkt")

    return run


@pytest.fixture
def write_project(tmp_path: Path) -> Callable[..., Path]:
    """Writes files into a new folder, by their paths; the manifest is small unless one is given."""

    def write(files: Mapping[str, str | bytes], manifest: str = "", name: str = "opencontext.yaml") -> Path:
        folder = tmp_path / "project"
        head = "" if "opencontext:" in manifest or name.endswith(".json") else 'opencontext: "1.0"\nid: project\n'
        if "collections:" not in manifest and not name.endswith(".json"):
            manifest += "\ncollections:\n  notes: ./notes/**\n"
        for path, content in {name: head + manifest, **files}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return write


@pytest.fixture
def mkt_process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs the command in a process of its own, inside an empty folder."""

    def run(*arguments: str | bytes, input: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-c", "from markitect_tool.cli.main import main; main()", *arguments],
            input=input,
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, **environment},
            timeout=60,
        )

    return run


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Puts a distribution on `sys.path`: real metadata in a `dist-info` folder, and one module."""
    discovery.default_source_adapter_registry.cache_clear()

    def add(name: str, entry_points: str, module: str = "") -> None:
        site = tmp_path / f"site-{name}"
        folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(entry_points)
        (site / f"{name.replace('-', '_')}.py").write_text(module)
        monkeypatch.syspath_prepend(str(site))
        added.append(name.replace("-", "_"))
        sys.modules.pop(added[-1], None)  # what another test installed under this name

    added: list[str] = []
    yield add
    for module in added:
        sys.modules.pop(module, None)
    discovery.default_source_adapter_registry.cache_clear()
