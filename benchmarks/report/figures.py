"""The plots of the page, each made of the results alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.measure.judges import FLOOR, NATIVE, OTHERS, OURS
from benchmarks.report.bounds import common_books, geometric_mean, mean_ratio, per_megabyte, title
from benchmarks.report.svg import WIDTH, Axis, Drawing, number, rounded_up

COLORS = {OURS: 0, NATIVE: 1, OTHERS[0]: 2, OTHERS[1]: 3, FLOOR: 4}
CONVERTERS = [OURS, NATIVE, *OTHERS]
_RIGHT = WIDTH - 30


def fidelity_against_time(results: Mapping[str, Any]) -> str:
    """Each converter as a dot: how much it keeps, and what it takes."""
    seconds, means = results["judged"]["seconds"], results["judged"]["fidelity"]["mean of metrics"]
    spots = {name: (mean_ratio(seconds, name, FLOOR), means[name]) for name in CONVERTERS if name in seconds}
    drawing = Drawing(
        380,
        "How much is kept, and what it takes",
        "; ".join(f"{name}: fidelity {kept:.3f}, {time:.1f} times the floor" for name, (time, kept) in spots.items()),
    )
    across = Axis(1, max(time for time, _ in spots.values()) * 1.8, 70, _RIGHT, logarithmic=True)
    up = Axis(math.floor(min(kept for _, kept in spots.values()) * 10) / 10, 1, 320, 80)
    drawing.vertical_grid(across, 80, 320, "time, in units of unzipping and parsing with lxml (logarithmic)")
    drawing.horizontal_grid(up, 70, _RIGHT, "fidelity, mean of all metrics")
    for name, (time, kept) in spots.items():
        drawing.dot(across.at(time), up.at(kept), COLORS[name], radius=7)
        late = across.at(time) > _RIGHT - 120
        side = -12 if late else 12
        drawing.text(across.at(time) + side, up.at(kept) + 4, name, anchor="end" if late else "start")
    return drawing.render()


def time_per_book(results: Mapping[str, Any]) -> str:
    """A row per book, a dot per converter."""
    seconds = results["judged"]["seconds"]
    books = sorted(common_books(seconds), key=lambda book: seconds[OURS][book] / seconds[FLOOR][book])
    ratios = {
        name: {book: seconds[name][book] / seconds[FLOOR][book] for book in books if book in seconds[name]}
        for name in CONVERTERS
        if name in seconds
    }
    bottom = 80 + 24 * len(books)
    drawing = Drawing(
        bottom + 54,
        "Time for each book",
        f"In units of the floor, the converters' geometric means are "
        f"{', '.join(f'{name} {geometric_mean(taken.values()):.1f}' for name, taken in ratios.items() if taken)}.",
    )
    most = max(ratio for taken in ratios.values() for ratio in taken.values())
    across = Axis(1, most * 1.3, 270, _RIGHT, logarithmic=True)
    drawing.vertical_grid(across, 64, bottom, "times the lxml floor (logarithmic)")
    drawing.legend(270, 52, [(name, COLORS[name]) for name in ratios])
    for row, book in enumerate(books):
        y = 84 + 24 * row
        drawing.text(258, y + 4, title(book)[:36], anchor="end")
        drawing.line([(across.start, y), (_RIGHT, y)], "grid")
        for name in reversed(ratios):  # ours on top
            if book in ratios[name]:
                x = max(across.at(ratios[name][book]), across.start)
                drawing.dot(x, y, COLORS[name], note=f"{name}: {number(ratios[name][book])}")
    return drawing.render()


def whole_processes(results: Mapping[str, Any]) -> str:
    """Bars: the command line from its start to its end."""
    book, taken = next(iter(results["normalizing"].items()))
    rows = [
        (name, values["seconds"], f"{values['peak_bytes'] / 1e6:,.0f} MB at its peak", COLORS[name])
        for name, values in taken.items()
    ]
    return _bars(f"The command line: {title(book)} to Markdown", rows, "seconds, process start included")


def folder_throughput(results: Mapping[str, Any]) -> str:
    """Bars: a folder of books through the pipeline."""
    rows = [
        (f"{entry['workers']} worker{'s' * (entry['workers'] > 1)}", entry["megabytes_per_second"], "", 0)
        for entry in results["folder"]["runs"]
    ]
    return _bars("A folder of books through the pipeline", rows, "megabytes of EPUB per second")


def growth(results: Mapping[str, Any]) -> str:
    """Two panels over the size of the text: seconds per megabyte, and memory beside what is allowed."""
    points = [point for point in results["growth"]["points"] if point["name"] == f"{point['text'] // 10**6} MB"]
    drawing = Drawing(
        340,
        "Cost against size",
        "; ".join(
            f"{point['name']}: {per_megabyte(point) * 1000:.0f} ms per MB, {point['peak'] / 1e6:.0f} MB"
            for point in points
        ),
    )
    panels: list[tuple[str, float, float, Sequence[tuple[str, Callable[[Mapping[str, Any]], float]]]]] = [
        ("milliseconds per MB of text", 70, WIDTH / 2 - 20, [("s0", lambda point: per_megabyte(point) * 1000)]),
        (
            "peak memory, MB (dashed: what is allowed)",
            WIDTH / 2 + 60,
            _RIGHT,
            [("limit", lambda point: point["allowed"] / 1e6), ("s0", lambda point: point["peak"] / 1e6)],
        ),
    ]
    for label, left, right, curves in panels:
        across = Axis(min(p["text"] for p in points) / 1e6, max(p["text"] for p in points) / 1e6, left, right, True)
        most = max(value(point) for _, value in curves for point in points)
        up = Axis(0, rounded_up(most), 280, 90)
        drawing.horizontal_grid(up, left, right, label)
        for point in points:
            drawing.text(
                across.at(point["text"] / 1e6), 300, f"{point['text'] // 10**6}", anchor="middle", style="faint"
            )
        drawing.text((left + right) / 2, 322, "MB of text (logarithmic)", anchor="middle", style="faint")
        for style, value in curves:
            places = [(across.at(point["text"] / 1e6), up.at(value(point))) for point in points]
            drawing.line(places, style)
            if style != "limit":
                for (x, y), point in zip(places, points, strict=True):
                    drawing.dot(x, y, 0, note=f"{point['name']}: {number(value(point))}")
    return drawing.render()


def _bars(heading: str, rows: Sequence[tuple[str, float, str, int]], label: str) -> str:
    """Horizontal bars from 0: name, value, a remark, colour."""
    bottom = 54 + 40 * len(rows)
    drawing = Drawing(bottom + 54, heading, "; ".join(f"{name}: {number(value)}" for name, value, _, _ in rows))
    across = Axis(0, rounded_up(max(value for _, value, _, _ in rows) * 1.25), 120, _RIGHT)
    drawing.vertical_grid(across, 46, bottom, label)
    for row, (name, value, remark, color) in enumerate(rows):
        y = 54 + 40 * row
        drawing.text(110, y + 18, name, anchor="end")
        drawing.bar(across.start, y, across.at(value) - across.start, 26, color)
        drawing.text(across.at(value) + 8, y + 18, f"{number(value)}{'  ·  ' if remark else ''}{remark}", style="faint")
    return drawing.render()


FIGURES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "fidelity.svg": fidelity_against_time,
    "books.svg": time_per_book,
    "processes.svg": whole_processes,
    "growth.svg": growth,
    "folder.svg": folder_throughput,
}
