"""The pages of the reference, written from the code: every public name of Python, every command of `mkt`.

Names are listed by the packages themselves (`__all__` or what their lazy `__getattr__` knows), so that a new one can't
be forgotten. What each page says about a name is in its docstring.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Subject:
    """A page about the public names of `module`, of those homes (submodules) that are named, in that order."""

    file: str
    title: str
    introduction: str
    module: str
    homes: tuple[str, ...] = ()  # none: every name, wherever it lives


SUBJECTS = (
    Subject(
        "sources",
        "Read a source",
        "Two functions, and the document that they give. All names are imported from `markitect_tool`.",
        "markitect_tool",
        ("source.api", "source.model", "diagnostics"),
    ),
    Subject(
        "adapters",
        "Adapters",
        "What an adapter is asked and answers, how it is described, registered and found. All names are imported from "
        "`markitect_tool`; [the guide](../adapter-guide.md) shows how they work together.",
        "markitect_tool",
        ("source.messages", "source.protocol", "source.registry", "source.discovery", "extension"),
    ),
    Subject(
        "context",
        "Context",
        "Projects, objects, adapters for URIs. All names are imported from `markitect_tool.context`.",
        "markitect_tool.context",
    ),
    Subject(
        "testing",
        "Testing adapters",
        "Contract suites to inherit, and fakes. All names are imported from `markitect_tool.testing`.",
        "markitect_tool.testing",
    ),
    Subject("errors", "Errors", "What is raised, never for a bad source alone.", "markitect_tool.errors"),
    Subject("writer", "The Markdown writer", "From `markitect_filter.markdown`.", "markitect_filter.markdown"),
)


def pages() -> Iterator[tuple[str, str, str]]:
    """Path below `docs/`, title and Markdown of each page."""
    for subject in SUBJECTS:
        names = public_names(subject)
        blocks = [f"# {subject.title}", subject.introduction, *(f"::: {subject.module}.{name}" for name in names)]
        yield f"reference/{subject.file}.md", subject.title, "\n\n".join(blocks) + "\n"
    yield "reference/cli.md", "The mkt command", "\n\n".join(["# The `mkt` command", *_commands()]) + "\n"


def public_names(subject: Subject) -> list[str]:
    """The names of a page: by home, functions and classes as the module orders them."""
    module = importlib.import_module(subject.module)
    names = [name for name in getattr(module, "__all__", None) or dir(module) if not name.startswith("_")]
    found: dict[str, list[str]] = {}
    for name in names:
        value = getattr(module, name)
        home = getattr(value, "__module__", "")
        if not inspect.ismodule(value) and callable(value) and home.startswith(subject.module):
            found.setdefault(home, []).append(name)
    homes = [f"{subject.module}.{home}" for home in subject.homes] or list(found)
    return [name for home in homes for name in found.get(home, [])]


def _commands() -> Iterator[str]:
    from markitect_tool.cli.main import cli

    yield "What `--help` prints, for every command."
    for depth, context in _walk(click.Context(cli, info_name="mkt", terminal_width=84, **cli.context_settings)):
        yield f"{'#' * (depth + 2)} {context.command_path}"
        yield f"```text\n{context.command.get_help(context)}\n```"


def _walk(context: click.Context, depth: int = 0) -> Iterator[tuple[int, click.Context]]:
    """A command and those below it, each in the context that shows its own help."""
    yield depth, context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            found = context.command.get_command(context, name)
            if found is not None and not found.hidden:
                yield from _walk(click.Context(found, context, name, **found.context_settings), depth + 1)
