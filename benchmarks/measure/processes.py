"""Whole processes, taken in turns: seconds by the clock and of the processor, and peak memory.

What is compared alternates, so that a busy moment hits all alike, and ratios are taken between neighbours of one
round. Each process is started by a small one: on Linux a process begins with the peak memory of the one that
started it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LAUNCHER = """
import json, os, sys, time
stream = os.open(os.devnull, os.O_RDWR)
actions = [(os.POSIX_SPAWN_DUP2, stream, 0), (os.POSIX_SPAWN_DUP2, stream, 1), (os.POSIX_SPAWN_DUP2, stream, 2)]
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
print(json.dumps([os.waitstatus_to_exitcode(status), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes
_GIVE_UP = 600  # seconds


class FailedRunError(RuntimeError):
    """A command that was to be measured ended with an error."""


@dataclass(frozen=True, slots=True)
class Run:
    """One process. `peak` is the memory of the largest process among it and those that it waited for."""

    seconds: float  # by the clock
    processor: float  # seconds, of all its processes
    peak: int  # bytes, resident


def run(command: Sequence[str], *, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end. Raises `FailedRunError` when it ends with another status than 0."""
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=_GIVE_UP,
    )
    status, seconds, processor, peak = json.loads(ended.stdout)
    if status:
        raise FailedRunError(f"{' '.join(command)} ended with {status}")
    return Run(seconds, processor, peak * _MAXRSS_UNIT)


def in_turns(commands: Mapping[str, Sequence[str]], rounds: int, *, folder: Path | None = None) -> dict[str, list[Run]]:
    """Run each command `rounds` times, after one run that fills the caches of files and compiled modules.

    Each round begins with another command than the one before.
    """
    names = list(commands)
    taken: dict[str, list[Run]] = {name: [] for name in names}
    for name in names:
        run(commands[name], folder=folder)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            taken[name].append(run(commands[name], folder=folder))
    return taken


def summary(taken: Mapping[str, Sequence[Run]], baseline: str) -> dict[str, dict[str, float]]:
    """For each name: median and least seconds, the median over rounds of its ratio to the baseline, peak bytes."""
    return {
        name: {
            "seconds": statistics.median(one.seconds for one in runs),
            "least_seconds": min(one.seconds for one in runs),
            "ratio": statistics.median(
                one.seconds / base.seconds for one, base in zip(runs, taken[baseline], strict=True)
            ),
            "peak_bytes": statistics.median(one.peak for one in runs),
        }
        for name, runs in taken.items()
    }
