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
    """A page about the public names of some modules. Several modules get a heading each.

    `homes` are the modules in which the names of a lazy package are defined: those that are wanted, and their order.
    """

    file: str
    title: str
    introduction: str
    modules: tuple[str, ...]
    homes: tuple[str, ...] = ()


SUBJECTS = (
    Subject(
        "sources",
        "Read a source",
        "Two functions, and the document that they give. All names are imported from `markitect_tool`.",
        ("markitect_tool",),
        ("source.api", "source.model", "diagnostics"),
    ),
    Subject(
        "outputs",
        "Write and hand on",
        "What the options of `mkt source normalize` do, and the loaders of other libraries.",
        (
            "markitect_tool.source.attachments",
            "markitect_tool.outputs.split",
            "markitect_tool.outputs.segments",
            "markitect_tool.outputs.files",
            "markitect_tool.outputs.names",
            "markitect_tool.reports.source_report",
            "markitect_tool.loaders.langchain",
            "markitect_tool.loaders.llamaindex",
        ),
    ),
    Subject(
        "pipeline",
        "Whole libraries",
        "Records, the stages that pass them on, and what runs the stages; see [the guide](../pipeline.md).",
        (
            "markitect_tool.pipeline.records",
            "markitect_tool.pipeline.stages",
            "markitect_tool.pipeline.sources",
            "markitect_tool.pipeline.screening",
            "markitect_tool.pipeline.parsers",
            "markitect_tool.pipeline.storage",
            "markitect_tool.pipeline.process",
            "markitect_tool.pipeline.runner",
            "markitect_tool.pipeline.summary",
        ),
    ),
    Subject(
        "context",
        "Context",
        "Projects, objects, adapters for URIs. All names are imported from `markitect_tool.context`.",
        ("markitect_tool.context",),
    ),
    Subject(
        "adapters",
        "Adapters",
        "What an adapter is asked and answers, how it is described, registered and found. All names are imported from "
        "`markitect_tool`; [the guide](../adapter-guide.md) shows how they work together.",
        ("markitect_tool",),
        ("source.messages", "source.protocol", "source.registry", "source.discovery", "extension"),
    ),
    Subject(
        "testing",
        "Testing adapters",
        "Contract suites to inherit, and fakes. All names are imported from `markitect_tool.testing`.",
        ("markitect_tool.testing",),
    ),
    Subject("errors", "Errors", "What is raised, never for a bad source alone.", ("markitect_tool.errors",)),
    Subject("writer", "The Markdown writer", "A tree on its own to Markdown.", ("markitect_filter.markdown",)),
)


def pages() -> Iterator[tuple[str, str, str]]:
    """Path below `docs/`, title and Markdown of each page."""
    for subject in SUBJECTS:
        blocks = [f"# {subject.title}", subject.introduction]
        for module in subject.modules:
            options = ""
            if len(subject.modules) > 1:
                blocks.append(f"## {module}")
                options = "\n    options:\n      heading_level: 3"
            blocks += (f"::: {module}.{name}{options}" for name in public_names(module, subject.homes))
        yield f"reference/{subject.file}.md", subject.title, "\n\n".join(blocks) + "\n"
    yield "reference/cli.md", "The mkt command", "\n\n".join(["# The `mkt` command", *_commands()]) + "\n"


def public_names(name: str, homes: tuple[str, ...] = ()) -> list[str]:
    """The functions and classes that a module offers, by the modules in which they are defined."""
    module = importlib.import_module(name)
    found: dict[str, list[str]] = {}
    for public in getattr(module, "__all__", None) or dir(module):
        value = getattr(module, public)
        home = getattr(value, "__module__", "")
        if not public.startswith("_") and not inspect.ismodule(value) and callable(value) and home.startswith(name):
            found.setdefault(home, []).append(public)
    return [public for home in [f"{name}.{home}" for home in homes] or found for public in found.get(home, [])]


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
