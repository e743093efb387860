"""`mkt context`: what a manifest declares, checked, shown, loaded and bundled."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from markitect_tool.cli.output import (
    as_json,
    as_yaml,
    facts,
    printable,
    report,
    table,
    write,
    write_bytes,
    write_styled,
)
from markitect_tool.cli.parameters import output_option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from markitect_tool.context.bundle import Bundle
    from markitect_tool.context.errors import ContextError
    from markitect_tool.context.model import AdapterResult
    from markitect_tool.context.objects import ContextObject
    from markitect_tool.context.project import OpenContext
    from markitect_tool.context.resolve import ResolvedObject
    from markitect_tool.diagnostics import Diagnostic

INVALID, NOT_FOUND = 1, 3
_SERIALISERS = {"json": as_json, "yaml": as_yaml}


def _complete_id(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from markitect_tool.context.errors import ContextError

    try:
        project = _open(ctx.params.get("folder") or ".", offline=True)
    except ContextError:
        return []
    return [
        CompletionItem(declared.id, help=declared.title)
        for declared in project.objects
        if declared.id.startswith(incomplete)
    ]


def _parameters(*formats: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What the commands have in common; the first format is the default."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for parameter in (
            click.option("-v", "--verbose", is_flag=True, help="Show every diagnostic, notes included."),
            output_option,
            click.option("--format", "style", type=click.Choice(formats), default=formats[0], show_default=True),
            click.option("--offline", is_flag=True, help="Open no network connection; remote sources are skipped."),
            click.option(
                "-C",
                "folder",
                default=".",
                metavar="DIR",
                help="The folder where the search for the manifest begins, or the manifest itself.",
            ),
        ):
            command = parameter(command)
        return command

    return add


@click.group()
def context() -> None:
    """Resolve context: validate, list, get, load URIs, bundle.

    The manifest opencontext.yaml (.yml, .json) is looked for in this folder and those above it.

    Exit status: 0 ok, 1 errors were found, 2 the command was misused, 3 there is no such object or manifest.
    """


@context.command(short_help="Check everything, and report all problems.")
@_parameters("text", "json", "yaml")
def validate(folder: str, offline: bool, style: str, output: str | None, verbose: bool) -> None:
    """Check the manifest, every object, and everything that they point at."""
    from markitect_tool.diagnostics import has_errors

    with _attempt(style, output, verbose):
        project = _open(folder, offline)
        found = project.validate()
    valid = not has_errors(found)
    if style == "text":
        about = [
            ("project", project.manifest.name or project.manifest.id),
            ("manifest", project.manifest.file_name),
            ("objects", len(project.objects)),
            ("valid", "yes" if valid else "no"),
        ]
        write_styled(facts(about), output)
    else:
        _serialise(style, output, {"valid": valid, "objects": len(project.objects)}, found)
    if style == "text" or output:
        report(found, verbose=verbose)
    sys.exit(0 if valid else INVALID)


@context.command(name="list", short_help="List the objects as they are declared.")
@_parameters("text", "json", "yaml")
def list_(folder: str, offline: bool, style: str, output: str | None, verbose: bool) -> None:
    """List the objects as they are declared; nothing that they point at is loaded."""
    from markitect_tool.diagnostics import has_errors

    with _attempt(style, output, verbose):
        project = _open(folder, offline)
        found = project.diagnostics
    valid = not has_errors(found)
    if style == "text":
        rows = [(entry.id, entry.type, entry.content_uri or entry.path, entry.title or "") for entry in project.objects]
        write_styled(table(("ID", "TYPE", "FROM", "TITLE"), rows) if rows else "There is no object.", output)
    else:
        _serialise(style, output, {"valid": valid, "objects": [_without_content(e) for e in project.objects]}, found)
    if style == "text" or output:
        report(found, verbose=verbose)
    sys.exit(0 if valid else INVALID)


@context.command(short_help="Show one object with its content and trust.")
@click.argument("object_id", metavar="ID", shell_complete=_complete_id)
@_parameters("text", "json", "yaml")
def get(object_id: str, folder: str, offline: bool, style: str, output: str | None, verbose: bool) -> None:
    """Show one object: what it is, how far it can be trusted, and its content."""
    with _attempt(style, output, verbose):
        project = _open(folder, offline)
        resolved = project.resolve(object_id)
    found = [*_about_object(project, object_id), *resolved.diagnostics]
    if style == "text":
        write_styled(f"{_object_facts(resolved)}\n\n{_shown(resolved.content)}", output)
    else:
        _serialise(style, output, {"valid": True, "object": resolved.to_dict()}, found)
    if style == "text" or output:
        report(found, verbose=verbose)


@context.command(short_help="Write the bytes behind a URI.")
@click.argument("uri")
@_parameters("bytes", "json", "yaml")
def load(uri: str, folder: str, offline: bool, style: str, output: str | None, verbose: bool) -> None:
    """Load one URI and write its bytes, as they are.

    The manifest's rules for the scheme hold, if there is a manifest. The bytes can go on to be Markdown:

    \b
        mkt context load URI | mkt source normalize -
    """
    with _attempt(style, output, verbose):
        result = _open(folder, offline, bare=True).load_uri(uri)
    if style != "bytes":
        _serialise(style, output, {"valid": True, "uri": uri, **_loaded(result)}, [])
        return
    if output is None and b"\0" in result.content and sys.stdout.isatty():
        raise click.UsageError("The content is no text. Name a file with --output, or pipe it on.")
    write_bytes(result.content, output)
    if verbose:
        about = [("trust", result.trust), ("digest", result.digest), ("type", result.content_type)]
        click.echo(click.unstyle(facts(about)), err=True)


@context.command(short_help="Put objects into one document with a digest.")
@click.argument("object_ids", metavar="[ID]...", nargs=-1, shell_complete=_complete_id)
@click.option("--no-scopes", is_flag=True, help="Everybody may read everything, whatever the manifest limits.")
@_parameters("markdown", "json", "yaml", "text")
def bundle(
    object_ids: Sequence[str],
    no_scopes: bool,
    folder: str,
    offline: bool,
    style: str,
    output: str | None,
    verbose: bool,
) -> None:
    """Put the objects (those named, or all) with their content into one document with a digest.

    There is no bundle when anything is wrong, or when something limits who may read: that is not enforced, and
    --no-scopes says so.
    """
    with _attempt(style, output, verbose):
        made = _open(folder, offline).bundle(object_ids or None, no_scopes=no_scopes)
    if style == "markdown":
        from markitect_tool.context.render import render_markdown

        write(render_markdown(made), output)
    elif style == "text":
        write_styled(_bundle_table(made), output)
    else:
        write(_SERIALISERS[style](made.to_dict()), output)
    report(made.diagnostics, verbose=verbose)


def _open(folder: str, offline: bool, *, bare: bool = False) -> OpenContext:
    """The project that is found from `folder`; when `bare`, a folder without a manifest will do."""
    from markitect_tool.cli.normalizing import normalize_loaded
    from markitect_tool.context.errors import ManifestNotFoundError
    from markitect_tool.context.manifest import Manifest
    from markitect_tool.context.project import OpenContext

    try:
        return OpenContext.load(folder, offline=offline, normalizer=normalize_loaded)
    except ManifestNotFoundError:
        if not bare or not Path(folder).is_dir():
            raise
        return OpenContext(Manifest.bare(Path(folder).resolve()), offline=offline)


@contextmanager
def _attempt(style: str, output: str | None, verbose: bool) -> Iterator[None]:
    """A context error ends the command; and what adapters print goes to standard error, as it is no result."""
    from markitect_tool.context.errors import ContextError

    try:
        with redirect_stdout(sys.stderr):
            yield
    except ContextError as error:
        _fail(error, style, output, verbose)


def _fail(error: ContextError, style: str, output: str | None, verbose: bool) -> NoReturn:
    """Report what stopped the command, in its format, and end with the status that says so."""
    from markitect_tool.context.errors import InvalidContextError, ManifestNotFoundError, ObjectNotFoundError

    found = error.diagnostics if isinstance(error, InvalidContextError) else [error.diagnostic]
    if style in _SERIALISERS:
        _serialise(style, output, {"valid": False}, found)
    if style not in _SERIALISERS or output:
        report(found, verbose=verbose)
    sys.exit(NOT_FOUND if isinstance(error, ManifestNotFoundError | ObjectNotFoundError) else INVALID)


def _serialise(style: str, output: str | None, data: dict[str, Any], found: Sequence[Diagnostic]) -> None:
    diagnostics = {"diagnostics": [entry.to_dict() for entry in found]} if found else {}
    write(_SERIALISERS[style](data | diagnostics), output)


def _about_object(project: OpenContext, object_id: str) -> list[Diagnostic]:
    """What was found about one object, and about access to all of them."""
    return [
        found
        for found in project.diagnostics
        if found.details.get("id") == object_id
        or (found.code == "context.unenforced_section" and "id" not in found.details)
    ]


def _without_content(declared: ContextObject) -> dict[str, Any]:
    return {name: value for name, value in declared.to_dict().items() if name != "content"}


def _object_facts(resolved: ResolvedObject) -> str:
    declared = resolved.declared
    return facts(
        [
            ("id", declared.id),
            ("title", declared.title),
            ("type", declared.type),
            ("trust", resolved.trust),
            ("from", declared.content_uri or declared.path),
            ("content type", resolved.content_type),
            ("digest", resolved.digest),
            ("retrieved", resolved.loaded.retrieved_at if resolved.loaded else None),
            *(("source", source.uri) for source in declared.sources if source.uri != declared.content_uri),
        ]
    )


def _shown(content: Any) -> str:
    """Content for a person: it may be a stranger's, and must not steer the terminal."""
    text = content if isinstance(content, str) else as_json(content)
    return re.sub(r"[^\n\t]+", lambda run: printable(run[0]), text)


def _loaded(result: AdapterResult) -> dict[str, Any]:
    """What was loaded, as JSON data: the content as text where it is UTF-8, else in Base64."""
    try:
        return result.to_dict() | {"content": result.content.decode("utf-8")}
    except UnicodeDecodeError:
        from base64 import b64encode

        return result.to_dict() | {"content_base64": b64encode(result.content).decode("ascii")}


def _bundle_table(made: Bundle) -> str:
    about = facts(
        [
            ("bundle", made.project),
            ("digest", made.digest),
            ("not enforced", ", ".join(made.scopes_ignored)),
        ]
    )
    rows = [
        (entry.declared.id, str(entry.trust), entry.declared.content_uri or entry.declared.path)
        for entry in made.objects
    ]
    rows += [(entry.id, "missing", f"{entry.uri} ({entry.reason})") for entry in made.skipped]
    return f"{about}\n\n{table(('ID', 'TRUST', 'FROM'), rows)}" if rows else about
