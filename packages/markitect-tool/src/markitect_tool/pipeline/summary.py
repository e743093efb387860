"""What a run came to, for a person: counts, causes, and where to look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from markitect_tool.diagnostics import Diagnostic, Severity

State = Literal["complete", "interrupted", "stopped", "running"]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document of a run."""

    key: str
    uri: str
    status: Literal["done", "failed", "screened"]
    title: str | None = None
    seconds: float = 0.0
    peak_bytes: int = 0  # 0: unknown
    size: int | None = None  # bytes of the source
    attempts: int = 1
    outputs: tuple[str, ...] = ()  # paths below the output
    diagnostics: tuple[Diagnostic, ...] = ()  # the first of each code; details["count"] tells how many there are


@dataclass(frozen=True, slots=True)
class CodeCount:
    """How often one diagnostic code was met in a run."""

    code: str
    severity: Severity
    documents: int
    diagnostics: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run, or several of them into one output that were interrupted and resumed.

    The iterables can be walked repeatedly; those of a real run stream from its checkpoint, so they may be long.
    """

    sources: tuple[str, ...]
    output: str
    format: str
    level: str
    state: State  # "stopped": the target could not be written to
    started: str  # ISO 8601, UTC
    seconds: float  # wall-clock, of the latest run
    workers: int
    engine: str
    counts: Mapping[str, int]  # "done", "failed", "screened": all that the output holds or lacks
    reused: int  # of them, those whose result from an earlier run still held
    removed: int  # documents that are no longer in the sources, though their output is still there
    bytes_read: int  # sizes of the sources
    peak_bytes: int  # largest worker
    codes: tuple[CodeCount, ...]  # errors first, then the most frequent
    slowest: tuple[DocumentRow, ...]  # by seconds, at most 20
    worst: tuple[DocumentRow, ...]  # converted, but with the most warnings; at most 20
    failures: Iterable[DocumentRow]  # failed and screened documents, by key
    documents: Iterable[DocumentRow]  # all, by key
    versions: Mapping[str, str] = field(default_factory=dict)  # of this package, Python, the parser
    options: Mapping[str, object] = field(default_factory=dict)  # adapter options and limits
    cause: Diagnostic | None = None  # of a run that has just been "stopped"
