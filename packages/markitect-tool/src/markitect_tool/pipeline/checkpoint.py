"""What a run remembers: one SQLite file that survives a kill or a power cut at any moment.

A document is recorded as done only after its output is durable, so a crash between the two costs one conversion, never
a document. Records are committed together, at most `COMMIT_SECONDS` late: what a crash takes back is done again, with
the same bytes. The file is in WAL mode with `synchronous=FULL`; others may read it (`mkt pipeline status`) meanwhile.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Self, TypeVar, overload

from markitect_tool.errors import ModelError
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.pipeline.checkpoint_file import Reserve, check, connect_to_read, explained, recognise, unwritable
from markitect_tool.pipeline.errors import CheckpointError, MissingCheckpointError
from markitect_tool.pipeline.process import Kept, Outcome, Previous
from markitect_tool.pipeline.schema import migrate
from markitect_tool.pipeline.stages import ExportedFile

T = TypeVar("T")
COMMIT_SECONDS = 1.0
COMMIT_STATEMENTS = 1000  # about two for each document
_KEPT_BYTES = 1 << 23  # that may wait
_CHECKED_BYTES = 1 << 28  # larger files are not checked as a whole when they are opened: that would take minutes
_UNREAD = "seen = ? AND status = 'failed' AND digest IS NULL"


class Run(NamedTuple):
    """One run as the checkpoint has it."""

    id: int
    plan: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]
    started: str
    seconds: float
    state: str


class Checkpoint:
    """An open checkpoint. Every method raises a `CheckpointError` when the file cannot be used.

    Use it in one thread, and as a context manager: what was recorded is committed when the block ends. Questions about
    single documents and runs are answered from what is committed; a run asks about each document before it records it.
    """

    def __init__(self, path: str, database: sqlite3.Connection) -> None:
        self.path = path
        self.run = 0  # the current run, once it has begun
        self._database = database
        self._batch: list[tuple[str, tuple[Any, ...]]] = []  # statements that wait to be committed together
        self._batch_since = 0.0
        self._kept: dict[str, tuple[str, bytes]] = {}  # stage and packed record, by key; they wait as well
        self._reserve = Reserve(f"{path}.reserve")

    @classmethod
    def open(cls, path: str, *, create: bool = False) -> Self:
        """The checkpoint at `path`, to write to; made, with its folder, if there is none and `create` says so."""
        if not create and not os.path.exists(path):
            raise MissingCheckpointError(f"There is no checkpoint at {path}.", source=path)
        if create:
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
            except OSError as error:
                raise unwritable(path, error) from error
        version = recognise(path)
        with explained(path):
            database = sqlite3.connect(path, isolation_level=None, timeout=30)
            try:
                database.execute("PRAGMA journal_mode=WAL")
                database.execute("PRAGMA synchronous=FULL")
                if os.path.getsize(path) <= _CHECKED_BYTES:
                    check(database, path)
                migrate(database, version)
            except BaseException:
                database.close()
                raise
        return cls(path, database)

    @classmethod
    def read(cls, path: str) -> Self:
        """The checkpoint at `path`, only to look at: also while a run writes it, also from a read-only folder."""
        if not os.path.exists(path):
            raise MissingCheckpointError(f"There is no checkpoint at {path}.", source=path)
        if recognise(path) == 0:
            raise MissingCheckpointError(f"The checkpoint at {path} is empty: its run never began.", source=path)
        with explained(path):
            database = connect_to_read(path)
        return cls(path, database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.commit()
        except CheckpointError:
            if kind is None:
                raise
        finally:
            self._reserve.release()
            with suppress(sqlite3.Error):  # closing moves the log into the main file, for which there may be no room
                self._database.close()

    # What runs record

    def begin(self, plan: Mapping[str, Any], settings: Mapping[str, Any], versions: Mapping[str, str]) -> None:
        """Start a run; what is recorded from now on belongs to it."""
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        row = (json.dumps(plan), json.dumps(settings), json.dumps(versions), started)
        with explained(self.path):
            made = self._database.execute(
                "INSERT INTO runs (plan, settings, versions, started, seconds, state) "
                "VALUES (?, ?, ?, ?, 0, 'running')",
                row,
            )
            self.run = made.lastrowid or 0
        self._reserve.make()

    def end(self, state: str, seconds: float) -> None:
        """Say how the current run ended."""
        self._write("UPDATE runs SET state = ?, seconds = ? WHERE id = ?", state, seconds, self.run)
        self.commit()

    def record(self, outcome: Outcome) -> None:
        """Remember what came of a document, whose output is durable by now."""
        if outcome.reused:
            self._write(
                "UPDATE documents SET seen = ?, size = ?, modified_ns = ? WHERE key = ?",
                *(self.run, outcome.size, outcome.modified_ns, outcome.key),
            )
            return
        counts = [
            sum(found.details.get("count", 1) for found in outcome.diagnostics if found.severity == severity)
            for severity in ("error", "warning")
        ]
        self._write(
            f"INSERT OR REPLACE INTO documents VALUES ({', '.join('?' * 17)})",
            outcome.key,
            outcome.uri,
            outcome.status,
            outcome.digest,
            outcome.fingerprint,
            outcome.size,
            outcome.modified_ns,
            outcome.title,
            outcome.seconds,
            outcome.peak_bytes,
            outcome.attempts,
            *counts,
            json.dumps([(file.path, file.digest, file.size) for file in outcome.outputs]),
            json.dumps([found.to_dict() for found in outcome.diagnostics]),
            self.run,
            self.run,
        )
        if outcome.kept is not None:
            self.keep(outcome.key, outcome.kept)
        elif outcome.status != "failed" or outcome.digest is not None:  # not of one that was lost on the way
            self._kept.pop(outcome.key, None)
            self._write("DELETE FROM kept WHERE key = ?", outcome.key)

    def keep(self, key: str, kept: Kept) -> None:
        """Hold a record of a document that is on its way, if there is room for it: it only saves work."""
        self._kept[key] = (kept.stage, zlib.compress(kept.json.encode(), 1))
        if sum(len(packed) for _stage, packed in self._kept.values()) > _KEPT_BYTES:
            self.commit()

    def forget(self, key: str) -> None:
        """Remove a document, of which nothing is left."""
        self._write("DELETE FROM documents WHERE key = ?", key)
        self._write("DELETE FROM kept WHERE key = ?", key)

    def record_merged(self, files: Iterable[ExportedFile]) -> None:
        """Remember the files that hold many documents, in place of those of an earlier run."""
        self.commit()
        self._write("DELETE FROM merged")
        for file in files:
            self._write("INSERT INTO merged VALUES (?, ?, ?)", file.path, file.digest, file.size)
        self.commit()

    def commit(self) -> None:
        """Make what was recorded durable. On a full disk the room that was reserved for this is used."""
        batch, self._batch = self._batch, []
        kept, self._kept = self._kept, {}
        if batch:
            with explained(self.path):
                try:
                    self._transact(batch)
                except sqlite3.OperationalError:
                    if not self._reserve.release():
                        raise
                    self._transact(batch)
        if kept:
            with suppress(sqlite3.OperationalError):
                self._transact(
                    [("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (key, *row)) for key, row in kept.items()]
                )

    def commit_if_due(self) -> None:
        """`commit`, if the oldest record has waited long enough."""
        if self._batch and time.monotonic() - self._batch_since >= COMMIT_SECONDS:
            self.commit()

    def _write(self, statement: str, *parameters: Any) -> None:
        if not self._batch:
            self._batch_since = time.monotonic()
        self._batch.append((statement, parameters))
        if len(self._batch) >= COMMIT_STATEMENTS:
            self.commit()

    def _transact(self, batch: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            for statement, parameters in batch:
                self._database.execute(statement, parameters)
            self._database.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite may have taken it back already
                self._database.execute("ROLLBACK")
            raise

    # What runs ask

    def previous(self, key: str) -> Previous | None:
        """What is known about a document."""
        row = self.row(
            "SELECT status, digest, fingerprint, outputs, size, modified_ns, diagnostics FROM documents WHERE key = ?",
            key,
        )
        kept = self.row("SELECT stage, record FROM kept WHERE key = ?", key)
        held = None if kept is None else _unpacked(kept)
        if row is None:
            return None if held is None else Previous(kept=held)
        status, digest, fingerprint, outputs, size, modified_ns, diagnostics = row
        files, errors = self.decoded(outputs, files_of), self.decoded(diagnostics, _errors_of)
        return Previous(status, digest, fingerprint, tuple(files), size, modified_ns, held, errors)

    def done_keys(self) -> Sequence[str]:
        """The documents whose output is there, by ascending key, read as they are asked for."""
        self.commit()
        return _DoneKeys(self)

    def unlisted(self) -> Iterator[tuple[str, list[ExportedFile]]]:
        """Documents that the current run did not meet, with their files; each may be forgotten at once."""
        self.commit()
        last = ""
        while rows := list(
            self.rows(
                "SELECT key, outputs FROM documents WHERE seen < ? AND key > ? ORDER BY key LIMIT 500", self.run, last
            )
        ):
            for key, outputs in rows:
                yield key, self.decoded(outputs, files_of)
            last = rows[-1][0]

    def could_read(self) -> bool:
        """Whether the current run met any document that it could read: otherwise a disk may not be mounted."""
        return bool(
            self.value(f"SELECT count(*) FROM documents WHERE seen = ? AND NOT ({_UNREAD})", self.run, self.run)
        )

    def could_read_above(self, key: str) -> bool:
        """Whether the current run met no folder above `key` that it could not read."""
        parts = key.split("/")
        above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        query = f"SELECT 1 FROM documents WHERE key IN (?, ?) AND {_UNREAD}"
        return not any(self.row(query, folder, f"{folder}/", self.run) for folder in above)

    def merged(self) -> list[ExportedFile]:
        """The files that hold many documents, as the last run to end had them."""
        return [ExportedFile(*row) for row in self.rows("SELECT path, digest, size FROM merged ORDER BY path")]

    def latest_run(self) -> Run | None:
        """The run that began last."""
        row = self.row(
            "SELECT id, plan, settings, versions, started, seconds, state FROM runs ORDER BY id DESC LIMIT 1"
        )
        if row is None:
            return None
        number, plan, settings, versions, *rest = row
        return Run(
            number,
            self.decoded(plan, partial(_fields, ("sources", "output", "format", "level", "options"))),
            self.decoded(settings, partial(_fields, ("workers", "engine", "timeout", "memory"))),
            self.decoded(versions, dict),
            *rest,
        )

    def decoded(self, text: str, build: Callable[[Any], T]) -> T:
        """What `build` makes of the JSON of a column."""
        try:
            return build(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError, ModelError) as error:
            raise CheckpointError(
                f"The checkpoint {self.path} is damaged: {type(error).__name__}: {error}.", source=self.path
            ) from error

    def rows(self, query: str, *parameters: Any) -> Iterator[tuple[Any, ...]]:
        """What a query finds, one after the other."""
        with explained(self.path):
            for row in self._database.execute(query, parameters):  # noqa: UP028 - it would close a closed cursor
                yield row

    def row(self, query: str, *parameters: Any) -> tuple[Any, ...] | None:
        """The first that a query finds."""
        with explained(self.path):
            found: tuple[Any, ...] | None = self._database.execute(query, parameters).fetchone()
            return found

    def value(self, query: str, *parameters: Any) -> Any:
        """The first column of the first row."""
        found = self.row(query, *parameters)
        return None if found is None else found[0]


class _DoneKeys(Sequence[str]):
    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint

    def __len__(self) -> int:
        return int(self._checkpoint.value("SELECT count(*) FROM documents WHERE status = 'done'"))

    def __iter__(self) -> Iterator[str]:
        for row in self._checkpoint.rows("SELECT key FROM documents WHERE status = 'done' ORDER BY key"):
            yield row[0]

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        query = "SELECT key FROM documents WHERE status = 'done' ORDER BY key LIMIT 1 OFFSET ?"
        key = self._checkpoint.value(query, index if index >= 0 else len(self) + index)
        if key is None:
            raise IndexError(index)
        return str(key)


def _fields(names: Iterable[str], data: Any) -> dict[str, Any]:
    """An object with these fields at least. Raises `KeyError`."""
    return dict(data) | {name: data[name] for name in names}


def files_of(data: Any) -> list[ExportedFile]:
    """Output files from their JSON."""
    return [ExportedFile(str(path), str(digest), int(size)) for path, digest, size in data]


def _errors_of(data: Any) -> dict[str, Mapping[str, Any]]:
    return {found["code"]: dict(found.get("details", {})) for found in data if found["severity"] == "error"}


def _unpacked(row: tuple[Any, ...]) -> Kept | None:
    try:
        return Kept(row[0], zlib.decompress(row[1]).decode())
    except (zlib.error, UnicodeDecodeError):  # it only saves work
        return None
