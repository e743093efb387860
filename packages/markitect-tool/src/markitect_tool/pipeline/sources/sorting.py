"""Putting any number of values into order with bounded memory."""

from __future__ import annotations

import heapq
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import IO, Any, Protocol, TypeVar

from markitect_tool.pipeline.storage_errors import storage_error

RUN = 100_000  # values in memory at once


class Comparable(Protocol):
    """What can be sorted."""

    def __lt__(self, other: Any, /) -> bool: ...


T = TypeVar("T", bound=Comparable)


def ordered(values: Iterable[T], run: int = RUN) -> Iterator[T]:
    """`values`, which compare and can be pickled, in ascending order.

    More than `run` of them are sorted in pieces that wait in temporary files. Raises `StorageError` when there is no
    room for those.
    """
    remaining = iter(values)
    first = sorted(islice(remaining, run))
    with ExitStack() as files:
        runs: list[Iterator[T]] = []
        while piece := sorted(islice(remaining, run)):
            try:
                file = files.enter_context(tempfile.TemporaryFile(prefix="mkt-"))
                for value in piece:
                    pickle.dump(value, file)
                file.seek(0)
            except OSError as error:
                raise storage_error(error, "write", tempfile.gettempdir()) from error
            runs.append(_stored(file, len(piece)))
        yield from heapq.merge(first, *runs) if runs else first


def _stored(file: IO[bytes], count: int) -> Iterator[T]:
    for _ in range(count):
        yield pickle.load(file)
