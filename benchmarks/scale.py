"""What one document costs on its way through the pipeline, in seconds of a processor: the figures of docs/scale.md.

    python -m benchmarks.scale [conversion] [merging] [driver] [ray]

Takes the books of `MARKITECT_CORPUS`. Results go to `benchmarks/scale.json`. Processor time is counted, not wall-clock
time, so that what else the machine does matters little; where a disk or a network is waited for, it says so.
"""

from __future__ import annotations

import datetime
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from markitect_tool.pipeline.building import stages_of
from markitect_tool.pipeline.checkpoint import Checkpoint
from markitect_tool.pipeline.exporters.jsonl import JsonlExporter
from markitect_tool.pipeline.exporters.parquet import ParquetExporter
from markitect_tool.pipeline.process import Outcome, Plan, Task, process_item

from benchmarks.measure.machine import machine
from benchmarks.pipeline import CORPUS, MKT

RESULTS = Path(__file__).parent / "scale.json"
REAL = 100_000  # bytes: below that a book of the corpus is a test case more than a book
COPIES = 3_000  # documents that are merged, and that a driver keeps books of
SHARDS = 4
SMALL = 2_000  # documents of a line, for what Ray costs beside the work itself
FORMATS = (("markdown", "document"), ("segments", "document"), ("jsonl", "segment"), ("parquet", "segment"))


@contextmanager
def counted(into: dict[str, Any], name: str) -> Iterator[None]:
    """Puts the processor seconds of the block into `into`, with those of the processes that ended in it."""
    before, wall = processor_seconds(), time.perf_counter()
    yield
    into[name] = round(processor_seconds() - before, 3)
    into[f"{name}_wall"] = round(time.perf_counter() - wall, 3)


def processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)


def conversion() -> dict[str, Any]:
    """Every book through every stage, for each format: seconds, bytes in, bytes out."""
    found: dict[str, Any] = {}
    for format, level in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            plan = Plan((str(CORPUS),), folder, format=format, level=level)
            stages = stages_of(plan)
            for kind in ("all", "real"):
                items = [item for item in stages.items() if kind == "all" or (item.size or 0) >= REAL]
                figures: dict[str, Any] = {"documents": len(items), "bytes_in": sum(item.size or 0 for item in items)}
                with counted(figures, "seconds"):
                    outcomes = [process_item(plan, item, reuse="never") for item in items]
                figures["bytes_out"] = sum(file.size for outcome in outcomes for file in outcome.outputs)
                figures["files"] = sum(len(outcome.outputs) for outcome in outcomes)
                found[f"{format}_{kind}"] = figures
    return found


def merging() -> dict[str, Any]:
    """Fragments of real books, many times over, merged into shards."""
    found: dict[str, Any] = {"documents": COPIES, "shards": SHARDS}
    keys = [f"{number:07}" for number in range(COPIES)]
    for format, exporter in (
        ("jsonl", JsonlExporter("segment", SHARDS)),
        ("parquet", ParquetExporter("segment", SHARDS)),
    ):
        with tempfile.TemporaryDirectory() as folder:
            plan = Plan((str(CORPUS),), folder, format=format, level="segment")
            stages = stages_of(plan)
            outcomes = [process_item(plan, item, reuse="never") for item in stages.items() if (item.size or 0) >= REAL]
            fragments = [stages.storage.read(file.path) for outcome in outcomes for file in outcome.outputs]
            with counted(found, f"{format}_writing_seconds"):
                for number, key in enumerate(keys):
                    stages.storage.write_durably(exporter.fragment_name(key), fragments[number % len(fragments)])
            found[f"{format}_fragment_bytes"] = sum(len(fragments[number % len(fragments)]) for number in range(COPIES))
            with counted(found, f"{format}_seconds"):
                merged = exporter.finalize(stages.storage, keys)
            found[f"{format}_bytes"] = sum(file.size for file in merged)
            found[f"{format}_peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return found


def driver() -> dict[str, Any]:
    """What the driver does for each document, whoever converts it: list, name, note."""
    from markitect_tool.pipeline.engines import ray as engine
    from markitect_tool.pipeline.engines.ray_stages import from_json, to_json

    found: dict[str, Any] = {"documents": COPIES}
    with tempfile.TemporaryDirectory() as folder:
        books = small_books(Path(folder) / "books", COPIES)
        plan = Plan((str(books),), f"{folder}/out")
        with counted(found, "listing_seconds"):
            items = list(stages_of(plan).items())
        with counted(found, "identity_seconds"):
            for item in items:
                engine._identity(plan, Task(item))
        outcome = process_item(plan, items[0], reuse="never")
        outcomes = [replace(outcome, key=item.key, uri=item.uri) for item in items]
        with counted(found, "transport_seconds"):
            outcomes = [from_json(to_json(outcome)) for outcome in outcomes]
        with Checkpoint.open(f"{folder}/checkpoint.sqlite", create=True) as checkpoint:
            checkpoint.begin({}, {}, {})
            with counted(found, "checkpoint_seconds"):
                note(checkpoint, outcomes)
        found["outcome_bytes"] = len(to_json(outcome))
    return found


def note(checkpoint: Checkpoint, outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        checkpoint.record(outcome)
        checkpoint.commit_if_due()
    checkpoint.commit()


def ray() -> dict[str, Any]:
    """Small documents by both engines, few and many: what each document more takes, and what the cluster's start."""
    found: dict[str, Any] = {"few": SMALL // 10, "many": SMALL}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("few", "many"):
            small_books(Path(folder) / name, found[name])
            for engine in ("local", "ray"):
                out = f"{engine}-{name}"
                command = [*MKT, "pipeline", "run", name, "--out", out, "--engine", engine, "--workers", "2"]
                subprocess.run(command, cwd=folder, check=True, capture_output=True, env=without_ray_address())
                status = [*MKT, "pipeline", "status", out, "--format", "json"]
                told = json.loads(subprocess.run(status, cwd=folder, check=True, capture_output=True).stdout)
                found[f"{engine}_{name}_wall"] = round(told["seconds"], 3)
    return found


def without_ray_address() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}


def small_books(folder: Path, number: int) -> Path:
    folder.mkdir()
    for count in range(number):
        (folder / f"{count:07}.txt").write_text(f"# Title {count}\n\nA line of text.\n")
    return folder


def main() -> None:
    measurements: dict[str, Callable[[], dict[str, Any]]] = {
        "conversion": conversion,
        "merging": merging,
        "driver": driver,
        "ray": ray,
    }
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in sys.argv[1:] or measurements:
        print(f"{name} ...", file=sys.stderr)
        results[name] = measurements[name]()
        results |= {"date": datetime.date.today().isoformat(), "machine": machine(), "python": sys.version.split()[0]}
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
