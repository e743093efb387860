"""All objects of a manifest: its documents, and what its collections match."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markitect_tool.context.errors import ContextError
from markitect_tool.context.glob import SUFFIXES
from markitect_tool.context.guard import read_inside, resolve_inside
from markitect_tool.context.manifest import MANIFEST_NAMES, Collection, Manifest
from markitect_tool.context.objects import ContextObject, derive_id, pointer, read_object
from markitect_tool.context.reading import MAX_BYTES
from markitect_tool.context.registry import scheme_of
from markitect_tool.diagnostics import Diagnostic, DiagnosticSink


def collect_objects(manifest: Manifest) -> tuple[dict[str, ContextObject], tuple[Diagnostic, ...]]:
    """The manifest's objects by id, sorted, and everything that is wrong with them.

    A file makes one object, for the first that names it: the documents, then the collections in their order. Of two
    objects with one id the first is kept, and the other reported.
    """
    run = _Collecting(manifest)
    for key, place in manifest.documents.items():
        run.document(key, place)
    for collection in manifest.collections:
        run.collection(collection)
    return dict(sorted(run.objects.items())), tuple(run.found)


class _Collecting:
    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._taken: dict[Path, str] = {}  # file -> what named it first
        self.objects: dict[str, ContextObject] = {}
        self.found = DiagnosticSink()

    def document(self, key: str, place: str) -> None:
        if scheme_of(place) is not None:
            self._keep(pointer(key, place, self._manifest.file_name, self._manifest.defaults, self.found))
            return
        path = place.removeprefix("./")
        self._file(path, f"context.{key}", key, self._manifest.defaults)

    def collection(self, collection: Collection) -> None:
        where = f"collections.{collection.key}"
        base = f"{collection.glob.base}/" if collection.glob.base else ""
        defaults = {**self._manifest.defaults, **collection.fields}
        matched = False

        def report(error: ContextError) -> None:
            self._attach(error, where)

        try:
            for path in collection.glob.files(self._manifest.folder, report):
                if path in MANIFEST_NAMES:
                    continue
                matched = True
                self._file(path, where, derive_id(collection.key, path.removeprefix(base)), defaults)
        except ValueError as error:
            self._report("context.manifest_invalid", f"`{where}`: the glob {collection.pattern!r}: {error}.")
        if not matched:
            self._report("context.collection_empty", f"`{where}` matches no file: {collection.pattern}")

    def _file(self, path: str, where: str, id: str | None, defaults: Mapping[str, Any]) -> None:
        try:
            file = resolve_inside(self._manifest.folder, path)
            first = self._taken.setdefault(file, where)
            if first != where:
                self.found.report(
                    "context.file_repeated",
                    f"`{where}` names a file that `{first}` has.",
                    source=path,
                    once=(where, first),
                )
            elif file.suffix.lower() not in SUFFIXES:
                uri = "file://./" + quote(os.fsencode(path))
                self._keep(pointer(id or "", uri, path, defaults, self.found))
            else:
                self._keep(
                    read_object(read_inside(self._manifest.folder, path, MAX_BYTES), path, id, defaults, self.found)
                )
        except ContextError as error:
            self.found.add(replace(error.diagnostic, source=path, path=None, details={"id": id} if id else {}))

    def _keep(self, made: ContextObject | None) -> None:
        if made is None:
            return
        first = self.objects.setdefault(made.id, made)
        if first is not made:
            self.found.report(
                "context.duplicate_id",
                f"{made.path} has the id {made.id}, and so has {first.path}.",
                source=made.path,
                id=made.id,
                files=[first.path, made.path],
            )

    def _report(self, code: str, message: str) -> None:
        self.found.report(code, message, source=self._manifest.file_name)

    def _attach(self, error: ContextError, where: str) -> None:
        found = error.diagnostic
        self.found.report(
            found.code, f"{where}: {found.message}", source=self._manifest.file_name, line=found.line, hint=found.hint
        )
