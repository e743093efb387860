"""What Ray Data carries between machines: chunks of tasks out, outcomes into files. Imported where Ray is.

A chunk goes through one task of Ray: it is worked on by a child process, as on one machine, so that a document which
kills its process costs neither the node nor the chunk. The outcomes of a chunk become one durable file; only then does
Ray note its documents in its checkpoint. A task that Ray repeats writes the same documents and the same outcomes again.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import pyarrow
from ray.data import Datasink, Datasource, ReadTask
from ray.data.block import Block, BlockAccessor, BlockMetadata

from markitect_tool.canonical import canonical_json
from markitect_tool.diagnostics import Diagnostic
from markitect_tool.errors import MarkitectError
from markitect_tool.pipeline.building import stages_of
from markitect_tool.pipeline.engines import local
from markitect_tool.pipeline.errors import WorkersFailedError
from markitect_tool.pipeline.process import Kept, Limits, Outcome, Plan, Task
from markitect_tool.pipeline.stages import ExportedFile

ID = "id"  # the column by which Ray knows a task in its checkpoint
OUTCOMES = ".mkt-ray/outcomes"
_TASK = pyarrow.schema([(ID, pyarrow.string()), ("task", pyarrow.binary())])
_OUTCOME = pyarrow.schema([(ID, pyarrow.string()), ("outcome", pyarrow.string())])
_ASK_AGAIN = 1.0  # seconds between questions whether the run is being stopped


class Chunks(Datasource):
    """Tasks as a source of Ray Data: each chunk is one block."""

    def __init__(self, chunks: Sequence[Sequence[tuple[str, Task]]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._chunks = chunks

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        return [self._read_task(chunk) for chunk in self._chunks]

    @staticmethod
    def _read_task(chunk: Sequence[tuple[str, Task]]) -> ReadTask:
        table = pyarrow.table(
            [[identity for identity, _ in chunk], [pickle.dumps(task) for _, task in chunk]], schema=_TASK
        )
        metadata = BlockMetadata(num_rows=len(chunk), size_bytes=table.nbytes, input_files=None, exec_stats=None)
        return ReadTask(lambda: [table], metadata, _TASK)


class Signals(Protocol):
    """How a node and the driver let each other know."""

    def is_stopped(self) -> bool:
        """Whether the run is being stopped."""
        ...

    def report(self, error: MarkitectError) -> None:
        """Tell the driver why this node gives up."""
        ...


@dataclass(frozen=True, slots=True)
class Node:
    """What a node needs to know, and whether it is fit for the run."""

    plan: Plan
    fingerprint: str  # of the plan's stages as the driver has them
    token: str  # name of a file that the driver has put into the target
    folder: str  # of the driver: relative paths of the plan start there
    signals: Signals

    def check(self) -> None:
        """Go to the driver's folder. Raises `WorkersFailedError` when this node would not do what the driver would."""
        host = socket.gethostname()
        with suppress(OSError):  # then relative paths lead nowhere, which shows
            os.chdir(self.folder)
        stages = stages_of(self.plan)
        if stages.fingerprint != self.fingerprint:
            raise WorkersFailedError(
                f"The node {host} has other versions, of the parsers or of Markitect, than the driver.",
                hint="Install the same packages on every node.",
            )
        if not stages.storage.exists(self.token):
            raise WorkersFailedError(
                f"The node {host} does not see the target {stages.storage.url}.",
                hint="Choose a target that every node shares: an object store, or a network file system.",
            )

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Reports the errors of the block to the driver, and raises them."""
        try:
            yield
        except MarkitectError as error:
            self.signals.report(error)
            raise


@dataclass(frozen=True, slots=True)
class Work:
    """What a task of Ray does with a chunk."""

    node: Node
    limits: Limits

    def __call__(self, chunk: pyarrow.Table) -> pyarrow.Table:
        """The outcomes of a chunk. Raises `WorkersFailedError` when documents cannot be worked on here."""
        if "task" not in chunk.column_names or self.node.signals.is_stopped():
            return _OUTCOME.empty_table()  # a block of which the checkpoint left nothing has no columns either
        tasks: list[Task] = [pickle.loads(data) for data in chunk["task"].to_pylist()]
        identities = {task.item.key: identity for task, identity in zip(tasks, chunk[ID].to_pylist(), strict=True)}
        with self.node.reporting():
            self.node.check()
            outcomes = _bench(self.node.plan, self.limits).work(tasks, self.node.signals)
        return pyarrow.table(
            [[identities[found.key] for found in outcomes], list(map(to_json, outcomes))], schema=_OUTCOME
        )


class _Bench:
    """The child process of a process of Ray. It stays for the next chunk: to start one takes as long as a document."""

    def __init__(self, plan: Plan, limits: Limits) -> None:
        self._outcomes: list[Outcome] = []
        self._kept: dict[str, Kept] = {}
        self._crew = local.Crew(plan, 1, limits, self._outcomes.append, self._kept.__setitem__)

    def dismiss(self) -> None:
        """End the child process."""
        self._crew.dismiss()

    def work(self, tasks: Sequence[Task], signals: Signals) -> list[Outcome]:
        """The outcomes of `tasks`, or of the first of them if the run is being stopped."""
        self._outcomes.clear()
        self._kept.clear()
        done = False
        try:
            done = self._crew.work(iter(tasks), lambda: None, _Stopping(signals, self._outcomes))
        finally:
            if not done:
                self.dismiss()
                _BENCHES.clear()
        return [
            replace(found, kept=found.kept or self._kept.get(found.key)) if found.status != "done" else found
            for found in self._outcomes
        ]


_BENCHES: dict[str, _Bench] = {}  # of the one plan that this process works on


def _bench(plan: Plan, limits: Limits) -> _Bench:
    key = canonical_json([asdict(plan), asdict(limits)])
    if key not in _BENCHES:
        for bench in _BENCHES.values():
            bench.dismiss()
        _BENCHES.clear()
        _BENCHES[key] = _Bench(plan, limits)
    return _BENCHES[key]


class _Stopping:
    """Whether the work on a chunk shall end: the target cannot be written to, or the driver says so."""

    def __init__(self, signals: Signals, outcomes: Sequence[Outcome]) -> None:
        self._signals = signals
        self._outcomes = outcomes
        self._asked = time.monotonic()

    def __call__(self) -> bool:
        if self._outcomes and self._outcomes[-1].target_failed:
            return True
        if time.monotonic() - self._asked < _ASK_AGAIN:
            return False
        self._asked = time.monotonic()
        return self._signals.is_stopped()


class OutcomeFiles(Datasink[None]):
    """Outcomes of a chunk as one file of JSON Lines in the target, where the driver finds them."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def write(self, blocks: Iterable[Block], ctx: object) -> None:
        rows = [row for block in blocks for row in BlockAccessor.for_block(block).to_arrow().to_pylist()]
        if rows:
            lines = "".join(f"{json.dumps([row[ID], row['outcome']])}\n" for row in rows)
            with self._node.reporting():
                self._node.check()
                storage = stages_of(self._node.plan).storage
                storage.write_durably(f"{OUTCOMES}/{os.urandom(8).hex()}.jsonl", lines.encode("ascii"))


def to_json(outcome: Outcome) -> str:
    """`outcome` as JSON, in ASCII, since a key may hold what UTF-8 cannot."""
    return json.dumps(asdict(outcome))


def from_json(text: str) -> Outcome:
    """The outcome that `to_json` was given. Raises `ValueError`, `TypeError` or `KeyError` for any other text."""
    values = json.loads(text)
    return Outcome(
        **{
            **values,
            "outputs": tuple(ExportedFile(**file) for file in values["outputs"]),
            "diagnostics": tuple(map(Diagnostic.from_dict, values["diagnostics"])),
            "kept": Kept(**values["kept"]) if values["kept"] else None,
        }
    )
