"""Formats of one file for many documents: durable fragments first, then files that merge them in the order of keys.

A fragment holds the rows of one document (`rows.rows_of`) as lines of JSON, under a name that follows from its key. It
stays when the files are written, so that a later run merges it again without parsing the document. Which of the
`shards` files a document goes to follows from its key as well. Therefore every byte of the result follows from the
documents, whatever the order in which they were done, by whom, and how often that was interrupted.

Memory is bounded: a few shards are merged at once, each with some fragments read ahead, and with what its format
gathers before it writes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import IO, ClassVar, Protocol, cast

from markitect_tool.pipeline.exporters.base import Carriers, Level, written
from markitect_tool.pipeline.exporters.naming import key_hash
from markitect_tool.pipeline.exporters.rows import lines_of, rows_of
from markitect_tool.pipeline.exporters.shards import read_ahead, shards_of
from markitect_tool.pipeline.records import DocumentRecord
from markitect_tool.pipeline.stages import ExportedFile, expect
from markitect_tool.pipeline.storage import Storage
from markitect_tool.pipeline.storage_errors import NotStoredError

FRAGMENTS = ".mkt-fragments"  # no document's name begins with a dot
_AT_ONCE = min(8, os.cpu_count() or 1)  # shards


class Merge(Protocol):
    """Writes one file from fragments."""

    def add(self, fragment: bytes) -> None:
        """Append the lines of one document."""
        ...

    def close(self) -> None:
        """Write what is still held. Also called when a fragment cannot be had, for a file that is thrown away."""
        ...


class MergingExporter(Carriers):
    """Base of the merging formats. Subclasses are dataclasses with `level` and `shards`."""

    __slots__ = ()

    format: ClassVar[str]
    suffix: ClassVar[str]
    level: Level
    shards: int

    def lines(self, record: DocumentRecord) -> bytes:
        """The fragment of one document."""
        return lines_of(rows_of(record, self.level))

    def merge(self, stream: IO[bytes]) -> Merge:
        """What writes the format into `stream`."""
        raise NotImplementedError

    def fingerprint(self) -> str:
        return f"{self.format}/{self.level}/1"  # not the shards: fragments are the same for any number of them

    def export(self, record: DocumentRecord, storage: Storage) -> tuple[ExportedFile, ...]:
        record = expect(self, DocumentRecord, record)
        return written(storage, {self.fragment_name(record.provenance.key): self.lines(record)})

    def finalize(self, storage: Storage, keys: Iterable[str]) -> tuple[ExportedFile, ...]:
        """Write every shard anew, then remove shards of another number. `keys` ascend.

        A run that is stopped in here leaves whole files, some of them old; the next one writes all of them.
        """
        names = map(self.shard_name, range(self.shards))
        with shards_of(keys, self.shards) as shards, ThreadPoolExecutor(_AT_ONCE, "mkt-shards") as pool:
            try:
                # Threads suffice: to read, parse, compress and hash is not the work of Python. A single shard reads its
                # keys from whoever has them, perhaps a database that only this thread may ask.
                run = map if self.shards == 1 else pool.map
                merged = list(run(partial(self._merge, storage), names, shards))
            finally:
                pool.shutdown(cancel_futures=True)
        current = {file.path for file in merged}
        ours = re.compile(rf"{self.level}s(?:-\d{{5}}-of-\d{{5}})?{re.escape(self.suffix)}")
        there = [file.name for file in storage.list(recursive=False) if ours.fullmatch(file.name)]
        storage.delete([name for name in there if name not in current])
        return tuple(merged)

    def fragment_name(self, key: str) -> str:
        """Where the lines of the document `key` are kept."""
        name = key_hash(key)
        return f"{FRAGMENTS}/{self.format}-{self.level}s/{name[:2]}/{name[2:4]}/{name[4:]}.jsonl"

    def shard_name(self, number: int) -> str:
        """`documents.jsonl`, or `documents-00002-of-00016.jsonl`."""
        part = f"-{number:05d}-of-{self.shards:05d}" if self.shards > 1 else ""
        return f"{self.level}s{part}{self.suffix}"

    def _merge(self, storage: Storage, name: str, keys: Iterable[str]) -> ExportedFile:
        with storage.writing(name) as stream:
            counted = _Counted(stream)
            with closing(self.merge(cast(IO[bytes], counted))) as merge:
                try:
                    for fragment in read_ahead(storage, map(self.fragment_name, keys)):
                        merge.add(fragment)
                except NotStoredError as error:
                    raise NotStoredError(
                        f"A converted document is gone from the target: {error.diagnostic.source}.",
                        source=error.diagnostic.source,
                        hint="Give the command of the run with --resume: it converts that document again.",
                    ) from error
        return ExportedFile(name, f"sha256:{counted.state.hexdigest()}", counted.size)


class _Counted:
    """A stream that knows the digest of what was written to it. As much of a file as pyarrow asks for."""

    closed = False

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.state = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self.state.update(data)
        self.size += len(data)
        return self._stream.write(data)

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        self._stream.flush()
