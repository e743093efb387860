"""The bytes of a book's pictures, sounds and other members that are not text, through the one door and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError
from markitect_tool.source.attachments import ReadAttachment
from markitect_tool.source.model import SourceAsset

from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.unpack import MemberError


@contextmanager
def open_members(source: str | bytes, limits: Limits) -> Iterator[ReadAttachment]:
    """Reads members of the book by the attachments that stand for them. Raises what `Archive.open` raises.

    The reader raises a `SourceError` (`source.member_missing`) for what is no member, a `MemberError` for a damaged
    one, of which reading the book's text says nothing, and what `Archive.read` raises.
    """
    sink = DiagnosticSink()
    with Archive.open(source, limits=limits, sink=sink) as archive:

        def read(attachment: SourceAsset) -> bytes:
            member = attachment.metadata.get("member")
            if not isinstance(member, str) or not archive.exists(member):
                raise SourceError(f"The book does not hold {attachment.uri}.", code="source.member_missing")
            known = len(sink)
            content = archive.read(member)
            for found in list(sink)[known:]:
                if found.code == MemberError.code:
                    raise MemberError(found.message, path=member)
            return content

        yield read
