"""What a run costs beside the conversion of its documents: workers, checkpoint, memory of the driver.

    python -m benchmarks.pipeline [throughput] [checkpoint] [memory] [--copies N] [--most N]

Takes the books of `MARKITECT_CORPUS`. Results go to `benchmarks/pipeline.json`, the plot of the driver's memory to
`docs/img/pipeline-memory.svg`. Measure on an idle machine: two workers need two processors.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.measure.machine import machine
from benchmarks.report.svg import WIDTH, Axis, Drawing, rounded_up

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("MARKITECT_CORPUS", ROOT / "../shared/corpus"))
RESULTS = ROOT / "benchmarks/pipeline.json"
PLOT = ROOT / "docs/img/pipeline-memory.svg"
MKT = [sys.executable, "-c", "from markitect_tool.cli.main import main; main()"]
SIZES = (300, 1_000, 3_000, 10_000, 30_000)  # documents
ROUNDS = 9
FOLDER = 100  # links in each folder of a library


LIGHT = 100_000  # bytes; larger books would only make the measurement of memory last hours


def library(folder: Path, size: int, largest: int | None = None) -> Path:
    """A folder of `size` links to the books of the corpus, each in its turn."""
    books = [book for book in sorted(CORPUS.rglob("*.epub")) if largest is None or book.stat().st_size <= largest]
    for number, book in enumerate(islice(cycle(books), size)):
        place = folder / f"{number // FOLDER:05}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:07}.epub").symlink_to(book.resolve())
    return folder


def run(books: Path, out: Path, *flags: str) -> dict[str, Any]:
    """One run of `mkt`: the seconds that it counts itself, and the peak of the driver's own memory in bytes."""
    command = [*MKT, "pipeline", "run", str(books), "--out", str(out), *flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_of(process.pid))
        time.sleep(0.05)
    shown = subprocess.run([*MKT, "pipeline", "status", str(out), "--format", "json"], capture_output=True, check=True)
    status = json.loads(shown.stdout)
    assert status["state"] == "complete", status
    return {"seconds": status["seconds"], "driver_bytes": peak, "worker_bytes": status["peak_bytes"]}


def busy_seconds(out: Path) -> float:
    """The seconds that workers spent on documents, all together."""
    with sqlite3.connect(out / ".mkt-run/checkpoint.sqlite") as database:
        return float(database.execute("SELECT sum(seconds) FROM documents").fetchone()[0])


def machine_scaling() -> float:
    """How much more two processes get done than one, on this machine and just now, that convert some large books and
    have nothing to do with each other."""
    largest = sorted(CORPUS.rglob("*.epub"), key=lambda book: -book.stat().st_size)[:12]
    convert = "import sys, markitect_tool\nfor book in sys.argv[1:]: markitect_tool.normalize_source(book)"

    def seconds(processes: int) -> float:
        start = time.perf_counter()
        running = [subprocess.Popen([sys.executable, "-c", convert, *map(str, largest)]) for _ in range(processes)]
        for process in running:
            process.wait()
        return time.perf_counter() - start

    return 2 * seconds(1) / seconds(2)


def peak_of(pid: int) -> int:
    """The largest resident size that a process has had (Linux)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def throughput(work: Path, copies: int) -> dict[str, Any]:
    """Seconds for the corpus, `copies` times over, with one worker and with two, in turns."""
    books = library(work / "books", copies * len(list(CORPUS.rglob("*.epub"))))
    size = sum(1 for _ in books.rglob("*.epub"))
    seconds: dict[int, list[float]] = {1: [], 2: []}
    busy: dict[int, list[float]] = {1: [], 2: []}
    machine_ratios = []
    for number in range(ROUNDS):
        machine_ratios.append(machine_scaling())
        for workers in (1, 2) if number % 2 == 0 else (2, 1):
            taken = run(books, work / "out", "--workers", str(workers))["seconds"]
            seconds[workers].append(taken)
            busy[workers].append(busy_seconds(work / "out") / (workers * taken))
            shutil.rmtree(work / "out")
    ratios = [one / two for one, two in zip(seconds[1], seconds[2], strict=True)]
    return {
        "documents": size,
        "documents_per_second": {
            str(workers): round(size / statistics.median(taken), 1) for workers, taken in seconds.items()
        },
        "two_workers_to_one": round(statistics.median(ratios), 2),
        "ratios": [round(ratio, 2) for ratio in ratios],
        "machine_ratios": [round(ratio, 2) for ratio in machine_ratios],
        "percent_of_the_time_that_workers_are_busy": {
            str(workers): round(100 * statistics.median(shares), 1) for workers, shares in busy.items()
        },
    }


@contextmanager
def timed(kind: type, names: tuple[str, ...]) -> Iterator[list[float]]:
    """Adds up the seconds that methods of `kind` take, those that call each other counted once."""
    spent, depth = [0.0], [0]
    before = {name: getattr(kind, name) for name in names}

    def counted(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*arguments: Any, **settings: Any) -> Any:
            depth[0] += 1
            start = time.perf_counter()
            try:
                return method(*arguments, **settings)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    spent[0] += time.perf_counter() - start

        return call

    for name, method in before.items():
        setattr(kind, name, counted(method))
    yield spent
    for name, method in before.items():
        setattr(kind, name, method)


def checkpoint(work: Path, copies: int) -> dict[str, Any]:
    """The part of a run that its driver spends on the checkpoint, committing included; workers go on meanwhile."""
    from markitect_tool.pipeline.checkpoint import Checkpoint
    from markitect_tool.pipeline.process import Plan
    from markitect_tool.pipeline.runner import Settings, Silence, run_pipeline

    books = library(work / "books", copies * len(list(CORPUS.rglob("*.epub"))))
    names = ("begin", "record", "previous", "commit", "commit_if_due", "end", "record_merged")
    with timed(Checkpoint, names) as spent:
        summary = run_pipeline(Plan((str(books),), str(work / "out")), Settings(workers=2), Silence())
    size = sum(summary.counts.values())
    return {
        "documents": size,
        "microseconds_per_document": round(spent[0] / size * 1e6),
        "percent_of_the_run": round(100 * spent[0] / summary.seconds, 2),
        "bytes_per_document": round(os.path.getsize(work / "out/.mkt-run/checkpoint.sqlite") / size),
    }


def memory(work: Path, most: int) -> list[dict[str, Any]]:
    """The peak of the driver's memory, for more and more documents."""
    found = []
    for size in (size for size in SIZES if size <= most):
        taken = run(library(work / str(size), size, LIGHT), work / "out", "--workers", "2")
        shutil.rmtree(work / "out")
        found.append({"documents": size, **taken, "seconds": round(taken["seconds"], 1)})
        print(found[-1], flush=True)
    return found


def plot(rows: list[dict[str, Any]]) -> str:
    """The driver's memory, and that of the largest worker, by the number of documents."""
    drawing = Drawing(
        340,
        "Memory of a run, by the number of documents",
        "; ".join(f"{row['documents']:,} documents: driver {row['driver_bytes'] >> 20} MiB" for row in rows),
    )
    left, right, top, bottom = 60, WIDTH - 30, 70, 280
    across = Axis(rows[0]["documents"], rows[-1]["documents"], left + 10, right - 10, logarithmic=True)
    largest = max(max(row["driver_bytes"], row["worker_bytes"]) for row in rows) / (1 << 20)
    up = Axis(0, rounded_up(largest), bottom, top)
    drawing.vertical_grid(across, top, bottom, "documents")
    drawing.horizontal_grid(up, left, right, "MiB, resident")
    for color, name in enumerate(("driver_bytes", "worker_bytes")):
        points = [(across.at(row["documents"]), up.at(row[name] / (1 << 20))) for row in rows]
        drawing.line(points, f"s{color}")
        for (x, y), row in zip(points, rows, strict=True):
            drawing.dot(x, y, color, note=f"{row['documents']:,}: {row[name] / (1 << 20):.1f} MiB")
    drawing.legend(WIDTH - 240, 28, [("driver", 0), ("largest worker", 1)])
    return drawing.render()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", nargs="*", default=["throughput", "checkpoint", "memory"])
    parser.add_argument("--copies", type=int, default=3, help="of the corpus, for throughput and checkpoint")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="documents, for memory")
    given = parser.parse_args()
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, measure, setting in (
        ("throughput", throughput, given.copies),
        ("checkpoint", checkpoint, given.copies),
        ("memory", memory, given.most),
    ):
        if name in given.what:
            with tempfile.TemporaryDirectory() as folder:
                results[name] = measure(Path(folder), setting)
            print(name, json.dumps(results[name], indent=2), flush=True)
    results |= {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "machine": machine()}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    if "memory" in given.what:
        PLOT.write_text(plot(results["memory"]))


if __name__ == "__main__":
    main()
