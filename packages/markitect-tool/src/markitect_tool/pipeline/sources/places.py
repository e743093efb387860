"""What a person names on a command line, as a source: folders, files, patterns, lists, manifests, in any storage."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import basename
from urllib.parse import quote

from markitect_tool.context.manifest import MANIFEST_NAMES
from markitect_tool.context.registry import scheme_of
from markitect_tool.errors import UnsupportedFormatError
from markitect_tool.pipeline.records import ParserInput
from markitect_tool.pipeline.sources.base import BaseSource
from markitect_tool.pipeline.sources.entries import WEB
from markitect_tool.pipeline.sources.folder import MAGIC, FolderSource, GlobSource
from markitect_tool.pipeline.sources.listing import FilesSource, ListSource
from markitect_tool.pipeline.sources.manifest import ManifestSource
from markitect_tool.pipeline.sources.names import key_of
from markitect_tool.pipeline.sources.reading import DEFAULT_MAX_BYTES, unreachable
from markitect_tool.pipeline.stages import Source, SourceItem
from markitect_tool.pipeline.storage import Storage, open_url
from markitect_tool.pipeline.storage_errors import StorageError
from markitect_tool.pipeline.storage_local import LocalStorage

LIST_MARK = "@"


@dataclass(frozen=True)
class PlacedSource(BaseSource):
    """A source with the storage that it reads; the storage that callers give is not looked at."""

    storage: Storage
    source: Source
    label: str = ""  # what stands before the keys, where there are several sources

    @property
    def kind(self) -> str:
        return self.source.kind

    def items(self, storage: Storage | None = None) -> Iterator[SourceItem]:
        return self.source.items(self.storage)

    def load(self, storage: Storage | None, item: SourceItem) -> ParserInput:
        return self.source.load(self.storage, item)


@dataclass(frozen=True)
class CombinedSource(BaseSource):
    """Several sources as one; the label of each stands before its keys, so that they stay unique."""

    parts: tuple[PlacedSource, ...]  # by label
    kind: str = "several"

    def items(self, storage: Storage | None = None) -> Iterator[SourceItem]:
        for part in self.parts:
            for item in part.items():
                yield replace(item, key=f"{part.label}/{item.key}", uri=_under(part.label, item.uri))

    def load(self, storage: Storage | None, item: SourceItem) -> ParserInput:
        label, _, key = item.key.partition("/")
        part = next(part for part in self.parts if part.label == label)
        given = part.load(storage, replace(item, key=key))
        return given.model_copy(update={"provenance": given.provenance.model_copy(update={"key": item.key})})


def source_of(
    places: Sequence[str],
    *,
    max_bytes: int = DEFAULT_MAX_BYTES,
    hidden: bool = False,
    follow_links: bool = False,
    offline: bool = False,
    no_scopes: bool = False,
) -> Source:
    """The source of everything that `places` name; it brings its own storages.

    A place is a folder, a pattern (`books/**/*.epub`), a file, `@` and the name of a list file, or a manifest
    (`opencontext.yaml`), each as a path or as a URL of fsspec. With one place, keys are relative to it; with several,
    the name of each comes first. All single files together are one place. What is not there is found out by listing.

    Raises a `SourceError` for a place that no storage can be opened for.
    """
    parts: list[tuple[str, PlacedSource]] = []  # with the name of the place
    files = []
    for place in dict.fromkeys(places):
        found = _placed(place, max_bytes, hidden, follow_links, offline, no_scopes)
        if found is None:
            files.append(place)
        else:
            parts.append((key_of(basename(place.removeprefix(LIST_MARK).rstrip("/")) or "root"), found))
    if files:
        parts.append(("files", PlacedSource(_storage(os.curdir), FilesSource(tuple(files), max_bytes))))
    if not parts:
        raise UnsupportedFormatError("No source was named.", hint="Name a folder, a pattern, a file or a list.")
    if len(parts) == 1:
        return parts[0][1]
    return CombinedSource(tuple(_labelled(parts)))


def missing_places(places: Sequence[str]) -> list[str]:
    """Those of `places` that are no patterns and name nothing on this machine."""
    paths = [place.removeprefix(LIST_MARK) for place in places]
    return [
        path
        for path in paths
        if not (scheme_of(path) or os.path.lexists(path) or MAGIC.search(path) or basename(path) in MANIFEST_NAMES)
    ]


def _placed(
    place: str, max_bytes: int, hidden: bool, follow_links: bool, offline: bool, no_scopes: bool
) -> PlacedSource | None:
    """The source of one place; None for a single file, and for what is not there."""
    if place.startswith(LIST_MARK):
        folder, name = _split(place.removeprefix(LIST_MARK))
        return PlacedSource(_storage(folder), ListSource(name, max_bytes))
    if place.lower().startswith(WEB):
        return None  # nothing can be listed there
    folder, name = _split(place)
    if name in MANIFEST_NAMES:
        return PlacedSource(_storage(folder), ManifestSource(name, offline, no_scopes, max_bytes))
    storage = _storage(place)
    if isinstance(storage, LocalStorage):
        if os.path.isdir(storage.root):
            return PlacedSource(storage, FolderSource("", hidden, follow_links, max_bytes))
        if os.path.lexists(storage.root):
            return None
    elif _is_file(folder, name):
        return None
    magic = MAGIC.search(place)
    if magic:
        base, slash, _ = place[: magic.start()].rpartition("/")
        pattern = place[len(base) + len(slash) :]
        return PlacedSource(_storage(base or slash or os.curdir), GlobSource(pattern, follow_links, max_bytes))
    if isinstance(storage, LocalStorage):
        return None
    return PlacedSource(storage, FolderSource("", hidden, follow_links, max_bytes))


def _is_file(folder: str, name: str) -> bool:
    if not name or not scheme_of(folder):
        return False
    try:
        return open_url(folder).exists(name)
    except StorageError as error:
        raise unreachable(error) from error


def _storage(url: str) -> Storage:
    try:
        return open_url(url)
    except StorageError as error:
        raise unreachable(error) from error


def _split(place: str) -> tuple[str, str]:
    """The folder of a place and its name in it."""
    folder, slash, name = place.rpartition("/")
    return folder or slash or os.curdir, name


def _labelled(parts: list[tuple[str, PlacedSource]]) -> Iterator[PlacedSource]:
    """The parts by label: the name of the place, with a number where another one has it already."""
    taken: dict[str, PlacedSource] = {}
    for name, part in parts:
        label, number = name, 2
        while label in taken:
            label, number = f"{name}-{number}", number + 1
        taken[label] = replace(part, label=label)
    yield from (taken[label] for label in sorted(taken, key=lambda label: f"{label}/"))


def _under(label: str, uri: str) -> str:
    """`uri` below `label`, if it is relative: two folders may hold files of one name."""
    return uri if scheme_of(uri) else f"{quote(label, safe='/~%:')}/{uri}"
