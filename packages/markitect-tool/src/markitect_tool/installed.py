"""The entry points of one group, read from the installed distributions.

`importlib.metadata` gives the same, but importing it takes as long as a quarter of the whole command, and
its `entry_points()` gives up altogether at the first file that does not parse. So distributions in plain
folders, which is nearly every installation, are read here; as soon as the path holds an archive or
somebody else's finder, `importlib.metadata` is asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any, Generic, TypeVar

from markitect_tool.named_tuple import NamedTuple

T = TypeVar("T")


class EntryPoint(NamedTuple):
    """One line of an `entry_points.txt`: `name = value`."""

    name: str
    value: str  # "package.module:attribute"

    def load(self) -> Any:
        """The object that the value names. Importing it runs the distribution's code, so it raises anything."""
        module, _, attribute = self.value.partition("[")[0].partition(":")
        loaded = import_module(module.strip())
        for name in filter(None, attribute.strip().split(".")):
            loaded = getattr(loaded, name)
        return loaded


class Offer(NamedTuple):
    """What a distribution offers in the group, or the error that kept it from being read."""

    distribution: str
    entry_points: list[EntryPoint]
    error: Exception | None = None


class Found(NamedTuple, Generic[T]):
    """What one entry point gives, or in words why it gives nothing; also why a distribution cannot be read."""

    distribution: str
    value: T | None
    problem: str = ""


def found(group: str, first: str, read: Callable[[Any], T]) -> Iterator[Found[T]]:
    """What `read` makes of the object behind each entry point of `group`: the distribution `first`, the others by name.

    Importing runs other people's code, and so does `read`: whatever they raise becomes a `problem`, and what they
    print goes to standard error, since it is no part of our output.
    """
    listed: list[tuple[str, EntryPoint]] = []
    for offer in offers(group):
        if offer.error is not None:
            yield Found(offer.distribution, None, f"its entry points cannot be read ({in_words(offer.error)})")
        listed.extend((offer.distribution, entry_point) for entry_point in offer.entry_points)
    for distribution, entry_point in sorted(listed, key=lambda pair: (pair[0] != first, pair)):
        try:
            with redirect_stdout(sys.stderr):
                value = read(entry_point.load())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - other people's code, which may raise anything
            what = f"its entry point {entry_point.name} = {entry_point.value} failed"
            yield Found(distribution, None, f"{what} ({in_words(error)})")
        else:
            yield Found(distribution, value)


def in_words(error: BaseException) -> str:
    """The name and the text of an exception of other people's code, whose text may fail too."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - see above
        return type(error).__name__


def offers(group: str) -> Iterator[Offer]:
    """Each distribution that mentions `group`. Where two have one name, the first on the path hides the other."""
    seen: set[str] = set()
    for folder, read_text in _installed() or _installed_by_importlib():
        name = folder.rpartition(".")[0].partition("-")[0]
        try:
            name = name or _name(read_text("METADATA") or read_text("PKG-INFO")) or "an unnamed distribution"
            key = name.lower().replace("_", "-").replace(".", "-")
            if key in seen:
                continue
            seen.add(key)
            text = read_text("entry_points.txt")
            if group in text:
                name = _name(read_text("METADATA") or read_text("PKG-INFO")) or name
                yield Offer(name, list(_parse(text, group)))
        except Exception as error:  # noqa: BLE001 - other people's files (and finders): one must not end discovery
            yield Offer(name or "an unnamed distribution", [], error)


_ReadText = Callable[[str], str]  # gives a file of a distribution's metadata, "" for one that is not there


def _installed() -> list[tuple[str, _ReadText]] | None:
    """The metadata folder of each distribution and how to read in it; None if folders are not all."""
    if any(finder is not PathFinder and hasattr(finder, "find_distributions") for finder in sys.meta_path):
        return None
    found: list[tuple[str, _ReadText]] = []
    for entry in sys.path:
        if os.path.isfile(entry):
            return None
        try:
            names = os.listdir(entry or ".")
        except OSError:  # sys.path often names folders that are not there
            continue
        folders = sorted(name for name in names if name.endswith((".dist-info", ".egg-info")))
        found += [(name, _reader(os.path.join(entry, name))) for name in folders]
    return found


def _reader(folder: str) -> _ReadText:
    def read_text(name: str) -> str:
        path = f"{folder}{os.sep}{name}"
        try:
            os.stat(path)  # most distributions have no entry points, and to try to open a file takes ten times as long
        except (FileNotFoundError, NotADirectoryError):
            return ""
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()

    return read_text


def _installed_by_importlib() -> Iterator[tuple[str, _ReadText]]:
    """The same, but for the folder, which a distribution need not have."""
    from importlib.metadata import distributions

    for distribution in distributions():
        yield "", lambda name, distribution=distribution: distribution.read_text(name) or ""  # type: ignore[misc]


def _name(metadata: str) -> str | None:
    for line in metadata.splitlines():
        if line.startswith("Name:"):
            return line.removeprefix("Name:").strip()
        if not line:  # the description follows
            break
    return None


def _parse(text: str, group: str) -> Iterator[EntryPoint]:
    """The lines of the section `[group]`. Raises `ValueError` for one that is no `name = value`."""
    section = None
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[] ")
        elif section == group and line and not line.startswith(("#", ";")):
            name, equals, value = line.partition("=")
            if not equals:
                raise ValueError(f"{line!r} in entry_points.txt is not of the form name = value")
            yield EntryPoint(name.strip(), value.strip())
