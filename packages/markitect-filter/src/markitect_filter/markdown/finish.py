"""The last step: numbered marks become what they turned out to be. Nothing touches the text afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable

from .marks import LINK, LINK_END, OPTIONAL

_OPTIONAL = re.compile(b"\x12([^\x13]*)\x13")
_NUMBERED = re.compile(b"\x10(.)([0-9]+)\x11")
_OPTIONAL_MARK = OPTIONAL.encode()
_LINKS = (LINK, LINK_END)
_FUSING = b"`$*_~"


def finish(text: bytes, resolve: Callable[[str, int, int], str]) -> bytes:
    """`text`, in UTF-8, with every numbered mark replaced by `resolve(kind, number, offset)`; `offset` is where it
    stands in the result, in bytes. Paragraphs that hold nothing but anchors go when no anchor is left."""
    if _OPTIONAL_MARK in text:
        text = _OPTIONAL.sub(lambda match: _optional(match, resolve), text)
    if b"\x10" not in text:
        return text
    out: list[bytes] = []
    length = last = 0
    for match in _NUMBERED.finditer(text):
        plain = text[last : match.start()]
        length += len(plain)
        kind = match[1].decode()
        replacement = resolve(kind, int(match[2]), length).encode()
        last = match.end()
        if not replacement and kind in _LINKS:
            if not plain and out:
                plain = out.pop()
            # a link that went away must not join what stood on both sides of its bracket; two code spans become one
            char = plain[-1:]
            if char and char in _FUSING and text.startswith(char, last):
                run = len(plain) - len(plain.rstrip(char))
                if char == b"`" and _is_fence(plain, text, last, run):
                    plain, last, length = plain[:-run], last + run, length - run
                else:
                    replacement = b" "
        out.append(plain)
        if replacement:
            out.append(replacement)
            length += len(replacement)
    out.append(text[last:])
    return b"".join(out)


def _is_fence(before: bytes, text: bytes, place: int, run: int) -> bool:
    """Does a code span end `before` with so many backticks, and one with as many start at `place`?"""
    fence = b"`" * run
    return (
        before[-run - 1 : -run] != b"\\"
        and text.startswith(fence, place)
        and text[place + run : place + run + 1] != b"`"
    )


def _optional(match: re.Match[bytes], resolve: Callable[[str, int, int], str]) -> bytes:
    inner = match[1]
    kept = any(m[1] != b"P" and resolve(m[1].decode(), int(m[2]), -1) for m in _NUMBERED.finditer(inner))
    if kept:
        return inner
    return b"".join(m[0] for m in _NUMBERED.finditer(inner) if m[1] == b"P")
