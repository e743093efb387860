"""Where documents are worked on: processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

ENGINES = {"local": "markitect_tool.pipeline.engines.local", "ray": "markitect_tool.pipeline.engines.ray"}


def engine_of(name: str) -> Callable[..., None]:
    """The function `run` of an engine; `engines.local.run` says what it takes and promises. Raises `KeyError`."""
    run: Callable[..., None] = import_module(ENGINES[name]).run
    return run
