"""What a line of a list names: a file by its path, or by a URI.

Keys: a relative path is its own; an absolute one and `file:` URIs become a `file:///` URI; other URLs stay as they are.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from markitect_tool.context import AdapterContext, ContextError, default_context_registry
from markitect_tool.context.settings import GREATEST
from markitect_tool.context.uri import MAX_LENGTH
from markitect_tool.errors import SourceError
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.pipeline.sources.names import key_of, path_of, uri_of
from markitect_tool.pipeline.sources.reading import Content, no_file, read, read_local, unreachable
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage import Storage, open_url
from markitect_tool.pipeline.storage_errors import StorageError
from markitect_tool.pipeline.storage_local import LocalStorage
from markitect_tool.serialization import plain_json

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?=//|:)")  # two letters at least: `C:` is a drive
_FILE = "file://"
WEB = ("http://", "https://")
_WEB_TIMEOUT_MS = 60_000
_REMOTE = (*WEB, "ftp://", "sftp://", "ssh://")


class Entry(NamedTuple):
    """A line that names a document. Entries of one document compare by their key first."""

    key: str
    uri: str
    config: str = "{}"  # JSON, so that entries compare
    problem: str = ""  # why the line names nothing


def parse_entry(text: str) -> Entry:
    """The entry of a line: a path, a URI, or a JSON object with `uri` and `config` (hints for the parser).

    Raises `ValueError` saying what is wrong with it.
    """
    if not text.startswith("{"):
        return _named(text, "{}")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it begins with a brace and is no JSON ({error})") from None
    place, config = fields.pop("uri", None), fields.pop("config", {})
    if fields or not isinstance(place, str) or not isinstance(config, dict):
        raise ValueError('a JSON line is {"uri": …, "config": {…}}')
    return _named(place, json.dumps(plain_json(config), sort_keys=True))


def _named(place: str, config: str) -> Entry:
    if len(place) > MAX_LENGTH:
        raise ValueError(f"it is longer than {MAX_LENGTH:,} characters")
    if "\0" in place:
        raise ValueError("it holds NUL; end the entries of a list with line ends")
    if place.lower().startswith("file:"):
        parts = urlsplit(place)
        if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
            raise ValueError("it names a file of another machine; write file:///path")
        place = os.fsdecode(unquote_to_bytes(parts.path))
    elif _URL.match(place):
        return _url(place, config)
    path = posixpath.normpath(place.replace(os.sep, "/"))
    if os.path.isabs(place):
        uri = _FILE + uri_of(path if path.startswith("/") else f"/{path}")
        return Entry(uri, uri, config)
    if path in (".", ".."):
        raise ValueError("it names a folder")
    return Entry(key_of(path), uri_of(path), config)


def _url(url: str, config: str) -> Entry:
    if "::" in url:
        raise ValueError("it is a chain of file systems")
    parts = urlsplit(url)  # raises `ValueError` for what is no URL
    if parts.password or (parts.username and parts.scheme in ("http", "https")):
        raise ValueError("it holds a password; give credentials in the way of that storage's library")
    if not parts.path.strip("/"):
        raise ValueError("it names no file")
    if not url.isprintable():
        raise ValueError("it holds control characters")
    return Entry(url, quote(url, safe="!#$%&'()*+,/:;=?@[]~"), config)


def item_of(entry: Entry) -> SourceItem:
    """The entry as an item."""
    config: dict[str, Any] = json.loads(entry.config)
    return SourceItem(entry.key, entry.uri, config=config, costly=entry.key.lower().startswith(_REMOTE))


def measured(item: SourceItem, storage: Storage, folder: str) -> SourceItem:
    """`item` with size and time, where it is a file of this machine; nothing is opened for it."""
    path = _local_path(item.key, storage, folder)
    if path is None:
        return item
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return item  # to load it says what is wrong
    if not stat.S_ISREG(status.st_mode):
        return replace(item, problem=no_file(item).diagnostic)
    return replace(item, size=status.st_size, modified_ns=status.st_mtime_ns)


def load_entry(storage: Storage, folder: str, item: SourceItem, most: int) -> tuple[Content, str]:
    """What an entry names, and the name of the file; relative paths begin at `folder` in `storage`.

    Raises a `SourceError`.
    """
    key = item.key
    local = _local_path(key, storage, folder)
    if local is not None:
        return read_local(local, item, most), key_of(posixpath.basename(local))
    if _URL.match(key):
        parent, _, name = key.rpartition("/")
        shown = unquote(name.partition("?")[0]) or name
        if key.lower().startswith(WEB):
            return _fetched(key, most), shown
        try:
            return read(open_url(parent), name, item, most), shown
        except StorageError as error:
            raise unreachable(error) from error
    path = posixpath.normpath(posixpath.join(folder, path_of(key)))
    if path.startswith("../"):
        raise SourceError(f"{key} leads out of {storage.url}.", code="pipeline.list_malformed", source=item.uri)
    return read(storage, path, item, most), posixpath.basename(key)


def _fetched(url: str, most: int) -> Content:
    """What is behind a web address, by the rules of the context layer: somebody else may have written the list."""
    settings = {"enabled": True, "max_bytes": min(most, GREATEST)}
    ctx = AdapterContext(Path(os.curdir), config=settings, timeout_ms=_WEB_TIMEOUT_MS)
    try:
        result = default_context_registry().load(url, ctx)
    except ContextError as error:
        raise SourceError.of(error.diagnostic) from error
    kind = result.content_type
    return Content(result.content, media_type=None if kind in (None, "application/octet-stream") else kind)


def _local_path(key: str, storage: Storage, folder: str) -> str | None:
    """The path of an entry on this machine; None for one that lies elsewhere."""
    if key.startswith(_FILE):
        return os.fsdecode(unquote_to_bytes(key[len(_FILE) :]))
    if isinstance(storage, LocalStorage) and not _URL.match(key):
        return os.path.join(storage.root, folder, path_of(key))
    return None
