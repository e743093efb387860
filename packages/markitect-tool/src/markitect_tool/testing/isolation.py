"""Fresh interpreters in which chosen modules are absent or must stay untouched, and side effects are refused.

`run_fresh` starts one; the other functions are what it calls inside, before the code under test.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

HEAVY_MODULES = (
    "bs4",
    "dulwich",
    "ebooklib",
    "httpcore",
    "httpx",
    "jsonschema",
    "lxml",
    "markdownify",
    "pyarrow",
    "pydantic",
    "ray",
)
"""Libraries that listing adapters must never import, whichever of them are installed."""

NETWORK_EVENTS = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
)
PROCESS_EVENTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")


class ForbiddenError(Exception):
    """The code under test did what it was told not to do. No ImportError or OSError: those may be handled."""


def run_fresh(
    code: str,
    *arguments: str,
    hide: Iterable[str] = (),
    forbid: Iterable[str] = (),
    refuse_side_effects: bool = False,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `code` in a new interpreter that finds the same packages as this one, and return how it ended.

    Modules in `hide` (top-level names) are as if not installed. Those in `forbid` are as if installed, but
    importing one raises `ForbiddenError`. With `refuse_side_effects` so do network and child processes.
    `arguments` are in `sys.argv[1:]`; `environment` adds to this process's.
    """
    prelude = [
        f"from {__name__} import hide_modules, forbid_modules, refuse_effects",
        f"hide_modules({sorted(hide)!r})",
        f"forbid_modules({sorted(forbid)!r})",
        *(["refuse_effects()"] if refuse_side_effects else []),
    ]
    inherited = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry),
        "PYTHONDONTWRITEBYTECODE": "1",
        **(environment or {}),
    }
    return subprocess.run(
        [sys.executable, "-P", "-c", "\n".join([*prelude, code]), *arguments],
        capture_output=True,
        encoding="utf-8",
        env=inherited,
        cwd=cwd,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def hide_modules(names: Iterable[str]) -> None:
    """From now on the top-level modules `names` are not installed in this interpreter."""
    hidden = frozenset(names)
    _require_unused(hidden)
    sys.meta_path[:] = [_Hiding(finder, hidden) for finder in sys.meta_path]


def forbid_modules(names: Iterable[str]) -> None:
    """From now on the top-level modules `names` are found, but importing one raises `ForbiddenError`."""
    forbidden = frozenset(names)
    _require_unused(forbidden)
    sys.meta_path.insert(0, _Forbidding(forbidden))


def refuse_effects() -> None:
    """From now on network access and child processes raise `ForbiddenError`. There is no way back."""
    refused = frozenset(NETWORK_EVENTS + PROCESS_EVENTS)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in refused:
            raise ForbiddenError(f"{event}{arguments!r}")

    sys.addaudithook(refuse)


def _require_unused(names: frozenset[str]) -> None:
    used = sorted(names & set(sys.modules))
    if used:
        raise ForbiddenError(f"already imported when the interpreter started: {', '.join(used)}")


class _Hiding:
    """A finder that answers like `inner`, except for hidden modules, which it does not know."""

    def __init__(self, inner: Any, hidden: frozenset[str]) -> None:
        self._inner = inner
        self._hidden = hidden

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] in self._hidden:
            return None
        found: ModuleSpec | None = self._inner.find_spec(name, path, target)
        return found

    def __getattr__(self, name: str) -> Any:  # find_distributions, invalidate_caches
        return getattr(self._inner, name)


class _Forbidding(MetaPathFinder):
    """Finds forbidden modules with a loader that refuses to run them."""

    def __init__(self, forbidden: frozenset[str]) -> None:
        self._forbidden = forbidden

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, _Refusing()) if name.partition(".")[0] in self._forbidden else None


class _Refusing(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        raise ForbiddenError(f"{spec.name} was imported")

    def exec_module(self, module: ModuleType) -> None:
        raise ForbiddenError(f"{module.__name__} was imported")
