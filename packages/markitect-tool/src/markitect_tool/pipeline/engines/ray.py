"""A cluster of Ray (https://www.ray.io), by Ray Data.

Tasks go out in waves, so that the driver holds a bounded number of them; a wave is one execution of Ray Data, which
starts tasks where processors are free, repeats those of lost machines and notes what is done in its own checkpoint, in
the target beside the outcomes. The driver collects outcomes while a wave runs. After a lost driver, the next run takes
up the outcomes that it finds; Ray leaves their documents out.

What becomes of a document is decided by the same `process_item`, in the same kind of child process, as on one machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice

from markitect_tool.canonical import canonical_json, sha256_hex
from markitect_tool.errors import ModelError
from markitect_tool.pipeline.engines.ray_cluster import CHUNK, Cluster, connected
from markitect_tool.pipeline.errors import ConfigurationError, WorkersFailedError
from markitect_tool.pipeline.process import Kept, Limits, Outcome, Plan, Task
from markitect_tool.pipeline.storage import open_url
from markitect_tool.pipeline.storage_errors import NotStoredError
from markitect_tool.pipeline.storage_fsspec import FsspecStorage
from markitect_tool.pipeline.storage_local import LocalStorage

_CHUNKS_PER_CPU = 64  # in a wave: its end, when processors run out of work, is short against the whole
_SMALLEST_WAVE, _LARGEST_WAVE = 4_096, 500_000  # tasks; each takes about a kilobyte in the driver


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
    address: str | None = None,
) -> None:
    """Take every task through `plan` on the cluster at `address`; tell `on_outcome` of each, in any order.

    Without an address it is the cluster in `RAY_ADDRESS`, or else one of this machine that ends with the run. At most
    `workers` documents are worked on at once. All callbacks run in this thread; `on_kept` is never called, since what
    is kept travels with an outcome. When `stopping` says so, documents in hand are finished; those not begun have no
    outcome.

    Raises what `tasks` and the callbacks raise, `ConfigurationError` for a target that machines cannot share,
    `WorkersFailedError` when the cluster cannot be reached or is not fit, and `CheckpointUnwritableError` when outcomes
    cannot be written.
    """
    storage = open_url(plan.output, plan.storage_options)
    if plan.output.startswith("memory:"):
        raise ConfigurationError(
            f"{plan.output} lies in the memory of one process.", hint="Choose a target that every node shares."
        )
    with connected(address, workers) as processors:
        size = min(max(CHUNK * _CHUNKS_PER_CPU * processors, _SMALLEST_WAVE), _LARGEST_WAVE)
        cluster = Cluster(storage, plan, limits, workers, processors, on_tick, stopping)
        try:
            while not cluster.stopped and (wave := list(islice(tasks, size))):
                _Wave(storage, plan, wave, on_outcome).run(cluster)
        finally:
            cluster.close()


class _Wave:
    """Tasks that are out, until the outcome of each was told."""

    def __init__(
        self,
        storage: LocalStorage | FsspecStorage,
        plan: Plan,
        tasks: Sequence[Task],
        on_outcome: Callable[[Outcome], None],
    ) -> None:
        self._storage = storage
        self._on_outcome = on_outcome
        self._tasks = [(_identity(plan, task), task) for task in tasks]
        self._waiting = dict(self._tasks)
        self._seen: set[str] = set()

    def run(self, cluster: Cluster) -> None:
        from markitect_tool.pipeline.engines.ray_stages import OUTCOMES

        self._collect(left_over=True)
        if self._waiting:  # Ray leaves out what its checkpoint holds
            cluster.execute(self._tasks, self._collect, with_checkpoint=True)
        if self._waiting and not cluster.stopped:  # an outcome of the checkpoint is lost, or the files it speaks of
            cluster.execute(list(self._waiting.items()), self._collect, with_checkpoint=False)
        if self._waiting and not cluster.stopped:
            raise WorkersFailedError(f"Ray ended without the outcome of {len(self._waiting):,} documents.")
        self._storage.delete([file.name for file in self._storage.list(OUTCOMES)])

    def _collect(self, *, left_over: bool = False) -> None:
        """Tell of the outcomes that have come since the last time; those `left_over` by a lost driver are checked."""
        from markitect_tool.pipeline.engines.ray_stages import OUTCOMES, from_json

        for file in list(self._storage.list(OUTCOMES)):
            if file.name in self._seen:
                continue
            self._seen.add(file.name)
            for line in self._storage.read(file.name).splitlines():
                try:
                    identity, text = json.loads(line)
                    outcome = from_json(text)
                except (ValueError, TypeError, KeyError, ModelError):  # somebody changed it: as good as lost
                    continue
                if identity not in self._waiting:  # of another run, or told already
                    continue
                if not left_over or self._intact(outcome):
                    del self._waiting[identity]
                    self._on_outcome(outcome)

    def _intact(self, outcome: Outcome) -> bool:
        try:
            return all(self._storage.stat(file.path).size == file.size for file in outcome.outputs)
        except NotStoredError:
            return False


def _identity(plan: Plan, task: Task) -> str:
    """What a task is called in Ray's checkpoint: another one for whatever could lead to another outcome."""
    settings = {name: value for name, value in asdict(plan).items() if name not in ("storage_options", "shards")}
    return sha256_hex(canonical_json([settings, asdict(task)]).encode("utf-8", "surrogatepass"))
