"""The `mkt` command itself. Each group lives in a module of its own, imported when it is asked for."""

from __future__ import annotations

import atexit
import gc
import os
import sys

import click

from markitect_tool.cli import LazyGroup

_GROUPS = {
    "completion": ("markitect_tool.cli.completion", "Print a script that completes mkt in your shell."),
    "context": ("markitect_tool.cli.context", "Resolve context: validate, list, get, load URIs, bundle."),
    "pipeline": ("markitect_tool.cli.pipeline", "Convert whole libraries: run, resume, look, retry."),
    "source": ("markitect_tool.cli.source", "Read sources: list adapters, inspect, normalize to Markdown."),
}
_SWITCH = 0.0002  # seconds: the digest of a large file is made while its adapter is imported, a block at a time
_ALLOCATIONS = 50_000  # new objects between two looks for garbage; Python has 700


@click.group(cls=LazyGroup, lazy=_GROUPS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="markitect-tool", prog_name="mkt")
def cli() -> None:
    """Any source to canonical Markdown that can be trusted.

    Exit status: 0 valid (there may be warnings), 1 errors were found, 2 the command was misused, 3 what was asked for
    does not exist (`mkt context`).
    """


def main() -> None:
    """Entry point of the `mkt` script."""
    if sys.stderr is None:  # closed by the caller (`2>&-`): Click would put its messages on standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the life of the process
    # A tenth of a short command would go into looking for garbage: among what imports leave, and again at the end.
    gc.set_threshold(_ALLOCATIONS)
    atexit.register(gc.freeze)
    sys.setswitchinterval(_SWITCH)
    cli(prog_name="mkt")
