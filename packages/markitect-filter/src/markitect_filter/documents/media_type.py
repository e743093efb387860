"""Media types as books really write them, reduced to the ones this reader knows (EPUB 3.3 section 3.2).

Nothing here asks the operating system: its tables differ between machines, and the output must not.
"""

from __future__ import annotations

XHTML = "application/xhtml+xml"
HTML = "text/html"
SVG = "image/svg+xml"
NCX = "application/x-dtbncx+xml"

#: The types whose text this reader converts.
DOCUMENT_TYPES = frozenset({XHTML, HTML, SVG})

#: Names seen in real manifests for a type that has another, registered name.
_ALIASES = {
    "application/html": HTML,
    "application/vnd.wap.xhtml+xml": XHTML,
    "application/x-font-opentype": "font/otf",
    "application/x-font-otf": "font/otf",
    "application/x-font-truetype": "font/ttf",
    "application/x-font-ttf": "font/ttf",
    "application/x-font-woff": "font/woff",
    "application/font-sfnt": "font/sfnt",
    "application/font-woff": "font/woff",
    "application/vnd.ms-opentype": "font/otf",
    "application/xhtml": XHTML,
    "application/xhtml-xml": XHTML,
    "application/xhtml+xml+xml": XHTML,
    "audio/mp3": "audio/mpeg",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/svg": SVG,
    "image/svg-xml": SVG,
    "text/x-oeb1-css": "text/css",
    "text/x-oeb1-document": HTML,
    "text/xhtml": XHTML,
    "text/xhtml+xml": XHTML,
}

_BY_EXTENSION = {
    "avif": "image/avif",
    "css": "text/css",
    "gif": "image/gif",
    "htm": HTML,
    "html": XHTML,
    "jpe": "image/jpeg",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "m4a": "audio/mp4",
    "m4v": "video/mp4",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "ncx": NCX,
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "opf": "application/oebps-package+xml",
    "opus": "audio/ogg",
    "otf": "font/otf",
    "pdf": "application/pdf",
    "pls": "application/pls+xml",
    "png": "image/png",
    "smil": "application/smil+xml",
    "svg": SVG,
    "ttf": "font/ttf",
    "txt": "text/plain",
    "vtt": "text/vtt",
    "webm": "video/webm",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xht": XHTML,
    "xhtml": XHTML,
    "xml": "application/xml",
}

#: How far into a file a root element is looked for: past a byte order mark, prolog, doctype and a comment.
SNIFF_BYTES = 2048


def normalize_media_type(declared: str | None) -> str:
    """The bare lower-case type without parameters, aliases replaced; "" when nothing was declared."""
    bare = (declared or "").partition(";")[0].strip().lower()
    return _ALIASES.get(bare, bare)


def guess_media_type(path: str) -> str:
    """The type that the file name's extension suggests, or ""."""
    name = path.rpartition("/")[2]
    return _BY_EXTENSION.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


def sniff_document_type(head: bytes) -> str:
    """XHTML, HTML or SVG when the first bytes of a file (see `SNIFF_BYTES`) show such a root element, else
    "".

    Zero bytes are dropped first, so that UTF-16 text shows the same names as UTF-8.
    """
    start = head[:SNIFF_BYTES].replace(b"\0", b"").lower()
    html, svg = start.find(b"<html"), start.find(b"<svg")
    if html >= 0 and (svg < 0 or html < svg):
        return XHTML if b"http://www.w3.org/1999/xhtml" in start else HTML
    if svg >= 0:
        return SVG
    return HTML if b"<!doctype html" in start else ""
