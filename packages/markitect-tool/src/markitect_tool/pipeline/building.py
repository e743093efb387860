"""From a plan to its stages, the same in every process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import version
from posixpath import relpath

from markitect_tool.canonical import canonical_json, sha256_hex
from markitect_tool.pipeline.errors import ConfigurationError
from markitect_tool.pipeline.exporters.making import make_exporter
from markitect_tool.pipeline.parsers import parser_of
from markitect_tool.pipeline.process import Plan
from markitect_tool.pipeline.screening import ScreeningLimits
from markitect_tool.pipeline.sources.names import key_of
from markitect_tool.pipeline.sources.places import CombinedSource, PlacedSource, source_of
from markitect_tool.pipeline.sources.reading import DEFAULT_MAX_BYTES
from markitect_tool.pipeline.stages import Exporter, Parser, Source, SourceItem, check_wiring
from markitect_tool.pipeline.storage import Storage, open_url
from markitect_tool.pipeline.storage_local import LocalStorage


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of a plan, built in this process."""

    source: Source
    parser: Parser
    exporter: Exporter
    storage: Storage  # where the exporter writes; the source brings its own
    limits: ScreeningLimits
    fingerprint: str  # of all that decides what becomes of documents, but for the documents themselves
    own: tuple[str, ...] = ()  # keys of the source begin like this where it meets the results of the run

    def fingerprint_of(self, item: SourceItem) -> str:
        """What besides its content decides what becomes of one document: its identity and its hints, too."""
        return sha256_hex(canonical_json([self.fingerprint, item.uri, dict(item.config)]).encode("utf-8", "replace"))

    def items(self) -> Iterator[SourceItem]:
        """The documents of the source, without what the run itself has written among them."""
        for item in self.source.items(self.storage):
            if not (self.own and item.key.startswith(self.own)):
                yield item


def stages_of(plan: Plan) -> Stages:
    """The stages of `plan`, wired and checked; built once in a process.

    Raises a `MarkitectError` when they cannot be: an unknown format or adapter, a wrong option, a missing library.
    """
    return _built(_Hashable(plan, canonical_json([asdict(plan), os.getcwd()])))  # where relative paths begin


def new_stages_of(plan: Plan) -> Stages:
    """`stages_of`, for a run that begins: what a source is may have changed since this process has looked."""
    _built.cache_clear()
    return stages_of(plan)


@dataclass(frozen=True, slots=True, eq=False)
class _Hashable:
    """A plan that can be looked up by what it says, and where."""

    plan: Plan
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashable) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@lru_cache(maxsize=4)
def _built(given: _Hashable) -> Stages:
    plan = given.plan
    limits = ScreeningLimits(
        max_bytes=DEFAULT_MAX_BYTES if plan.max_size is None else plan.max_size,
        check_formats=plan.adapter is None,  # else somebody has decided what reads everything
    )
    source = source_of(plan.sources, max_bytes=limits.max_bytes)
    parser = parser_of(plan.adapter, plan.options)
    exporter = make_exporter(plan.format, level=plan.level, shards=plan.shards)
    storage = open_url(plan.output, plan.storage_options)
    check_wiring([source, parser, exporter])
    # No limits: they decide whether a document is converted, not what becomes of it.
    decisive = [version("markitect-tool"), parser.fingerprint(), exporter.fingerprint()]
    return Stages(
        source,
        parser,
        exporter,
        storage,
        limits,
        sha256_hex(canonical_json(decisive).encode()),
        tuple(_keys_in_target(source, storage)),
    )


def _keys_in_target(source: Source, storage: Storage) -> Iterator[str]:
    """How the keys begin that lie in the target. Raises `ConfigurationError` when a folder is its own target."""
    if not isinstance(storage, LocalStorage):
        return
    target = os.path.realpath(storage.root)
    for part in source.parts if isinstance(source, CombinedSource) else [source]:
        if not isinstance(part, PlacedSource) or not isinstance(part.storage, LocalStorage):
            continue
        if part.kind not in ("folder", "glob"):
            continue  # somebody named each document
        root = os.path.realpath(os.path.join(part.storage.root, getattr(part.source, "base", "")))
        if target == root:
            raise ConfigurationError(
                f"The target {storage.root} is the folder that is read.",
                source=storage.root,
                hint="Name another folder for the results; it may lie inside the one that is read.",
            )
        if target.startswith(root.rstrip(os.sep) + os.sep):
            inside = key_of(relpath(target, root).replace(os.sep, "/")) + "/"
            yield f"{part.label}/{inside}" if part.label else inside
