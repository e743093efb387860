"""Documents of an OpenContext manifest: every object of it, loaded by the rules of the context layer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markitect_tool.context import ContextError, ContextObject, OpenContext
from markitect_tool.diagnostics import Diagnostic
from markitect_tool.errors import SourceError, UnsupportedFormatError
from markitect_tool.pipeline.records import ParserInput
from markitect_tool.pipeline.sources.base import BaseSource
from markitect_tool.pipeline.sources.names import uri_of
from markitect_tool.pipeline.sources.reading import DEFAULT_MAX_BYTES, raw_document, refuse_problem, too_large
from markitect_tool.pipeline.sources.sorting import ordered
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage import Storage
from markitect_tool.pipeline.storage_local import LocalStorage


@dataclass
class ManifestSource(BaseSource):
    """The objects of the manifest `file`, which is relative to a storage on this machine.

    Keys are the objects' ids. What an object points at is loaded through the context adapters that the manifest
    switches on, and none of them reaches the network when `offline`. Objects that are wrong are items with a problem.
    A manifest that limits who may read is refused unless `no_scopes` says that everybody may.
    """

    file: str = "opencontext.yaml"
    offline: bool = False
    no_scopes: bool = False
    max_bytes: int = DEFAULT_MAX_BYTES
    kind: str = "manifest"
    _open: dict[str, OpenContext] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}}  # every process opens the manifest itself

    def items(self, storage: Storage) -> Iterator[SourceItem]:
        self._open.clear()  # to list is to look again
        project = self._project(storage)
        try:
            project.require_unrestricted(no_scopes=self.no_scopes)
        except ContextError as error:
            raise SourceError.of(error.diagnostic) from error
        errors = [found for found in project.diagnostics if found.severity == "error"]
        problems = {f"{project.manifest.file_name}#{number}": found for number, found in enumerate(errors, 1)}
        objects = {declared.id: declared for declared in project.objects}
        for key in ordered([*problems, *objects]):
            yield _item(objects[key]) if key in objects else _broken(key, problems[key])

    def load(self, storage: Storage, item: SourceItem) -> ParserInput:
        refuse_problem(item)
        try:
            fetched = self._project(storage).fetch(item.key)
        except ContextError as error:
            raise SourceError.of(error.diagnostic) from error
        content = fetched.content
        if len(content) > self.max_bytes:
            raise too_large(item, len(content), self.max_bytes)
        declared = fetched.declared
        about = {
            "id": declared.id,
            "type": declared.type,
            "title": declared.title,
            "path": declared.path,
            "trust": fetched.trust.value,
            "adapter": dict(fetched.metadata) or None,
        }
        return raw_document(
            item,
            content,
            kind=self.kind,
            name=_name(declared),
            media_type=fetched.content_type,
            config={"media_type": fetched.content_type} if fetched.content_type else {},
            metadata={name: value for name, value in about.items() if value is not None},
        )

    def _project(self, storage: Storage) -> OpenContext:
        if not isinstance(storage, LocalStorage):
            raise UnsupportedFormatError(
                f"A manifest lies on this machine, not at {storage.url}.",
                source=storage.url,
                hint="Copy the manifest and its folder here; what it points at may lie elsewhere.",
            )
        path = os.path.join(storage.root, self.file)
        if path not in self._open:
            try:
                self._open[path] = OpenContext.load(Path(path), offline=self.offline)
            except ContextError as error:
                raise SourceError.of(error.diagnostic) from error
        return self._open[path]


def _item(declared: ContextObject) -> SourceItem:
    uri = declared.content_uri
    hints = {"media_type": declared.content_type} if declared.content_type else {}
    if uri is None:
        return SourceItem(declared.id, uri_of(declared.path), config=hints)
    return SourceItem(declared.id, uri, config=hints, costly=not uri.lower().startswith("file:"))


def _broken(key: str, found: Diagnostic) -> SourceItem:
    return SourceItem(key, key, problem=found)


def _name(declared: ContextObject) -> str:
    """A file name for people: that of what the object points at, or of its own file."""
    place = declared.content_uri or declared.path
    return place.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2] or declared.id
