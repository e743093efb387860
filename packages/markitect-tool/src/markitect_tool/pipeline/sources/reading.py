"""From a file, wherever it lies, to a `ParserInput`: the bytes as they are, stamped with what is known about them."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markitect_tool.canonical import digest_bytes
from markitect_tool.errors import (
    LimitExceededError,
    MalformedSourceError,
    MissingSourceError,
    NotAFileError,
    SourceError,
    UnreadableSourceError,
)
from markitect_tool.pipeline import signatures
from markitect_tool.pipeline.languages import guess_language
from markitect_tool.pipeline.records import Classification, ParserInput, Provenance, in_short
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage import Storage
from markitect_tool.pipeline.storage_errors import NotStoredError, StorageError
from markitect_tool.pipeline.storage_local import LocalStorage

DEFAULT_MAX_BYTES = 512 * 1024 * 1024

# Opening a pipe must not wait for a writer: what was a file when it was listed may be one by now.
_OPENING = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Content:
    """What was read, when it was changed last (nanoseconds since 1970), and what it was declared as."""

    data: bytes
    modified_ns: int | None = None
    media_type: str | None = None


def read(storage: Storage, name: str, item: SourceItem, most: int) -> Content:
    """The bytes of the file `name` in `storage`.

    Raises `LimitExceededError` (`pipeline.too_large`) instead of holding more than `most` bytes, and another
    `SourceError` for what is not there any more, not readable, or no file.
    """
    if isinstance(storage, LocalStorage):
        return read_local(os.path.join(storage.root, *name.split("/")), item, most)
    try:
        content = Content(storage.read(name, most + 1), item.modified_ns)
    except StorageError as error:
        raise unreachable(error) from error
    return _bounded(content, item, most)


def read_local(path: str, item: SourceItem, most: int) -> Content:
    """The bytes of a file of this machine, as `read` has them."""
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, _OPENING)) as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise no_file(item)
            return _bounded(Content(stream.read(most + 1), status.st_mtime_ns), item, most)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingSourceError(
            f"{item.key} is not there.", source=item.uri, hint="Check the path; it may have gone since it was listed."
        ) from error
    except ValueError as error:  # a NUL character
        raise MissingSourceError(f"{item.key!r} is not a path.", source=item.uri) from error
    except OSError as error:
        if os.path.isdir(path):
            raise no_file(item) from error
        reason = error.strerror or type(error).__name__
        raise UnreadableSourceError(f"{item.key} cannot be read: {reason}.", source=item.uri) from error


def unreachable(error: StorageError) -> SourceError:
    """What a source raises for `error` of a storage; its code stays."""
    return (MissingSourceError if isinstance(error, NotStoredError) else UnreadableSourceError).of(error.diagnostic)


def too_large(item: SourceItem, size: int | None, most: int) -> LimitExceededError:
    """The error for a document of more than `most` bytes; `size` is None where they were not counted."""
    counted = f"has {size:,} bytes" if size is not None else "is larger than that"
    return LimitExceededError(
        f"{item.key} {counted}; the limit is {most:,}.",
        code="pipeline.too_large",
        source=item.uri,
        size=size,
        limit=most,
    )


def raw_document(
    item: SourceItem,
    content: bytes | str,
    *,
    kind: str,
    name: str | None = None,
    media_type: str | None = None,
    modified_ns: int | None = None,
    config: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> ParserInput:
    """The record of a document of which `content` was read; a declared `media_type` comes before the naive one.

    `kind` is that of the source. A language is guessed for texts alone: only a parser can find the text in others.
    Raises `MalformedSourceError` (`pipeline.record_invalid`) for what no record can hold.
    """
    name = name or item.name
    hints = {**item.config, **(config or {})}
    declared = media_type or hints.get("media_type")
    try:
        data = content if isinstance(content, bytes) else content.encode()
        textual = isinstance(content, str) or signatures.is_textual(data)
        return ParserInput(
            content=content,
            config=hints,
            provenance=Provenance(
                uri=item.uri,
                key=item.key,
                digest=digest_bytes(data),
                size=len(data),
                source=kind,
                name=name,
                modified_ns=modified_ns,
                metadata=dict(metadata or {}),
            ),
            classification=Classification(
                media_type=declared if isinstance(declared, str) and declared else signatures.media_type(name, data),
                language=guess_language(content) if textual else None,
                textual=textual,
            ),
        )
    except ValueError as error:  # lone surrogates in text or hints, a time before the flood
        raise MalformedSourceError(
            f"{item.key} cannot travel as a record: {in_short(error)}.", code="pipeline.record_invalid", source=item.uri
        ) from error


def no_file(item: SourceItem) -> NotAFileError:
    """The error for a document that turns out to be something else than a file."""
    return NotAFileError(
        f"{item.key} is a folder, pipe, socket or device.", code="pipeline.not_a_file", source=item.uri
    )


def refuse_problem(item: SourceItem) -> None:
    """Raises the `SourceError` of an item that listing has a problem with."""
    if item.problem is not None:
        raise SourceError.of(item.problem)


def _bounded(content: Content, item: SourceItem, most: int) -> Content:
    if len(content.data) > most:
        raise too_large(item, None, most)
    return content
