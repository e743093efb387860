"""The bytes of a book's pictures, sounds and other members that are not text, through the one door and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
from markitect_tool.source.attachments import ReadAttachment
from markitect_tool.source.model import SourceAsset

from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.limits import Limits


@contextmanager
def open_members(source: Path | bytes, limits: Limits) -> Iterator[ReadAttachment]:
    """Reads members of the book by the attachments that stand for them. Raises what `Archive.open` raises.

    The reader raises a `SourceError` (`source.member_missing`) for what is no member, and what `Archive.read` raises. A
    damaged member yields what can be unpacked; that it is damaged, reading the book has told already.
    """
    with Archive.open(source, limits=limits, sink=DiagnosticSink()) as archive:

        def read(attachment: SourceAsset) -> bytes:
            member = attachment.metadata.get("member")
            if not isinstance(member, str) or not archive.exists(member):
                raise SourceError(f"The book does not hold {attachment.uri}.", code="source.member_missing")
            return archive.read(member)

        yield read
