"""Bytes of a page to its tree, and what it took.

HTML that is no XML is not broken, so nothing is reported about it. A page that says it is XHTML is held to that: by its
media type, or where none is declared by its suffix or XML declaration.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError
from markitect_tool.source.model import SourceAsset

from markitect_filter.documents.limits import Limits, limit_exceeded
from markitect_filter.documents.xml_names import XHTML
from markitect_filter.html.encoding import PageText, decode_page
from markitect_filter.markup.limits import MarkupError, MarkupLimitError
from markitect_filter.markup.parse import ParsedMarkup, parse_markup
from markitect_filter.markup.repair import remove_declaration

HTML_TYPE, XHTML_TYPE = "text/html", "application/xhtml+xml"
XHTML_SUFFIXES = (".xhtml", ".xht")
_NOISE = 0.06  # bytes that no text holds are one in eight in noise
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>(?:\s++|<\?xml[^>]*+>|<!--.*?-->)*)<(?:!doctype\s++html|html)(?=[\s>])", re.I | re.DOTALL
)
_SNIFFED = 4096  # bytes
_SIGNATURES = {
    b"PK\x03\x04": "a ZIP archive",
    b"%PDF-": "a PDF",
    b"\x1f\x8b": "compressed with gzip",
    b"\x89PNG": "a picture",
    b"GIF8": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\xd0\xcf\x11\xe0": "an Office document",
    b"{\\rtf": "an RTF document",
    b"\x7fELF": "a program",
    b"SQLite format 3\0": "a database",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page that has been parsed."""

    root: etree._Element
    body: etree._Element
    """The body; of a page without exactly one, the root."""
    text: PageText
    is_xhtml: bool
    tolerant: bool
    """It is no XML, so its elements do not know on which lines they stand."""

    @property
    def degraded(self) -> bool:
        """Does it say that it is XHTML, and had to be read as HTML?"""
        return self.is_xhtml and self.tolerant

    @property
    def media_type(self) -> str:
        """What it was read as."""
        return XHTML_TYPE if self.is_xhtml else HTML_TYPE


def starts_like_html(data: bytes) -> bool:
    """Is it HTML by its first bytes: a document type or an `html` element? UTF-16 counts, fragments do not."""
    head = data[:_SNIFFED]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head[2:].replace(b"\0", b"")
    return _START.match(head) is not None


def foreign_format(data: bytes) -> str | None:
    """What the bytes are by their signature, if that is no page: as the end of a sentence."""
    return next((name for mark, name in _SIGNATURES.items() if data.startswith(mark)), None)


def open_page(data: bytes, asset: SourceAsset, encoding: str | None, limits: Limits, sink: DiagnosticSink) -> Page:
    """Decode and parse a page.

    Raises `MalformedSourceError` when there is no text or markup, `LimitExceededError`, and `InvalidOptionError` for
    an `encoding` that does not exist.
    """
    if (foreign := foreign_format(data)) is not None:
        raise MalformedSourceError(f"This is no HTML but {foreign}.", signature=foreign)
    if len(data) > limits.text_bytes:
        raise limits.exceeded("text_bytes", "The page is too long", size=len(data))
    text = decode_page(data, asset.media_type, encoding, sink)
    parsed = _parsed(text.text, limits)
    if _is_binary(text, parsed, data):
        raise MalformedSourceError("The page holds no text: its bytes are binary, compressed or encrypted.")
    is_xhtml = _is_xhtml(asset, text.text)
    _report(parsed, is_xhtml, sink)
    bodies = parsed.root.findall(f"{{{XHTML}}}body")
    body = bodies[0] if len(bodies) == 1 else parsed.root
    return Page(parsed.root, body, text, is_xhtml, parsed.tolerant)


def _parsed(text: str, limits: Limits) -> ParsedMarkup:
    # the encoding is settled: what the XML declaration says of it must not be heard again; a form feed is a blank
    data = codecs.BOM_UTF8 + remove_declaration(text.replace("\f", " ")).encode("utf-8", "replace")
    try:
        return parse_markup(data, limits=limits.markup)
    except MarkupLimitError as error:
        raise limit_exceeded(error.limit, error.value, f"The page cannot be read: {error}") from error
    except MarkupError as error:
        raise MalformedSourceError(f"The page holds no markup: {error}.", line=error.line) from error


def _is_xhtml(asset: SourceAsset, text: str) -> bool:
    declared = (asset.media_type or "").partition(";")[0].strip().lower()
    if declared:
        return declared == XHTML_TYPE
    return asset.extension in XHTML_SUFFIXES or text.startswith("<?xml")


def _is_binary(text: PageText, parsed: ParsedMarkup, data: bytes) -> bool:
    """Are bytes that no text holds as frequent as in noise? Zeros that pad a file do no harm."""
    impossible = text.replaced + parsed.removed - data.count(0)
    return impossible > 4 and impossible > len(data) * _NOISE


def _report(parsed: ParsedMarkup, is_xhtml: bool, sink: DiagnosticSink) -> None:
    if is_xhtml and parsed.error is not None:
        how = "was read as HTML" if parsed.tolerant else "could be repaired"
        sink.report(
            "source.markup_recovered",
            f"The page says that it is XHTML but is not well-formed ({parsed.error}); it {how}.",
            line=parsed.line,
        )
    elif parsed.removed:
        sink.report(
            "source.markup_recovered",
            f"The page has {parsed.removed:,} control characters, which no HTML may have; they were left out.",
        )
    if parsed.flattened:
        sink.report(
            "source.content_flattened",
            f"{parsed.flattened:,} elements were nested too deeply and only their content is kept.",
        )
