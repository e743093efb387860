"""What a conversion costs, in numbers that no machine and no other process changes: function calls, not seconds."""

import json
import subprocess
import sys

import pytest

RECORDED = "benchmarks/calls.json"
SLACK, STALE = 1.04, 0.75  # as multiples of the recorded count
HOW_TO_RECORD = (
    "If this is meant, `make calls RECORD=1` with Python 3.11 records the new counts; say why in the commit."
)


@pytest.fixture(scope="module")
def counts(root):
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.calls", "--json"],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def recorded(root):
    return json.loads((root / RECORDED).read_text())


def test_every_book_has_a_recorded_count(counts, recorded):
    assert counts.keys() == recorded.keys(), HOW_TO_RECORD


def test_no_book_takes_more_calls_than_recorded(counts, recorded):
    dearer = {name: f"{calls / recorded[name]:.1%}" for name, calls in counts.items() if calls > recorded[name] * SLACK}
    assert dearer == {}, f"Conversion became dearer. {HOW_TO_RECORD}"


def test_recorded_counts_are_close_enough_to_bound_anything(counts, recorded):
    stale = {name: f"{calls / recorded[name]:.1%}" for name, calls in counts.items() if calls < recorded[name] * STALE}
    assert stale == {}, f"Conversion became cheaper, well done. {HOW_TO_RECORD}"


def test_calls_grow_no_faster_than_the_text(counts):
    assert counts["novel, 4 times the text"] <= 4.1 * counts["novel"]
