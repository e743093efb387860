"""Whether an archive is an EPUB, told by its content and without any library for XML."""

from __future__ import annotations

from .archive import Archive
from .unpack import EncryptedMemberError, MemberError

MIMETYPE_MEMBER = "mimetype"
CONTAINER_MEMBER = "META-INF/container.xml"
EPUB_MEDIA_TYPE = "application/epub+zip"


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
            return f"its mimetype member says {EPUB_MEDIA_TYPE}"
    if archive.find(CONTAINER_MEMBER) is not None:
        return f"it has a {CONTAINER_MEMBER}"
    if any(name.lower().endswith(".opf") for name in archive.names):
        return "it has a package document"
    return None
