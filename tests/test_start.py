"""What a command loads and builds before it can work on a book. Counted, not timed: see decision 22."""

import json
import subprocess
import sys

import pytest
from markitect_filter.testing.books import Book, nav_page, page

# Modules that neither command needs for an ordinary book; some take longer to import than the command has.
NEEDLESS = {
    *("bs4", "charset_normalizer", "httpcore", "httpx", "markdownify", "pydantic", "rich", "soupsieve", "yaml"),
    *("dataclasses", "urllib.parse"),
    *("email", "html", "html.entities", "importlib.metadata", "ipaddress", "logging", "pathlib", "shutil", "tempfile"),
    *("textwrap", "traceback", "unittest", "zipfile"),
}
REPORT = """
import dataclasses, json, re, sys
sys.argv = ["mkt", *sys.argv[1:]]
import click, lxml.etree
before = set(sys.modules)
from markitect_tool.cli.main import cli
cli(standalone_mode=False)
loaded = {name: vars(module) for name, module in sys.modules.items() if name not in before}
ours = {name: names for name, names in loaded.items() if name.startswith("markitect_")}
own = [value for name, names in ours.items() for value in names.values() if getattr(value, "__module__", "") == name]
classes = [value for value in own if isinstance(value, type)]
patterns = [f"{name}.{key}" for name, names in ours.items() for key in names if type(names[key]) is re.Pattern]
print(json.dumps({
    "modules": sorted(loaded),
    "ours": sorted(ours),
    "generated": sorted({c.__name__ for c in classes if dataclasses.is_dataclass(c) and not hasattr(c, "_FIELDS")}),
    "named tuples": sorted({c.__name__ for c in classes if hasattr(c, "_field_defaults")}),
    "patterns": sorted(set(patterns)),
}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """What was loaded when a command had ended, by the command."""
    folder = tmp_path_factory.mktemp("start")
    book = Book(
        {"one.xhtml": page("<p>A <em>plain</em> page.</p>")}, nav=nav_page('<li><a href="one.xhtml">One</a></li>')
    )
    (folder / "book.epub").write_bytes(book.pack())

    def run(command):
        ended = subprocess.run(
            [sys.executable, "-c", REPORT, "source", command, "book.epub", "--output", "out.txt"],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stderr.splitlines()[-1])

    return {command: run(command) for command in ("inspect", "normalize")}


@pytest.mark.parametrize("command", ["inspect", "normalize"])
def test_nothing_is_imported_that_an_ordinary_book_does_not_need(started, command):
    assert NEEDLESS.intersection(started[command]["modules"]) == set()


def test_looking_at_a_book_imports_nothing_that_converts_one(started):
    converting = [
        name
        for name in started["inspect"]["ours"]
        if ".markdown" in name or ".assembly" in name or ".notes" in name or ".content" in name
    ]
    assert converting == []


@pytest.mark.parametrize(("command", "most"), [("inspect", 69), ("normalize", 122)])
def test_few_modules_are_imported(started, command, most):
    ours = started[command]["ours"]
    assert len(ours) <= most, f"Each takes a quarter of a millisecond; if that is worth it, allow one more: {ours}"


@pytest.mark.parametrize("command", ["inspect", "normalize"])
def test_no_class_has_generated_methods(started, command):
    assert started[command]["generated"] == []


@pytest.mark.parametrize("command", ["inspect", "normalize"])
def test_no_named_tuple_is_made_by_typing(started, command):
    assert started[command]["named tuples"] == []


@pytest.mark.parametrize(("command", "most"), [("inspect", 2), ("normalize", 54)])
def test_few_patterns_are_compiled_by_importing(started, command, most):
    assert len(started[command]["patterns"]) <= most, started[command]["patterns"]
