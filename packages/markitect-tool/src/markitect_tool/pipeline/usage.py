"""How much memory a process holds. Where the system does not tell, 0."""

from __future__ import annotations

import os
import sys

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident_bytes(pid: int) -> int:
    """Resident size of a process now (Linux only)."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as stream:
            return int(stream.read().split()[1]) * _PAGE
    except (OSError, IndexError):  # no /proc, or no such process any more
        return 0


def reset_peak() -> None:
    """Let `peak_bytes` start anew from what this process holds now, where that can be done (proc(5), clear_refs)."""
    try:
        with open("/proc/self/clear_refs", "wb") as stream:
            stream.write(b"5")
    except OSError:
        pass


def peak_bytes() -> int:
    """The largest resident size of this process since `reset_peak`; on other systems than Linux since its start."""
    try:
        with open("/proc/self/status", "rb") as stream:
            for line in stream:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    if sys.platform == "win32":
        return 0
    import resource

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024
