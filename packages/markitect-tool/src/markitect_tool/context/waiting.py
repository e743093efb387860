"""Waiting for what cannot be told to stop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")
Item = TypeVar("Item")


def attempt(work: Callable[[], T], seconds: float) -> tuple[T | None, BaseException | None]:
    """What `work` returned, or what it raised, whatever that is; it runs in a thread of its own.

    Raises `TimeoutError` after `seconds`. The thread then goes on, unheard, and does not keep the process alive.
    """
    answers: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((work(), None))
        except BaseException as error:  # noqa: BLE001 - it is handed over, not handled
            answers.put((None, error))

    Thread(target=run, name="context-attempt", daemon=True).start()
    try:
        return answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None


def for_each(work: Callable[[Item], T], items: Iterable[Item], limit: int) -> list[T]:
    """What `work` returns for each item, in their order, at most `limit` at a time in threads.

    Raises what it raises first. An interruption ends the wait at once, which a pool of threads would go on with.
    """
    todo = deque(enumerate(items))
    count = len(todo)
    done: SimpleQueue[tuple[int, T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        while True:
            try:
                index, item = todo.popleft()
            except IndexError:
                return
            try:
                done.put((index, work(item), None))
            except BaseException as error:  # noqa: BLE001 - it is handed over, not handled
                done.put((index, None, error))

    for _ in range(min(max(limit, 1), count)):
        Thread(target=run, name="context-each", daemon=True).start()
    results: list[Any] = [None] * count
    try:
        for _ in range(count):
            index, results[index], error = done.get()
            if error is not None:
                raise error
    finally:
        todo.clear()
    return results
