"""How many function calls books of our own take: what a change costs, without a clock.

    python -m benchmarks.calls [--record | --json]

Counted are the functions of both packages that run, and the functions of C that they call: the same number on every
machine and in every run. Newer versions of Python make up to 3 % fewer than 3.11, which `calls.json` is recorded with.
What the number doesn't see is how long a call takes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from markitect_filter.testing.books import Book
from markitect_tool import normalize_source

from benchmarks.books import FIXTURES, novel

BOUNDS = Path(__file__).with_suffix(".json")
GROWN = "novel, 4 times the text"
_OURS = ("markitect_tool", "markitect_filter")


def count_calls(work: Callable[[], object]) -> int:
    """The calls that `work` makes the second time, when modules are imported and caches filled."""
    work()
    code_is_ours: dict[Any, bool] = {}
    calls = 0

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        if event not in ("call", "c_call"):
            return
        code = frame.f_code
        ours = code_is_ours.get(code)
        if ours is None:
            ours = code_is_ours[code] = frame.f_globals.get("__name__", "").partition(".")[0] in _OURS
        calls += ours

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def converting(book: Book) -> Callable[[], object]:
    """The conversion of a book, as something to be counted."""
    content = book.pack()

    def convert() -> object:
        result = normalize_source(content, uri="book.epub")
        assert result.valid, result.diagnostics
        return result

    return convert


def measure() -> dict[str, int]:
    """The calls that each book takes."""
    books = {name: make() for name, make in FIXTURES.items()} | {GROWN: novel(chapters=48)}
    return {name: count_calls(converting(book)) for name, book in books.items()}


def recorded() -> dict[str, int]:
    """The recorded calls of each book."""
    return dict(json.loads(BOUNDS.read_text(encoding="utf-8")))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="make these counts the recorded ones")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    asked = parser.parse_args()
    counts = measure()
    if asked.json:
        print(json.dumps(counts))
        return
    known = recorded()
    for name, calls in counts.items():
        change = f"{calls / known[name] - 1:+8.1%} of the recorded" if name in known else ""
        print(f"{name:<26}{calls:>10,} calls {change}")
    if asked.record:
        BOUNDS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
        print(f"recorded in {BOUNDS.name}")


if __name__ == "__main__":
    main()
