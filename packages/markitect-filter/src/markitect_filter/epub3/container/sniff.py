"""Whether an archive is an EPUB, told by its content and without any library for XML."""

from __future__ import annotations

import os

from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.unpack import EncryptedMemberError, MemberError

MIMETYPE_MEMBER = "mimetype"
CONTAINER_MEMBER = "META-INF/container.xml"
EPUB_MEDIA_TYPE = "application/epub+zip"
#: The best evidence, for a person.
SIGNED = f"its mimetype member says {EPUB_MEDIA_TYPE}"
#: How an archive begins whose first member is `mimetype`, stored (EPUB 3.3 section 4.2.2): at 30, after the header.
_SIGNATURE = (b"PK\x03\x04", 30, f"{MIMETYPE_MEMBER}{EPUB_MEDIA_TYPE}".encode())


def begins_like_epub(source: str | os.PathLike[str] | bytes) -> bool:
    """Whether the first bytes are those of an EPUB, even one that breaks off later. False for what cannot be read."""
    start, offset, mark = _SIGNATURE
    if isinstance(source, bytes):
        head = source[: offset + len(mark)]
    else:
        try:
            with open(source, "rb") as file:
                head = file.read(offset + len(mark))
        except OSError:
            return False
    return head.startswith(start) and head[offset:] == mark


def epub_evidence(archive: Archive) -> str | None:
    """What makes `archive` an EPUB, for a person; None when nothing does.

    Raises `LimitExceededError` for a `mimetype` member over the limit.
    """
    if archive.exists(MIMETYPE_MEMBER):
        try:
            content = archive.read(MIMETYPE_MEMBER, structural=True)
        except (MemberError, EncryptedMemberError):
            content = b""
        if content.strip() == EPUB_MEDIA_TYPE.encode():
            return SIGNED
    if archive.find(CONTAINER_MEMBER) is not None:
        return f"it has a {CONTAINER_MEMBER}"
    if any(name.lower().endswith(".opf") for name in archive.names):
        return "it has a package document"
    return None
