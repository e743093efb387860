"""Where the links and pictures of a page lead.

What is relative stays as it is, so that it still leads from where the page lay. It becomes absolute where the page says
to what it is relative (`base`), or where the page itself came from the network, since nothing lies beside it then.
Places of the page itself are links inside of the Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.source.model import SourceAsset

from markitect_filter.documents.media_type import guess_media_type
from markitect_filter.documents.percent import percent_decode
from markitect_filter.markdown.marks import LinkTarget
from markitect_filter.markdown.references import is_safe, scheme

_WEB = ("http", "https")
_DATA_IMAGES = ("data:image/png", "data:image/gif", "data:image/jpeg", "data:image/webp")
_LONGEST_DATA_URL = 100_000  # characters; a larger picture would drown the text
_LONGEST_BASE = 2000  # characters; it stands at every link
_IGNORED = re.compile("[\t\n\r]")  # characters that URLs lose wherever they stand (URL Standard 4.4)
_AROUND = "".join(map(chr, range(0x21)))
_NOT_IN_URLS = re.compile('[\x00-\x20\x7f"<>\\\\^`{|}]')  # RFC 3986

Place = tuple[str, str]
PAGE = ""
"""What stands for the page in a place, which is a pair (document, fragment): there is only one."""


@dataclass(slots=True)
class PageReferences:
    """Resolves the references of one page (the writer's `References`); `pictures` are what it refers to, as written."""

    uri: str
    base: str | None
    sink: DiagnosticSink
    lines: bool = False  # do the elements know on which line they stand?
    left_out: frozenset[str] = frozenset()  # fragments that are not in the text
    fragments: frozenset[str] = frozenset()  # all of the page
    media: dict[str, None] = field(default_factory=dict)
    _start: str | None = None  # what relative references are resolved against
    _here: frozenset[str] = frozenset()  # the page's own URL, as references may come to it

    def __post_init__(self) -> None:
        own = self.uri if scheme(self.uri) in _WEB else None
        start = own
        base = _clean(self.base or "")
        if base:
            joined = _join(own or "", base)
            if len(joined) > _LONGEST_BASE or not (scheme(joined) is None or scheme(joined) in _WEB):
                self.problem("source.link_unsafe", "The base URL of the page cannot be used.", None, href=base[:200])
            else:
                start = joined
        self._start = start
        self._here = frozenset({urldefrag(own or self.uri).url})

    def resolve(self, href: str) -> str:
        """The URL that a reference means, as it was written where it stays relative."""
        url = _clean(href)
        if self._start is None or scheme(url) not in (None, *_WEB):
            return url
        return _join(self._start, url)

    def place(self, href: str) -> Place | None:
        """The place on the page that `href` leads to; None if it leads elsewhere."""
        url = _clean(href)
        if not url.startswith("#"):
            if scheme(url) not in (None, *_WEB):
                return None
            if url and urldefrag(_join(self._start or self.uri, url)).url not in self._here:
                return None
        fragment = percent_decode(url.partition("#")[2])
        if fragment.lower() == "top" and fragment not in self.fragments:
            fragment = ""  # HTML 7.4.6.3
        return PAGE, fragment

    def link(self, element: etree._Element, href: str) -> LinkTarget | None:
        """Where a link leads: a place of the page or a URL."""
        title = element.get("title")
        place = self.place(href)
        if place is not None:
            if place[1] in self.left_out:
                self.problem(
                    "source.link_target_missing",
                    f"A link leads to {place[1][:200]!r}, which was left out; its own text was kept.",
                    element,
                    severity="info",
                    href=href[:200],
                )
                return None
            return LinkTarget(key=place, title=title)
        url = self.resolve(href)
        if not is_safe(url) or _is_drive(url):
            self.problem(
                "source.link_unsafe",
                f"A link with the scheme {scheme(url)}: was written as plain text.",
                element,
                href=href[:200],
            )
            return None
        return LinkTarget(url=_encoded(url), title=title)

    def resource(self, element: etree._Element, href: str) -> str | None:
        """The destination of a picture or other medium."""
        url = self.resolve(href)
        if scheme(url) == "data":
            if url.lower().startswith(_DATA_IMAGES) and len(url) <= _LONGEST_DATA_URL:
                return url
            self.problem(
                "source.feature_unsupported",
                "A medium inside of the markup is too large or of a kind that is not written; its description stays.",
                element,
                href=url[:40],
            )
            return None
        if not is_safe(url) or _is_drive(url):
            self.problem(
                "source.link_unsafe", "A medium with a dangerous scheme was left out.", element, href=href[:200]
            )
            return None
        if url.startswith("#"):
            return None  # a part of a drawing
        url = _encoded(url)
        self.media.setdefault(url)
        return url

    def attachments(self) -> list[SourceAsset]:
        """The media that the text refers to, by URL. Nothing was looked for: there may be no such file."""
        found = []
        for url in sorted(self.media):
            remote = scheme(url) is not None or url.startswith("//")
            if remote:
                self.problem("source.asset_remote", "Resources on the network were not fetched.", None)
            path = _path(url)
            found.append(
                SourceAsset(
                    uri=url if remote else _join(self.uri, url),
                    name=unquote(path.rpartition("/")[2]) or None,
                    media_type=guess_media_type(path) or None,
                    metadata={"remote": True, "referenced": True} if remote else {"href": url, "referenced": True},
                )
            )
        return found

    def problem(self, code: str, message: str, element: etree._Element | None, **details: object) -> None:
        """Report what could not be written as it stands."""
        line = element.sourceline if element is not None and self.lines else None
        once = (code, str(details.get("href", message)))
        self.sink.report(code, message, line=line, once=once, **details)


def _clean(href: str) -> str:
    """`href` as URL parsers take it."""
    return _IGNORED.sub("", href).strip(_AROUND)


def _encoded(url: str) -> str:
    """`url` with what no URL may contain percent-encoded; what is dangerous must be found before."""
    return _NOT_IN_URLS.sub(lambda match: f"%{ord(match[0]):02X}", url)


def _join(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:  # a host in brackets that is none
        return url


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return url.partition("?")[0].partition("#")[0]


def _is_drive(url: str) -> bool:
    """Does it begin with the letter of a drive (`C:`)?"""
    return len(scheme(url) or "") == 1
