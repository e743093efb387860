"""The one door to a book's bytes (OCF, EPUB 3.3 section 4): which members there are, and what is in them.

Every limit is enforced here and in `unpack`, while reading. Nothing in this module needs more than the
standard library, so that a file can be recognised as a book without it.
"""

from __future__ import annotations

import io
import os
import stat
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from types import TracebackType
from typing import BinaryIO, Self

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import (
    EncryptedSourceError,
    MalformedSourceError,
    MissingSourceError,
    NotAFileError,
    SourceError,
    UnreadableSourceError,
)

from markitect_filter.documents.limits import Limits
from markitect_filter.documents.percent import percent_decode
from markitect_filter.epub3.container.protection import Encryption
from markitect_filter.epub3.container.unpack import LOCAL_HEADER, Unpacker
from markitect_filter.epub3.container.zip_directory import ZipEntry, find_end, read_entries
from markitect_filter.epub3.href import Target, safe_member_name

ENCRYPTION_MEMBER = "META-INF/encryption.xml"
RIGHTS_MEMBER = "META-INF/rights.xml"
PUBLICATION_MEMBER = "META-INF/metadata.xml"

_CHUNK = 1024 * 1024  # bytes of one step of a digest
_DIRECTORY_BYTES_PER_MEMBER = 1024  # generous: 46 bytes, a name and a few extra fields


class Archive:
    """The members of one book. A context manager; not safe to share between threads."""

    def __init__(self, file: BinaryIO, size: int, limits: Limits, sink: DiagnosticSink) -> None:
        self._file = file
        self._limits = limits
        self._sink = sink
        self._entries: dict[str, ZipEntry] = {}
        self.directory_end = find_end(file, size)
        self._unpacker = Unpacker(file, limits, sink, self._load())
        self.names: Sequence[str] = sorted(self._entries)
        """Member paths that are safe to use, normalised, sorted; no folders."""

    @classmethod
    def open(cls, source: str | os.PathLike[str] | bytes, *, limits: Limits, sink: DiagnosticSink) -> Archive:
        """The archive in the file or bytes `source`. What is repaired on the way goes to `sink`.

        Raises `MissingSourceError`, `NotAFileError` (folder, pipe, device), `UnreadableSourceError`,
        `EmptySourceError`, `UnsupportedFormatError` (not a ZIP archive), `MalformedSourceError` (code
        `source.archive_truncated` for one cut short), `EncryptedSourceError` (every member encrypted) and
        `LimitExceededError`.
        """
        file, size = (io.BytesIO(source), len(source)) if isinstance(source, bytes) else _open_file(source)
        try:
            if size > limits.archive_bytes:
                raise limits.exceeded("archive_bytes", f"the book's file has {size:,} bytes")
            return cls(file, size, limits, sink)
        except OSError as problem:
            file.close()
            raise UnreadableSourceError(f"the file cannot be read: {problem.strerror}") from problem
        except SourceError:
            file.close()
            raise

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Names

    def exists(self, name: str) -> bool:
        """Whether a member has exactly this name."""
        return name in self._entries

    def find(self, name: str) -> str | None:
        """The member that `name` means: the one of that name, else the only one that differs just in
        percent-encoding, slashes, Unicode normalisation or letter case (reported once as `member_renamed`).
        """
        if name in self._entries:
            return name
        for alike in (_repaired, _folded):
            found = self._index(alike).get(alike(name), ())
            if len(found) == 1:
                self._sink.report(
                    "source.member_renamed",
                    f"no member is named {name!r}; {found[0]!r} was read in its place",
                    once=("member_renamed", name),
                    path=found[0],
                    requested=name,
                )
                return found[0]
        return None

    def member(self, target: Target) -> str | None:
        """The member that a reference leads to: by exact name, else percent-decoded, else by `find`."""
        for name in (target.raw_path, target.path):
            if name in self._entries:
                if target.backslashes:
                    self._sink.report(
                        "source.member_renamed",
                        "backslashes in a reference were read as slashes",
                        once=("backslash_reference",),
                        path=name,
                    )
                return name
        return self.find(target.path)

    @cached_property
    def _indexes(self) -> dict[Callable[[str], str], dict[str, list[str]]]:
        return {}

    def _index(self, key: Callable[[str], str]) -> dict[str, list[str]]:
        index = self._indexes.get(key)
        if index is None:
            index = self._indexes[key] = {}
            for name in self.names:
                index.setdefault(key(name), []).append(name)
        return index

    # Content

    def size(self, name: str) -> int:
        """The size in bytes that the archive declares for a member; only a hint. Raises `KeyError`."""
        return self._entries[name].size

    def entry(self, name: str) -> ZipEntry:
        """What the archive's directory says about a member. Raises `KeyError`."""
        return self._entries[name]

    def read(self, name: str, *, structural: bool = False) -> bytes:
        """The bytes of a member; `structural` applies the smaller limit for package files.

        A damaged member yields what can be unpacked, reported as `member_corrupt`.
        Raises `KeyError` for no such member, `MemberError` when nothing can be unpacked,
        `EncryptedMemberError`, and `LimitExceededError`.
        """
        entry = self._entries[name]
        if ENCRYPTION_MEMBER in self._entries and not name.startswith("META-INF/"):
            self.encryption.check(name)
        limit = "structural_bytes" if structural else "member_bytes"
        chunks = list(self._unpacker.unpack(name, entry, limit))
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def digest(self, name: str) -> str:
        """`sha256:<hex>` of a member's bytes, streamed; encrypted ones as they are. Raises like `read`."""
        import hashlib

        digest = hashlib.sha256()
        for chunk in self._unpacker.unpack(name, self._entries[name], "asset_bytes", _CHUNK):
            digest.update(chunk)
        return f"sha256:{digest.hexdigest()}"

    @cached_property
    def encryption(self) -> Encryption:
        """What `META-INF/encryption.xml` says about each member."""
        if ENCRYPTION_MEMBER not in self._entries:
            return Encryption(rights=RIGHTS_MEMBER in self._entries)
        from markitect_filter.epub3.container.encryption import (
            read_encryption,  # imported late: needs lxml, which sniffing must not
        )

        return read_encryption(self, self._sink)

    @property
    def limits(self) -> Limits:
        return self._limits

    # The directory

    def _load(self) -> list[int]:
        """Fills `_entries`; returns where any member's data must end at the latest: headers and directory."""
        limits = self._limits
        if self.directory_end.size > limits.members * _DIRECTORY_BYTES_PER_MEMBER:
            raise limits.exceeded("members", "the archive's directory is larger than its members may need")
        if self.directory_end.shift:
            self._irregular("before", f"{self.directory_end.shift:,} bytes stand before the archive")
        if self.directory_end.junk_after:
            self._irregular("after", f"{self.directory_end.junk_after:,} bytes stand after the archive")
        offsets: list[int] = []
        encrypted = 0
        for entry in read_entries(self._file, self.directory_end):
            if len(offsets) >= limits.members:
                raise limits.exceeded("members", "the archive has too many members")
            offsets.append(entry.header_offset)
            if entry.name.endswith(("/", "\\")):
                continue
            encrypted += entry.encrypted
            self._admit(entry)
        if not self._entries:
            raise MalformedSourceError("the archive has no usable members")
        if encrypted and encrypted >= len(self._entries) - ("mimetype" in self._entries):
            raise EncryptedSourceError(
                "every member of the archive is encrypted with a password", scheme="zip-password"
            )
        offsets.append(self.directory_end.offset)
        offsets.sort()
        self._report_overlaps(offsets)
        return offsets

    def _admit(self, entry: ZipEntry) -> None:
        name = safe_member_name(entry.name)
        if name is None or entry.is_symlink:
            kind = "is a symbolic link" if name else "points outside the archive, is too long or has control characters"
            self._sink.report(
                "source.member_unsafe",
                f"a member {kind}; it was not used: {entry.name[:200]!r}",
                once=("member_unsafe", "link" if name else "name"),
                path=entry.name[:200].replace("\0", "\ufffd") or None,
            )
            return
        if name != entry.name:
            self._sink.report(
                "source.member_renamed",
                f"the archive's name {entry.name!r} is read as {name!r}",
                once=("archive_name",),
                path=name,
                stored=entry.name,
            )
        if entry.name_is_ambiguous:
            self._irregular("name", f"the name of {name!r} is not in UTF-8", path=name)
        if name in self._entries:
            exact = self._entries[name].name == name
            self._sink.report(
                "source.member_duplicate",
                f"the archive has {name!r} more than once; the last one counts",
                once=("member_duplicate", name),
                path=name,
            )
            if exact and entry.name != name:  # a repaired name never displaces a proper one
                return
        self._entries[name] = entry

    def _report_overlaps(self, offsets: Sequence[int]) -> None:
        for name, entry in self._entries.items():
            end = entry.header_offset + LOCAL_HEADER + entry.packed_size
            following = bisect_right(offsets, entry.header_offset)
            shared = following > 1 and offsets[following - 2] == entry.header_offset
            if shared or following == len(offsets) or end > offsets[following]:
                self._irregular("overlap", f"{name} overlaps other data of the archive", path=name)

    def _irregular(self, kind: str, message: str, *, path: str | None = None) -> None:
        self._sink.report("source.archive_irregular", message, once=("archive_irregular", kind), path=path)


def _open_file(path: str | os.PathLike[str]) -> tuple[BinaryIO, int]:
    name = os.path.basename(path)
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):  # asked before opening: a pipe would block
            raise NotAFileError(f"{name} is not a regular file")
        return open(path, "rb"), status.st_size
    except FileNotFoundError as problem:
        raise MissingSourceError(f"there is no file {name}") from problem
    except OSError as problem:
        raise UnreadableSourceError(f"{name} cannot be read: {problem.strerror}") from problem


def _repaired(name: str) -> str:
    """The key by which names are alike but for percent-encoding, slashes and Unicode normalisation."""
    return _composed(percent_decode(name).replace("\\", "/"))


def _folded(name: str) -> str:
    """As `_repaired`, and alike in letter case too."""
    return _composed(_repaired(name).casefold())


def _composed(name: str) -> str:
    """`name` with its accents in one character each, as far as there is one."""
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name)
