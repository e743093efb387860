"""How cost grows with size: seconds per megabyte of text, and peak memory against what it may be.

Measured through the command, without what a book of one page costs: that is the price of starting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.books import MEGABYTE, Sized, small
from benchmarks.measure.command_line import script
from benchmarks.measure.processes import Run, run

# A book this large is beyond the limits that hold by default, and its reader says that he trusts it.
_TRUSTED = [
    f"--option={name}={value}"
    for name, value in {
        "max_output_bytes": 256 * MEGABYTE,
        "max_text_bytes": 256 * MEGABYTE,
        "max_book_tags": 100 * MEGABYTE,
        "max_seconds": 600,
    }.items()
]


@dataclass(frozen=True, slots=True)
class Point:
    """What one book cost beyond a book of one page. Sizes are in bytes."""

    name: str
    text: int
    document: int  # the largest document of the reading order
    archive: int
    output: int
    seconds: float  # of the processor: other work on the machine doesn't count
    peak: int

    @property
    def allowed(self) -> int:
        """How much memory it may take."""
        return 6 * self.document + 2 * self.output


def growth(work: Path, megabytes: Sequence[int], *, rounds: int) -> dict[str, Any]:
    """Books of so many megabytes of text in documents of equal size, and two of another shape."""
    shapes = {f"{size} MB": Sized(size * MEGABYTE) for size in megabytes}
    shapes["8 MB in one document"] = Sized(8 * MEGABYTE, document=8 * MEGABYTE)
    shapes["4 MB and 60 MB of pictures"] = Sized(4 * MEGABYTE, pictures=60 * MEGABYTE)
    page, output = work / "page.epub", work / "grown.md"
    page.write_bytes(small().pack())
    start = _least([_normalize(page, output) for _ in range(rounds + 2)])
    points = []
    for name, shape in shapes.items():
        book = work / "grown.epub"
        book.write_bytes(shape.pack())
        taken = _least([_normalize(book, output) for _ in range(rounds)])
        points.append(
            Point(
                name,
                shape.text,
                shape.document,
                book.stat().st_size,
                output.stat().st_size,
                taken.processor - start.processor,
                taken.peak - start.peak,
            )
        )
        book.unlink()
    return {
        "start": {"seconds": start.processor, "peak_bytes": start.peak},
        "points": [{**asdict(point), "allowed": point.allowed} for point in points],
    }


def _normalize(book: Path, output: Path) -> Run:
    return run([script("mkt"), "source", "normalize", str(book), "--output", str(output), *_TRUSTED])


def _least(runs: Sequence[Run]) -> Run:
    """The least of each: whatever else a machine does, it only adds."""
    return Run(min(one.seconds for one in runs), min(one.processor for one in runs), min(one.peak for one in runs))
