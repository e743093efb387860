"""What a person waits for who types the command: from the start of the process to its end, and its peak memory."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from benchmarks.books import MEGABYTE, Sized
from benchmarks.measure.processes import in_turns, summary

NOVELS = ("mary-shelley_frankenstein.epub", "jane-austen_pride-and-prejudice.epub")
_KREUZBERG = """
import sys
import kreuzberg
wanted = kreuzberg.ExtractionConfig(output_format="markdown", use_cache=False)
text = kreuzberg.extract_file_sync(sys.argv[1], config=wanted).content
open(sys.argv[2], "w", encoding="utf-8").write(text)
"""
IMPORTS = "import click, lxml.etree"


def script(name: str) -> str:
    """The path of a command that is installed beside this interpreter."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        raise FileNotFoundError(f"{name} is not installed beside {sys.executable}")
    return found


def normalizing(corpus: Path, work: Path, *, rounds: int, novels: int) -> dict[str, Any]:
    """Book -> converter -> `summary` of turning the book into a file of Markdown, relative to ours."""
    import pypandoc

    found = {}
    for name in NOVELS[:novels]:
        book, output = str(corpus / "se" / name), str(work / "normalized.md")
        commands = {
            "markitect": [script("mkt"), "source", "normalize", book, "--output", output],
            "kreuzberg": [sys.executable, "-c", _KREUZBERG, book, output],
            "markitdown": [script("markitdown"), book, "-o", output],
            "pandoc": [pypandoc.get_pandoc_path(), "-f", "epub", "-t", "gfm", "--wrap=none", book, "-o", output],
        }
        found[name] = summary(in_turns(commands, rounds), "markitect")
    return found


def inspecting(work: Path, *, rounds: int) -> dict[str, Any]:
    """`summary` of looking at a book of 3 MB and of 30 MB, relative to importing what a command needs at least."""
    commands = {f"python -c '{IMPORTS}'": [sys.executable, "-c", IMPORTS]}
    for megabytes in (3, 30):
        book = work / f"inspected-{megabytes}.epub"
        # Half of it pictures, which is modest for a book of this size.
        book.write_bytes(Sized(megabytes * MEGABYTE // 2, pictures=megabytes * MEGABYTE // 2).pack())
        commands[f"mkt source inspect, {megabytes} MB"] = [script("mkt"), "source", "inspect", str(book)]
    return summary(in_turns(commands, rounds), next(iter(commands)))
