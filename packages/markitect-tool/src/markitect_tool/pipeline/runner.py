"""A run from its first item to its last file: what is resumed, what is refused, when it stops."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any, Literal, Protocol

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.pipeline.building import Stages, new_stages_of
from markitect_tool.pipeline.checkpoint import Checkpoint
from markitect_tool.pipeline.engines import engine_of
from markitect_tool.pipeline.errors import ConfigurationError
from markitect_tool.pipeline.process import Limits, Outcome, Plan, Previous, Reuse, Task
from markitect_tool.pipeline.recall import summarize
from markitect_tool.pipeline.sources.places import missing_places
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage_errors import without_credentials
from markitect_tool.pipeline.summary import RunSummary
from markitect_tool.pipeline.target import Target, admit

TARGET_FAILURES = 10  # one after the other that end a run; a full or read-only target ends it at once
_HOPELESS = ("storage.full", "storage.read_only")
_DEATHS = ("pipeline.memory_exceeded", "pipeline.timeout", "pipeline.worker_died")
# Failures that another try may mend, though neither the document nor the settings have changed.
_PASSING = ("pipeline.worker_died", "source.missing_dependency")

Mode = Literal["new", "resume", "restart", "retry"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run a plan. Nothing here changes a byte of the output."""

    mode: Mode = "new"
    engine: str = "local"
    workers: int = 1
    address: str | None = None  # of a cluster
    timeout: float | None = 300.0  # seconds for one document
    memory: int | None = 2 << 30  # bytes for one worker
    quick: bool = False  # when resuming, trust sizes and times instead of comparing contents
    prune: bool = False  # remove the output of documents that are no longer in the sources
    folder: str = ""  # where relative paths begin; empty: the current folder
    checkpoint: str | None = None  # file; None: inside the target
    retry_code: str | None = None  # in mode "retry": only documents with this code

    @property
    def limits(self) -> Limits:
        """What one document may take."""
        return Limits(self.timeout, self.memory)


class Watcher(Protocol):
    """Whoever shows a run to a person. All calls come from the thread of the run, except `count`'s result."""

    def begin(self, count: Callable[[], tuple[int, int]]) -> None:
        """The run begins; `count` tells how many documents there are, and bytes in them, as far as that is known. It
        lists them, which may take long."""
        ...

    def document(self, outcome: Outcome) -> None:
        """Something came of a document."""
        ...

    def tick(self) -> None:
        """Time has passed."""
        ...

    def phase(self, name: str) -> None:
        """Something begins that is not about single documents: "merging", for one."""
        ...


class Silence:
    """A watcher that shows nothing."""

    def begin(self, count: Callable[[], tuple[int, int]]) -> None:
        """Nobody wants to know."""

    def document(self, outcome: Outcome) -> None:
        """Nor this."""

    def tick(self) -> None:
        """Nor this."""

    def phase(self, name: str) -> None:
        """Nor this."""


class Interruption:
    """Whether somebody wants the run to end; and whether it may be ended between any two instructions."""

    def __init__(self) -> None:
        self.wanted = False
        # The run notices `wanted` only while documents are worked on. To find the first of them may take long: a list
        # of millions of lines is put in order before.
        self.abrupt = True


def run_pipeline(
    plan: Plan, settings: Settings, watcher: Watcher, interruption: Interruption | None = None
) -> RunSummary:
    """Take every document of `plan` through its stages and say what came of them.

    Raises a `MarkitectError` when the run cannot begin or cannot go on; what was done until then is kept, and a run
    with the mode "resume" goes on from there.
    """
    if settings.mode == "new" and (missing := missing_places(plan.sources)):
        raise ConfigurationError(f"There is no {' and no '.join(missing)}.", hint="Check the sources.")
    stages = new_stages_of(plan)
    target = Target.of(stages.storage, settings.checkpoint)
    with ExitStack() as held:
        target.prepare(held, overwrite=settings.mode == "restart")
        checkpoint = held.enter_context(Checkpoint.open(target.checkpoint, create=settings.mode != "retry"))
        admit(checkpoint, settings.mode)
        run = _Run(plan, settings, stages, checkpoint, watcher, interruption or Interruption())
        run.go()
    return replace(summarize(target.checkpoint), cause=run.cause)


class _Run:
    def __init__(
        self,
        plan: Plan,
        settings: Settings,
        stages: Stages,
        checkpoint: Checkpoint,
        watcher: Watcher,
        interruption: Interruption,
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._stages = stages
        self._checkpoint = checkpoint
        self._watcher = watcher
        self._interruption = interruption
        self._target_failures = 0  # in a row
        self.cause: Diagnostic | None = None  # why the run cannot go on
        self._lost_workers = False

    def go(self) -> None:
        """Run, and say in the checkpoint how it ended."""
        start = time.monotonic()
        state = "stopped"
        before = self._checkpoint.latest_run()
        if (
            before is not None and before.state != "complete"
        ):  # it, or a worker of it, may have been killed amid a write
            self._stages.storage.sweep()
        self._checkpoint.begin(_recorded(self._plan), asdict(self._settings), self._versions())
        try:
            self._work()
            if self._interruption.wanted:
                state = "interrupted"
            elif self.cause is None:
                self._finish()
                state = "complete"
        except KeyboardInterrupt:
            state = "interrupted"
            raise
        finally:
            self._checkpoint.end(state, time.monotonic() - start)

    def _work(self) -> None:
        self._watcher.begin(self._count)
        try:
            engine_of(self._settings.engine)(
                self._plan,
                self._tasks(),
                self._on_outcome,
                workers=self._settings.workers,
                limits=self._settings.limits,
                on_kept=self._checkpoint.keep,
                on_tick=self._on_tick,
                stopping=lambda: self.cause is not None or self._interruption.wanted,
                **({"address": self._settings.address} if self._settings.address else {}),
            )
        finally:
            self._interruption.abrupt = True

    def _finish(self) -> None:
        """Bring the target in line with the checkpoint."""
        checkpoint, storage = self._checkpoint, self._stages.storage
        checkpoint.commit()
        tidy = (self._settings.prune or self._settings.mode == "restart") and checkpoint.could_read()
        for key, outputs in checkpoint.unlisted() if self._settings.mode != "retry" else ():
            unwanted = tidy and checkpoint.could_read_above(key)
            if not unwanted and any(storage.exists(file.path) for file in outputs):
                continue  # it may be wanted; the summary tells of it
            storage.delete([file.path for file in outputs])
            checkpoint.forget(key)
        checkpoint.commit()
        if self._lost_workers:  # perhaps amid a write
            storage.sweep()
        self._watcher.phase("merging")
        before = checkpoint.merged()
        files = self._stages.exporter.finalize(storage, checkpoint.done_keys())
        checkpoint.record_merged(files)
        current = {file.path for file in files}
        storage.delete([file.path for file in before if file.path not in current])

    def _tasks(self) -> Iterator[Task]:
        settings = self._settings
        reuse: Reuse = "never" if settings.mode in ("restart", "retry") else "quick" if settings.quick else "exact"
        for item in self._stages.items():
            self._interruption.abrupt = False
            previous = self._checkpoint.previous(item.key)
            if settings.mode == "retry" and not self._is_wanted(previous):
                continue
            if previous is not None and settings.mode == "restart":
                previous = replace(previous, kept=None)
            if previous is None or reuse == "never":
                yield Task(item, previous, reuse)
            elif self._would_fail_again(item, previous):
                self._on_outcome(_as_before(item, previous))
            else:
                passing = any(code in _PASSING or code.startswith("storage.") for code in previous.errors)
                yield Task(item, previous, "never" if passing else reuse)

    def _is_wanted(self, previous: Previous | None) -> bool:
        """Whether a document is to be tried again, in the mode "retry"."""
        if previous is None or previous.status in ("done", None):
            return False
        code = self._settings.retry_code
        return code in previous.errors if code else previous.status == "failed"

    def _would_fail_again(self, item: SourceItem, previous: Previous) -> bool:
        """Whether a limit ended the document, neither has changed, and so another try would only take as long."""
        limits = self._settings.limits
        for code, name, limit in (
            ("pipeline.timeout", "limit_seconds", limits.timeout),
            ("pipeline.memory_exceeded", "limit_bytes", limits.memory),
        ):
            before = previous.errors.get(code, {}).get(name)
            if before is not None:
                return (
                    limit is not None
                    and limit <= before
                    and item.modified_ns is not None
                    and (item.size, item.modified_ns) == (previous.size, previous.modified_ns)
                    and previous.fingerprint == self._stages.fingerprint_of(item)
                )
        return False

    def _on_outcome(self, outcome: Outcome) -> None:
        self._checkpoint.record(outcome)
        self._watcher.document(outcome)
        self._lost_workers |= outcome.attempts > 1 or any(found.code in _DEATHS for found in outcome.diagnostics)
        if not outcome.target_failed:
            self._target_failures = 0
            return
        self._target_failures += 1
        found = next(found for found in outcome.diagnostics if found.code.startswith("storage."))
        if found.code in _HOPELESS or self._target_failures >= TARGET_FAILURES:
            self.cause = self.cause or found

    def _on_tick(self) -> None:
        self._checkpoint.commit_if_due()
        self._watcher.tick()

    def _count(self) -> tuple[int, int]:
        documents = size = 0
        if self._settings.mode != "retry":
            for item in self._stages.items():
                documents += 1
                size += item.size or 0
        return documents, size

    def _versions(self) -> dict[str, str]:
        return {
            "markitect-tool": version("markitect-tool"),
            "parser": self._stages.parser.fingerprint(),
            "Python": platform.python_version(),
        }


def _recorded(plan: Plan) -> dict[str, Any]:
    """A plan for the checkpoint, which others may read: without what may be a secret."""
    data = asdict(replace(plan, storage_options={}))
    return data | {
        "sources": [without_credentials(place) for place in plan.sources],
        "output": without_credentials(plan.output),
    }


def _as_before(item: SourceItem, previous: Previous) -> Outcome:
    """The outcome of a document that is not tried again."""
    assert previous.status is not None
    return Outcome(
        item.key,
        item.uri,
        previous.status,
        previous.digest,
        previous.fingerprint,
        previous.outputs,
        size=item.size,
        modified_ns=item.modified_ns,
        reused=True,
    )
