"""What is left out before it is parsed, and why: too large, a bomb, not what its name says, of no use, empty.

Whatever is screened out has a diagnostic of a warning, which the run records; nothing is dropped. A document that ought
to be there and cannot be had is no matter of screening but a failure: `Source.load` raises an error for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.pipeline import signatures
from markitect_tool.pipeline.archives import declared
from markitect_tool.pipeline.records import ParserInput
from markitect_tool.pipeline.sources.reading import DEFAULT_MAX_BYTES, too_large
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.source.discovery import default_source_adapter_registry

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScreeningLimits:
    """What a document may be at most. Readers of formats have limits of their own, which hold while they read."""

    max_bytes: int = DEFAULT_MAX_BYTES  # of the document itself
    max_unpacked: int = 4096 * _MIB  # bytes that an archive declares, with archives in it
    max_ratio: int = 200  # declared bytes to bytes of an archive, where it declares more than `ratio_floor`
    ratio_floor: int = 16 * _MIB
    max_members: int = 100_000  # files in an archive, with archives in it
    check_types: bool = True  # whether what a file's name promises has to be in it
    check_formats: bool = True  # whether some installed adapter has to read what a file's name promises


def screen(given: SourceItem | ParserInput, limits: ScreeningLimits) -> Diagnostic | None:
    """Why a document is left out; None when it may go on.

    An item is judged by what listing knows, before anything is read; a `ParserInput` by its content, of which nothing
    is unpacked but the directories of archives in archives.
    """
    if isinstance(given, SourceItem):
        return _screen_item(given, limits)
    return _screen_content(given, limits)


def _screen_item(item: SourceItem, limits: ScreeningLimits) -> Diagnostic | None:
    if item.problem is not None:
        return item.problem if item.problem.severity == "warning" else None
    if item.size == 0:
        return _empty(item.key, item.uri)
    if item.size is not None and item.size > limits.max_bytes:
        return too_large(item, item.size, limits.max_bytes).diagnostic
    return _unsupported(item) if limits.check_formats else None


def _unsupported(item: SourceItem) -> Diagnostic | None:
    """The reason for a cover or a metadata file beside a book; what has an unknown suffix is judged by its content."""
    if "media_type" in item.config:
        return None
    name = urlsplit(item.uri).path
    promised = signatures.promised_type(name)
    descriptors = list(default_source_adapter_registry())
    if promised is None or any(
        not descriptor.extensions
        or promised in descriptor.media_types
        or PurePosixPath(name).suffix.lower() in descriptor.extensions
        for descriptor in descriptors
    ):
        return None
    return diagnostic(
        "pipeline.unsupported",
        f"No installed adapter reads {item.key}, by its name {promised}.",
        source=item.uri,
        media_type=promised,
    )


def _screen_content(given: ParserInput, limits: ScreeningLimits) -> Diagnostic | None:
    origin = given.provenance
    content = given.content
    if not content:
        return _empty(origin.key, origin.uri)
    if origin.size > limits.max_bytes or len(content) > limits.max_bytes:
        item = SourceItem(origin.key, origin.uri)
        return too_large(item, max(origin.size, len(content)), limits.max_bytes).diagnostic
    if isinstance(content, str):
        return None  # text of its own, not a file that has to keep a promise
    return (_mismatch(given, content) if limits.check_types else None) or _bomb(given, content, limits)


def _empty(key: str, uri: str) -> Diagnostic:
    return diagnostic("pipeline.empty", f"{key} has no bytes.", source=uri)


def _mismatch(given: ParserInput, content: bytes) -> Diagnostic | None:
    found = signatures.mismatch(given.provenance.name or given.provenance.key, content)
    if found is None:
        return None
    suffix, is_really = found
    return diagnostic(
        "pipeline.type_mismatch",
        f"{given.provenance.key} is named {suffix}, but is {is_really.name}.",
        source=given.provenance.uri,
        suffix=suffix,
        found=is_really.media_type,
    )


def _bomb(given: ParserInput, content: bytes, limits: ScreeningLimits) -> Diagnostic | None:
    if signatures.signature(content) is not signatures.ZIP:
        return None
    found = declared(content, limits.max_members, limits.max_unpacked)
    if found is None:
        return None  # a damaged archive: its reader says what is wrong with it
    if found.members > limits.max_members:
        why = f"it declares more than {limits.max_members:,} files"
    elif found.size > limits.max_unpacked:
        why = f"{len(content):,} bytes declare more than {limits.max_unpacked:,}"
    elif found.size > limits.ratio_floor and found.largest_ratio > limits.max_ratio:
        why = f"{len(content):,} bytes declare {found.size:,}, {found.largest_ratio:,.0f} times as many"
    elif found.unseen:
        why = "archives are nested in it beyond what can be looked at"
    else:
        return None
    return diagnostic(
        "pipeline.archive_bomb",
        f"{given.provenance.key} is an archive bomb: {why}.",
        source=given.provenance.uri,
        size=len(content),
        declared_size=found.size,
        members=found.members,
        nesting=found.depth or None,
    )
