"""Ray, as a run uses it: the connection, one execution of Ray Data after the other, and how to stop one."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from markitect_tool.errors import MarkitectError
from markitect_tool.pipeline.building import stages_of
from markitect_tool.pipeline.errors import (
    CheckpointUnwritableError,
    ConfigurationError,
    WorkersFailedError,
)
from markitect_tool.pipeline.process import Limits, Plan, Task
from markitect_tool.pipeline.storage_errors import StorageError
from markitect_tool.pipeline.storage_fsspec import FsspecStorage
from markitect_tool.pipeline.storage_local import LocalStorage

if TYPE_CHECKING:
    from ray.data.checkpoint import CheckpointConfig

SCRATCH = ".mkt-ray"  # in the target; no document's name begins with a dot
CHUNK = 16  # documents in one task of Ray: what is lost with a machine, and how often Ray is asked to do something
_TOKENS = f"{SCRATCH}/tokens"
_TICK = 0.05  # seconds between looks at the state of the run
_LISTING = 1.0  # seconds between listings of the outcomes, at least; more where a listing takes long
_PATIENCE = 5.0  # seconds to wait for an answer of the board
_ANSWER = 10.0  # seconds to wait for the cluster to answer at all
_START_ONE = "`ray start --head` starts a cluster and says its address."
_FILTER_MEMORY = 256 * 1024 * 1024  # bytes that Ray reserves for the identities of a wave


class Cluster:
    """Ray, as the waves of one run use it."""

    def __init__(
        self,
        storage: LocalStorage | FsspecStorage,
        plan: Plan,
        limits: Limits,
        workers: int,
        processors: int,
        on_tick: Callable[[], None],
        stopping: Callable[[], bool],
    ) -> None:
        self.stopped = False
        self._storage = storage
        self._plan = plan
        self._limits = limits
        self._workers = workers
        self._processors = processors
        self._on_tick = on_tick
        self._stopping = stopping
        self._board = Board()
        self._token = f"{_TOKENS}/{os.urandom(8).hex()}"  # a node that does not see it has another target
        storage.write_durably(self._token, b"")

    def close(self) -> None:
        """Remove what the driver needs to know that nodes see the target."""
        self._storage.delete([file.name for file in self._storage.list(_TOKENS)])  # and what a lost driver left

    def execute(self, tasks: Sequence[tuple[str, Task]], collect: Callable[[], None], *, with_checkpoint: bool) -> None:
        """Run one execution of Ray Data to its end; `collect` every now and then, and once more afterwards."""
        from ray.exceptions import RayError

        failures: list[Exception] = []
        thread = threading.Thread(target=self._write, args=(tasks, with_checkpoint, failures), daemon=True)
        thread.start()
        due = time.monotonic() + _LISTING
        while thread.is_alive():
            thread.join(_TICK)
            self._on_tick()
            if self._stopping():
                self.stopped = True
                self._board.stop()  # again and again: the board may have been lost with a machine
            if time.monotonic() >= due:
                begun = time.monotonic()
                collect()
                due = time.monotonic() + max(_LISTING, 5 * (time.monotonic() - begun))
        collect()
        for failure in failures:
            if isinstance(failure, RayError):
                raise self._explained(failure) from failure
            raise failure

    def _explained(self, failure: Exception) -> MarkitectError:
        """Why an execution failed: what a node has reported, or else what Ray says."""
        for error in self._board.errors():
            if not isinstance(error, StorageError):
                return error
            found = error.diagnostic
            return CheckpointUnwritableError(found.message, code=found.code, source=found.source, hint=found.hint)
        lines = [line.strip() for line in str(failure).splitlines() if line.strip()] or [type(failure).__name__]
        return WorkersFailedError(f"Ray failed: {lines[0]}", source=self._plan.output, said="\n".join(lines[-40:]))

    def _write(self, tasks: Sequence[tuple[str, Task]], with_checkpoint: bool, failures: list[Exception]) -> None:
        """The execution itself; in a thread, since Ray Data comes back only at its end."""
        from ray.data import DataContext, ExecutionResources, read_datasource

        from markitect_tool.pipeline.engines.ray_stages import Chunks, Node, OutcomeFiles, Work

        size = max(1, min(CHUNK, len(tasks) // (4 * self._processors)))
        chunks = [tasks[start : start + size] for start in range(0, len(tasks), size)]
        node = Node(self._plan, stages_of(self._plan).fingerprint, self._token, os.getcwd(), self._board)
        context = DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        # One processor more is for the actor that compares with the checkpoint.
        context.execution_options.resource_limits = ExecutionResources.for_limits(cpu=self._workers + with_checkpoint)
        context.checkpoint_config = _checkpoint_config(self._storage) if with_checkpoint else None
        try:
            # No options for single operators: only equal ones are fused, into one task for all that a chunk needs.
            read_datasource(Chunks(chunks), override_num_blocks=len(chunks)).map_batches(
                Work(node, self._limits), batch_size=None, batch_format="pyarrow", zero_copy_batch=True
            ).write_datasink(OutcomeFiles(node))
        except Exception as error:  # noqa: BLE001 - the driver's thread raises it
            failures.append(error)


class _Board:
    """An actor: what the driver and the nodes let each other know."""

    def __init__(self) -> None:
        self._stopped = False
        self._errors: list[MarkitectError] = []

    def stop(self) -> None:
        self._stopped = True

    def is_stopped(self) -> bool:
        return self._stopped

    def report(self, error: MarkitectError) -> None:
        self._errors.append(error)

    def errors(self) -> list[MarkitectError]:
        return self._errors


class Board:
    """What the driver and the nodes let each other know; picklable. What is lost with a machine is said again."""

    def __init__(self) -> None:
        import ray

        self._actor: Any = ray.remote(num_cpus=0, max_restarts=-1)(_Board).remote()

    def stop(self) -> None:
        """Let every node finish what it has in hand."""
        self._actor.stop.remote()

    def is_stopped(self) -> bool:
        """Whether the run is being stopped."""
        return bool(self._ask(self._actor.is_stopped, False))

    def report(self, error: MarkitectError) -> None:
        """Tell the driver why a node gives up: Ray would only hand on a text."""
        self._ask(self._actor.report, None, error)

    def errors(self) -> list[MarkitectError]:
        """What nodes have reported."""
        found: list[MarkitectError] = self._ask(self._actor.errors, [])
        return found

    @staticmethod
    def _ask(method: Any, otherwise: Any, *arguments: object) -> Any:
        import ray
        from ray.exceptions import RayError

        try:
            return ray.get(method.remote(*arguments), timeout=_PATIENCE)
        except RayError:  # it is being started anew, elsewhere
            return otherwise


@contextmanager
def connected(address: str | None, workers: int) -> Iterator[int]:
    """A connection to the cluster, and how many processors it has. One that this program has already is used."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no report leaves this machine
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ConfigurationError(
            "The engine ray needs Ray, which is not installed.", hint="pip install 'markitect-tool[ray]'"
        ) from error
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    if address.startswith("ray://"):
        raise ConfigurationError(
            f"{address} is the address of Ray's client server, which Ray Data does not use.",
            hint="Run mkt on a machine of the cluster, with --address auto.",
        )
    _require_answer(address)
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    # It warns of documents that may be written twice: ours are the same bytes at the same names.
    warnings.filterwarnings("ignore", message="Checkpointing with non-file datasink")
    mine = not ray.is_initialized()
    try:
        if mine and address == "local":  # one processor more: see `Cluster`
            ray.init(num_cpus=workers + 1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
        elif mine:
            ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
        resources: Mapping[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        yield int(resources.get("CPU", 0))
    except ConnectionError as error:
        raise WorkersFailedError(f"There is no cluster of Ray at {address}: {error}.", hint=_START_ONE) from error
    finally:
        if mine:
            ray.shutdown()


def _require_answer(address: str) -> None:
    """Raises `WorkersFailedError` when nobody listens at `address`: Ray itself would ask for many minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit():  # "auto", "local"
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER).close()
    except (OSError, OverflowError) as error:
        raise WorkersFailedError(f"There is no cluster of Ray at {address}: {error}.", hint=_START_ONE) from error


def _checkpoint_config(storage: LocalStorage | FsspecStorage) -> CheckpointConfig:
    """Ray's own checkpoint, beside the outcomes."""
    from pyarrow.fs import FSSpecHandler, LocalFileSystem, PyFileSystem
    from ray.data.checkpoint import CheckpointConfig

    from markitect_tool.pipeline.engines.ray_stages import ID

    if isinstance(storage, FsspecStorage):
        fsspec_system, path = storage.located(f"{SCRATCH}/checkpoint")
        file_system = PyFileSystem(FSSpecHandler(fsspec_system))
    else:
        path, file_system = os.path.join(storage.root, SCRATCH, "checkpoint"), LocalFileSystem()
    config = CheckpointConfig(ID, path, override_filesystem=file_system)
    config.checkpoint_actor_memory_bytes = _FILTER_MEMORY
    return config
