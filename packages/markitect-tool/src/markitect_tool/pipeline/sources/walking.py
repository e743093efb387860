"""Every file below a folder, by ascending key: on this machine, or in any storage.

Hidden files and folders (a dot in front) are left out unless asked for. Links to files are files. Links to folders are
not followed unless asked for, and then each target is entered once and a loop is left at once. All else that cannot be
a document is told of as an item with a problem: links that lead nowhere, pipes, devices, folders that can't be read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from markitect_tool.diagnostics import diagnostic
from markitect_tool.errors import MissingSourceError, NotAFileError, UnreadableSourceError
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.pipeline.sources.names import key_of, path_of, uri_of
from markitect_tool.pipeline.sources.reading import unreachable
from markitect_tool.pipeline.sources.sorting import ordered
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.storage import Storage
from markitect_tool.pipeline.storage_errors import StorageError, without_credentials
from markitect_tool.pipeline.storage_local import LocalStorage


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk does with what it meets."""

    hidden: bool = False
    follow_links: bool = False
    deepest: int | None = None  # how many levels of folders below the first are entered; None: all

    def items(self, storage: Storage, folder: str) -> Iterator[SourceItem]:
        """The files below `folder` in `storage`, with keys relative to that folder.

        Raises a `SourceError` when the folder itself cannot be listed.
        """
        if isinstance(storage, LocalStorage):
            root = os.path.join(storage.root, *folder.split("/")) if folder else storage.root
            return _LocalWalk(self, root).items()
        return self._stored(storage, folder)

    def _stored(self, storage: Storage, folder: str) -> Iterator[SourceItem]:
        prefix = f"{folder}/" if folder else ""
        empty = True
        try:
            for stored in storage.list(folder):
                empty = False
                path = stored.name.removeprefix(prefix)
                parts = path.split("/")
                if self.deepest is not None and len(parts) > self.deepest + 1:
                    continue
                if self.hidden or not any(part.startswith(".") for part in parts):
                    yield _stored_item(storage, stored.name, key_of(path), stored.size, stored.modified_ns)
        except StorageError as error:
            raise unreachable(error) from error
        if empty:
            raise MissingSourceError(
                f"There is no file below {storage.url_of(folder) if folder else storage.url}.",
                source=storage.url,
                hint="Check the URL and the permissions to list it.",
            )


def _stored_item(storage: Storage, name: str, key: str, size: int | None, modified_ns: int | None) -> SourceItem:
    try:
        return SourceItem(key, without_credentials(storage.url_of(name)), size, modified_ns)
    except StorageError as error:  # names such as `a//b`, which a store of objects may hold
        return SourceItem(key, uri_of(name), size, modified_ns, problem=error.diagnostic)


_BOOK = ".epub/"


class _Entry(NamedTuple):
    """An entry of a folder; `key` is that of its name, ending in `/` for a folder that will be entered."""

    key: str
    link: bool


@dataclass(slots=True)
class _Open:
    """A folder on the way down."""

    path: str
    key: str  # relative to the first folder, ending in `/` unless it is that
    identity: tuple[int, int] | None  # device and inode, where links are followed
    entries: Iterator[_Entry]


@dataclass(slots=True)
class _LocalWalk:
    walk: Walk
    root: str
    way: list[_Open] = field(default_factory=list)
    entered: set[tuple[int, int]] = field(default_factory=set)  # targets of links

    def items(self) -> Iterator[SourceItem]:
        self._enter_root()
        while self.way:
            folder = self.way[-1]
            entry = next(folder.entries, None)
            if entry is None:
                self.way.pop()
                continue
            path = os.path.join(folder.path, path_of(entry.key.rstrip("/")))
            item = self._item(folder, entry, path)
            if item is not None:
                yield item

    def _enter_root(self) -> None:
        try:
            self._enter(self.root, "")
        except FileNotFoundError as error:
            raise MissingSourceError(f"There is no folder {_text(self.root)}.", source=uri_of(self.root)) from error
        except NotADirectoryError as error:
            raise NotAFileError(
                f"{_text(self.root)} is no folder.",
                source=uri_of(self.root),
                hint="Name a folder, or name it as a file.",
            ) from error
        except OSError as error:
            raise UnreadableSourceError(
                f"The folder {_text(self.root)} cannot be read: {error.strerror}.", source=uri_of(self.root)
            ) from error

    def _enter(self, path: str, key: str) -> None:
        """Raises `OSError` for a folder that cannot be listed."""
        identity = _identity(path) if self.walk.follow_links else None
        self.way.append(_Open(path, key, identity, self._entries(path)))

    def _entries(self, path: str) -> Iterator[_Entry]:
        """The folder's entries by key; it is listed at once, so that a folder which cannot be is known here."""
        entries = ordered(self._scan(path))
        first = next(entries, None)
        return _with(first, entries)

    def _scan(self, path: str) -> Iterator[_Entry]:
        with os.scandir(path) as found:
            for entry in found:
                if entry.name.startswith(".") and not self.walk.hidden:
                    continue
                link = entry.is_symlink()
                key = key_of(entry.name)
                yield _Entry(f"{key}/" if self._is_folder(entry, link) else key, link)

    def _is_folder(self, entry: os.DirEntry[str], link: bool) -> bool:
        try:
            return entry.is_dir() and (self.walk.follow_links or not link)
        except OSError:  # a link that leads through what cannot be read; it is looked at again as a file
            return False

    def _item(self, folder: _Open, entry: _Entry, path: str) -> SourceItem | None:
        """What to tell of an entry; a folder is entered, which is nothing to tell of."""
        key = folder.key + entry.key
        if not entry.key.endswith("/"):
            return self._file(key, entry.link, path)
        if self.walk.deepest is not None and len(self.way) > self.walk.deepest:
            return None
        if entry.key.lower().endswith(_BOOK) and os.path.isfile(os.path.join(path, "META-INF/container.xml")):
            whole = key.rstrip("/")
            return _problem(whole, "pipeline.not_a_file", f"{whole} is a folder: an unpacked book. Pack it as a ZIP.")
        try:
            if entry.link:
                identity = _identity(path)
                if any(above.identity == identity for above in self.way):
                    return _loop(key.rstrip("/"), path)
                if identity in self.entered:
                    return _not_followed(key.rstrip("/"), ": another link led there already")
                self.entered.add(identity)
            self._enter(path, key)
        except FileNotFoundError:
            return None  # removed since it was listed
        except OSError as error:
            return _problem(
                key,
                "pipeline.folder_unreadable",
                f"The folder {key} cannot be read: {error.strerror}. What it holds is not converted.",
            )
        return None

    def _file(self, key: str, link: bool, path: str) -> SourceItem:
        item = SourceItem(key, uri_of(path_of(key)))
        try:
            status = os.stat(path)
        except FileNotFoundError:
            # A file that has gone since is noticed again when it is loaded, and may be back by then.
            return _problem(key, "source.not_found", f"The link {key} leads nowhere.") if link else item
        except OSError as error:
            return _loop(key, path) if error.errno == errno.ELOOP else item
        if link and stat.S_ISDIR(status.st_mode):
            return _not_followed(key)
        if not stat.S_ISREG(status.st_mode):
            return _problem(key, "pipeline.not_a_file", f"{key} is a pipe, socket or device.")
        return replace(item, size=status.st_size, modified_ns=status.st_mtime_ns)


def _with(first: _Entry | None, others: Iterator[_Entry]) -> Iterator[_Entry]:
    if first is not None:
        yield first
        yield from others


def _identity(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _problem(key: str, code: str, message: str) -> SourceItem:
    uri = uri_of(path_of(key))
    return SourceItem(key, uri, problem=diagnostic(code, message, source=uri))


def _loop(key: str, path: str) -> SourceItem:
    return _problem(key, "pipeline.link_loop", f"The link {key} leads back to where it is: {_text(_target(path))}.")


def _not_followed(key: str, why: str = "") -> SourceItem:
    return _problem(key, "pipeline.link_not_followed", f"{key} is a link to a folder and was not followed{why}.")


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:  # it has just been replaced
        return path


def _text(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
