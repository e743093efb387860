"""From a plan to its stages, the same in every process."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import version

from markitect_tool.canonical import canonical_json, sha256_hex
from markitect_tool.pipeline.process import Plan
from markitect_tool.pipeline.screening import ScreeningLimits
from markitect_tool.pipeline.stages import Exporter, Parser, Source, SourceItem, check_wiring
from markitect_tool.pipeline.storage import Storage, open_url


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of a plan, built in this process."""

    source: Source
    parser: Parser
    exporter: Exporter
    origin: Storage  # where the source reads
    storage: Storage  # where the exporter writes
    limits: ScreeningLimits
    fingerprint: str  # of all that decides what becomes of documents, but for the documents themselves

    def fingerprint_of(self, item: SourceItem) -> str:
        """What besides its content decides what becomes of one document: its identity and its hints, too."""
        return sha256_hex(canonical_json([self.fingerprint, item.uri, dict(item.config)]).encode("utf-8", "replace"))
