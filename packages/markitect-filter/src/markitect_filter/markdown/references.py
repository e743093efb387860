"""What the writer asks of its caller: where do links and pictures lead, and who hears of problems?"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from lxml import etree

from .marks import LinkTarget

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*")
_IGNORED = re.compile(r"[\x00-\x20\x7f\s]+")  # what URL parsers drop from a scheme (WHATWG URL, 4.4)
UNSAFE_SCHEMES = frozenset({"javascript", "vbscript", "data", "file", "jar", "blob", "filesystem", "view-source"})


def scheme(url: str) -> str | None:
    """The scheme of `url` in lower case, read as leniently as a browser does; None for a relative reference."""
    head, colon, _ = url.partition(":")
    return name.lower() if colon and _SCHEME.fullmatch(name := _IGNORED.sub("", head)) else None


def is_safe(url: str) -> bool:
    """May a person click on it? Not on what runs code or opens local files."""
    return scheme(url) not in UNSAFE_SCHEMES


class References(Protocol):
    """Resolves what the markup refers to."""

    def link(self, element: etree._Element, href: str) -> LinkTarget | None:
        """Where `href` leads; None if it must not or can't be followed (its text stays)."""

    def resource(self, element: etree._Element, href: str) -> str | None:
        """The destination to write for a picture or other medium; None if there is none."""

    def problem(self, code: str, message: str, element: etree._Element | None, **details: object) -> None:
        """Something could not be written as it stands."""


class PlainReferences:
    """Takes every safe reference as it is: for markup that stands alone."""

    def __init__(self) -> None:
        self.problems: list[tuple[str, str]] = []

    def link(self, element: etree._Element, href: str) -> LinkTarget | None:
        if not is_safe(href):
            self.problem("source.link_unsafe", f"Link with a dangerous scheme: {href[:80]}", element)
            return None
        return LinkTarget(url=href.strip(), title=element.get("title"))

    def resource(self, element: etree._Element, href: str) -> str | None:
        return href.strip() if is_safe(href) else None

    def problem(self, code: str, message: str, element: etree._Element | None, **details: object) -> None:
        self.problems.append((code, message))


class Directive:
    """What the caller knows about one element, before the writer comes to it."""

    __slots__ = ("also", "cut", "note", "noteref", "page", "plain", "skip", "superscript", "worded")

    def __init__(self, skip: str | None = None, also: Callable[[Any, etree._Element], Any] | None = None) -> None:
        self.cut: Hashable = None  # a segment starts here
        self.page: Hashable = None  # a page of the printed edition starts here
        self.skip = skip  # leave the element out, for this reason
        self.note: Hashable = None  # the body of a note: taken out of the flow
        self.noteref: Hashable = None  # a reference to that note
        self.superscript = False  # the reference stands raised
        self.worded = False  # what the reference says is text, and stays
        self.plain = False  # write the content without the element's own mark
        self.also = also  # a handler of the writer, besides the element's own
