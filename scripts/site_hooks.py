"""What the site changes about the documents, which are written to be read as they are too. Hooks of MkDocs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import site_reference

_FENCE = re.compile(r"^(`{3,})(\w+)(?: +file=(\S+))?$", re.MULTILINE)
_LINK_OUTSIDE = re.compile(r"\[([^\]\n]+)\]\(((?:\.\./)+(?!reference/)[^)\s]+)\)")
_LEXERS = {"xhtml": "html", "jsonl": "json"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the parts of the navigation that follow from the code and from the folders.

    Guides that `mkdocs.yml` doesn't name come last among the guides.
    """
    docs = Path(config.docs_dir)
    named = set(_paths(config.nav))
    reference = [{title: path} for path, title, _ in site_reference.pages() if path not in named]
    decisions = [f"adr/{path.name}" for path in sorted((docs / "adr").glob("*.md"))]
    others = [path.name for path in sorted(docs.glob("*.md")) if path.name not in named]
    parts = {"How to": others, "Python, by subject": reference, "Decisions": decisions}
    config.nav = _extended(config.nav, parts)
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages of the reference."""
    for path, _, text in site_reference.pages():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """A block's `file=` becomes its title; a link into the repository becomes the path, which the site doesn't hold."""
    text = _FENCE.sub(_fence, markdown)
    return text if page.file.src_uri.startswith("reference/") else _LINK_OUTSIDE.sub(_outside, text)


def _fence(match: re.Match[str]) -> str:
    ticks, language, file = match.groups()
    return f"{ticks}{_LEXERS.get(language, language)}" + (f' title="{file}"' if file else "")


def _outside(match: re.Match[str]) -> str:
    text, target = match[1].strip("`"), re.sub(r"^(\.\./)+", "", match[2])
    return f"`{target}`" if text in target else f"{match[1]} (`{target}`)"


def _paths(nav: Any) -> Iterator[str]:
    """Every page that a navigation names."""
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from _paths(entry)


def _extended(nav: Any, parts: dict[str, list[Any]]) -> Any:
    """The navigation with more entries at the end of the sections of these titles."""
    if isinstance(nav, list):
        return [_extended(entry, parts) for entry in nav]
    if isinstance(nav, dict):
        return {
            title: _extended(value, parts) + parts[title] if title in parts else _extended(value, parts)
            for title, value in nav.items()
        }
    return nav
