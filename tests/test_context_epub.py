"""A context that points at a book: bytes by a context adapter, Markdown by a source adapter, through `mkt`."""

import json
import runpy
import sqlite3
import subprocess
import sys

import pytest
from click.testing import CliRunner
from markitect_tool.cli.main import cli

MANIFEST = """\
opencontext: "1.0"
id: library
collections:
  books: ./books/*
"""


@pytest.fixture
def library(root, tmp_path):
    """A folder with two objects that point at the sample book: as a file, and in a row of a database."""
    (tmp_path / "opencontext.yaml").write_text(MANIFEST)
    (tmp_path / "books").mkdir()
    (tmp_path / "files").mkdir()
    build = runpy.run_path(str(root / "examples/source-adapters/sample-book/build.py"))["build"]
    build(tmp_path / "files/book.epub")
    data = (tmp_path / "files/book.epub").read_bytes()
    with sqlite3.connect(tmp_path / "files/books.db") as database:
        database.execute("CREATE TABLE books (id TEXT, data BLOB)")
        database.execute("INSERT INTO books VALUES ('sample', ?)", [data])
    database.close()
    (tmp_path / "books/file.yaml").write_text("content_uri: file://./files/book.epub\n")
    (tmp_path / "books/row.yaml").write_text(
        "content_uri: 'sqlite://./files/books.db?table=books&id=sample&column=data'\n"
    )
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(cli, ["context", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(("name", "trust"), [("books.file", "trusted"), ("books.row", "verified")])
def test_book_becomes_markdown_with_provenance_and_the_trust_of_the_load(library, name, trust):
    made = json.loads(run("get", name, "-C", str(library), "--format", "json"))["object"]
    origin = made["provenance"]
    assert made["content"].startswith("# ")
    assert (made["content_type"], made["trust"]) == ("text/markdown", trust)
    assert origin["normalized"]["adapter"]["id"] == "source.epub3"
    assert origin["normalized"]["document_id"].startswith("source-document:sha256:")
    assert {entry["source_uri"] for entry in origin["normalized"]["source"]} == {origin["uri"]}


def test_book_is_in_the_bundle_with_a_digest_that_stays(library):
    first, second = (json.loads(run("bundle", "-C", str(library), "--format", "json")) for _ in range(2))
    assert first["digest"] == second["digest"]
    assert [entry["content_type"] for entry in first["objects"]] == ["text/markdown"] * 2


def test_loaded_book_goes_through_a_pipe(library):
    load, normalize = (
        [sys.executable, "-c", "from markitect_tool.cli.main import main; main()", *arguments]
        for arguments in (
            ["context", "load", "file://./files/book.epub"],
            ["source", "normalize", "-", "--uri", "file://./files/book.epub"],
        )
    )
    with subprocess.Popen(load, cwd=library, stdout=subprocess.PIPE) as loading:
        piped = subprocess.run(normalize, stdin=loading.stdout, capture_output=True, encoding="utf-8", check=True)
    assert loading.returncode == 0
    made = json.loads(run("get", "books.file", "-C", str(library), "--format", "json"))["object"]
    assert piped.stdout.strip() == made["content"].strip()


def test_book_that_is_broken_is_an_error_of_its_object(library):
    (library / "files/book.epub").write_bytes((library / "files/book.epub").read_bytes()[:600])
    result = CliRunner().invoke(cli, ["context", "validate", "-C", str(library), "--format", "json"])
    found = [entry for entry in json.loads(result.stdout)["diagnostics"] if entry["severity"] == "error"]
    assert result.exit_code == 1
    assert [(entry["code"], entry["details"]["id"]) for entry in found] == [("source-unavailable", "books.file")]
