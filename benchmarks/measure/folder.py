"""How many books a folder of them takes through the pipeline in a second, with one worker and with two."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure.command_line import script
from benchmarks.measure.processes import Run, run

WORKERS = (1, 2)


def folder(books: Sequence[Path], work: Path, *, copies: int, rounds: int) -> dict[str, Any]:
    """Convert `copies` of each book with one and with two workers, in turns.

    Returns the number of books, their size in bytes, and for each number of workers the median seconds, books and
    megabytes per second, and the ratio of its rounds to those with one worker.
    """
    library = work / "library"
    library.mkdir()
    for number in range(copies):
        for book in books:
            shutil.copyfile(book, library / f"{number}-{book.name}")
    size = sum(book.stat().st_size for book in library.iterdir())
    taken: dict[int, list[Run]] = {workers: [] for workers in WORKERS}
    for number in range(rounds):
        for workers in WORKERS if number % 2 == 0 else reversed(WORKERS):
            output = work / "converted"
            command = ["pipeline", "run", str(library), "--out", str(output), "--workers", str(workers)]
            taken[workers].append(run([script("mkt"), *command]))
            shutil.rmtree(output)
    shutil.rmtree(library)
    return {
        "books": len(books) * copies,
        "bytes": size,
        "runs": [_entry(workers, taken, len(books) * copies, size) for workers in WORKERS],
    }


def _entry(workers: int, taken: dict[int, list[Run]], books: int, size: int) -> dict[str, float]:
    seconds = statistics.median(one.seconds for one in taken[workers])
    pairs = zip(taken[1], taken[workers], strict=True)
    return {
        "workers": workers,
        "seconds": seconds,
        "books_per_second": books / seconds,
        "megabytes_per_second": size / 1e6 / seconds,
        "times_one_worker": statistics.median(one.seconds / more.seconds for one, more in pairs),
        "peak_bytes": statistics.median(one.peak for one in taken[workers]),
    }
