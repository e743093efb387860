"""The folders that programs read as a book: which files they want besides the chapters, and where.

Nothing here looks into chapters; what a book says gets in as data, quoted and escaped for the format at hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from markitect_tool.outputs.chapters import Chapter
from markitect_tool.outputs.front_matter import yaml_scalar
from markitect_tool.outputs.pictures import as_destination
from markitect_tool.source.model import SourceMetadata

INDEX = "index.md"
_INDENT = "    "  # what every parser of Markdown takes for a list in a list
_MARKED = re.compile(r"[\\`*_\[\]<>&#!|~$^={}%+-]")
_NUMBERED = re.compile(r"\A([0-9]+)(?=[.)])")


@dataclass(slots=True)
class Entry:
    """A line of the table of contents: a chapter, or a heading above chapters that has no file of its own."""

    title: str
    file: str | None = None
    below: list[Entry] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Layout:
    """`content` is the folder that holds the Markdown, "" for the top; `extra` makes what stands beside it."""

    name: str
    content: str
    extra: Callable[[SourceMetadata, str, Sequence[Entry]], Iterator[tuple[str, str]]]
    front_matter: bool = True  # does the program know what front matter is?


def contents(chapters: Sequence[Chapter]) -> list[Entry]:
    """The table of contents, nested as the headings are."""
    top: list[Entry] = []
    open_entries: list[Entry] = []
    for chapter in chapters:
        path = chapter.path
        common = 0
        for entry, label in zip_longest(open_entries, path[:-1]):
            if entry is None or label is None or entry.title != label:
                break
            common += 1
        del open_entries[common:]
        for label in [*path[common:-1], chapter.title]:
            entry = Entry(label)
            (open_entries[-1].below if open_entries else top).append(entry)
            open_entries.append(entry)
        open_entries[-1].file = chapter.file
    return top


def index_page(metadata: SourceMetadata, title: str, entries: Sequence[Entry]) -> str:
    """The page that leads to all chapters."""
    lines = [f"# {literal(title)}", ""]
    if metadata.creators:
        lines += [literal(", ".join(metadata.creators)), ""]
    return "\n".join([*lines, *_listed(entries)]) + "\n"


def _listed(entries: Sequence[Entry], indent: str = "") -> Iterator[str]:
    for entry in entries:
        yield f"{indent}- {_linked(entry)}"
        yield from _listed(entry.below, indent + _INDENT)


def _linked(entry: Entry) -> str:
    return f"[{literal(entry.title)}]({as_destination(entry.file)})" if entry.file else literal(entry.title)


def literal(text: str) -> str:
    """`text` on one line as Markdown that shows it as it is, in any dialect."""
    return _NUMBERED.sub(r"\1\\", _MARKED.sub(r"\\\g<0>", " ".join(text.split())))


def _plain(metadata: SourceMetadata, title: str, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Nothing but chapters and the index."""
    yield from ()


def _mdbook(metadata: SourceMetadata, title: str, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """https://rust-lang.github.io/mdBook: `book.toml`, and `src/SUMMARY.md` with a link in each item.

    The preprocessors stay off, since they would take `{{#include …}}` in a book's text for an order.
    """
    lines = [f"title = {_toml(title)}"]
    if metadata.creators:
        lines.append(f"authors = [{', '.join(map(_toml, metadata.creators))}]")
    if metadata.language:
        lines.append(f"language = {_toml(metadata.language)}")
    yield (
        "book.toml",
        "\n".join(
            [
                "[book]",
                *lines,
                'src = "src"',
                "",
                "[build]",
                "use-default-preprocessors = false",
                "",
                "[output.html]",
                "no-section-label = true",
                "",
            ]
        ),
    )
    yield "src/SUMMARY.md", "\n".join(["# Summary", "", f"[{literal(title)}]({INDEX})", "", *_summary(entries), ""])


def _summary(entries: Sequence[Entry], indent: str = "") -> Iterator[str]:
    """mdBook wants a link in every item; without a file it is a chapter yet to be written, which is shown in grey."""
    for entry in entries:
        yield f"{indent}- [{literal(entry.title)}]({as_destination(entry.file or '')})"
        yield from _summary(entry.below, indent + _INDENT)


def _toml(text: str) -> str:
    """A basic string of TOML 1.0: JSON's, but for DEL."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "\\u007f")


_MKDOCS = """\
use_directory_urls: false
theme:
  name: material
  language: en
  font: false
  features:
    - navigation.footer
    - content.code.copy
markdown_extensions:
  - footnotes
  - sane_lists
  - tables
  - pymdownx.arithmatex:
      generic: true
  - pymdownx.escapeall:
      hardbreak: true
  - pymdownx.superfences
  - pymdownx.tilde:
      subscript: false
nav:
"""


def _mkdocs(metadata: SourceMetadata, title: str, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """https://www.mkdocs.org: `mkdocs.yml`, and the chapters in `docs`. Its parser is no CommonMark; the extensions
    are those by which it reads ours."""
    lines = [
        "# To build it: pip install mkdocs-material && mkdocs build",
        f"site_name: {yaml_scalar(' '.join(title.split()))}",
    ]
    if metadata.creators:
        lines.append(f"site_author: {yaml_scalar(', '.join(metadata.creators))}")
    navigation = "\n".join([f"  - {yaml_scalar(title)}: {INDEX}", *_navigation(entries, "  ")])
    yield "mkdocs.yml", "\n".join(lines) + "\n" + _MKDOCS + navigation + "\n"


def _navigation(entries: Sequence[Entry], indent: str) -> Iterator[str]:
    """A section has no page of its own in MkDocs: it comes first among those below."""
    for entry in entries:
        title = yaml_scalar(entry.title)
        if not entry.below:
            yield f"{indent}- {title}: {yaml_scalar(entry.file)}" if entry.file else f"{indent}- {title}: []"
            continue
        yield f"{indent}- {title}:"
        inner = indent + _INDENT
        if entry.file:
            yield f"{inner}- {title}: {yaml_scalar(entry.file)}"
        yield from _navigation(entry.below, inner)


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("plain", "", _plain),
        Layout("mdbook", "src", _mdbook, front_matter=False),
        Layout("mkdocs", "docs", _mkdocs),
        Layout("obsidian", "", _plain),
    )
}
