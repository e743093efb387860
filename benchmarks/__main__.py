"""`make bench`: measure everything in one run and write the page.

    python -m benchmarks [--quick]

Runs in the environment of `benchmarks/peers`. Writes `docs/performance.md`, its plots and `benchmarks/results.json`;
with `--quick` the same below `build/bench`, from a few books and rounds. Ends with status 1 when a bound does not hold.
`MARKITECT_CORPUS` is the folder of the books, `MARKITECT_JUDGES` that of the judges (default: `tools` beside it).
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measure.command_line import inspecting, normalizing
from benchmarks.measure.folder import folder
from benchmarks.measure.growth import growth
from benchmarks.measure.judges import COLLECTIONS, corpus_folder, judge, judges_folder
from benchmarks.measure.machine import load, machine, versions
from benchmarks.report.bounds import bounds
from benchmarks.report.page import PAGE, write
from benchmarks.report.svg import number

ROOT = Path(__file__).parent.parent


@contextmanager
def _step(name: str) -> Iterator[None]:
    start = time.monotonic()
    print(f"{name} ...", end=" ", flush=True)
    yield
    print(f"{time.monotonic() - start:.0f} s", flush=True)


def measure(corpus: Path, judges: Path, work: Path, *, quick: bool) -> dict[str, Any]:
    """All measurements, as `results.json` holds them."""
    found: dict[str, Any] = {
        "quick": quick,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions(),
        "load": [load()],
    }
    with _step("start and end of processes"):
        found["inspecting"] = inspecting(work, rounds=5 if quick else 21)
        found["normalizing"] = normalizing(corpus, work, rounds=3 if quick else 11, novels=1 if quick else 2)
    with _step("cost against size"):
        found["growth"] = growth(work, (1, 4, 8) if quick else (1, 4, 16, 64), rounds=1 if quick else 3)
    with _step("books through each converter"):
        found["judged"] = judge(judges, corpus, work / "judged", rounds=1 if quick else 4, most=3 if quick else None)
    with _step("a folder of books"):
        books = [book for name in COLLECTIONS for book in sorted((corpus / name).glob("*.epub"))]
        found["folder"] = folder(books, work, copies=1 if quick else 8, rounds=1 if quick else 3)
    found["load"].append(load())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few books, a few rounds, written to build/bench")
    quick = parser.parse_args().quick
    # Modules are compiled once, as an installation does, whatever the caller's shell says.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    corpus = corpus_folder(ROOT)
    judges = judges_folder(corpus)
    for needed in (corpus / COLLECTIONS[0], judges / "peers.py"):
        if not needed.exists():
            print(f"{needed} is missing: set MARKITECT_CORPUS or MARKITECT_JUDGES", file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory() as work:
        results = measure(corpus, judges, Path(work), quick=quick)
    target = ROOT / "build/bench" if quick else ROOT
    write(results, target)
    broken = 0
    for bound in bounds(results):
        broken += not bound.holds
        sign = "at most" if bound.at_most else "at least"
        verdict = "holds " if bound.holds else "BROKEN"
        print(f"{verdict} {number(bound.value):>6}, {sign} {number(bound.limit)}: {bound.subject}")
    print(f"wrote {(target / PAGE).relative_to(ROOT)}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
