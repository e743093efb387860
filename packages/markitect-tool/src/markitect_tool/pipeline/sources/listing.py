"""Documents that somebody listed: in a file, or on a command line."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from posixpath import basename, dirname
from typing import IO

from markitect_tool.diagnostics import diagnostic
from markitect_tool.errors import MalformedSourceError, MissingSourceError, UnreadableSourceError
from markitect_tool.pipeline.records import ParserInput
from markitect_tool.pipeline.sources.base import BaseSource
from markitect_tool.pipeline.sources.entries import Entry, item_of, load_entry, measured, parse_entry
from markitect_tool.pipeline.sources.names import key_of
from markitect_tool.pipeline.sources.reading import DEFAULT_MAX_BYTES, raw_document, refuse_problem, unreachable
from markitect_tool.pipeline.sources.sorting import ordered
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage import Storage
from markitect_tool.pipeline.storage_errors import StorageError
from markitect_tool.pipeline.storage_local import LocalStorage

# Of the schemes of fsspec those whose machines the operator has chosen, by credentials or settings, and not the URL.
_STORES = frozenset({"file", "http", "https", "memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oci", "oss"})
MAX_LINE = 64 * 1024  # bytes
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class FilesSource(BaseSource):
    """Files by paths (relative ones begin at the storage) or URIs; one that is named twice counts once."""

    files: tuple[str, ...]
    max_bytes: int = DEFAULT_MAX_BYTES
    kind: str = "files"

    def items(self, storage: Storage) -> Iterator[SourceItem]:
        lines = ((number, os.fsencode(file)) for number, file in enumerate(self.files, 1))
        return _items(_entries(lines, "files"), storage, "")

    def load(self, storage: Storage, item: SourceItem) -> ParserInput:
        return _load(storage, "", item, self.max_bytes, self.kind)


@dataclass(frozen=True)
class ListSource(BaseSource):
    """The documents of a list file: a path or a URI a line, relative paths beginning at the list's own folder.

    Empty lines and lines that begin with `#` are passed by. A line that begins with `{` is a JSON object: `uri`, and
    `config` with hints for the parser. A document that is named twice counts once.
    """

    file: str
    max_bytes: int = DEFAULT_MAX_BYTES
    kind: str = "list"

    def items(self, storage: Storage) -> Iterator[SourceItem]:
        entries = map(_stranger, _entries(self._lines(storage), key_of(basename(self.file))))
        return _items(entries, storage, dirname(self.file))

    def load(self, storage: Storage, item: SourceItem) -> ParserInput:
        return _load(storage, dirname(self.file), item, self.max_bytes, self.kind)

    def _lines(self, storage: Storage) -> Iterator[tuple[int, bytes]]:
        """The lines that say something, by their numbers."""
        with _opened(storage, self.file) as stream:
            number = 0
            while line := _line(stream, self.file):
                number += 1
                if number == 1:
                    if line.startswith(_UTF16_MARKS):
                        raise MalformedSourceError(
                            f"The list {self.file} is in UTF-16.", source=self.file, hint="Save it as UTF-8."
                        )
                    line = line.removeprefix(_UTF8_MARK)
                text = line.rstrip(b"\r\n")
                if text.strip() and not text.lstrip().startswith(b"#"):
                    yield number, text
                while len(line) > MAX_LINE and not line.endswith(b"\n"):  # the rest of what is too long
                    line = _line(stream, self.file)


def _opened(storage: Storage, name: str) -> IO[bytes]:
    """The list to read line by line; one that lies elsewhere is fetched whole."""
    try:
        if not isinstance(storage, LocalStorage):
            return io.BytesIO(storage.read(name))
        return open(os.path.join(storage.root, name), "rb")
    except StorageError as error:
        raise unreachable(error) from error
    except FileNotFoundError as error:
        raise MissingSourceError(f"There is no list {name}.", source=name) from error
    except OSError as error:
        raise _unreadable(name, error) from error


def _line(stream: IO[bytes], name: str) -> bytes:
    try:
        return stream.readline(MAX_LINE + 1)
    except OSError as error:
        raise _unreadable(name, error) from error


def _unreadable(name: str, error: OSError) -> UnreadableSourceError:
    return UnreadableSourceError(f"The list {name} cannot be read: {error.strerror or error}.", source=name)


def _items(entries: Iterable[Entry], storage: Storage, folder: str) -> Iterator[SourceItem]:
    """The items by key, each once; a line that names nothing is one with a problem."""
    last = None
    for entry in ordered(entries):
        if entry.key == last:
            continue
        last = entry.key
        yield _unusable(entry) if entry.problem else measured(item_of(entry), storage, folder)


def _entries(lines: Iterable[tuple[int, bytes]], named_in: str) -> Iterator[Entry]:
    for number, line in lines:
        key = f"{named_in}#{number}"
        if len(line) > MAX_LINE:
            yield Entry(key, key, problem=f"it is longer than {MAX_LINE:,} bytes")
            continue
        try:
            yield parse_entry(os.fsdecode(line))
        except ValueError as error:
            yield Entry(key, key, problem=str(error))


def _stranger(entry: Entry) -> Entry:
    """An entry of a list that somebody else may have written: it must not choose the machines that this one talks to.
    Web addresses have a guard of their own."""
    scheme, is_url, _ = entry.key.lower().partition("://")
    if entry.problem or not is_url or scheme in _STORES:
        return entry
    return entry._replace(problem=f"a list cannot make this machine talk {scheme}: name the place on the command line")


def _unusable(entry: Entry) -> SourceItem:
    message = f"{entry.key} names no document: {entry.problem}."
    return SourceItem(entry.key, entry.uri, problem=diagnostic("pipeline.list_malformed", message, source=entry.key))


def _load(storage: Storage, folder: str, item: SourceItem, most: int, kind: str) -> ParserInput:
    refuse_problem(item)
    content, name = load_entry(storage, folder, item, most)
    declared = {"media_type": content.media_type} if content.media_type and "media_type" not in item.config else {}
    return raw_document(item, content.data, kind=kind, name=name, modified_ns=content.modified_ns, config=declared)
