"""How long the command line takes to start: whole processes, against one that only imports click.

    python benchmarks/startup.py [RUNS]

Prints the median of 20 runs of each, taken in turns so that a busy moment hits all alike. Ends with status 1 when a
command takes more than 1.6 times as long as the import of click alone.
"""

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 1.6
MKT = shutil.which("mkt", path=str(Path(sys.executable).parent)) or "mkt"
BASELINE = "python -c 'import click'"
COMMANDS = {
    BASELINE: [sys.executable, "-c", "import click"],
    "mkt --help": [MKT, "--help"],
    "mkt source adapters": [MKT, "source", "adapters"],
}


def seconds(command: list[str]) -> float:
    """How long a process takes from start to end."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for command in COMMANDS.values():
        seconds(command)  # fills the caches of the file system and of compiled modules
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            taken[name].append(seconds(command))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name, median in medians.items():
        print(f"{name:<26}{median * 1000:7.1f} ms{median / medians[BASELINE]:7.2f} x")
    slowest = max(medians.values()) / medians[BASELINE]
    print(f"limit{LIMIT:38.2f} x")
    return int(slowest > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
