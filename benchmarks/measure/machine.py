"""What a measurement was taken on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("markitect-tool", "markitect-filter", "lxml", "click", "kreuzberg", "markitdown", "pypandoc-binary")


def machine() -> dict[str, str | int]:
    """Processor, cores that this process may use, memory in bytes, system."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "processor": _processor(),
        "cores": cores,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release().partition('-')[0]} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Versions of Python, of what is measured and of what it is measured against."""
    found = {"python": f"{platform.python_implementation()} {platform.python_version()}"}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    try:
        import pypandoc
    except ImportError:
        return found
    return found | {"pandoc": str(pypandoc.get_pandoc_version())}


def load() -> float:
    """How many processes wanted a core during the last minute: 0 on a quiet machine."""
    return os.getloadavg()[0]


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
