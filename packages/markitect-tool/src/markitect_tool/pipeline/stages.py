"""The stages of a pipeline as protocols, typed by the carriers that they consume and produce.

::

    Storage --Source--> ParserInput --Parser--> DocumentRecord --Exporter--> ExportedFile

A stage says in `consumes` and `produces` which carrier it takes and gives; `check_wiring` compares neighbours before
anything runs. Stages are pickled to reach other processes, so they hold settings, and open what they need on use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.errors import MarkitectError
from markitect_tool.pipeline.records import DocumentRecord, ParserInput

if TYPE_CHECKING:
    from markitect_tool.pipeline.storage import Storage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One document of a source, as listing knows it: nothing of its content was read.

    What listing met and cannot be a document is an item too, with a `problem`, so that nothing is dropped: `load`
    raises an error for it, unless screening leaves it out first (a problem that is only a warning).
    """

    key: str  # unique in the run and the same in each: a relative path with `/`, or a URI
    uri: str  # the document's identity in ids and cache keys
    size: int | None = None  # bytes
    modified_ns: int | None = None  # nanoseconds since 1970
    config: Mapping[str, Any] = field(default_factory=dict)  # hints for the parser
    problem: Diagnostic | None = None
    costly: bool = False  # to load: over the network, or with effects that are not to be repeated without need

    @property
    def name(self) -> str:
        """The last part of the key: what a person calls the document."""
        return PurePosixPath(self.key).name or self.key


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file that an exporter made, durable by the time that anybody is told of it."""

    path: str  # relative to the storage that it was written to, with `/`
    digest: str  # sha256:<hex>
    size: int  # bytes


@runtime_checkable
class Stage(Protocol):
    """What every stage says about itself."""

    @property
    def consumes(self) -> type[Any]:
        """The carrier that it takes."""
        ...

    @property
    def produces(self) -> type[Any]:
        """The carrier that it gives."""
        ...


@runtime_checkable
class Source(Stage, Protocol):
    """Storage to raw documents. It never decodes what it hands on."""

    @property
    def kind(self) -> str:
        """What provenance calls it: "folder"."""
        ...

    def items(self, storage: Storage) -> Iterator[SourceItem]:
        """All documents, by ascending key and without their content.

        Raises a `SourceError` when the source as a whole cannot be listed.
        """
        ...

    def load(self, storage: Storage, item: SourceItem) -> ParserInput:
        """The document with its content. Raises a `SourceError` when it cannot be read (any more)."""
        ...

    def produce(self, storage: Storage) -> Iterator[ParserInput]:
        """Every document with its content. Raises what `items` and `load` raise."""
        ...


@runtime_checkable
class Parser(Stage, Protocol):
    """Raw documents to Markdown. It owns the turn from bytes to text."""

    @property
    def id(self) -> str:
        """The parser's name in records: "source.epub3"."""
        ...

    def fingerprint(self) -> str:
        """Id, version and options: another fingerprint may mean another result."""
        ...

    def parse(self, inputs: Iterable[ParserInput]) -> Iterator[DocumentRecord]:
        """One record for each input, in their order; a document that cannot be parsed has one that says why."""
        ...


@runtime_checkable
class Exporter(Stage, Protocol):
    """Documents to files."""

    @property
    def format(self) -> str:
        """The name by which users choose it: "markdown"."""
        ...

    def fingerprint(self) -> str:
        """Format, version and options: another fingerprint may mean other bytes."""
        ...

    def export(self, record: DocumentRecord, storage: Storage) -> tuple[ExportedFile, ...]:
        """Write what becomes of one document; it is durable when this returns."""
        ...

    def finalize(self, storage: Storage, keys: Sequence[str]) -> tuple[ExportedFile, ...]:
        """Merge what was written for `keys`, all that are done, for formats of one file for many documents."""
        ...


class WiringError(MarkitectError):
    """A stage is given a carrier that it does not take."""


def check_wiring(stages: Sequence[Stage]) -> None:
    """Raises `WiringError`, naming both stages and both carriers, unless each stage takes what the last one gives."""
    for stage in stages:
        if not isinstance(stage, Stage):
            raise WiringError(f"{_called(stage)} is no stage: it does not say what it consumes and produces.")
    for before, after in pairwise(stages):
        if after.consumes not in before.produces.__mro__:
            raise WiringError(
                f"{_called(before)} gives {before.produces.__name__}, but {_called(after)} takes "
                f"{after.consumes.__name__}: they cannot be wired together."
            )


def expect(stage: Stage, carrier: type[T], given: object) -> T:
    """`given`, which `stage` was handed. Raises `WiringError` unless it is of the stage's carrier."""
    if not isinstance(given, carrier):
        raise WiringError(f"{_called(stage)} takes {carrier.__name__}, but was given {type(given).__name__}.")
    return given


def _called(stage: object) -> str:
    kind = stage if isinstance(stage, type) else type(stage)
    return kind.__name__
