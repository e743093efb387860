"""A run as a person follows it, on standard error: a bar on a terminal, a line now and then anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from markitect_tool.cli.output import discard, printable
from markitect_tool.errors import MarkitectError
from markitect_tool.pipeline.quantities import show_seconds

if TYPE_CHECKING:
    from markitect_tool.pipeline.process import Outcome

LINE_SECONDS = 10.0  # between lines
_FAILURES_SHOWN = 10  # while the run goes on; all are in its summary
_SETTLING = 2.0  # seconds before a rate is worth telling
_WORTH = 50_000  # bytes of a document that take about as long as all else that is done for one


class Tally:
    """What there is to tell of a run: how much is done, how fast, how much is left."""

    def __init__(self) -> None:
        self.counts = {"done": 0, "failed": 0, "screened": 0}
        self.reused = 0
        self.total: int | None = None  # while they are still being counted
        self._whole = self._weight = self._worked = 0  # bytes, with `_WORTH` for each document
        self.start = time.monotonic()

    @property
    def documents(self) -> int:
        """How many are dealt with."""
        return sum(self.counts.values())

    @property
    def rate(self) -> float:
        """Documents a second that were worked on."""
        seconds = time.monotonic() - self.start
        return (self.documents - self.reused) / seconds if seconds > _SETTLING else 0.0

    @property
    def seconds_left(self) -> float | None:
        """By size, as the largest of the next documents is begun first; None while nobody can know."""
        if self.total is None or not self.rate or not self._worked:
            return None
        return max(0, self._whole - self._weight) * (time.monotonic() - self.start) / self._worked

    def add(self, outcome: Outcome) -> None:
        """Count a document."""
        self.counts[outcome.status] += 1
        self.reused += outcome.reused
        weight = (outcome.size or 0) + _WORTH
        self._weight += weight
        self._worked += 0 if outcome.reused else weight

    def troubles(self) -> str:
        """Failed and screened documents, and those that were done before."""
        parts = [
            f"{number:,} {what}"
            for number, what in (
                (self.counts["failed"], "failed"),
                (self.counts["screened"], "screened out"),
                (self.reused, "unchanged"),
            )
            if number
        ]
        return ", ".join(parts)

    def count(self, counting: Callable[[], tuple[int, int]]) -> None:
        """Count all documents in the background, for those who want to know the end."""

        def work() -> None:
            with suppress(MarkitectError, OSError):  # the run meets it as well, and reports it
                documents, size = counting()
                self._whole = size + documents * _WORTH
                self.total = documents or None

        threading.Thread(target=work, daemon=True, name="mkt-count").start()


class Lines:
    """Progress as lines, for logs."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.begun = False
        self._tally = Tally()
        self._next = self._tally.start + LINE_SECONDS
        self._failures = 0

    def begin(self, count: Callable[[], tuple[int, int]]) -> None:
        self.begun = True
        self._tally.count(count)

    @property
    def documents(self) -> int:
        """How many were dealt with."""
        return self._tally.documents

    def document(self, outcome: Outcome) -> None:
        self._tally.add(outcome)
        if outcome.status == "failed" and not outcome.reused:
            self._failures += 1
            if self._failures <= _FAILURES_SHOWN:
                self._say(describe_failure(outcome))
            elif self._failures == _FAILURES_SHOWN + 1:
                self._say("more documents have failed; the summary and `mkt pipeline status` tell of them")

    def tick(self) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            self._say(self._line())

    def phase(self, name: str) -> None:
        if self._tally.documents >= 1000:
            self._say(f"{name} ...")

    def close(self) -> None:
        """Nothing stays on the screen."""

    def _line(self) -> str:
        tally = self._tally
        of_all = f" of {tally.total:,}" if tally.total else ""
        parts = [f"{tally.documents:,}{of_all} documents"]
        if tally.rate:
            parts.append(f"{tally.rate:.1f}/s")
        if tally.troubles():
            parts.append(tally.troubles())
        if tally.seconds_left is not None:
            parts.append(f"{show_seconds(tally.seconds_left)} left")
        return ", ".join(parts)


class Bar(Lines):
    """Progress as a bar at the bottom of a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[facts]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            expand=True,
        )
        super().__init__(lambda line: self._progress.console.print(line, markup=False, highlight=False))
        self._progress.start()
        self._task: Any = self._progress.add_task("Converting", total=None, facts="")

    def tick(self) -> None:
        tally = self._tally
        facts = [f"{tally.rate:.1f}/s" if tally.rate else "", tally.troubles()]
        if tally.seconds_left is not None:
            facts.append(f"{show_seconds(tally.seconds_left)} left")
        self._progress.update(
            self._task, completed=tally.documents, total=tally.total, facts="  ".join(filter(None, facts))
        )

    def phase(self, name: str) -> None:
        self.tick()
        self._progress.update(self._task, description=name.capitalize())

    def close(self) -> None:
        self._progress.stop()


def watcher() -> Lines:
    """Whoever suits standard error."""
    if sys.stderr is not None and sys.stderr.isatty():
        from importlib.util import find_spec

        if find_spec("rich") is not None:
            return Bar()
    return Lines(say)


def say(line: str) -> None:
    """Tell a person a line, now. One who has gone away misses it."""
    if sys.stderr is None or sys.stderr.closed:
        return
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def describe_failure(outcome: Outcome) -> str:
    """A line for a document of which nothing came."""
    cause = next((found for found in outcome.diagnostics if found.severity == "error"), None)
    return f"failed: {printable(outcome.key)}" + (f": [{cause.code}] {printable(cause.message)}" if cause else "")
