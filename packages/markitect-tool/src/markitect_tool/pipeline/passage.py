"""One document on its way through the stages, and what is not done twice."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from pydantic import ValidationError

from markitect_tool.canonical import digest_bytes
from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.errors import SourceError
from markitect_tool.pipeline.building import Stages
from markitect_tool.pipeline.process import Kept, Outcome, Previous, Reuse, Status
from markitect_tool.pipeline.records import DocumentRecord, ParserInput
from markitect_tool.pipeline.screening import screen
from markitect_tool.pipeline.stages import ExportedFile, SourceItem
from markitect_tool.pipeline.storage_errors import StorageError

_TRACEBACK_ENTRIES = 6  # the innermost; who called the adapter is known


class Passage:
    """One document on its way through the stages."""

    def __init__(
        self, stages: Stages, item: SourceItem, previous: Previous, reuse: Reuse, keep: Callable[[Kept], None] | None
    ) -> None:
        self._stages = stages
        self._item = item
        self._previous = previous
        self._reuse = reuse
        self._keep = keep
        self._fingerprint = stages.fingerprint_of(item)
        # Until better is known: nothing came of it, and what an earlier run made is still there.
        self._so_far = Outcome(
            item.key,
            item.uri,
            "failed",
            fingerprint=self._fingerprint,
            outputs=previous.outputs,
            size=item.size,
            modified_ns=item.modified_ns,
        )

    def outcome(self) -> Outcome:
        """What comes of it; no defect of a document or an adapter raises."""
        try:
            return self._outcome()
        except SourceError as error:  # of loading: the cause may pass, so an earlier result stays
            return self._with("failed", [error.diagnostic])
        except MemoryError:
            found = diagnostic("pipeline.memory_exceeded", "The system had no more memory.", source=self._item.uri)
            return self._with("failed", [found])
        except Exception as error:  # noqa: BLE001 - a defect of an adapter concerns one document, and is told in full
            found = diagnostic(
                "pipeline.adapter_failed",
                f"{type(error).__name__}: {error}",
                source=self._item.uri,
                traceback="".join(traceback.format_exception(error, limit=-_TRACEBACK_ENTRIES)),
            )
            return self._with("failed", [found])

    def _outcome(self) -> Outcome:
        if self._may_trust_the_listing() and self._output_is_there():
            return self._reused()
        found = screen(self._item, self._stages.limits)
        if found is not None:
            return self._without_output("screened", [found])
        given = self._load()
        self._so_far = replace(self._so_far, digest=given.provenance.digest, size=given.provenance.size)
        if self._reuse != "never" and self._is_same(given.provenance.digest) and self._output_is_there():
            return self._reused()
        found = screen(given, self._stages.limits)
        if found is not None:
            return self._without_output("screened", [found])
        return self._export(self._parse(given))

    # Whether an earlier result holds

    def _is_same(self, digest: str | None) -> bool:
        before = self._previous
        known = before.status in ("done", "failed")  # screening costs little, and its limits may have changed
        return known and before.fingerprint == self._fingerprint and before.digest == digest

    def _may_trust_the_listing(self) -> bool:
        """Whether the content need not be looked at: on request, and where that is costly."""
        before, item = self._previous, self._item
        if self._reuse == "never" or not self._is_same(before.digest):
            return False
        if item.costly:
            return before.digest is not None
        return (
            self._reuse == "quick"
            and before.size == item.size
            and before.modified_ns == item.modified_ns
            and item.modified_ns is not None
        )

    def _output_is_there(self) -> bool:
        return all(map(self._is_there, self._previous.outputs))

    def _is_there(self, file: ExportedFile) -> bool:
        storage = self._stages.storage
        try:
            if self._reuse == "quick":
                return storage.stat(file.path).size == file.size
            return digest_bytes(storage.read(file.path)) == file.digest
        except StorageError:  # to write it again tells more
            return False

    def _reused(self) -> Outcome:
        assert self._previous.status is not None
        return replace(self._so_far, status=self._previous.status, digest=self._previous.digest, reused=True)

    # The stages

    def _load(self) -> ParserInput:
        kept = self._previous.kept
        if kept is not None and kept.stage == "input":
            with suppress(ValidationError):  # of another version: it only saves a fetch
                return ParserInput.model_validate_json(kept.json)
        given = self._stages.source.load(self._stages.storage, self._item)
        if self._item.costly and self._keep is not None:
            self._keep(Kept("input", given.model_dump_json()))
        return given

    def _parse(self, given: ParserInput) -> DocumentRecord:
        kept = self._previous.kept
        if kept is not None and kept.stage == "record" and self._is_same(given.provenance.digest):
            with suppress(ValidationError):
                return DocumentRecord.model_validate_json(kept.json)
        (record,) = self._stages.parser.parse([given])
        return record

    def _export(self, record: DocumentRecord) -> Outcome:
        findings = record.findings()
        if not record.valid:
            return self._without_output("failed", findings)
        try:
            outputs = self._stages.exporter.export(record, self._stages.storage)
            self._remove_all_but(outputs)
        except StorageError as error:
            return replace(
                self._with("failed", [*findings, error.diagnostic]),
                kept=Kept("record", record.model_dump_json()),
                target_failed=True,
            )
        title = record.normalized().metadata.title
        return replace(self._with("done", findings), outputs=outputs, title=_encodable(title))

    def _without_output(self, status: Status, findings: Sequence[Diagnostic]) -> Outcome:
        try:
            self._remove_all_but(())
        except StorageError as error:
            return replace(self._with("failed", [*findings, error.diagnostic]), target_failed=True)
        return replace(self._with(status, findings), outputs=())

    def _remove_all_but(self, outputs: tuple[ExportedFile, ...]) -> None:
        """Remove what an earlier run made of the document and this one did not make again."""
        current = {file.path for file in outputs}
        stale = [file.path for file in self._previous.outputs if file.path not in current]
        if stale:
            self._stages.storage.delete(stale)

    def _with(self, status: Status, findings: Sequence[Diagnostic]) -> Outcome:
        return replace(self._so_far, status=status, diagnostics=first_of_each(findings))


def first_of_each(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """One diagnostic for each code and severity, with the number of all in `details["count"]`: a book may have
    thousands, and a checkpoint millions of books."""
    first: dict[tuple[str, str], Diagnostic] = {}
    counts: dict[tuple[str, str], int] = {}
    for found in findings:
        kind = (found.code, found.severity)
        first.setdefault(kind, found)
        counts[kind] = counts.get(kind, 0) + found.details.get("count", 1)
    return tuple(
        found if counts[kind] == 1 else replace(found, details={**found.details, "count": counts[kind]})
        for kind, found in first.items()
    )


def _encodable(text: str | None) -> str | None:
    """`text` in a form that a database takes: half a surrogate pair has none."""
    return None if text is None else text.encode("utf-8", "replace").decode()
