"""Arguments and options that the commands on sources share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _complete_adapter(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from markitect_tool.source.discovery import default_source_adapter_registry

    return [
        CompletionItem(descriptor.id, help=descriptor.name)
        for descriptor in default_source_adapter_registry()
        if descriptor.id.startswith(incomplete)
    ]


def text(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """An argument that ends up in the result, where everything is UTF-8."""
    if value is not None and any("\ud800" <= char <= "\udfff" for char in value):
        raise click.BadParameter("it is not UTF-8.")
    return value


def assignments(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """`key=value` arguments as pairs."""
    pairs = []
    for value in values:
        text(ctx, parameter, value)
        key, equals, given = value.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"{value!r} is not of the form key=value, such as encoding=utf-8.")
        pairs.append((key.strip(), given))
    return pairs


adapter_option = click.option(
    "--adapter", "adapter_id", metavar="ID", callback=text, shell_complete=_complete_adapter, help="Use this adapter."
)
output_option = click.option(
    "-o", "--output", type=click.Path(allow_dash=True), metavar="PATH", help="Write to this file, in one step."
)


def source_parameters(command: Callable[..., None]) -> Callable[..., None]:
    """What every command that reads a source has in common."""
    for parameter in (
        click.option("-v", "--verbose", is_flag=True, help="Show every diagnostic, notes included."),
        output_option,
        click.option(
            "--option",
            "option_texts",
            multiple=True,
            metavar="KEY=VALUE",
            callback=assignments,
            help="Option of the adapter; repeatable. See `mkt source adapters --adapter ID`.",
        ),
        click.option(
            "--media-type", metavar="TYPE", callback=text, help="Media type of the source, if you know better."
        ),
        click.option(
            "--uri", callback=text, help="Identity of the source in ids and provenance; default: from the path."
        ),
        adapter_option,
        click.argument("path", type=click.Path(allow_dash=True)),
    ):
        command = parameter(command)
    return command


def open_source(path: str) -> str | bytes:
    """A path as it is; for `-` the bytes of standard input. Raises a `click.ClickException` when it cannot be read."""
    if path != "-":
        return path
    if sys.stdin is None:
        raise click.UsageError("Standard input is closed, so `-` has nothing to read.")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise click.ClickException(f"Cannot read standard input: {error.strerror or error}.") from error
