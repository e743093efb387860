"""`mkt source normalize`: a source as Markdown in one file or many, or as data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from markitect_tool.cli.output import as_json_line, as_yaml, json_pieces, pieces_of, report, write, write_pieces
from markitect_tool.cli.parameters import open_source, source_parameters
from markitect_tool.named_tuple import NamedTuple

if TYPE_CHECKING:
    from markitect_tool.diagnostics import Diagnostic
    from markitect_tool.source.model import NormalizedMarkdownDocument


class _Wanted(NamedTuple):
    """What the document is to become."""

    style: str
    output: str | None
    assets: str | None
    split: str | None
    split_depth: int | None
    layout: str | None
    front_matter: str | None
    force: bool

    def check(self) -> None:
        """Raises `click.UsageError` for options that do not go together."""
        files = self.assets is not None or self.split is not None
        if self.style != "markdown" and (files or self.front_matter is not None):
            raise click.UsageError("--assets, --split and --front-matter are for Markdown, not for other formats.")
        if self.split is not None and self.output is not None:
            raise click.UsageError("Give --output for one file or --split for a folder, not both.")
        if self.split is None and self.assets is not None and self.output in (None, "-"):
            raise click.UsageError("--assets needs --output: links to pictures are relative to that file.")
        if self.split is None and (self.layout is not None or self.split_depth is not None):
            raise click.UsageError("--layout and --split-depth are for --split.")
        if self.force and not files:
            raise click.UsageError("--force is for --assets and --split; --output replaces its file anyway.")
        if self.layout == "mdbook" and self.front_matter is not None:
            raise click.UsageError("mdBook knows no front matter and would show it as text.")
        if "" in (self.assets, self.split):
            raise click.UsageError("The name of a folder is not empty; `.` is the current one.")


@click.command()
@source_parameters
@click.option(
    "--format",
    "style",
    type=click.Choice(["markdown", "json", "yaml", "jsonl"]),
    default="markdown",
    show_default=True,
    help="jsonl: a record for each segment, one a line.",
)
@click.option(
    "--assets",
    type=click.Path(),
    metavar="DIR",
    help="Copy the pictures that the text shows into this folder and point links at them. With --split: the folder "
    "among the chapters, `assets` by default.",
)
@click.option(
    "--split", type=click.Path(), metavar="DIR", help="Write a file for each chapter into this folder, and an index."
)
@click.option(
    "--split-depth",
    type=click.IntRange(1),
    metavar="N",
    help="With --split: parts more than N levels deep stay in the file of the one above.",
)
@click.option(
    "--layout",
    type=click.Choice(["plain", "mdbook", "mkdocs", "obsidian"]),
    help="With --split: what will read the folder.  [default: plain]",
)
@click.option("--front-matter", type=click.Choice(["yaml"]), help="Put title, author and so on before the text.")
@click.option("--force", is_flag=True, help="With --assets or --split: replace files of the same name.")
@click.pass_context
def normalize(
    ctx: click.Context,
    /,
    path: str,
    style: str,
    output: str | None,
    verbose: bool,
    assets: str | None,
    split: str | None,
    split_depth: int | None,
    layout: str | None,
    front_matter: str | None,
    force: bool,
    **choices: Any,
) -> None:
    """Turn PATH into canonical Markdown. `-` reads standard input.

    As Markdown, only the text is written, and nothing at all when there are errors; diagnostics go to
    standard error.
    """
    wanted = _Wanted(style, output, assets, split, split_depth, layout, front_matter, force)
    wanted.check()
    from markitect_tool.source.api import normalize_source

    source = open_source(path)
    result = normalize_source(source, **choices)
    diagnostics = list(result.diagnostics)
    if style == "json":
        write_pieces(json_pieces(result), output)
    elif style == "yaml":
        write(as_yaml(result.to_dict()), output)
    elif result.valid and result.document is not None:
        diagnostics += _write(source, result.document, wanted)
    if style not in ("json", "yaml") or output:
        report(diagnostics, verbose=verbose)
    ctx.exit(0 if result.valid else 1)


def _write(source: str | bytes, document: NormalizedMarkdownDocument, wanted: _Wanted) -> Sequence[Diagnostic]:
    """Write a valid document; returns what there is to say about that."""
    front_matter = wanted.front_matter is not None
    if wanted.split is not None:
        from markitect_tool.cli.files import write_chapters

        return write_chapters(
            source,
            document,
            wanted.split,
            layout=wanted.layout or "plain",
            depth=wanted.split_depth,
            pictures=wanted.assets,
            front_matter=front_matter,
            force=wanted.force,
        )
    if wanted.assets is not None and wanted.output is not None:
        from markitect_tool.cli.files import write_with_pictures

        return write_with_pictures(
            source, document, wanted.output, wanted.assets, front_matter=front_matter, force=wanted.force
        )
    if wanted.style == "jsonl":
        from markitect_tool.outputs.segments import segment_records

        lines = (f"{as_json_line(record)}\n" for record in segment_records(document))
        write_pieces(chain.from_iterable(map(pieces_of, lines)), wanted.output)
    elif front_matter:
        from markitect_tool.outputs.single import with_front_matter

        write_pieces(chain(pieces_of(with_front_matter(document, "")), document.markdown_utf8()), wanted.output)
    else:
        write_pieces(document.markdown_utf8(), wanted.output)
    return ()
