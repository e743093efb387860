"""What the first bytes of a document say: its encoding, and whether its document type has to be looked into."""

from __future__ import annotations

import re

_XML_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]{0,400}?encoding\s*=\s*[\"']\s*([A-Za-z0-9._:-]+)")
# Compiled when a document has one of them at all.
_FOREIGN_REFERENCE = rb"&(?!amp;|lt;|gt;|quot;|apos;|#)"
_DOCUMENT_TYPE = (  # anywhere else a document type is no well-formed XML
    rb"(?s)(?:\xef\xbb\xbf)?(?>(?:\s++|<\?.*?\?>|<!--.*?-->)*)"
    rb"(?:<!DOCTYPE(?>(?:[^>\[\"']++|\"[^\"]*+\"|'[^']*+')*)(?P<end>.|\Z))?"
)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the XML declaration names, lower-case."""
    match = _XML_DECLARATION.match(data)
    return match[1].decode("ascii").lower() if match else None


def needs_resolving(data: bytes) -> bool:
    """Whether ASCII-compatible `data` has references or declarations that a parser must not see."""
    if b"<!DOCTYPE" in data:
        declared = re.match(_DOCUMENT_TYPE, data)
        if declared is not None and declared["end"] not in (None, b">"):
            return True  # an internal subset: entities, and default attributes, which multiply like them
    return b"&" in data and re.search(_FOREIGN_REFERENCE, data) is not None
