"""Fidelity and time per converter, by judges that share no code with any of them.

`peers.py` converts a book with each converter, `score.py` compares what came out with the book. Both lie beside the
corpus, or in `MARKITECT_JUDGES`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

FLOOR, OURS, NATIVE = "floor", "markitect", "kreuzberg"
CLOSE = (FLOOR, OURS, NATIVE)  # what the bounds are about: several rounds
OTHERS = ("markitdown", "pandoc")
COLLECTIONS = ("se", "idpf")


def corpus_folder(root: Path) -> Path:
    """Where the books lie."""
    return Path(os.environ.get("MARKITECT_CORPUS") or root.parent / "shared/corpus").resolve()


def judges_folder(corpus: Path) -> Path:
    """Where the judges lie."""
    return Path(os.environ.get("MARKITECT_JUDGES") or corpus.parent / "tools").resolve()


def judge(judges: Path, corpus: Path, work: Path, *, rounds: int, most: int | None) -> dict[str, Any]:
    """Convert every book with every converter and score what came out.

    `most` is how many books of each collection, from the smallest to the largest; None is all. Returns `books`,
    `fidelity` (metric -> converter -> 0 to 1), `seconds` (converter -> book -> the best of all runs), `rounds` (such
    seconds of each round alone), `failed` (converter -> book -> kind of error).
    """
    books = [book for name in COLLECTIONS for book in _books(corpus / name, most)]
    best: dict[str, dict[str, dict[str, Any]]] = {}
    failed: dict[str, dict[str, str]] = {}
    per_round: list[dict[str, dict[str, float]]] = []
    final = work / "final"
    final.mkdir(parents=True)
    for number in range(rounds):
        # The others are run once, in the first round: they are many times slower, so that their noise matters less.
        peers = CLOSE + OTHERS if number == 0 else CLOSE
        output = final if number == 0 else work / f"round-{number}"
        output.mkdir(exist_ok=True)
        _run(judges / "peers.py", str(output), ",".join(peers), *map(str, books))
        records = [json.loads(line) for line in (output / "times.jsonl").read_text(encoding="utf-8").splitlines()]
        per_round.append(_seconds(record for record in records if "error" not in record))
        for record in records:
            if "error" in record:
                # Only the kind of error: its text names folders of this machine.
                failed.setdefault(record["peer"], {})[record["book"]] = record["error"].partition("(")[0]
                continue
            known = best.setdefault(record["peer"], {}).setdefault(record["book"], record)
            if record["best_s"] < known["best_s"]:
                best[record["peer"]][record["book"]] = record
    table = _run(judges / "score.py", str(final), *(str(corpus / name) for name in COLLECTIONS))
    return {
        "books": [book.name for book in books],
        "fidelity": read_table(table),
        "seconds": _seconds(record for books in best.values() for record in books.values()),
        "rounds": [{peer: taken.get(peer, {}) for peer in CLOSE} for taken in per_round],
        "failed": failed,
    }


def read_table(text: str) -> dict[str, dict[str, float | None]]:
    """What `score.py` prints, as metric -> converter -> value. Lines about time are left to `seconds`."""
    lines = [line for line in text.splitlines() if line.strip()]
    start = next(number for number, line in enumerate(lines) if line.startswith("metric"))
    peers = lines[start].split()[1:]
    found: dict[str, dict[str, float | None]] = {}
    for line in lines[start + 1 :]:
        cells = line.split()
        name, values = " ".join(cells[: -len(peers)]), cells[-len(peers) :]
        if name.startswith(("seconds,", "x ")):
            break
        found[name] = {peer: None if value == "-" else float(value) for peer, value in zip(peers, values, strict=True)}
    return found


def _books(folder: Path, most: int | None) -> Sequence[Path]:
    books = sorted(folder.glob("*.epub"), key=lambda book: (book.stat().st_size, book.name))
    if most is None or most >= len(books):
        return books
    return [books[round(number * (len(books) - 1) / (most - 1))] for number in range(most)]


def _seconds(records: Iterable[dict[str, Any]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for record in records:
        found.setdefault(record["peer"], {})[record["book"]] = record["best_s"]
    return found


def _run(script: Path, *arguments: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return ended.stdout
