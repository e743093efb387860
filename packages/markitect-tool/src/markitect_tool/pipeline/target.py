"""Where the results go: whether a run may begin there, and where it keeps its books."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass

from markitect_tool.pipeline.checkpoint import Checkpoint
from markitect_tool.pipeline.checkpoint_file import unwritable
from markitect_tool.pipeline.errors import ConfigurationError, MissingCheckpointError, TargetError
from markitect_tool.pipeline.lock import RunLock
from markitect_tool.pipeline.storage import Storage
from markitect_tool.pipeline.storage_local import LocalStorage

FOLDER = ".mkt-run"  # in a local target; no document's name begins with a dot


@dataclass(frozen=True, slots=True)
class Target:
    """A place for results, and the checkpoint that goes with it."""

    storage: Storage
    checkpoint: str  # absolute path of the file

    @classmethod
    def of(cls, storage: Storage, checkpoint: str | None) -> Target:
        """The target in `storage`.

        Raises `ConfigurationError` when there is no place for its checkpoint, and for one that ends with a process.
        """
        if storage.url.startswith("memory:"):
            raise ConfigurationError(
                f"{storage.url} lies in the memory of one process, but workers are others.",
                source=storage.url,
                hint="Name a folder, or a store that all of them share.",
            )
        if checkpoint is not None:
            return cls(storage, os.path.abspath(checkpoint))
        if isinstance(storage, LocalStorage):
            return cls(storage, os.path.join(storage.root, FOLDER, "checkpoint.sqlite"))
        raise ConfigurationError(
            f"{storage.url} is no folder of this machine, so the checkpoint needs a place.",
            source=storage.url,
            hint="Name a file on this machine with --checkpoint; the same one continues the run.",
        )

    def lock_files(self) -> list[str]:
        """What a run locks: two runs must share neither a checkpoint nor a target."""
        paths = {f"{self.checkpoint}.lock"}
        if isinstance(self.storage, LocalStorage):
            paths.add(os.path.join(self.storage.root, FOLDER, "checkpoint.sqlite.lock"))
        return sorted(paths)

    def is_busy(self) -> bool:
        """Whether a run is working on the target now."""
        return any(RunLock(path).is_held() for path in self.lock_files())

    def prepare(self, held: ExitStack, *, overwrite: bool) -> None:
        """Make the folder and lock it until `held` is closed.

        Raises `TargetError` for a folder with files of somebody else in it, unless `overwrite`;
        `CheckpointInUseError` when another run is at work, `CheckpointUnwritableError`, and `StorageError` for a
        store that cannot be reached.
        """
        if isinstance(self.storage, LocalStorage):
            root = self.storage.root
            if os.path.lexists(root) and not os.path.isdir(root):
                raise TargetError(f"{root} is no folder.", source=root, hint="Name a folder for the results.")
            if not os.path.exists(self.checkpoint) and not overwrite:
                _refuse_strangers(root)
        else:
            self.storage.exists(FOLDER)  # opens the store: better now than once for each document
        for path in self.lock_files():
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                lock = RunLock(path)
                lock.acquire()
            except OSError as error:
                raise unwritable(path, error) from error
            held.callback(lock.release)


def _refuse_strangers(root: str) -> None:
    try:
        with os.scandir(root) as entries:
            stranger = next((entry.name for entry in entries if not _is_harmless(entry.name)), None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(root, error) from error
    if stranger is not None:
        raise TargetError(f"{root} holds {stranger!r} and perhaps more, but no run of a pipeline.", source=root)


def _is_harmless(name: str) -> bool:
    return name.startswith(".") or name == "lost+found"


def admit(checkpoint: Checkpoint, mode: str) -> None:
    """Raises a `PipelineError` when a run in `mode` must not touch what `checkpoint` knows of."""
    there = checkpoint.latest_run() is not None
    if there and mode == "new":
        raise TargetError(
            f"An earlier run is in {checkpoint.path}.", code="pipeline.checkpoint_exists", source=checkpoint.path
        )
    if not there and mode == "retry":
        raise MissingCheckpointError(f"No run has begun in {checkpoint.path}.", source=checkpoint.path)
