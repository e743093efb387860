"""One document through the whole pipeline: load, screen, parse, export. Every engine runs this function.

A `Plan` is plain data: it travels to worker processes and machines, into the checkpoint, and builds the same stages
wherever it arrives. An `Outcome` is what came of one document. Nothing that is wrong with a document raises here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.pipeline.stages import ExportedFile, SourceItem
from markitect_tool.pipeline.usage import peak_bytes, reset_peak

Status = Literal["done", "failed", "screened"]
Level = Literal["document", "segment"]
# When an earlier result is as good as a new one: never; when size, time and output sizes are what they were; or only
# when the bytes of the content and of every output file are.
Reuse = Literal["never", "quick", "exact"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with every document of a run. Two plans with equal fields give equal bytes."""

    sources: tuple[str, ...]  # as the command takes them: folders, globs, files, lists, manifests
    output: str  # fsspec URL or local path of the folder for the results
    format: str = "markdown"  # "markdown", "segments" (one Markdown file each), "jsonl", "parquet"
    level: Level = "document"  # one record per document or per segment, for "jsonl" and "parquet"
    adapter: str | None = None  # source adapter to use; None lets each input decide
    options: Mapping[str, Any] = field(default_factory=dict)  # of the adapter
    shards: int = 1  # files that a merging format is spread over; no part of what a document becomes
    max_size: int | None = None  # bytes; larger inputs are screened out. None: the default of the screening
    storage_options: Mapping[str, Any] = field(default_factory=dict)  # for fsspec; never part of a fingerprint


@dataclass(frozen=True, slots=True)
class Kept:
    """A record that the checkpoint holds, so that a resumed run needs no second fetch, or no second parse."""

    stage: Literal["input", "record"]  # a ParserInput, or a DocumentRecord whose export failed
    json: str  # its `model_dump_json()`


@dataclass(frozen=True, slots=True)
class Previous:
    """What the checkpoint knows about a document from before. Without a status it was never finished."""

    status: Status | None = None
    digest: str | None = None
    fingerprint: str = ""
    outputs: tuple[ExportedFile, ...] = ()
    size: int | None = None
    modified_ns: int | None = None
    kept: Kept | None = None
    errors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # details by the code of each error


@dataclass(frozen=True, slots=True)
class Task:
    """One item of a source, on its way to an engine."""

    item: SourceItem
    previous: Previous | None = None
    reuse: Reuse = "exact"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may take before its worker is ended. None: as much as it likes."""

    timeout: float | None = None  # seconds of wall-clock time
    memory: int | None = None  # bytes, resident size of the worker


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document."""

    key: str
    uri: str
    status: Status
    digest: str | None = None  # of the content; None when it could not be read
    fingerprint: str = ""  # what besides the content decides the output: parser, options, exporter, versions
    outputs: tuple[ExportedFile, ...] = ()  # durable by now
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0  # wall-clock, in the worker
    peak_bytes: int = 0  # largest resident size of the worker meanwhile; 0 where the system does not tell
    size: int | None = None  # bytes of the content
    modified_ns: int | None = None
    title: str | None = None
    reused: bool = False  # nothing had to be done: an earlier run's result still holds
    kept: Kept | None = None
    target_failed: bool = False  # it was the target that could not be written: others may fail in the same way
    attempts: int = 1


def process_item(
    plan: Plan,
    item: SourceItem,
    previous: Previous | None = None,
    *,
    reuse: Reuse = "exact",
    keep: Callable[[Kept], None] | None = None,
) -> Outcome:
    """Take one item through the stages of `plan` and say what came of it.

    With `previous`, work whose result still holds is not done again, by the rule of `reuse`: its content, its
    fingerprint and its output files are what they were. `keep` is told of content that is costly to fetch, once it is
    here.
    """
    from markitect_tool.pipeline.building import stages_of
    from markitect_tool.pipeline.passage import Passage

    stages = stages_of(plan)
    reset_peak()
    start = time.perf_counter()
    outcome = Passage(stages, item, previous or Previous(), reuse, keep).outcome()
    return replace(outcome, seconds=time.perf_counter() - start, peak_bytes=peak_bytes())
