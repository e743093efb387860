"""The body of a response below a cap: counted as it arrives, and as it is unpacked."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from markitect_tool.context.errors import SourceUnavailableError
from markitect_tool.context.guard import too_large

_GZIP = 16 + zlib.MAX_WBITS


def read_body(chunks: Iterable[bytes], encoding: str, limit: int) -> bytes:
    """The body in `chunks`, in the content encoding `encoding`, at most `limit` bytes before and after unpacking.

    Raises `TooLargeError`, and `SourceUnavailableError` for an encoding that was not asked for or broken data.
    """
    named = encoding.strip().lower()
    if named in ("", "identity"):
        return b"".join(_counted(chunks, limit))
    if named not in ("gzip", "x-gzip"):
        raise SourceUnavailableError(f"The response is encoded with {encoding!r}, which was not asked for.")
    try:
        return _unpacked(_counted(chunks, limit), limit)
    except zlib.error as error:
        raise SourceUnavailableError(f"The response is no valid gzip data: {error}.") from error


def _counted(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limit:
            raise too_large("The response", limit)
        yield chunk


def _unpacked(chunks: Iterable[bytes], limit: int) -> bytes:
    """All gzip members in `chunks`. The decoder never gives more than the cap allows, however well data packs."""
    content = bytearray()
    decoder = zlib.decompressobj(_GZIP)
    for chunk in chunks:
        data = chunk
        while data:
            if decoder.eof:
                decoder = zlib.decompressobj(_GZIP)
            content += decoder.decompress(data, limit + 1 - len(content))
            if len(content) > limit:
                raise too_large("The unpacked response", limit)
            data = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise SourceUnavailableError("The response ends in the middle of its gzip data.")
    return bytes(content)
