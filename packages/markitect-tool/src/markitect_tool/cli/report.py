"""`mkt source report`: a page on which a person sees what became of a source."""

from __future__ import annotations

from typing import Any

import click

from markitect_tool.cli.output import report as report_on_stderr
from markitect_tool.cli.output import write
from markitect_tool.cli.parameters import open_source, source_parameters


@click.command()
@source_parameters
@click.pass_context
def report(ctx: click.Context, /, path: str, output: str | None, verbose: bool, **choices: Any) -> None:
    """Show what became of PATH: one HTML file with its text beside the Markdown. `-` reads standard input.

    The page is self-contained and needs no network. It is written for a source with errors too, and says what they are.
    """
    from markitect_tool.errors import SourceError
    from markitect_tool.reports.source_report import source_report
    from markitect_tool.source.api import normalize_source

    source = open_source(path)
    result = normalize_source(source, **choices)
    diagnostics = list(result.diagnostics)
    try:
        page = source_report(result, source, name="standard input" if path == "-" else path)
    except SourceError as error:
        diagnostics.append(error.diagnostic)
        report_on_stderr(diagnostics, verbose=verbose)
        ctx.exit(1)
    write(page, output)
    if output:
        report_on_stderr(diagnostics, verbose=verbose)
    ctx.exit(0 if result.valid else 1)
