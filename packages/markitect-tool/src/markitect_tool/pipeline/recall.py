"""From a checkpoint to the summary of its runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markitect_tool.diagnostics import SEVERITIES, Diagnostic
from markitect_tool.pipeline.checkpoint import Checkpoint, Run, files_of
from markitect_tool.pipeline.errors import CheckpointError, MissingCheckpointError
from markitect_tool.pipeline.summary import CodeCount, DocumentRow, RunSummary, State

SHOWN = 20  # of the slowest, and of the worst
_COLUMNS = "key, uri, status, title, seconds, peak_bytes, size, attempts, outputs, diagnostics"
_STATES: dict[str, State] = {"complete": "complete", "interrupted": "interrupted", "stopped": "stopped"}


def summarize(path: str, *, running: bool = False) -> RunSummary:
    """What the checkpoint at `path` knows, by its latest run; `running` when somebody is working on it right now.

    Raises a `CheckpointError` when it cannot be read.
    """
    with Checkpoint.read(path) as checkpoint:
        run = checkpoint.latest_run()
        if run is None:
            raise MissingCheckpointError(f"The checkpoint at {path} is empty: its run never began.", source=path)
        return _summary(checkpoint, run, running)


def _summary(checkpoint: Checkpoint, run: Run, running: bool) -> RunSummary:
    path, plan, settings = checkpoint.path, run.plan, run.settings
    counts = dict.fromkeys(("done", "failed", "screened"), 0)
    counts |= dict(checkpoint.rows("SELECT status, count(*) FROM documents GROUP BY status"))
    listed = checkpoint.value(
        "SELECT max(id) FROM runs WHERE state = 'complete' AND json_extract(settings, '$.mode') != 'retry'"
    )
    return RunSummary(
        sources=tuple(plan["sources"]),
        output=plan["output"],
        format=plan["format"],
        level=plan["level"],
        # A run that did not say how it ended was killed.
        state="running" if running else _STATES.get(run.state, "interrupted"),
        started=run.started,
        seconds=run.seconds,
        workers=settings["workers"],
        engine=settings["engine"],
        counts=counts,
        reused=checkpoint.value("SELECT count(*) FROM documents WHERE seen = ? AND made < seen", run.id),
        removed=checkpoint.value("SELECT count(*) FROM documents WHERE seen < ?", listed or 0),
        bytes_read=checkpoint.value("SELECT coalesce(sum(size), 0) FROM documents"),
        peak_bytes=checkpoint.value("SELECT coalesce(max(peak_bytes), 0) FROM documents"),
        codes=_codes(checkpoint),
        slowest=tuple(_documents(checkpoint, "ORDER BY seconds DESC, key LIMIT ?", SHOWN)),
        worst=tuple(
            _documents(checkpoint, "WHERE status = 'done' AND warnings > 0 ORDER BY warnings DESC, key LIMIT ?", SHOWN)
        ),
        failures=Rows(path, "WHERE status != 'done' ORDER BY key"),
        documents=Rows(path, "ORDER BY key"),
        versions=run.versions,
        options={**plan["options"], **{name: settings[name] for name in ("timeout", "memory")}},
    )


class Rows:
    """Documents of a checkpoint, read anew, one after the other, each time that they are walked."""

    def __init__(self, path: str, rest: str) -> None:
        self._path = path
        self._rest = rest

    def __iter__(self) -> Iterator[DocumentRow]:
        with Checkpoint.read(self._path) as checkpoint:
            yield from _documents(checkpoint, self._rest)


def _documents(checkpoint: Checkpoint, rest: str, *parameters: Any) -> Iterator[DocumentRow]:
    for row in checkpoint.rows(f"SELECT {_COLUMNS} FROM documents {rest}", *parameters):
        key, uri, status, title, seconds, peak_bytes, size, attempts, outputs, diagnostics = row
        files = tuple(file.path for file in checkpoint.decoded(outputs, files_of))
        found = tuple(checkpoint.decoded(diagnostics, lambda data: [Diagnostic.from_dict(entry) for entry in data]))
        yield DocumentRow(key, uri, status, title, seconds, peak_bytes, size, attempts, files, found)


def _codes(checkpoint: Checkpoint) -> tuple[CodeCount, ...]:
    rows = checkpoint.rows(
        "SELECT json_extract(found.value, '$.code'), json_extract(found.value, '$.severity'), count(*), "
        "sum(coalesce(json_extract(found.value, '$.details.count'), 1)) "
        "FROM documents, json_each(diagnostics) AS found GROUP BY 1, 2"
    )
    counts = [CodeCount(*row) for row in rows]
    if any(count.severity not in SEVERITIES for count in counts):
        raise CheckpointError(f"The checkpoint {checkpoint.path} is damaged: a diagnostic is none.")
    return tuple(sorted(counts, key=lambda count: (SEVERITIES.index(count.severity), -count.documents, count.code)))
