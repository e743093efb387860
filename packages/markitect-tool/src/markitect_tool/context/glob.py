"""The globs of collections: which files of a folder a pattern means.

`**` crosses folders, `*` and `?` never do, and every other character means itself. A pattern whose last part names no
suffix picks files that can hold an object (`SUFFIXES`). Hidden files and folders are left out, and so are folders
of tools (`SKIPPED_FOLDERS`). Matching takes time in proportion to the lengths of pattern and path, whatever they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from markitect_tool.context.errors import ContextError, PathTraversalError, SourceUnavailableError
from markitect_tool.context.guard import resolve_inside

SUFFIXES = (".md", ".markdown", ".yaml", ".yml", ".json")
SKIPPED_FOLDERS = frozenset({"node_modules", "dist", "build", "__pycache__"})
MAX_FILES = 100_000
_LINK = "context.link_not_followed"

_ANY_FOLDERS = None  # the part `**`
_Part = Callable[[str], object] | None
_Report = Callable[[ContextError], None]


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern, parsed. Raises `ValueError` for one that can match nothing, or is ambiguous."""

    base: str  # the folder before the first wildcard, relative, with `/`
    alternatives: tuple[tuple[_Part, ...], ...]  # parts below `base`
    any_suffix: bool

    @classmethod
    def parse(cls, pattern: str) -> Glob:
        """Raises `ValueError` saying what is wrong, `PathTraversalError` for a pattern that leads outside."""
        if "\\" in pattern or "\0" in pattern:
            raise ValueError("folders are parted by `/`")
        if pattern.startswith("/") or ".." in pattern.split("/") or re.match("[A-Za-z]:", pattern):
            raise PathTraversalError(
                f"The pattern {pattern!r} leads outside of the manifest's folder.",
                hint="Write it relative to the manifest, without `..`.",
            )
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        if not parts:
            raise ValueError("it names no file")
        fixed = next((index for index, part in enumerate(parts) if "*" in part or "?" in part), len(parts) - 1)
        below = parts[fixed:]
        any_suffix = re.search(r"\.[A-Za-z0-9]+$", below[-1]) is not None
        return cls("/".join(parts[:fixed]), tuple(map(_compile, _spell_out(below))), any_suffix)

    def files(self, folder: Path, report: _Report) -> Iterator[str]:
        """The matching files below `folder`, as sorted paths relative to it, with `/`.

        Links to files inside `folder` count as files. Links to folders are not followed; they, what leads out of
        `folder` and what cannot be read are given to `report`. Raises `ValueError` for more than `MAX_FILES`.
        """
        try:
            start = resolve_inside(folder, self.base) if self.base else folder
        except PathTraversalError as error:
            report(error)
            return
        found: list[str] = []
        prefix = f"{self.base}/" if self.base else ""
        waiting = [(str(start), prefix, self._begin())]
        while waiting:
            path, prefix, states = waiting.pop()
            for entry in _entries(path, prefix, report):
                after = self._step(states, entry.name)
                if entry.name.startswith(".") or not after:
                    continue
                if entry.is_symlink() and os.path.isdir(entry.path):
                    _report_link(entry, folder, prefix, report)
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED_FOLDERS:
                        waiting.append((entry.path, f"{prefix}{entry.name}/", after))
                elif self._matches(after, entry.name) and _is_inside(entry, folder, prefix, report):
                    found.append(prefix + entry.name)
            if len(found) > MAX_FILES:
                raise ValueError(f"it matches more than {MAX_FILES:,} files")
        yield from sorted(found)

    def _begin(self) -> frozenset[tuple[int, int]]:
        return self._closed({(which, 0) for which in range(len(self.alternatives))})

    def _step(self, states: frozenset[tuple[int, int]], name: str) -> frozenset[tuple[int, int]]:
        """Where each alternative stands after one more part of a path."""
        after = set()
        for which, index in states:
            parts = self.alternatives[which]
            if index < len(parts):
                part = parts[index]
                if part is _ANY_FOLDERS:
                    after.add((which, index))
                elif part(name):
                    after.add((which, index + 1))
        return self._closed(after)

    def _closed(self, states: set[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        """`states`, and those that they reach because `**` may stand for no folder at all."""
        for which, index in list(states):
            parts = self.alternatives[which]
            while index < len(parts) and parts[index] is _ANY_FOLDERS:
                index += 1
                states.add((which, index))
        return frozenset(states)

    def _matches(self, states: frozenset[tuple[int, int]], name: str) -> bool:
        whole = any(index == len(self.alternatives[which]) for which, index in states)
        return whole and (self.any_suffix or name.lower().endswith(SUFFIXES))


def _spell_out(parts: list[str]) -> list[list[str]]:
    """`a**b` inside one part may stand for `a*b` or for `a*`, any folders, `*b`: both, for the first such part."""
    for index, part in enumerate(parts):
        if "**" in part and part != "**":
            before, after = part.split("**", 1)
            if any("**" in rest and rest != "**" for rest in [after, *parts[index + 1 :]]):
                raise ValueError("`**` may touch other characters only once")
            head, tail = parts[:index], parts[index + 1 :]
            return [[*head, f"{before}*{after}", *tail], [*head, f"{before}*", "**", f"*{after}", *tail]]
    return [parts]


def _compile(parts: list[str]) -> tuple[_Part, ...]:
    # `translate` makes patterns without backtracking; brackets have no meaning here.
    return tuple(
        _ANY_FOLDERS if part == "**" else re.compile(translate(part.replace("[", "[[]"))).match for part in parts
    )


def _entries(path: str, shown: str, report: _Report) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        report(SourceUnavailableError(f"The folder {shown} cannot be read: {error.strerror}."))
        return []


def _is_inside(entry: os.DirEntry[str], folder: Path, prefix: str, report: _Report) -> bool:
    """Whether `entry` is a file, after following a link, and not outside of `folder`."""
    if entry.is_symlink():
        try:
            target = resolve_inside(folder, prefix + entry.name)
        except PathTraversalError as error:
            report(error)
            return False
        if not os.path.exists(target):
            report(SourceUnavailableError(f"The link {prefix}{entry.name} leads to nothing that can be read."))
        return os.path.isfile(target)
    return entry.is_file()


def _report_link(entry: os.DirEntry[str], folder: Path, prefix: str, report: _Report) -> None:
    try:
        target = resolve_inside(folder, prefix + entry.name)
    except PathTraversalError as error:
        report(error)
        return
    shown = target.relative_to(folder.resolve()).as_posix()
    report(ContextError(f"The link {prefix}{entry.name} to the folder {shown} is not followed.", code=_LINK))
