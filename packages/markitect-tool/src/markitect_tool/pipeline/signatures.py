"""What bytes are by how they begin, and what a file's name promises: the naive view that needs no parser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from markitect_tool.named_tuple import NamedTuple

HEAD = 4096  # bytes that are looked at

_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
# Control characters that no text has, in whatever encoding of bytes; escape begins the shifts of ISO 2022.
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HTML = re.compile(rb"(?:<!--.*?-->|<\?.*?\?>|\s)*(?:<!doctype\s+html|<html[\s>])", re.IGNORECASE | re.DOTALL)


class Format(NamedTuple):
    """A kind of file: the media type, and what a person calls it."""

    media_type: str
    name: str  # with its article
    textual: bool = False


ZIP = Format("application/zip", "a ZIP archive")
PDF = Format("application/pdf", "a PDF")
HTML = Format("text/html", "an HTML page", True)
XML = Format("application/xml", "an XML document", True)
RTF = Format("application/rtf", "a Rich Text document")
MOBI = Format("application/x-mobipocket-ebook", "a Kindle book")
OLE = Format("application/x-ole-storage", "an old Office document")
IMAGE = Format("image/*", "an image")
BITMAP = Format("image/bmp", "a bitmap")
SOUND = Format("audio/*", "a sound or film")
PACKED = Format("application/x-compressed", "a packed archive that is no ZIP")
PROGRAM = Format("application/x-executable", "a program")
DATABASE = Format("application/vnd.sqlite3", "an SQLite database")

_SIGNATURES: tuple[tuple[int, bytes, Format], ...] = (
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"PK\x07\x08", ZIP),
    (0, b"\x1f\x8b", PACKED),
    (0, b"BZh", PACKED),
    (0, b"\xfd7zXZ\x00", PACKED),
    (0, b"7z\xbc\xaf\x27\x1c", PACKED),
    (0, b"Rar!\x1a\x07", PACKED),
    (0, b"\x28\xb5\x2f\xfd", PACKED),
    (257, b"ustar", PACKED),
    (0, b"\x89PNG\r\n", IMAGE),
    (0, b"\xff\xd8\xff", IMAGE),
    (0, b"GIF87a", IMAGE),
    (0, b"GIF89a", IMAGE),
    (8, b"WEBP", IMAGE),
    (0, b"BM", BITMAP),
    (0, b"II*\x00", IMAGE),
    (0, b"MM\x00*", IMAGE),
    (0, b"AT&TFORM", Format("image/vnd.djvu", "a DjVu document")),
    (0, b"ID3", SOUND),
    (0, b"OggS", SOUND),
    (0, b"fLaC", SOUND),
    (4, b"ftyp", SOUND),
    (60, b"BOOKMOBI", MOBI),
    (60, b"TEXtREAd", MOBI),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (0, b"\x7fELF", PROGRAM),
    (0, b"MZ", PROGRAM),
    (0, b"SQLite format 3\x00", DATABASE),
)

# What may be inside a file of this suffix; a suffix that is not here promises nothing.
_TEXTS = (HTML, XML)
_PROMISES: Mapping[str, tuple[str, tuple[Format, ...]]] = MappingProxyType(
    {
        **dict.fromkeys((".epub", ".kepub"), ("application/epub+zip", (ZIP,))),
        ".docx": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", (ZIP,)),
        ".pptx": ("application/vnd.openxmlformats-officedocument.presentationml.presentation", (ZIP,)),
        ".xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", (ZIP,)),
        ".odt": ("application/vnd.oasis.opendocument.text", (ZIP,)),
        ".zip": ("application/zip", (ZIP,)),
        ".pdf": ("application/pdf", (PDF,)),
        **dict.fromkeys((".mobi", ".azw", ".azw3", ".prc"), ("application/x-mobipocket-ebook", (MOBI,))),
        **dict.fromkeys((".htm", ".html"), ("text/html", _TEXTS)),
        ".xhtml": ("application/xhtml+xml", _TEXTS),
        ".xml": ("application/xml", _TEXTS),
        ".opf": ("application/oebps-package+xml", _TEXTS),
        ".css": ("text/css", _TEXTS),
        ".csv": ("text/csv", _TEXTS),
        ".js": ("text/javascript", _TEXTS),
        ".json": ("application/json", _TEXTS),
        ".jsonl": ("application/jsonl", _TEXTS),
        **dict.fromkeys((".md", ".markdown"), ("text/markdown", _TEXTS)),
        ".rst": ("text/x-rst", _TEXTS),
        ".txt": ("text/plain", _TEXTS),
        **dict.fromkeys((".yaml", ".yml"), ("application/yaml", _TEXTS)),
        ".rtf": ("application/rtf", (RTF,)),
        ".doc": ("application/msword", (OLE, RTF, HTML, XML)),
        ".gif": ("image/gif", (IMAGE,)),
        **dict.fromkeys((".jpg", ".jpeg"), ("image/jpeg", (IMAGE,))),
        ".png": ("image/png", (IMAGE,)),
        ".svg": ("image/svg+xml", _TEXTS),
        **dict.fromkeys((".tif", ".tiff"), ("image/tiff", (IMAGE,))),
        ".bmp": ("image/bmp", (BITMAP,)),
        ".ico": ("image/x-icon", ()),
        ".webp": ("image/webp", (IMAGE,)),
        ".mp3": ("audio/mpeg", (SOUND,)),
        **dict.fromkeys((".m4a", ".m4b"), ("audio/mp4", (SOUND,))),
        ".mp4": ("video/mp4", (SOUND,)),
        **dict.fromkeys((".otf", ".ttf", ".woff", ".woff2"), ("font/*", ())),
        **dict.fromkeys((".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zst"), (PACKED.media_type, (PACKED,))),
        **dict.fromkeys((".dll", ".exe"), (PROGRAM.media_type, (PROGRAM,))),
        **dict.fromkeys((".db", ".sqlite"), (DATABASE.media_type, (DATABASE, OLE))),
    }
)


def promised_type(name: str) -> str | None:
    """The media type by the suffix of a file name; None for a suffix that promises nothing."""
    promise = _PROMISES.get(PurePosixPath(name).suffix.lower())
    return promise[0] if promise else None


def signature(content: bytes) -> Format | None:
    """What the bytes are by their first ones; None where these say nothing."""
    head = content[:HEAD]
    if head.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and not is_textual(content)):
        return PDF
    if head.startswith(b"{\\rtf"):
        return RTF
    textual = is_textual(content)
    for offset, mark, found in _SIGNATURES:
        # Letters alone prove nothing: a text may begin with MZ or BZh.
        if head.startswith(mark, offset) and not (textual and mark.isascii() and b"\x00" not in mark):
            return found
    if textual:
        text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if _HTML.match(text):
            return HTML
        if text.startswith(b"<?xml"):
            return XML
    return None


def is_textual(content: bytes) -> bool:
    """Whether the bytes look like text in some encoding."""
    head = content[:HEAD]
    return bool(head) and (head.startswith(_BOMS) or _NO_TEXT.search(head) is None)


def mismatch(name: str, content: bytes) -> tuple[str, Format] | None:
    """The suffix of `name` and what the bytes are instead of what it promises; None where the two agree."""
    suffix = PurePosixPath(name).suffix.lower()
    promise = _PROMISES.get(suffix)
    found = signature(content)
    if promise is None or found is None or found in promise[1]:
        return None
    return suffix, found


def media_type(name: str, content: bytes) -> str:
    """The naive media type: by the suffix, else by the first bytes."""
    promised = promised_type(name)
    if promised is not None and mismatch(name, content) is None:
        return promised
    found = signature(content)
    if found is not None and "*" not in found.media_type:
        return found.media_type
    return "text/plain" if found is None and is_textual(content) else "application/octet-stream"
