"""The documents are true: their code runs, their commands print what they show.

In README and `docs/`, a fenced block is

* `python`: run, in one namespace for the whole document;
* any language with `file=PATH`: written to that file;
* `console`: lines that start with `$ ` are run in a shell, and what follows each must be what it prints. A line `...`
  stands for any lines, `...` in a line for any text. A command must succeed unless `$ echo $?` follows.

Everything else is for reading. Each document has a folder of its own, with the sample book in it as `book.epub`.
"""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)(?: +file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Reader:
    """Does what a document says, as a reader who types it in would."""

    def __init__(self, folder, document):
        self.folder = folder
        self.document = document
        self.namespace = {"__name__": "document"}
        self.status = 0

    def follow(self):
        text = self.document.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            language, path, body = match.groups()
            if path:
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / path).write_text(body, encoding="utf-8")
            elif language == "python":
                # Padded with empty lines so that a traceback has the line number of the document.
                padding = "\n" * text.count("\n", 0, match.start(3))
                exec(compile(padding + body, self.document.name, "exec"), self.namespace)
            elif language == "console":
                self.type(body)

    def type(self, session):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            if command != "echo $?":
                assert self.status == 0, f"the command before `{command}` ended with {self.status}"
            printed = self.run(command)
            assert re.fullmatch(pattern(shown), printed), f"$ {command}\n{printed}"
        last = session.rstrip("\n").rpartition("$ ")[2].partition("\n")[0]
        assert self.status == 0, f"`{last}` ended with {self.status}"

    def run(self, command):
        # Installing goes to a folder of this document instead of the environment, and needs no network.
        command = re.sub(
            r"^pip install ",
            f"'{ROOT}/scripts/uv' pip install -q --offline --no-deps --no-build-isolation "
            f"--python '{sys.executable}' --target site ",
            command,
        )
        ended = subprocess.run(
            ["sh", "-c", f"(exit {self.status})\n{command}"],
            cwd=self.folder,
            env={
                **os.environ,
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
                "PYTHONPATH": str(self.folder / "site"),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        self.status = ended.returncode
        return ended.stdout


def pattern(shown):
    """A regular expression for what a document shows of a command's output."""
    lines = shown.splitlines(keepends=True)
    return "".join(r"(?:.*\n)*?" if line == "...\n" else re.escape(line).replace(r"\.\.\.", ".*") for line in lines)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_document_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples/source-adapters/sample-book/build.py"))["build"](tmp_path / "book.epub")
    Reader(tmp_path, document).follow()


def test_diagnostics_reference_matches_the_catalogue():
    ended = subprocess.run([sys.executable, ROOT / "scripts/diagnostics_reference.py", "--check"], check=False)
    assert ended.returncode == 0


@pytest.mark.parametrize("record", sorted((ROOT / "docs/adr").glob("*.md")), ids=lambda path: path.stem)
def test_decision_record_has_every_part(record):
    text = record.read_text(encoding="utf-8")
    assert re.match(r"# \d+\. \S", text)
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]
