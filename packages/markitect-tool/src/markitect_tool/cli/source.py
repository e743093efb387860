"""`mkt source`: the commands of the source-adapter contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from markitect_tool.cli import LazyGroup
from markitect_tool.cli.output import as_json, as_yaml, facts, report, table, write, write_styled
from markitect_tool.cli.parameters import adapter_option, open_source, output_option, source_parameters

if TYPE_CHECKING:
    from markitect_tool.source.messages import SourceInspectResult
    from markitect_tool.source.protocol import SourceAdapterDescriptor
    from markitect_tool.source.registry import SourceAdapterRegistry

_SERIALISERS = {"json": as_json, "yaml": as_yaml}


_COMMANDS = {
    "normalize": ("markitect_tool.cli.normalize", "Turn PATH into canonical Markdown."),
    "report": ("markitect_tool.cli.report", "Show what became of PATH, on one HTML page."),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def source() -> None:
    """Read sources: list adapters, inspect, normalize to Markdown."""


@source.command()
@adapter_option
@click.option("--format", "style", type=click.Choice(["text", "json", "yaml"]), default="text", show_default=True)
@output_option
@click.option("-v", "--verbose", is_flag=True, help="Show every diagnostic.")
@click.pass_context
def adapters(ctx: click.Context, adapter_id: str | None, style: str, output: str | None, verbose: bool) -> None:
    """List the installed adapters, or describe the one named by --adapter."""
    from dataclasses import replace

    from markitect_tool.diagnostics import has_errors
    from markitect_tool.errors import UnknownAdapterError
    from markitect_tool.source.discovery import default_source_adapter_registry

    registry = default_source_adapter_registry()
    diagnostics = list(registry.diagnostics)
    try:
        listed = list(registry)
        if adapter_id is not None:
            listed, diagnostics = [registry.get(adapter_id)], []
    except UnknownAdapterError as error:
        listed = []
        diagnostics.append(error.diagnostic)
    for descriptor in listed:
        # Listing an adapter that cannot run yet is a success: no error, but worth a warning.
        diagnostics += [replace(found, severity="warning") for found in descriptor.missing_dependency_diagnostics()]
    valid = not has_errors(diagnostics)
    if style == "text":
        if adapter_id is None:
            write_styled(_adapter_table(listed), output)
        elif listed:
            write_styled(_adapter_facts(listed[0], registry), output)
    else:
        data: dict[str, Any] = {
            "valid": valid,
            "adapters": [_adapter_data(descriptor, registry) for descriptor in listed],
        }
        if diagnostics:
            data["diagnostics"] = [found.to_dict() for found in diagnostics]
        write(_SERIALISERS[style](data), output)
    if style == "text" or output:
        report(diagnostics, verbose=verbose)
    ctx.exit(0 if valid else 1)


@source.command()
@source_parameters
@click.option("--format", "style", type=click.Choice(["text", "json", "yaml"]), default="text", show_default=True)
@click.pass_context
def inspect(ctx: click.Context, /, path: str, style: str, output: str | None, verbose: bool, **choices: Any) -> None:
    """Say what PATH is, without converting it. `-` reads standard input."""
    from markitect_tool.source.api import inspect_source

    result = inspect_source(open_source(path), **choices)
    if style == "text":
        write_styled(_inspection(result), output)
    else:
        write(_SERIALISERS[style](result.to_dict()), output)
    if style == "text" or output:
        report(result.diagnostics, verbose=verbose)
    ctx.exit(0 if result.valid else 1)


def _adapter_data(descriptor: SourceAdapterDescriptor, registry: SourceAdapterRegistry) -> dict[str, Any]:
    missing = descriptor.missing_dependencies()
    data = descriptor.to_dict() | {"available": not missing, "distribution": registry.origin(descriptor.id)}
    if missing:
        data["install"] = sorted({need.install_command for need in missing})
    return data


def _adapter_table(listed: list[SourceAdapterDescriptor]) -> str:
    if not listed:
        return "No adapter is installed."
    header = ("ID", "NAME", "AVAILABLE", "SUFFIXES", "MEDIA TYPES")
    return table(
        header,
        (
            (
                descriptor.id,
                descriptor.name,
                _availability(descriptor),
                " ".join(descriptor.extensions),
                " ".join(descriptor.media_types),
            )
            for descriptor in listed
        ),
    )


def _availability(descriptor: SourceAdapterDescriptor) -> str:
    commands = sorted({need.install_command for need in descriptor.missing_dependencies()})
    return f"no: {'; '.join(commands)}" if commands else "yes"


def _adapter_facts(descriptor: SourceAdapterDescriptor, registry: SourceAdapterRegistry) -> str:
    from markitect_tool.source.options import describe_schema

    about = facts(
        [
            ("id", descriptor.id),
            ("name", descriptor.name),
            ("version", descriptor.version),
            ("summary", descriptor.summary),
            ("available", _availability(descriptor)),
            ("from", registry.origin(descriptor.id)),
            ("suffixes", " ".join(descriptor.extensions)),
            ("media types", " ".join(descriptor.media_types)),
        ]
    )
    options = descriptor.option_schema.get("properties", {})
    if not options:
        return about
    rows = (
        (name, describe_schema(schema), _show_default(schema), schema.get("description", ""))
        for name, schema in sorted(options.items())
    )
    return about + "\n\n" + table(("OPTION", "TAKES", "DEFAULT", "MEANING"), rows)


def _show_default(schema: dict[str, Any]) -> str:
    from markitect_tool.canonical import canonical_json

    return canonical_json(schema["default"]) if "default" in schema else ""


def _inspection(result: SourceInspectResult) -> str:
    asset, metadata, quality = result.asset, result.metadata, result.quality
    return facts(
        [
            ("source", asset.uri),
            ("valid", "yes" if result.valid else "no"),
            (
                "adapter",
                " ".join(str(result.adapter[key]) for key in ("id", "version") if key in result.adapter),
            ),
            ("media type", asset.media_type),
            ("size", f"{asset.size:,} bytes" if asset.size is not None else None),
            ("digest", asset.digest),
            ("title", metadata.title),
            ("creators", "; ".join(metadata.creators)),
            ("language", metadata.language),
            ("publisher", metadata.publisher),
            ("published", metadata.publication_date),
            ("rights", metadata.rights),
            ("url", metadata.source_url),
            *((f"id {name}", value) for name, value in metadata.identifiers.items()),
            *((name, _in_words(value)) for name, value in result.capabilities.items()),
            ("lossiness", quality.lossiness),
            ("confidence", quality.confidence),
        ]
    )


def _in_words(value: Any) -> str:
    """A capability for a person: JSON data without its punctuation."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_in_words, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
