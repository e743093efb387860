"""What must hold, as ratios within one run, and whether it did."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.measure.judges import CLOSE, FLOOR, NATIVE, OURS

Seconds = Mapping[str, Mapping[str, float]]  # converter -> book -> seconds


@dataclass(frozen=True, slots=True)
class Bound:
    """A measured ratio and its bound."""

    subject: str
    value: float
    limit: float
    at_most: bool = True

    @property
    def holds(self) -> bool:
        return self.value <= self.limit if self.at_most else self.value >= self.limit


def bounds(results: Mapping[str, Any]) -> list[Bound]:
    """Every bound, from the results of one run."""
    seconds: Seconds = results["judged"]["seconds"]
    slower = [seconds[OURS][book] / seconds[NATIVE][book] for book in common_books(seconds)]
    growth = {point["name"]: point for point in results["growth"]["points"]}
    even = [point for point in growth.values() if point["name"] == f"{point['text'] // 1_000_000} MB"]
    dearest = max(point["peak"] / point["allowed"] for point in growth.values())
    return [
        Bound("time against the lxml floor, geometric mean over the books", mean_ratio(seconds, OURS, FLOOR), 2.5),
        Bound(f"times faster than {NATIVE}, geometric mean", mean_ratio(seconds, NATIVE, OURS), 2.5, at_most=False),
        Bound(f"time against {NATIVE}, the least favourable book", max(slower), 1.0),
        *(
            Bound(f"whole process against {NATIVE}'s, {title(book)}", 1 / taken[NATIVE]["ratio"], 1.0)
            for book, taken in results["normalizing"].items()
        ),
        *(
            Bound(f"{name}, against importing click and lxml", taken["ratio"], 1.5)
            for name, taken in results["inspecting"].items()
            if name.startswith("mkt")
        ),
        Bound(
            f"time per MB, {even[-1]['name']} of text against 4 MB",
            per_megabyte(even[-1]) / per_megabyte(even[1]),
            1.15,
        ),
        Bound("peak memory against 6 × the largest document + 2 × the output, the worst book", dearest, 1.0),
    ]


def common_books(seconds: Seconds) -> list[str]:
    """The books that the floor, ours and the native converter all read."""
    return sorted(set.intersection(*(set(seconds[name]) for name in CLOSE)))


def mean_ratio(seconds: Seconds, one: str, other: str) -> float:
    """The geometric mean over books of what `one` took in units of what `other` took."""
    books = set(common_books(seconds)) & seconds[one].keys() & seconds[other].keys()
    return geometric_mean(seconds[one][book] / seconds[other][book] for book in books)


def geometric_mean(values: Iterable[float]) -> float:
    """Of at least one number above 0."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def per_megabyte(point: Mapping[str, Any]) -> float:
    """Seconds per megabyte of a point of the growth measurement."""
    return float(point["seconds"] / point["text"] * 1e6)


def title(book: str) -> str:
    """A book's file name for people."""
    return book.removesuffix(".epub").rpartition("_")[2].replace("-", " ")
