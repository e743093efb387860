"""The benchmarks work, and what they wrote is what the repository shows."""

import json
import subprocess
import sys

import pytest

RENDER = """
import json, sys
from pathlib import Path
from benchmarks.report.page import write
write(json.loads(Path("benchmarks/results.json").read_text(encoding="utf-8")), Path(sys.argv[1]))
"""
TABLE = """
metric             markitect   kreuzberg
words_recall          0.9990      0.8000
math                       -      0.5000
mean of metrics       0.9990      0.6500
books failed               0           1
seconds, 2 common        0.2         0.4
x floor, geo mean       2.00        4.00
"""


@pytest.fixture
def python(root):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments], cwd=root, capture_output=True, encoding="utf-8", check=False
        )

    return run


def test_performance_page_and_plots_follow_from_the_recorded_results(python, root, tmp_path):
    ended = python("-c", RENDER, tmp_path)
    assert ended.returncode == 0, ended.stderr
    written = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 7
    stale = [str(path) for path in written if (root / path).read_bytes() != (tmp_path / path).read_bytes()]
    assert stale == [], "python -m benchmarks.report.page writes them again"


def test_table_of_the_judge_is_read(python):
    code = (
        "import json, sys; from benchmarks.measure.judges import read_table; print(json.dumps(read_table(sys.argv[1])))"
    )
    assert json.loads(python("-c", code, TABLE).stdout) == {
        "words_recall": {"markitect": 0.999, "kreuzberg": 0.8},
        "math": {"markitect": None, "kreuzberg": 0.5},
        "mean of metrics": {"markitect": 0.999, "kreuzberg": 0.65},
        "books failed": {"markitect": 0, "kreuzberg": 1},
    }


def test_books_for_measuring_are_the_same_bytes_under_any_hash_seed(root):
    code = (
        "import hashlib; from benchmarks.books import FIXTURES, Sized; "
        "print(*(hashlib.sha256(b.pack()).hexdigest() for b in (*(f() for f in FIXTURES.values()), Sized(600_000))))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_micro_benchmarks_run(python):
    ended = python("-m", "pytest", "benchmarks/micro", "-o", "pythonpath=.", "--benchmark-disable", "-q")
    assert ended.returncode == 0, ended.stdout
