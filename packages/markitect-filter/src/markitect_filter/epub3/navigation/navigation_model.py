"""Navigation as data, whichever file it comes from: entries of a table of contents, printed pages, landmarks.

A table of contents is a flat tuple in document order where each entry carries its level, so that no walk over
it recurses, however deep the book nests it. `to_tree` gives the nested form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import Record, replace

from markitect_filter.documents.limits import limit_exceeded
from markitect_filter.epub3.href import Target, resolve_href

#: Levels of a table of contents that are kept apart; deeper entries are raised to the last one.
MAX_DEPTH = 32

#: Characters of all labels from the top down to an entry; of a longer path each label keeps its share.
MAX_PATH = 500


class TocEntry(NamedTuple):
    """One entry. `level` counts from 1; `href` is as written, None for a heading that links nowhere; `target`
    is the place in the book that it leads to, None where it leads out of it; `hidden` entries serve
    navigation but are not to be displayed; `types` are the link's `epub:type` values."""

    label: str
    level: int
    href: str | None = None
    target: Target | None = None
    hidden: bool = False
    types: tuple[str, ...] = ()
    line: int | None = None


class PageTarget(NamedTuple):
    """Where a page of the printed edition starts."""

    label: str
    href: str
    target: Target | None
    line: int | None = None


class Landmark(Record):
    """A structural part of the book and where it starts. `types` are `epub:type` or guide types, in lower
    case.
    """

    types: tuple[str, ...]
    label: str
    href: str
    target: Target | None
    line: int | None = None


class NavigationList(Record):
    """A further list, such as illustrations or tables."""

    types: tuple[str, ...]
    heading: str
    entries: tuple[TocEntry, ...]


class NavDocument(Record):
    """An EPUB 3 navigation document or an EPUB 2 NCX, read as `member`."""

    member: str
    heading: str = ""
    toc: tuple[TocEntry, ...] = ()
    pages: tuple[PageTarget, ...] = ()
    landmarks: tuple[Landmark, ...] = ()
    lists: tuple[NavigationList, ...] = ()


class Navigation(Record):
    """The navigation that counts, and for each part which document it was taken from."""

    toc: tuple[TocEntry, ...] = ()
    toc_source: Literal["nav", "ncx", "none"] = "none"
    toc_member: str | None = None
    pages: tuple[PageTarget, ...] = ()
    pages_source: Literal["nav", "ncx", "none"] = "none"
    landmarks: tuple[Landmark, ...] = ()
    landmarks_source: Literal["nav", "guide", "none"] = "none"
    lists: tuple[NavigationList, ...] = ()


def target_of(member: str, href: str) -> Target | None:
    """The place in the book that `href`, written in `member`, leads to."""
    reference = resolve_href(member, href)
    return reference if isinstance(reference, Target) else None


def page_targets(entries: Iterable[TocEntry]) -> tuple[PageTarget, ...]:
    """The entries of a page list that lead somewhere."""
    return tuple(PageTarget(e.label, e.href, e.target, e.line) for e in entries if e.href is not None)


def report_cut(sink: DiagnosticSink, member: str, line: int | None, limit: int) -> None:
    """A list of navigation ends at the limit `toc_entries`; the book stays valid, its text does not depend on
    it.
    """
    error = limit_exceeded(
        "toc_entries", limit, "a navigation list has more entries; the rest is not read", path=member
    )
    sink.add(replace(error.diagnostic, severity="warning", line=line))


def label_paths(entries: Iterable[TocEntry]) -> tuple[tuple[str, ...], ...]:
    """For each entry the labels from the top of the table of contents down to it."""
    trail: list[str] = []
    paths = []
    for entry in entries:
        del trail[entry.level - 1 :]
        trail.append(entry.label)
        most = MAX_PATH // len(trail) if sum(map(len, trail)) > MAX_PATH else MAX_PATH
        paths.append(tuple(label[:most] for label in trail))
    return tuple(paths)


def to_tree(
    entries: Iterable[TocEntry], describe: Callable[[TocEntry], Mapping[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """The nested form as plain JSON data: `label`, `href`, `member`, `fragment`, `hidden`, `children`, absent
    when empty. `describe` may add to an entry, such as the segment that it leads to."""
    roots: list[dict[str, Any]] = []
    open_nodes: list[tuple[int, dict[str, Any]]] = []
    for entry in entries:
        node: dict[str, Any] = {"label": entry.label, "href": entry.href, "hidden": entry.hidden}
        if entry.target is not None:
            node |= {"path": entry.target.path, "fragment": entry.target.fragment}
        node = {key: value for key, value in node.items() if value}
        if describe is not None:
            node |= describe(entry)
        while open_nodes and open_nodes[-1][0] >= entry.level:
            open_nodes.pop()
        if open_nodes:
            open_nodes[-1][1].setdefault("children", []).append(node)
        else:
            roots.append(node)
        open_nodes.append((entry.level, node))
    return roots
