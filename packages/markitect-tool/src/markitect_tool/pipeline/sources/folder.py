"""Documents of a folder, or those that a pattern means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markitect_tool.errors import MissingSourceError
from markitect_tool.pipeline.records import ParserInput
from markitect_tool.pipeline.sources.base import BaseSource
from markitect_tool.pipeline.sources.names import path_of
from markitect_tool.pipeline.sources.reading import DEFAULT_MAX_BYTES, raw_document, read, refuse_problem
from markitect_tool.pipeline.sources.walking import Walk
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage import Storage

MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class FolderSource(BaseSource):
    """Every file below `folder`, which is relative to the storage; empty for all of it.

    Keys are paths relative to the folder. `sources.walking` says what is left out, and what is told of.
    """

    folder: str = ""
    hidden: bool = False
    follow_links: bool = False
    max_bytes: int = DEFAULT_MAX_BYTES
    kind: str = "folder"

    def items(self, storage: Storage) -> Iterator[SourceItem]:
        return Walk(self.hidden, self.follow_links).items(storage, self.folder)

    def load(self, storage: Storage, item: SourceItem) -> ParserInput:
        return _load(self, storage, self.folder, item)


@dataclass(frozen=True)
class GlobSource(BaseSource):
    """The files that `pattern` means, which is relative to the storage: `*`, `?`, `[ab]`, and `**` for any folders.

    Keys are paths relative to the folder before the first wildcard. Hidden files match where the pattern names them
    by a dot. Problems with folders on the way are told of like the files.
    """

    pattern: str
    follow_links: bool = False
    max_bytes: int = DEFAULT_MAX_BYTES
    kind: str = "glob"

    @property
    def base(self) -> str:
        """The folder before the first wildcard."""
        return self._split()[0]

    def items(self, storage: Storage) -> Iterator[SourceItem]:
        from fsspec.utils import glob_translate

        base, rest = self._split()
        wanted = re.compile(glob_translate(rest))
        parts = rest.split("/")
        hidden = any(part.startswith(".") for part in parts)
        deepest = None if "**" in rest else len(parts) - 1
        found = False
        for item in Walk(hidden, self.follow_links, deepest).items(storage, base):
            if wanted.match(path_of(item.key)) or item.key.endswith("/"):
                found = True
                yield item
        if not found:
            raise MissingSourceError(
                f"No file matches {self.pattern}.", source=storage.url, hint="`**/` stands for any folders."
            )

    def load(self, storage: Storage, item: SourceItem) -> ParserInput:
        return _load(self, storage, self.base, item)

    def _split(self) -> tuple[str, str]:
        parts = [part for part in self.pattern.split("/") if part not in ("", ".")]
        fixed = next((index for index, part in enumerate(parts) if MAGIC.search(part)), len(parts) - 1)
        return "/".join(parts[:fixed]), "/".join(parts[fixed:])


def _load(source: FolderSource | GlobSource, storage: Storage, folder: str, item: SourceItem) -> ParserInput:
    refuse_problem(item)
    path = path_of(item.key)
    content = read(storage, f"{folder}/{path}" if folder else path, item, source.max_bytes)
    return raw_document(item, content.data, kind=source.kind, modified_ns=content.modified_ns)
