"""`docs/performance.md`: the results of one run, for people. Its words are in `page.in`.

python -m benchmarks.report.page    writes the page and its plots again from `results.json`
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from benchmarks.measure.judges import FLOOR, NATIVE, OURS
from benchmarks.report.bounds import bounds, common_books, mean_ratio, per_megabyte, title
from benchmarks.report.figures import CONVERTERS, FIGURES
from benchmarks.report.svg import number

ROOT = Path(__file__).parents[2]
RESULTS = Path("benchmarks/results.json")
PAGE = Path("docs/performance.md")
IMAGES = Path("docs/img")
Results = Mapping[str, Any]
# A metric of the judge, and what it counts.
METRICS = {
    "words_recall": "words of the book that are in the Markdown",
    "words_precision": "words of the Markdown that are in the book",
    "order": "words in reading order",
    "headings": "headings",
    "emphasis": "emphasis",
    "list_items": "list items",
    "table_cells": "table cells",
    "code_blocks": "listings, to the character",
    "quotes": "block quotes",
    "images": "pictures",
    "links": "links to the web",
    "internal": "links inside of the book that lead somewhere",
    "footnotes": "notes that are Markdown footnotes",
    "math": "formulas",
    "html_free": "free of raw HTML",
    "mean of metrics": "mean",
    "books failed": "books that could not be read",
}


def write(results: Results, root: Path) -> None:
    """Write results, page and plots below `root`, in the places that they have in the repository."""
    files = {RESULTS: json.dumps(results, indent=1, ensure_ascii=False) + "\n", PAGE: render(results)}
    files |= {IMAGES / name: draw(results) for name, draw in FIGURES.items()}
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def render(results: Results) -> str:
    """The page."""
    machine, versions, growth = results["machine"], results["versions"], results["growth"]
    rounds = [mean_ratio(taken, OURS, FLOOR) for taken in results["judged"]["rounds"]]
    words = Template((Path(__file__).parent / "page.in").read_text(encoding="utf-8"))
    text = words.substitute(
        quick="**A quick run over a few books (`QUICK=1`): the figures are rough.**" if results["quick"] else "",
        date=results["date"],
        machine=f"{machine['processor']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB, "
        f"{machine['system']}",
        versions=", ".join(name if name == value else f"{name} {value}" for name, value in versions.items()),
        load=", ".join(f"{value:.1f}" for value in results["load"]),
        bounds=_bounds(results),
        books=len(results["judged"]["books"]),
        fidelity=_fidelity(results),
        times=_times(results),
        least=f"{min(rounds):.2f}",
        most=f"{max(rounds):.2f}",
        processes=_processes(results),
        inspecting=_inspecting(results),
        start=f"{growth['start']['seconds'] * 1000:.0f} ms, {growth['start']['peak_bytes'] / 1e6:.0f} MB",
        growth=_growth(results),
        library=f"{results['folder']['books']:,} books ({results['folder']['bytes'] / 1e6:,.0f} MB)",
        folder=_folder(results),
    )
    return text.replace("\n\n\n", "\n\n").replace("\n\n\n", "\n\n")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ruler, *rows))


def _bounds(results: Results) -> str:
    rows = [
        (
            bound.subject,
            number(bound.value),
            f"{'≤' if bound.at_most else '≥'} {number(bound.limit)}",
            "yes" if bound.holds else "**no**",
        )
        for bound in bounds(results)
    ]
    return _table(("", "measured", "bound", "holds"), rows)


def _fidelity(results: Results) -> str:
    scores = results["judged"]["fidelity"]
    shown = [name for name in CONVERTERS if any(values.get(name) is not None for values in scores.values())]
    rows = []
    for metric, meaning in METRICS.items():
        values = [scores.get(metric, {}).get(name) for name in shown]
        counts = metric == "books failed"
        best = None if counts else max((value for value in values if value is not None), default=None)
        rows.append([meaning, *(_score(value, best, digits=0 if counts else 4) for value in values)])
    return _table(("", *shown), rows)


def _score(value: float | None, best: float | None, *, digits: int) -> str:
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return f"**{text}**" if value == best else text


def _times(results: Results) -> str:
    seconds = results["judged"]["seconds"]
    rows = []
    for name in (FLOOR, *CONVERTERS):
        read = [seconds[name][book] for book in common_books(seconds) if book in seconds.get(name, {})]
        if read:
            ratios = (f"{mean_ratio(seconds, name, other):.2f}" for other in (FLOOR, NATIVE))
            rows.append((name, str(len(read)), f"{sum(read):.2f}", *ratios))
    return _table(("", "books", "seconds", "× floor, geometric mean", f"× {NATIVE}, geometric mean"), rows)


def _processes(results: Results) -> str:
    rows = [
        (
            f"{name}, {title(book)}",
            f"{values['seconds'] * 1000:,.0f} ms",
            f"{values['ratio']:.2f}",
            f"{values['peak_bytes'] / 1e6:,.0f} MB",
        )
        for book, taken in results["normalizing"].items()
        for name, values in taken.items()
    ]
    return _table(("", "time", "× ours", "peak memory"), rows)


def _inspecting(results: Results) -> str:
    rows = [
        (
            f"`{name}`" if name.startswith("python") else name,
            f"{values['seconds'] * 1000:.0f} ms",
            f"{values['ratio']:.2f}",
            f"{values['peak_bytes'] / 1e6:.0f} MB",
        )
        for name, values in results["inspecting"].items()
    ]
    return _table(("", "time", "ratio", "peak memory"), rows)


def _growth(results: Results) -> str:
    rows = [
        (
            point["name"],
            f"{point['output'] / 1e6:.1f} MB",
            f"{per_megabyte(point) * 1000:.0f} ms",
            f"{point['peak'] / 1e6:.0f} MB",
            f"{point['allowed'] / 1e6:.0f} MB",
        )
        for point in results["growth"]["points"]
    ]
    return _table(("text", "output", "time per MB of text", "peak memory", "allowed"), rows)


def _folder(results: Results) -> str:
    rows = [
        (
            str(entry["workers"]),
            f"{entry['books_per_second']:.1f}",
            f"{entry['megabytes_per_second']:.1f}",
            f"{entry['times_one_worker']:.2f}",
        )
        for entry in results["folder"]["runs"]
    ]
    return _table(("workers", "books per second", "MB per second", "× one worker"), rows)


if __name__ == "__main__":
    write(json.loads((ROOT / RESULTS).read_text(encoding="utf-8")), ROOT)
