"""Waiting for what cannot be told to stop."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


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
