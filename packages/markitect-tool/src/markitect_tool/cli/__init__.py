"""The `mkt` command."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows names and one-line summaries, and imports a command only to run it.

    `lazy` maps a name to the module that has a command of that name, and its summary.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self._lazy, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(import_module(self._lazy[cmd_name][0]), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        room = formatter.width - 6 - max(map(len, names))
        rows = []
        for name in names:
            if name in self._lazy:
                rows.append((name, self._lazy[name][1]))
            elif command := self.get_command(ctx, name):
                rows.append((name, command.get_short_help_str(room)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
