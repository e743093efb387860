"""The command against the fixtures of the contract, byte for byte and strictly as JSON."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Mkt = Callable[..., Any]
COMMANDS = {
    "adapters.json": ["adapters", "--adapter", "source.plaintext", "--format", "json"],
    "inspect.json": ["inspect", "article.md", "--format", "json"],
    "normalize.json": ["normalize", "article.md", "--format", "json"],
    "normalize.md": ["normalize", "article.md", "--format", "markdown"],
    "malformed.json": ["normalize", "broken.txt", "--adapter", "source.plaintext", "--format", "json"],
}


@pytest.fixture
def sources(tmp_path: Path, contract_fixtures: Path) -> None:
    for name in ("article.md", "letter-latin1.txt", "broken.txt"):
        shutil.copy(contract_fixtures / name, tmp_path / name)
        os.utime(tmp_path / name, ns=(10**9, 10**9))


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("expected", COMMANDS)
def test_output_is_the_fixture(mkt: Mkt, contract_fixtures: Path, expected: str):
    result = mkt("source", *COMMANDS[expected])
    wanted = (contract_fixtures / expected).read_bytes()
    assert result.stdout_bytes == wanted
    assert result.exit_code == (1 if expected == "malformed.json" else 0)
    if expected.endswith(".json"):
        assert json.loads(result.stdout)["valid"] is (expected != "malformed.json")


@pytest.mark.usefixtures("sources")
def test_warning_leaves_the_exit_status_at_0(mkt: Mkt):
    result = mkt("source", "normalize", "letter-latin1.txt")
    assert (result.exit_code, result.stdout) == (0, "Ein Brief aus Köln.\n")
    assert result.stderr == (
        "warning[source.encoding_recovered]: "
        "The text is not utf-8 (byte 0xf6 in line 1); it was read as windows-1252.\n"
        "  --> letter-latin1.txt:1\n"
        "  hint: Name the encoding with --option encoding=NAME.\n"
        "1 warning\n"
    )


@pytest.mark.usefixtures("sources")
def test_error_leaves_standard_output_empty_in_markdown_mode(mkt: Mkt):
    result = mkt("source", "normalize", "broken.txt", "--adapter", "source.plaintext")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error[source.malformed]: ")
