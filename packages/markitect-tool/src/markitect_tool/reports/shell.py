"""The frame of every page: one file that loads nothing, in which only our own style and script count.

What comes from a source reaches a page through `text` and `phrase` or through `rendering`, which write every tag
themselves. The content security policy is the second wall: what slipped through could neither run nor load.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

_LANGUAGE = re.compile("[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,8}")
_RTL_LANGUAGES = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "iw", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"})
_RTL_SCRIPTS = frozenset({"adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"})


def text(value: object) -> str:
    """`value` as HTML text, also fit for a quoted attribute."""
    return escape(str(value), quote=True)


def phrase(value: object) -> str:
    """Words of a source inside of our own, kept apart so that neither changes the direction of the other."""
    return f"<bdi>{text(value)}</bdi>"


def language_of(tag: str | None) -> str:
    """The attributes `lang` and, for what is written from right to left, `dir` of text in a language (BCP 47)."""
    if not tag or not _LANGUAGE.fullmatch(tag):
        return ""
    parts = tag.replace("_", "-").lower().split("-")
    script = next((part for part in parts[1:] if len(part) == 4 and part.isalpha()), None)
    leftwards = script in _RTL_SCRIPTS if script else parts[0] in _RTL_LANGUAGES
    return f' lang="{text(tag)}"' + (' dir="rtl"' if leftwards else "")


def number(value: int) -> str:
    """A number for a person, with thin spaces between thousands."""
    return f"{value:,}".replace(",", "\u202f")


def count(value: int, noun: str, plural: str = "") -> str:
    """`1 segment`, `12 segments`."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def share(part: int, whole: int) -> str:
    """A part in per cent. Nothing but all is 100 %, and nothing but none is 0 %."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    if part in (0, whole):
        return f"{percent:.0f} %"
    return f"{min(99.99, max(0.01, percent)):.{1 if 0.1 <= percent <= 99.9 else 2}f} %"


def size(value: int) -> str:
    """A number of bytes for a person."""
    amount, unit = float(value), "bytes"
    for larger in ("kB", "MB", "GB", "TB", "PB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if unit == "bytes" or amount >= 100 else f"{amount:.1f} {unit}"


def duration(seconds: float) -> str:
    """A time for a person: `0.42 s`, `3 min 20 s`, `5 h 3 min`, `2 d 4 h`."""
    if seconds < 100:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    rest = round(seconds)
    parts: list[str] = []
    for name, length in units:
        amount, rest = divmod(rest, length)
        if amount or parts:
            parts.append(f"{number(amount)} {name}")
    return " ".join(parts[:2])


def section(name: str, title: str, body: str) -> str:
    """A part of the page with its heading."""
    return f'<section id="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{text(title)}</h2>{body}</section>'


def page(title: str, body: Iterable[str]) -> str:
    """A whole page, of which `body` is the HTML."""
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{text(policy)}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
            '<meta http-equiv="x-dns-prefetch-control" content="off">\n',
            f"<title>{text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n",
            *body,
            f"<script>{script}</script>\n</body>\n</html>\n",
        )
    )


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
