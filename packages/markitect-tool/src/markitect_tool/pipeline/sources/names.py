"""Keys of documents from paths, and back.

A key is the path as people read it, relative and with `/`. File names of Unix are bytes: one that is not UTF-8 becomes
`%:` and its percent-encoding, part by part, and so does a name that begins with `%:`, so that no two paths share a key.
"""

from __future__ import annotations

import os
from urllib.parse import quote, unquote_to_bytes

_MARK = "%:"


def key_of(path: str) -> str:
    """The key of a relative path with `/`."""
    return "/".join(map(_shown, path.split("/")))


def path_of(key: str) -> str:
    """The path whose key this is."""
    return "/".join(map(_named, key.split("/")))


def uri_of(path: str) -> str:
    """The URI reference of a path: valid UTF-8 whatever the file's name, and the same on every machine."""
    return quote(os.fsencode(path), safe="/~")


def _shown(part: str) -> str:
    try:
        part.encode()
    except UnicodeEncodeError:
        return _MARK + quote(os.fsencode(part))
    return _MARK + quote(part) if part.startswith(_MARK) else part


def _named(part: str) -> str:
    return os.fsdecode(unquote_to_bytes(part[len(_MARK) :])) if part.startswith(_MARK) else part
