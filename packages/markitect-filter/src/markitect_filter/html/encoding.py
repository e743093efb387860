"""Bytes of a page to text: what the caller says, a byte order mark, what the server says, then the page itself.

The order is that of the Encoding and HTML standards (HTML 13.2.3), with one exception: bytes that do not fit what the
server says are read as the page itself would have them read, and that is reported.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import InvalidOptionError

from markitect_filter.markup.charsets import codec_for
from markitect_filter.markup.decode import Decoded, EncodingSource, decode

_WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as text, without byte order mark, and how its encoding was found."""

    text: str
    encoding: str
    source: Literal["option", "server"] | EncodingSource
    replaced: int = 0
    """U+FFFD that stand for bytes without a meaning."""

    @property
    def guessed(self) -> bool:
        """Nothing says what the bytes are in."""
        return self.source == "fallback"


def decode_page(data: bytes, media_type: str | None, wanted: str | None, sink: DiagnosticSink) -> PageText:
    """The text of a page. `media_type` may carry the server's `charset`; `wanted` overrules everything.

    Raises `InvalidOptionError` for a wanted encoding that does not exist.
    """
    if wanted:
        codec = _codec(wanted)
        if codec is None:
            raise InvalidOptionError(
                f"There is no text encoding {wanted!r}.",
                hint="Give a name such as utf-8, windows-1252, utf-16 or shift_jis.",
                option="encoding",
            )
        text = data.decode(codec, "replace")
        found = PageText(_unmarked(text), wanted.strip().lower(), "option", _replaced(data, codec, text))
    else:
        found = _by_server(data, media_type, sink) or _of(decode(data, html=True))
    if found.guessed:
        problem = f"is not UTF-8 and names no encoding that it could be in; {found.encoding} was assumed"
    elif found.replaced:
        problem = f"has bytes that mean nothing in {found.encoding}; U+FFFD stands for them"
    else:
        return found
    sink.report(
        "source.encoding_recovered",
        f"The page {problem}.",
        hint="Name the encoding with --option encoding=NAME.",
        encoding=found.encoding,
        replaced=found.replaced or None,
    )
    return found


def _by_server(data: bytes, media_type: str | None, sink: DiagnosticSink) -> PageText | None:
    """The text by the `charset` of the media type; None where it says nothing or nothing true."""
    label = charset_of(media_type)
    codec = _codec(label) if label else None
    if codec is None or data.startswith(_MARKS):
        return None
    try:
        return PageText(_unmarked(data.decode(codec)), str(label), "server")
    except UnicodeError:
        sink.report(
            "source.encoding_recovered",
            f"The server says that the page is in {label}, which its bytes are not; the page itself was asked.",
            hint="Name the encoding with --option encoding=NAME.",
            encoding=label,
        )
        return None


def _of(decoded: Decoded) -> PageText:
    return PageText(decoded.text, decoded.encoding, decoded.source, decoded.replaced)


def _codec(label: str) -> str | None:
    """Python's codec for a label, the wide ones included: who says UTF-16 from outside means it."""
    codec = codec_for(label)
    if codec is None and label.isascii() and "\0" not in label:
        try:
            name = codecs.lookup(label.strip()).name
        except LookupError:
            return None
        codec = name if name in _WIDE else None
    return codec


def _replaced(data: bytes, codec: str, text: str) -> int:
    """U+FFFD in `text` that are not the page's own."""
    if "\ufffd" not in text:
        return 0
    return text.count("\ufffd") - data.decode(codec, "ignore").count("\ufffd")


def _unmarked(text: str) -> str:
    return text.removeprefix("\ufeff")


def charset_of(media_type: str | None) -> str | None:
    """The `charset` parameter of a media type, lower-case."""
    for parameter in (media_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset" and (value := value.strip().strip("\"'").strip()):
            return value.lower()
    return None
