"""`pipeline.yaml`, flags, and the two together."""

import os
from pathlib import Path

import pytest
from markitect_tool.pipeline.config import FIELDS, configure, read_file
from markitect_tool.pipeline.errors import ConfigurationError
from markitect_tool.pipeline.quantities import parse_seconds, parse_size, show_seconds, show_size

# Nine lists in each other, each holding the one before nine times.
MULTIPLYING = "out: [&a0 [x], " + ", ".join(f"&a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)) + "]\n"
SOUND = """
sources: [books]
out: made
format: jsonl
level: segment
shards: 3
workers: 2
timeout: 10m
memory: 1.5GiB
max-size: 10 MB
options:
  segment_level: 2
"""


@pytest.fixture
def yaml_file(tmp_path):
    def write(text, name="pipeline.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    return write


def test_a_file_says_what_flags_say(yaml_file, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    yaml_file(SOUND)
    from_file = configure({}, "pipeline.yaml")
    flags = {
        "sources": ("books",),
        "out": "made",
        "format": "jsonl",
        "level": "segment",
        "shards": 3,
        "workers": 2,
        "timeout": "10m",
        "memory": "1.5GiB",
        "max-size": "10MB",
    }
    assert from_file == configure(flags, assignments=[("segment_level", "2")])
    assert from_file.settings.memory == 3 << 29
    assert from_file.plan.max_size == 10_000_000
    assert from_file.plan.options == {"segment_level": 2}


def test_flags_come_before_the_file(yaml_file):
    made = configure({"shards": 5, "timeout": "none"}, yaml_file(SOUND), [("segment_level", "4")])
    assert (made.plan.shards, made.plan.level) == (5, "segment")
    assert made.settings.timeout is None
    assert made.plan.options == {"segment_level": 4}


def test_paths_in_a_file_are_relative_to_its_folder(yaml_file, tmp_path):
    path = yaml_file("sources: [books, '@list', 's3://bucket/x', /absolute]\nout: made\n", "deep/pipeline.yaml")
    settings = read_file(path)
    folder = os.path.dirname(path)
    assert settings["sources"] == (f"{folder}/books", f"@{folder}/list", "s3://bucket/x", "/absolute")
    assert settings["out"] == f"{folder}/made"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sorces: [a]\n", "Did you mean 'sources'?"),
        ("max_size: 3\n", "Did you mean 'max-size'?"),
        ("nonsense: 3\n", "Settings: sources, out,"),
        ("1: 3\n", "JSON keys are strings"),
        ("sources: 5\n", "sources takes a list of texts, not 5"),
        ("sources: [5]\n", "sources takes a text, not 5"),
        ("out:\n", "out takes a text, not None"),
        ("workers: true\n", "workers takes a whole number from 1, not True"),
        ("workers: 0\n", "workers takes a whole number from 1, not 0"),
        ("shards: two\n", "shards takes a whole number"),
        ("resume: 'yes'\n", "resume takes true or false"),
        ("format: html\n", "format takes one of markdown, segments, jsonl, parquet, not 'html'"),
        ("timeout: soon\n", "'soon' is not a time such as 90, 5m, 1h or none"),
        ("timeout: -3\n", "'-3' is not a time"),
        ("memory: 5 parsecs\n", "is not a size such as"),
        ("memory: [1]\n", "memory takes a number with a unit"),
        ("options: [1]\n", "options takes a mapping"),
        ("options: {1: 2}\n", "JSON keys are strings"),
        ("- a\n", "holds no settings"),
        ("", "holds no settings"),
        ("a: [b\n", "cannot be read"),
        ("a: \x07\n", "cannot be read"),
        ("[" * 5000, "cannot be read"),
        ("out: a\nout: b\n", "stands there twice"),
        (MULTIPLYING, "stands for more than"),
        ("out: &a [*a]\n", "into itself"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(text, said, yaml_file):
    path = yaml_file(text)
    with pytest.raises(ConfigurationError) as caught:
        read_file(path)
    found = caught.value.diagnostic
    assert said in f"{found.message} {found.hint}"
    assert path in found.message


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"nowhere.yaml"):
        read_file(str(tmp_path / "nowhere.yaml"))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"out": "x"}, "SRC"),
        ({"sources": ("a",)}, "--out"),
        ({"sources": ("a",), "out": "x", "resume": True, "restart": True}, "one of them"),
    ],
)
def test_what_is_missing_or_contradicts_is_named(flags, said):
    with pytest.raises(ConfigurationError, match=said):
        configure(flags)


def test_every_setting_has_a_flag(mkt_run):
    helped = mkt_run("pipeline", "run", "--help").stdout
    flags = set(FIELDS) - {"sources", "options"}
    assert [name for name in flags if f"--{name}" not in helped] == []
    assert "--option " in helped


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["books"],
        ["books", "--out", "out", "--format", "html"],
        ["books", "--out", "out", "--timeout", "soon"],
        ["books", "--out", "out", "--workers", "0"],
        ["books", "--out", "out", "--level", "word"],
        ["books", "--out", "out", "--shards", "2"],
        ["books", "--out", "out", "--engine", "steam"],
        ["books", "--out", "out", "--config", "nowhere.yaml"],
        ["books", "--out", "out", "--option", "nonsense=1"],
        ["books", "--out", "out", "--adapter", "source.nonsense"],
        ["books", "--out", "nonsense://x", "--checkpoint", "c"],
    ],
)
def test_a_misused_command_ends_with_status_two_and_writes_nothing(arguments, library, mkt_run):
    library({"a.txt": "one"})
    ended = mkt_run("pipeline", "run", *arguments)
    assert ended.exit_code == 2
    assert "Traceback" not in ended.stderr
    assert os.listdir(mkt_run.folder) == ["books"]


def test_a_whole_run_by_a_file(yaml_file, library, mkt_run):
    library({"a.md": "# One\n\n# Two\n"})
    path = yaml_file("sources: books\nout: out\nformat: jsonl\nlevel: segment\nreport: run.html\nworkers: 1\n")
    assert mkt_run("pipeline", "run", "--config", path).exit_code == 0
    assert Path("out/segments.jsonl").read_bytes().count(b"\n") == 2
    assert Path("run.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("2k", 2048), ("2 KiB", 2048), ("2kB", 2000), ("1.5GiB", 3 << 29), ("3 TB", 3 * 10**12), ("NONE", None)],
)
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("1.5", 1.5), ("5m", 300), ("2 h", 7200), ("none", None)])
def test_times(text, seconds):
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "m", "5 x", "1e3", "-1", "1,5", "nan", "0.0s", "٣"])
def test_what_is_neither_size_nor_time_is_refused(text):
    with pytest.raises(ValueError, match="is not a"):
        parse_size(text)
    with pytest.raises(ValueError, match="is not a"):
        parse_seconds(text)


def test_quantities_are_shown_as_people_write_them():
    assert [show_size(size) for size in (1, 1023, 1536, 5 << 30, 3 << 50)] == [
        "1 bytes",
        "1,023 bytes",
        "1.5 KiB",
        "5.0 GiB",
        "3072.0 TiB",
    ]
    assert [show_seconds(seconds) for seconds in (0.44, 59.4, 61, 3723)] == ["0.4 s", "59 s", "1:01", "1:02:03"]
