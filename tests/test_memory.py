"""What a conversion holds in memory at once: whole processes, beyond what a book of one page takes."""

import json
import subprocess
import sys

import pytest

MEASURE = """
import json, sys
from pathlib import Path
from benchmarks.measure.growth import growth
print(json.dumps(growth(Path(sys.argv[1]), (4,), rounds=1)["points"]))
"""


@pytest.fixture(scope="module")
def points(root, tmp_path_factory):
    """What books of several shapes took, by name."""
    ended = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path_factory.mktemp("growth")],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return {point["name"]: point for point in json.loads(ended.stdout)}


def test_pictures_are_never_held(points):
    with_pictures, without = points["4 MB and 60 MB of pictures"], points["4 MB"]
    assert with_pictures["archive"] > without["archive"] + 50e6
    assert with_pictures["peak"] < without["peak"] + 4e6


def test_memory_follows_the_largest_document_and_the_output(points):
    dearer = {name: point["peak"] / point["allowed"] for name, point in points.items()}
    assert max(dearer.values()) <= 1, dearer
