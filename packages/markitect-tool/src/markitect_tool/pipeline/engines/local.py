"""Worker processes of this machine.

Small documents are handed out ahead, so that no worker waits for the driver. Of the next few hundred of the listing the
largest goes first: a long one that is begun last would leave all other workers idle. A worker that takes too long or
too much is ended; one that dies has its document tried once more, alone in a new process, and the documents that were
waiting behind it are none the worse.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from queue import Empty, SimpleQueue

from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.pipeline.building import stages_of
from markitect_tool.pipeline.errors import WorkersFailedError
from markitect_tool.pipeline.process import Kept, Limits, Outcome, Plan, Task
from markitect_tool.pipeline.workers import Assignment, Message, Worker

TRIES = 2  # of a document that kills its worker
GRACE = 5.0  # seconds that documents in hand are given when a run is stopped
# Small documents are done in milliseconds, sooner than the driver comes back from a commit: a worker has one to work on
# and the next, and more of them as long as there are plenty for the others. All together are no larger than this:
_SMALL_BYTES = 1 << 18
_IN_HAND, _SMALL_IN_HAND, _SMALL_SECONDS = 2, 8, 0.05
_AHEAD = 512  # documents that are listed before they are handed out, or, for a large crew,
_AHEAD_EACH = 4 * _SMALL_IN_HAND  # so many for each worker
_AHEAD_BYTES = 1 << 25  # that what an earlier run left of them takes
_STARTS = 10  # that may fail, one after the other
_START_SECONDS = 300.0  # that a worker may take to be ready, on a machine that is busy with something else
_TICK = 0.05  # seconds between looks at the limits, also while a listing is slow


def run(
    plan: Plan,
    tasks: Iterator[Task],
    on_outcome: Callable[[Outcome], None],
    *,
    workers: int = 1,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    on_kept: Callable[[str, Kept], None] = lambda _key, _kept: None,
    on_tick: Callable[[], None] = lambda: None,
    stopping: Callable[[], bool] = lambda: False,
) -> None:
    """Take every task through `plan`, in `workers` processes; tell `on_outcome` of each, in the order of completion.

    All callbacks run in this thread; `on_tick` and `stopping` every few hundredths of a second. Once `stopping` says
    so, documents in hand get `GRACE` seconds; those not finished, or not begun, have no outcome. Raises what `tasks`
    and the callbacks raise, and `WorkersFailedError`; no worker outlives the call.
    """
    crew = Crew(plan, workers, limits, on_outcome, on_kept)
    try:
        crew.work(tasks, on_tick, stopping)
    finally:
        crew.dismiss()


class Crew:
    """The workers of a run, and the documents between the listing and their outcome."""

    def __init__(
        self,
        plan: Plan,
        size: int,
        limits: Limits,
        on_outcome: Callable[[Outcome], None],
        on_kept: Callable[[str, Kept], None],
    ) -> None:
        self._plan = plan
        self._size = max(1, size)
        self._limits = limits
        self._on_outcome = on_outcome
        self._on_kept = on_kept
        self._workers: list[Worker] = []
        self._messages: SimpleQueue[Message] = SimpleQueue()
        self._waiting = _Waiting()
        self._suspects: deque[Assignment] = deque()  # their worker died: each goes alone into a new process
        self._exhausted = False
        self._failed_starts = 0

    def work(self, tasks: Iterator[Task], on_tick: Callable[[], None], stopping: Callable[[], bool]) -> bool:
        """Take every task through the plan, as `run` says; whether none is left in hand, so that more may follow."""
        self._exhausted = False
        deadline: float | None = None
        while self._go_on(tasks, hand_out=deadline is None):
            on_tick()
            self._enforce()
            if deadline is None and stopping():
                deadline = time.monotonic() + GRACE
            if deadline is not None and time.monotonic() > deadline:
                break
        return not (self._waiting or self._suspects or any(worker.tasks for worker in self._workers))

    def _go_on(self, tasks: Iterator[Task], *, hand_out: bool) -> bool:
        """Hand out what can be, and hear what came of the rest; whether there was anything to wait for."""
        listing = False
        if hand_out:
            listing = self._list(tasks)
            self._start()
            for worker in self._workers:
                self._supply(worker)
        in_hand = any(worker.tasks for worker in self._workers)
        if not (in_hand or listing or (hand_out and (self._waiting or self._suspects))):
            return False
        self._hear_all(wait=not listing)
        return True

    def _list(self, tasks: Iterator[Task]) -> bool:
        """Take in more of the listing, for a tick; whether there is room for more of it."""
        pause = time.monotonic() + _TICK
        while self._has_room():
            task = next(tasks, None)
            if task is None:
                self._exhausted = True
                break
            self._waiting.add(Assignment(task))
            if time.monotonic() > pause:
                break
        return self._has_room()

    def _has_room(self) -> bool:
        ahead = max(_AHEAD, self._size * _AHEAD_EACH)
        return not self._exhausted and len(self._waiting) < ahead and self._waiting.held_bytes <= _AHEAD_BYTES

    def _hear_all(self, *, wait: bool) -> None:
        """Act on what workers say; with `wait`, after a tick at most."""
        try:
            message = self._messages.get(timeout=_TICK) if wait else self._messages.get_nowait()
            while True:
                self._hear(*message)
                message = self._messages.get_nowait()
        except Empty:
            return

    def _enforce(self) -> None:
        """End the workers that are over a limit."""
        for worker in self._workers:
            if not worker.ready and time.monotonic() - worker.started > _START_SECONDS:
                worker.kill()
            if not worker.tasks or worker.killed_for:
                continue
            timeout, memory = self._limits.timeout, self._limits.memory
            worker.peak = max(worker.peak, worker.resident_bytes())
            if timeout is not None and time.monotonic() - worker.started > timeout:
                worker.killed_for = "timeout"
            elif memory is not None and worker.peak > memory:
                worker.killed_for = "memory"
            if worker.killed_for:
                worker.kill()

    def dismiss(self) -> None:
        """End all workers; those with documents in hand at once."""
        for worker in self._workers:
            if worker.tasks or not worker.ready:
                worker.kill()
            worker.retire()
        for worker in self._workers:
            worker.join()

    def _start(self) -> None:
        wanted = len(self._waiting) + len(self._suspects) + sum(bool(worker.tasks) for worker in self._workers)
        if self._suspects and not any(worker.is_new for worker in self._workers):
            wanted = max(wanted, len(self._workers) + 1)
            if len(self._workers) == self._size:
                self._make_room()
        while len(self._workers) < min(self._size, wanted):
            try:
                self._workers.append(Worker(self._plan, self._messages))
            except OSError as error:
                if not self._workers:
                    raise WorkersFailedError(f"Cannot start a worker process: {error.strerror or error}.") from error
                self._make_room()
                return

    def _make_room(self) -> None:
        """Let a worker with nothing to do go, for a document that is to have a process of its own."""
        if self._suspects and not any(worker.retiring for worker in self._workers):
            idle = next((worker for worker in self._workers if worker.ready and not worker.tasks), None)
            if idle is not None:
                idle.retire()

    def _supply(self, worker: Worker) -> None:
        if not worker.ready or worker.retiring:
            return
        if self._suspects and worker.is_new:
            worker.give(self._suspects.popleft())
        alone = any(assignment.attempts for assignment in worker.tasks)
        while self._waiting and not alone and self._may_have(worker, self._waiting.largest):
            worker.give(self._waiting.take())

    def _may_have(self, worker: Worker, next_one: Assignment) -> bool:
        """Whether a worker may have one more in hand. Nothing waits behind a large one: another worker may be free
        sooner."""
        if not worker.tasks:
            return True
        if sum(assignment.size for assignment in (*worker.tasks, next_one)) > _SMALL_BYTES:
            return False
        if len(worker.tasks) < _IN_HAND:
            return True
        plenty = len(self._waiting) >= self._size * _SMALL_IN_HAND
        return plenty and worker.pace <= _SMALL_SECONDS and len(worker.tasks) < _SMALL_IN_HAND

    def _hear(self, worker: Worker, kind: str, value: object) -> None:
        if kind == "ready":
            worker.ready = True
            worker.at_rest = worker.resident_bytes()
            self._failed_starts = 0
            if self._limits.memory is not None and worker.at_rest > self._limits.memory:
                raise WorkersFailedError(
                    f"A worker holds {worker.at_rest >> 20} MiB before it reads anything; it may have "
                    f"{self._limits.memory >> 20}.",
                    hint="Raise --memory.",
                )
        elif kind == "kept" and isinstance(value, tuple):
            self._on_kept(*value)
        elif kind == "outcome" and isinstance(value, Outcome):
            self._finish(worker, value)
        elif kind == "ended":
            self._bury(worker)

    def _finish(self, worker: Worker, outcome: Outcome) -> None:
        assignment = worker.tasks.popleft()
        worker.finished += 1
        worker.pace = outcome.seconds
        worker.started = time.monotonic()
        worker.peak = 0
        if worker.killed_for:  # it was done just before; what waits behind it is not to blame for the end to come
            worker.blameless = worker.retiring = True
        self._tell(outcome, assignment.attempts + 1)
        # What a worker has not given back would count against the documents to come.
        if self._limits.memory is not None:
            worker.retiring |= worker.resident_bytes() > (worker.at_rest + self._limits.memory) // 2
        if worker.retiring and not worker.tasks:
            worker.retire()

    def _bury(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.join()
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts == _STARTS:
                raise WorkersFailedError(
                    f"Worker processes end before they begin: {worker.epitaph()}.", said=worker.last_words()
                )
        if worker.blameless or not worker.tasks:
            self._waiting.add(*worker.tasks)
            return
        first = worker.tasks.popleft()
        self._waiting.add(*worker.tasks)
        final = first.attempts + 1 >= TRIES
        if worker.killed_for == "memory":
            final = final or not worker.finished  # a new process needed as much: another would, too
        if final or worker.killed_for == "timeout":
            self._tell(_lost(self._plan, first, worker, self._limits), first.attempts + 1)
        else:
            self._suspects.append(Assignment(first.task, first.attempts + 1))

    def _tell(self, outcome: Outcome, attempts: int) -> None:
        self._on_outcome(outcome if attempts == 1 else replace(outcome, attempts=attempts))


class _Waiting:
    """Documents that no worker has yet, the largest first; equally large ones in the order of the listing."""

    def __init__(self) -> None:
        self.held_bytes = 0  # what an earlier run left of them
        self._heap: list[tuple[int, int, Assignment]] = []
        self._number = count()

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, *assignments: Assignment) -> None:
        for assignment in assignments:
            self.held_bytes += assignment.held_bytes
            heappush(self._heap, (-assignment.size, next(self._number), assignment))

    @property
    def largest(self) -> Assignment:
        return self._heap[0][2]

    def take(self) -> Assignment:
        assignment = heappop(self._heap)[2]
        self.held_bytes -= assignment.held_bytes
        return assignment


def _lost(plan: Plan, assignment: Assignment, worker: Worker, limits: Limits) -> Outcome:
    """The outcome of a document whose worker is no more."""
    item, previous = assignment.task.item, assignment.task.previous
    return Outcome(
        item.key,
        item.uri,
        "failed",
        fingerprint=stages_of(plan).fingerprint_of(item),
        # Nobody removed what an earlier run made of the document.
        outputs=previous.outputs if previous else (),
        diagnostics=(_cause_of_death(item.uri, worker, limits),),
        seconds=time.monotonic() - worker.started,
        peak_bytes=worker.peak,
        size=item.size,
        modified_ns=item.modified_ns,
    )


def _cause_of_death(uri: str, worker: Worker, limits: Limits) -> Diagnostic:
    if worker.killed_for == "timeout":
        return diagnostic(
            "pipeline.timeout",
            f"The document took longer than {limits.timeout:g} s.",
            source=uri,
            limit_seconds=limits.timeout,
        )
    if worker.killed_for == "memory" and limits.memory is not None:
        return diagnostic(
            "pipeline.memory_exceeded",
            f"The document needed more than {limits.memory // (1 << 20)} MiB of memory.",
            source=uri,
            limit_bytes=limits.memory,
        )
    return diagnostic(
        "pipeline.worker_died",
        f"The worker process did not survive the document: {worker.epitaph()}.",
        source=uri,
        said=worker.last_words() or None,
    )
