"""The Markdown that Python-Markdown, and so MkDocs, reads as CommonMark reads ours.

It wants list items indented by four columns, numbers with a full stop, and takes a `#` at the start of a line for a
heading even without a blank behind it. MkDocs takes first lines such as `Note: …` for metadata and out of the page, and
puts a table of contents in the place of `[TOC]`. Only marks of containers and headings and what would be taken for such
an order are touched, nothing else in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from markitect_tool.outputs.blocks import Block, Container, read_blocks
from markitect_tool.outputs.rewriting import Edit, edited

_INDENT = 4
_NEEDS_ITS_OWN_LINE = ("```", "~~~", "|")  # a fence, a table
_METADATA = re.compile(r" {0,3}[A-Za-z0-9_-]+:|---")  # at the start of a page: of MultiMarkdown, of YAML
_CONTENTS = "[TOC]"


def for_python_markdown(text: str) -> str:
    """`text` in the dialect of Python-Markdown."""
    found = read_blocks(text)
    edits = [
        *_hashes(text, found.blocks),
        *_orders_for_contents(text, found.blocks),
        *_raised_headings(text, found.blocks),
    ]
    before: tuple[Container, ...] = ()  # around the line before
    shallowest = 0  # how many containers hold the first line of the lines that stand together
    for line in found.contained:
        kept = len(line.containers) - line.opened
        around = "".join(_continued(container) for container in line.containers[:kept])
        prefix = ""
        if _are_parted(before, line.containers, kept):
            prefix = f"{around}<!-- -->\n{around.rstrip()}\n"
        elif _follows_blank(text, line.start):
            shallowest = kept
        elif kept < shallowest or any(not container.width for container in line.containers[kept:]):
            prefix = f"{around.rstrip()}\n"  # an empty line: lines that stand together are read as one piece
            shallowest = kept
        verbatim = text.startswith(_NEEDS_ITS_OWN_LINE, line.content)
        marks, begun = _opened(line.containers[kept:], around, verbatim)
        if begun:
            shallowest = kept + begun
        whole = prefix + around + marks
        if not line.opened and text.startswith("\n", line.content):
            whole = whole.rstrip(" ")
        edits.append(Edit(line.start, line.content, whole))
        before = line.containers
    written = edited(text, edits)
    return f"\n{written}" if _METADATA.match(written) else written  # metadata ends with the first empty line


def _hashes(text: str, blocks: Iterable[Block]) -> Iterator[Edit]:
    for block in blocks:
        if block.kind == "paragraph":
            yield from (Edit(start, start, "\\") for start, end in block.pieces if text.startswith("#", start, end))


def _orders_for_contents(text: str, blocks: Iterable[Block]) -> Iterator[Edit]:
    for block in blocks:
        start, end = block.pieces[0]
        if len(block.pieces) == 1 and text[start:end].strip() == _CONTENTS:
            place = text.index(_CONTENTS, start)
            yield Edit(place, place, "\\")


def _raised_headings(text: str, blocks: Sequence[Block]) -> Iterator[Edit]:
    """A page that begins with a heading has it at level 1, and the others below: themes put the page's title above one
    that has no such heading, which would say it twice."""
    if not blocks or blocks[0].kind != "heading":
        return
    marks = [_marks_before(text, block.pieces[0][0]) for block in blocks if block.kind == "heading"]
    start, end = marks[0]
    raised = end - start - 1
    for start, end in marks if raised else ():
        yield Edit(start, end, "#" * max(1, end - start - raised))


def _marks_before(text: str, start: int) -> tuple[int, int]:
    """Where the `#` of the heading stand whose text starts at `start`."""
    end = text.rindex("#", 0, start) + 1
    first = end
    while first > 0 and text[first - 1] == "#":
        first -= 1
    return first, end


def _are_parted(before: Sequence[Container], now: Sequence[Container], kept: int) -> bool:
    """Does a container begin that Python-Markdown would join with the one before: a quote after a quote, a list after
    one with another marker?"""
    if kept >= len(now) or kept >= len(before) or any(a is not b for a, b in zip(before[:kept], now, strict=False)):
        return False
    ended, begun = before[kept], now[kept]
    if ended.note is not None or begun.note is not None or bool(ended.width) != bool(begun.width):
        return False
    return not begun.width or ended.marker[-1] != begun.marker[-1]


def _follows_blank(text: str, start: int) -> bool:
    """Is there nothing but marks of quotes on the line before?"""
    return not text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start].strip(" >\n")


def _continued(container: Container) -> str:
    return " " * _INDENT if container.width else "> "


def _opened(containers: Sequence[Container], around: str, verbatim: bool) -> tuple[str, int]:
    """The marks of containers that begin in one line. What a mark may not stand in front of goes on a line below, with
    an empty one between; then the number says how many of them are around that line."""
    marks, begun = "", 0
    for number, container in enumerate(containers):
        if container.width:
            marks += _marker(container)
            following = containers[number + 1] if number + 1 < len(containers) else None
            around += " " * _INDENT
            if (following is None and verbatim) or (following is not None and not following.width):
                marks += f"\n\n{around}"
                begun = number + 1
        else:
            marks += "> "
            around += "> "
    return marks, begun


def _marker(container: Container) -> str:
    if container.note is not None:
        return f"[^{container.note}]: "
    plain = "-" if len(container.marker) == 1 else f"{container.marker[:-1]}."
    return f"{plain} ".ljust(_INDENT)
