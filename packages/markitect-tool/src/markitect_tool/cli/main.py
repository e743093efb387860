"""The `mkt` command itself. Each group lives in a module of its own, imported when it is asked for."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

_GROUPS = {
    "completion": ("markitect_tool.cli.completion", "Print a script that completes mkt in your shell."),
    "context": ("markitect_tool.cli.context", "Resolve context: validate, list, get, load URIs, bundle."),
    "pipeline": ("markitect_tool.cli.pipeline", "Convert whole libraries: run, resume, look, retry."),
    "source": ("markitect_tool.cli.source", "Read sources: list adapters, inspect, normalize to Markdown."),
}


class LazyGroup(click.Group):
    """A group that knows names and one-line summaries, and imports a command only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_GROUPS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _GROUPS:
            return None
        command: click.Command = getattr(import_module(_GROUPS[cmd_name][0]), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _GROUPS[name][1]) for name in sorted(_GROUPS)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
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
    cli(prog_name="mkt")
