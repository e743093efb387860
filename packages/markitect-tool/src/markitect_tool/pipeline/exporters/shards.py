"""Which keys go to which shard, and their fragments in order, in bounded memory."""

from __future__ import annotations

import json
import os
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from markitect_tool.pipeline.exporters.naming import key_hash
from markitect_tool.pipeline.storage import Storage
from markitect_tool.pipeline.storage_errors import storage_error

READ_AHEAD = 16  # fragments: hides the latency of an object store
_KEYS_IN_MEMORY = 100_000


@contextmanager
def shards_of(keys: Iterable[str], shards: int) -> Iterator[Sequence[Iterable[str]]]:
    """`keys`, which must ascend, spread over `shards` iterables by their hash; each ascends, and is read once.

    More than a few are kept in temporary files. Raises `ValueError` when a key is not greater than the one before, and
    `StorageError` when there is no room for those files.
    """
    if shards == 1:
        yield [_ascending(keys)]
        return
    with tempfile.TemporaryDirectory(prefix="mkt-") as folder:
        paths = [os.path.join(folder, str(number)) for number in range(shards)]
        waiting: list[list[str]] = [[] for _ in paths]
        held = 0
        for key in _ascending(keys):
            waiting[int(key_hash(key), 16) % shards].append(json.dumps(key))
            held += 1
            if held == _KEYS_IN_MEMORY:
                _append(paths, waiting)
                held = 0
        _append(paths, waiting)
        yield [_lines(path) for path in paths]


def read_ahead(storage: Storage, names: Iterable[str]) -> Iterator[bytes]:
    """The contents of the files, in the order of `names`; some are being read while one is used."""
    waiting: deque[Future[bytes]] = deque()
    with ThreadPoolExecutor(READ_AHEAD, thread_name_prefix="mkt-fragments") as pool:
        try:
            for name in names:
                waiting.append(pool.submit(storage.read, name))
                if len(waiting) == READ_AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _ascending(keys: Iterable[str]) -> Iterator[str]:
    last: str | None = None
    for key in keys:
        if last is not None and key <= last:
            raise ValueError(f"keys must ascend, but {key!r} comes after {last!r}")
        yield key
        last = key


def _append(paths: Sequence[str], waiting: Sequence[list[str]]) -> None:
    for path, keys in zip(paths, waiting, strict=True):
        try:
            with open(path, "a", encoding="ascii") as stream:
                stream.writelines(f"{key}\n" for key in keys)
        except OSError as error:
            raise storage_error(error, "write", path) from error
        keys.clear()


def _lines(path: str) -> Iterator[str]:
    with open(path, encoding="ascii") as stream:
        yield from map(json.loads, stream)
