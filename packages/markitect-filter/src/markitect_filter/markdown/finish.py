"""The last step: numbered marks become what they turned out to be. Nothing touches the text afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable

from .marks import LINK, LINK_END, NUMBERED, OPTIONAL

_OPTIONAL = re.compile("\x12([^\x13]*)\x13")
_FUSING = "`$*_~"


def finish(text: str, resolve: Callable[[str, int, int], str]) -> str:
    """`text` with every numbered mark replaced by `resolve(kind, number, offset)`; `offset` is where it stands in
    the result, in characters. Paragraphs that hold nothing but anchors go when no anchor is left."""
    if OPTIONAL in text:
        text = _OPTIONAL.sub(lambda match: _optional(match, resolve), text)
    if "\x10" not in text:
        return text
    out: list[str] = []
    length = last = 0
    for match in NUMBERED.finditer(text):
        plain = text[last : match.start()]
        length += len(plain)
        replacement = resolve(match[1], int(match[2]), length)
        last = match.end()
        if not replacement and match[1] in (LINK, LINK_END):
            if not plain and out:
                plain = out.pop()
            # a link that went away must not join what stood on both sides of its bracket; two code spans become one
            char = plain[-1:]
            if char and char in _FUSING and text.startswith(char, last):
                run = len(plain) - len(plain.rstrip(char))
                if char == "`" and _is_fence(plain, text, last, run):
                    plain, last, length = plain[:-run], last + run, length - run
                else:
                    replacement = " "
        out.append(plain)
        if replacement:
            out.append(replacement)
            length += len(replacement)
    out.append(text[last:])
    return "".join(out)


def _is_fence(before: str, text: str, place: int, run: int) -> bool:
    """Does a code span end `before` with so many backticks, and one with as many start at `place`?"""
    fence = "`" * run
    return (
        before[-run - 1 : -run] != "\\" and text.startswith(fence, place) and text[place + run : place + run + 1] != "`"
    )


def _optional(match: re.Match[str], resolve: Callable[[str, int, int], str]) -> str:
    inner = match[1]
    kept = any(m[1] != "P" and resolve(m[1], int(m[2]), -1) for m in NUMBERED.finditer(inner))
    if kept:
        return inner
    return "".join(m[0] for m in NUMBERED.finditer(inner) if m[1] == "P")
