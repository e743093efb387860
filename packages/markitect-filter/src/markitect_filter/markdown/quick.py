"""The quick way through a paragraph: what most paragraphs hold can be written by replacing marks one by one.

Emphasis whose delimiters can be neither missed nor mistaken (a letter or digit on the inside, none on the outside),
code, links and kept tags with text right at their borders, references to notes, anchors, line breaks, and text without
special characters. `_HARD` and `_BEYOND` find everything else; what they let through comes out as it would the long
way (`items`, `emphasis`, `inline`), at a fraction of the time.
"""

from __future__ import annotations

import re
from typing import Final

from .escape import destination, title
from .items import TAGS, Place
from .marks import BREAK, CODE, CODE_END, EM, EM_END, STRONG, STRONG_END, TOKENS, Late, LinkTarget

_SPECIAL = r"\\`*_\[\]<&$~|"  # text that may have to be escaped
SPECIAL_OR_MARK: Final = re.compile(rf"[\x01-\x08\x0e-\x13{_SPECIAL}]")
# strikethrough, soft breaks, paragraphs of anchors: not here
_BEYOND = re.compile(rf"[\x05\x06\x08\x12\x13{_SPECIAL}]")
# every branch starts with its mark as a literal: the engine then skips from mark to mark
_HARD = re.compile(
    "|".join(
        (
            *(rf"{mark}(?:(?<=[^\W_]{mark})|(?<=\x11{mark})|(?=[\W_]|\Z))" for mark in (EM, STRONG)),
            *(rf"{mark}(?:(?<=[\W_]{mark})|(?=[^\W_])|(?=[\x01\x03])|(?=\x10[^N]))" for mark in (EM_END, STRONG_END)),
            rf"{CODE}(?![^\x01-\x13\s](?:[^\x01-\x13]*[^\x01-\x13\s])?{CODE_END})",  # not just text inside
            rf"{CODE_END}{CODE}",
            rf"{BREAK}(?:(?<=[\s\x07\x01\x03\x11]{BREAK})|(?<![\s\S]{BREAK})|(?=[\s\x02\x04\x07\x10]|\Z))",
            r"\x10(?:(?<=[!^]\x10)|[^ULTVMtNAP]|[ULT][0-9]+\x11[\s\x07\x10^]|[VMt](?<=[\s\x07\x10]\x10[VMt])"
            r"|N[0-9]+\x11[(:^]|[AP](?<=[\s\x07]\x10[AP])|[AP][0-9]+\x11(?=[\s\x07]|\x10[VMt]|\Z))",
        )
    )
)
_MARKS = re.compile(r"\x10([UVTt])([0-9]+)\x11")
_BREAKS = {"paragraph": "\\\n", "heading": " ", "cell": "<br>"}


def spell(source: str, late: Late, place: Place) -> tuple[str, str] | None:
    """`source`, its blanks folded, as Markdown and as bare text; None where it takes the long way."""
    if _BEYOND.search(source) is not None or _HARD.search(source) is not None:
        return None
    for start, end in ((EM, EM_END), (STRONG, STRONG_END)):
        if start in source and any(part.count(start) > 1 for part in source.split(end)):
            return None  # one inside of another of its kind takes another delimiter
    text = source
    if BREAK in text:
        text = text.replace(BREAK, _BREAKS[place])
    if EM in text:
        text = text.replace(EM, "*").replace(EM_END, "*")
    if STRONG in text:
        text = text.replace(STRONG, "**").replace(STRONG_END, "**")
    if CODE in text:
        text = text.replace(CODE, "`").replace(CODE_END, "`")
    if "\x10" not in text:
        return text, TOKENS.sub("", source)

    def write(match: re.Match[str]) -> str:
        kind, number = match[1], int(match[2])
        if kind == "U":
            return "["
        if kind == "T":
            return f"<{TAGS[number]}>"
        if kind == "t":
            return f"</{TAGS[number]}>"
        target = late[number]
        assert isinstance(target, LinkTarget)
        return f"]({destination(target.url or '')}{title(target.title, cell=place == 'cell')})"

    return _MARKS.sub(write, text), TOKENS.sub("", source)
