"""Worker processes: each takes one document after the other, and may die of any of them.

A worker is a plain child process that speaks pickles over its standard input and output, so it starts the same way
everywhere and shares nothing with its driver. It ends when the driver does, even by SIGKILL: its input ends, and on
Linux the kernel tells it.
"""

from __future__ import annotations

import gc
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import IO, Any, Literal

from markitect_tool.pipeline.building import stages_of
from markitect_tool.pipeline.process import Kept, Outcome, Plan, Task, process_item
from markitect_tool.pipeline.usage import resident_bytes

_LAST_WORDS = 4000  # characters of what a worker wrote before it died
_UNKNOWN_SIZE = 1 << 20  # bytes; neither first nor last
_FILE_BYTES, _ERROR_BYTES = 512, 4096  # that each of them takes in memory, about
_START = "from markitect_tool.pipeline.workers import main; main()"

MessageKind = Literal["ready", "kept", "outcome", "ended"]
Message = tuple["Worker", MessageKind, Any]


class Worker:
    """The driver's end of one worker process. What it says arrives in `messages`, the last of all is "ended"."""

    def __init__(self, plan: Plan, messages: SimpleQueue[Message]) -> None:
        """Start the process. Raises `OSError` when the system has none left."""
        self.tasks: deque[Assignment] = deque()  # handed over and not answered; the first is being worked on
        self.ready = False
        self.at_rest = 0  # bytes that it held when it was ready
        self.peak = 0  # bytes, the most that it was seen to hold for the document that is being worked on
        self.finished = 0  # documents
        self.pace = math.inf  # seconds that the last of them took
        self.started = time.monotonic()  # the process, then the document that is being worked on
        self.killed_for: Literal["timeout", "memory", None] = None
        self.blameless = False  # it was ended for a document that it had just finished
        self.retiring = False
        self._messages = messages
        self._orders: SimpleQueue[bytes | None] = SimpleQueue()
        self._said: deque[bytes] = deque(maxlen=64)
        path = os.pathsep.join(part for part in sys.path if part)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            # Control-C in a terminal is for the driver, which lets documents in hand be finished.
            process_group=0 if os.name == "posix" else None,
        )
        self._to(plan)
        self._overhearing = threading.Thread(target=self._overhear, daemon=True)
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._telling = threading.Thread(target=self._tell, daemon=True)
        for thread in (self._overhearing, self._listening, self._telling):
            thread.start()

    @property
    def is_new(self) -> bool:
        """It has had no document yet; perhaps it is still starting."""
        return not self.finished and not self.tasks

    def give(self, assignment: Assignment) -> None:
        """Hand a document over."""
        if not self.tasks:
            self.started = time.monotonic()
        self.tasks.append(assignment)
        self._to(assignment.task)

    def resident_bytes(self) -> int:
        """What the process holds now; 0 where the system does not tell."""
        return resident_bytes(self._process.pid)

    def retire(self) -> None:
        """Let the process end as soon as it has nothing in hand."""
        self.retiring = True
        self._orders.put(None)

    def kill(self) -> None:
        """End the process now, and what it has started."""
        if os.name != "posix":
            self._process.kill()
            return
        with suppress(ProcessLookupError):  # it has ended already
            os.killpg(self._process.pid, signal.SIGKILL)

    def join(self) -> None:
        """Wait for the end of a process that was told to end."""
        self._process.wait()
        self._orders.put(None)
        for thread in (self._listening, self._overhearing, self._telling):
            thread.join(timeout=5)  # a child of the worker may hold the pipe open

    def epitaph(self) -> str:
        """How the process ended, in words."""
        status = self._process.wait()
        if status >= 0:
            return f"it ended with status {status}"
        try:
            return f"it was ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"it was ended by signal {-status}"

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""
        return b"".join(self._said).decode("utf-8", "replace")[-_LAST_WORDS:].strip()

    def _to(self, value: object) -> None:
        self._orders.put(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def _tell(self) -> None:
        """Write down the pipe, in a thread: a worker that hangs reads no more, and its driver has to end it."""
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as stream:  # it has ended: "ended" is on its way
            while (order := self._orders.get()) is not None:
                stream.write(order)
                stream.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        try:
            with self._process.stdout as stream:
                while True:
                    kind, value = pickle.load(stream)
                    self._messages.put((self, kind, value))
        except (EOFError, pickle.UnpicklingError, OSError):  # killed, perhaps in the middle of a message
            self._overhearing.join(timeout=1)
        finally:
            self._messages.put((self, "ended", None))

    def _overhear(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            while said := os.read(stream.fileno(), 1024):
                self._said.append(said)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task, and how often it was tried before."""

    task: Task
    attempts: int = 0

    @property
    def size(self) -> int:
        """Bytes of the document; a guess where the source does not tell."""
        size = self.task.item.size
        return _UNKNOWN_SIZE if size is None else size

    @property
    def held_bytes(self) -> int:
        """Bytes, about, that the driver holds of what an earlier run left: a record, names of outputs, errors."""
        previous = self.task.previous
        if previous is None:
            return 0
        record = 0 if previous.kept is None else len(previous.kept.json)
        return record + _FILE_BYTES * len(previous.outputs) + _ERROR_BYTES * len(previous.errors)


def main() -> None:
    """The whole life of a worker process."""
    parent = int(sys.argv[1])
    _die_with(parent)
    results, orders = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # what adapters print, or read, must not get between the messages
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    tasks: SimpleQueue[Task | None] = SimpleQueue()
    plan: Plan = pickle.load(orders)
    stages_of(plan)
    gc.freeze()  # what was imported stays: no collection needs to look at it again
    busy = threading.Event()
    threading.Thread(target=_receive, args=(orders, tasks, busy), daemon=True).start()
    send = partial(_send, results)
    send("ready", None)
    while (task := tasks.get()) is not None:
        busy.set()
        send("outcome", _worked(plan, task, send))
        busy.clear()


def _worked(plan: Plan, task: Task, send: Callable[[str, object], None]) -> Outcome:
    def keep(kept: Kept) -> None:
        send("kept", (task.item.key, kept))

    return process_item(plan, task.item, task.previous, reuse=task.reuse, keep=keep)


def _send(results: IO[bytes], kind: MessageKind, value: object) -> None:
    pickle.dump((kind, value), results, pickle.HIGHEST_PROTOCOL)
    results.flush()


def _receive(orders: IO[bytes], tasks: SimpleQueue[Task | None], busy: threading.Event) -> None:
    """Take tasks in while others are worked on. A driver that ends its pipe amid work is no more: end as well."""
    while True:
        try:
            tasks.put(pickle.load(orders))
        except (EOFError, pickle.UnpicklingError, OSError):
            break
    if busy.is_set() or not tasks.empty():
        os._exit(1)
    tasks.put(None)


def _die_with(parent: int) -> None:
    """On Linux, let the kernel end this process when `parent` ends, even while it is deep in a C library (prctl(2))."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it had ended before
        os._exit(1)
