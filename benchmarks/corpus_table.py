"""Every book of the corpus and every hostile book through the real command, one process each.

    python benchmarks/corpus_table.py [--only TEXT] [--hostile | --corpus]

Prints book, exit status, seconds of the processor, seconds by the clock and peak memory, the slowest last. Ends with
status 1 when a book takes more than 10 s of the processor or 512 MiB, crashes, or ends with a status other than 0 and
1. (By the clock a busy machine would be judged, not the reader.) `MARKITECT_CORPUS` is the folder of the corpus.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

MOST_SECONDS, MOST_MIB = 10, 512
GIVE_UP = 60  # seconds
ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("MARKITECT_CORPUS", ROOT / "../shared/corpus"))
MKT = shutil.which("mkt", path=str(Path(sys.executable).parent)) or "mkt"
# Made by another process: what this one ever held would count as the peak of the processes that it starts.
MAKE = """
import sys
from markitect_filter.testing.hostile import CASES
with open(sys.argv[2], "wb") as file:
    file.write(CASES[sys.argv[1]].build())
"""
NAMES = "from markitect_filter.testing.hostile import CASES; print(*CASES, sep='\\n')"


class Row(NamedTuple):
    """How one book ended. `status` is negative for a signal."""

    name: str
    status: int
    seconds: float
    clock: float
    mib: float
    traceback: bool

    @property
    def is_fine(self) -> bool:
        return self.status in (0, 1) and not self.traceback and self.seconds <= MOST_SECONDS and self.mib <= MOST_MIB


def measure(name: str, book: Path, folder: Path) -> Row:
    """Run `mkt source normalize` on one book."""
    said = folder / "stderr"
    with said.open("wb") as stream:
        start = time.monotonic()
        process = subprocess.Popen(
            [MKT, "source", "normalize", str(book), "--format", "json", "--output", str(folder / "out.json")],
            stderr=stream,
        )
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            seconds = time.monotonic() - start
            if ended:
                break
            if seconds > GIVE_UP:
                process.kill()
            time.sleep(0.005)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Row(
        name,
        process.returncode,
        usage.ru_utime + usage.ru_stime,
        seconds,
        usage.ru_maxrss / 1024,
        b"Traceback" in said.read_bytes(),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="books whose name has this text in it")
    parser.add_argument("--hostile", action="store_true", help="hostile books only")
    parser.add_argument("--corpus", action="store_true", help="books of the corpus only")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not asked.hostile:
            for book in sorted(CORPUS.rglob("*.epub")):
                if asked.only in book.stem:
                    rows.append(measure(book.stem, book, folder))
        if not asked.corpus:
            names = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, encoding="utf-8", check=True)
            for case in names.stdout.split():
                if asked.only in case:
                    book = folder / f"{case}.epub"
                    subprocess.run([sys.executable, "-c", MAKE, case, str(book)], check=True)
                    rows.append(measure(f"hostile: {case}", book, folder))
                    book.unlink()
    rows.sort(key=lambda row: (row.is_fine is False, row.seconds))
    for row in rows:
        note = "" if row.is_fine else "  <-- traceback" if row.traceback else "  <-- over the bounds"
        print(
            f"{row.name[:80]:<80} {row.status:>3} {row.seconds:>6.2f} s {row.clock:>6.2f} s {row.mib:>6.0f} MiB{note}"
        )
    failed = sum(not row.is_fine for row in rows)
    if rows:
        print(
            f"{len(rows)} books, {failed} not fine; slowest {max(row.seconds for row in rows):.2f} s, "
            f"largest {max(row.mib for row in rows):.0f} MiB, all together {sum(row.seconds for row in rows):.0f} s"
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
