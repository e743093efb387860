"""What files are called: a name follows from the document's key alone, so neither order nor company matters.

`shelf/emma.epub` becomes `shelf/emma.epub` and a suffix of the format. Where two keys could meet in one name, on a file
system that ignores letter case or Unicode form, each part of the key that is not its own safe name gets a hash of
itself: `Shelf/Emma.epub` becomes `Shelf-1f0c…/Emma-99d1….epub`. So does a folder `emma.md`, which would be in the way
of what comes of `emma`. The file's own suffix stays in the name, since a folder may hold a book in two formats.
"""

from __future__ import annotations

import re
from hashlib import sha256

from markitect_tool.outputs.names import file_stem

_HASH_DIGITS = 16  # two of 50 million names with the same readable part meet with a probability of 0.0001
_LIKE_OURS = re.compile(rf"-[0-9a-f]{{{_HASH_DIGITS}}}\Z")
_FILES = ".md"  # the suffix of what exporters write under names of documents
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}\Z", re.IGNORECASE)


def document_name(key: str) -> str:
    """A relative path without the suffix of a format: safe on any system, and different for different keys."""
    parts = key.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\0" in key:
        return _safe(key)  # a URI, for one: no path of folders
    return "/".join([*(_safe(part, _FILES) for part in parts[:-1]), _safe(parts[-1])])


def key_hash(key: str) -> str:
    """A hash of any key (file names may hold lone surrogates), in 64 lower-case hexadecimal digits."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _safe(part: str, taken: str | None = None) -> str:
    """A safe name for `part`; never `part` itself if that has the suffix `taken`."""
    suffix = _SUFFIX.search(part)
    stem, extension = (part[: suffix.start()], suffix[0].lower()) if suffix else (part, "")
    name = file_stem(stem, fallback="document")
    plain = f"{name}{extension}" == part and part == part.casefold() == part.upper().casefold()
    if plain and not _LIKE_OURS.search(name) and extension != taken:
        return part
    return f"{name}-{key_hash(part)[:_HASH_DIGITS]}{extension}"
