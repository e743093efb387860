"""The pictures and other attachments that a document's Markdown refers to, and the files that they become."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from markitect_tool.outputs.inlines import Reference, unescaped
from markitect_tool.outputs.names import UniqueNames, file_stem
from markitect_tool.outputs.rewriting import Edit
from markitect_tool.source.attachments import attachment_path
from markitect_tool.source.model import NormalizedMarkdownDocument, SourceAsset

_SUFFIX = re.compile(r"[a-z0-9]{1,10}")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")  # or in the text itself
_MEANINGFUL = re.compile(r"[^\w.~/-]")
_SUFFIXES = {
    "image/avif": "avif",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/webp": "webp",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "video/mp4": "mp4",
    "application/pdf": "pdf",
}
#: What a program that reads our folders would take for a chapter, or a browser would run as part of the site.
_AS_TEXT = frozenset(
    {
        "md",
        "markdown",
        "mdown",
        "mkd",
        "mkdn",
        "qmd",
        "rmd",
        "html",
        "htm",
        "xhtml",
        "xht",
        "shtml",
        "js",
        "mjs",
        "wasm",
    }
)


@dataclass(frozen=True, slots=True)
class Pictures:
    """The attachments that are referred to, by their path in the source, and the file name of each.

    `unoffered` are local pictures that are no attachments of the document: paths or URLs without a scheme.
    """

    attachments: dict[str, SourceAsset]
    names: dict[str, str]
    unoffered: frozenset[str] = frozenset()

    def without(self, paths: Container[str]) -> Pictures:
        """The same without those that cannot be had: what refers to them stays as it is."""
        kept = {path: entry for path, entry in self.attachments.items() if path not in paths}
        return Pictures(kept, {path: self.names[path] for path in kept}, self.unoffered)

    def path_of(self, reference: Reference) -> str | None:
        """The attachment that a link or picture leads to, by its path in the source."""
        if reference.kind not in ("link", "image"):
            return None
        path = unquote(reference.name.partition("#")[0])
        return path if path in self.attachments else None

    def edit(self, text: str, found: Reference, path: str, folder: str) -> Edit:
        """Point what refers to the attachment `path` at its file in `folder`; what stands behind a `#` stays."""
        file = as_destination(f"{folder}/{self.names[path]}" if folder else self.names[path])
        written = text[found.start : found.end]
        before, hash_sign, _ = written.partition("#")
        if hash_sign and unescaped(before) == found.name.partition("#")[0]:
            return Edit(found.start, found.start + len(before), file)
        return Edit(found.start, found.end, file)


def referenced_pictures(document: NormalizedMarkdownDocument, found: Iterable[Reference]) -> Pictures:
    """The attachments to which `found` lead, with names that follow from the document alone.

    A name is made of the last part of the attachment's path; of two that differ in letter case at most, the later one
    gets a number.
    """
    known = {path: entry for entry in document.attachments if (path := attachment_path(document, entry)) is not None}
    everything = Pictures(known, {})
    wanted: set[str] = set()
    unoffered: set[str] = set()
    for reference in found:
        if (path := everything.path_of(reference)) is not None:
            wanted.add(path)
        elif reference.kind == "image" and reference.name and not _ELSEWHERE.match(reference.name):
            unoffered.add(reference.name)
    names, taken = UniqueNames(), {}
    for path in sorted(wanted):
        taken[path] = names.take(_file_name(path, known[path].media_type))
    return Pictures({path: known[path] for path in taken}, taken, frozenset(unoffered))


def _file_name(path: str, media_type: str | None) -> str:
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    if not stem or not _SUFFIX.fullmatch(suffix.lower()):
        stem, suffix = stem or suffix, _SUFFIXES.get(media_type or "", "")
    if suffix.lower() in _AS_TEXT:
        stem, suffix = f"{stem}-{suffix}", "txt"
    suffix = suffix.lower()
    return f"{file_stem(stem, fallback='picture')}.{suffix}".rstrip(".")


def as_destination(path: str) -> str:
    """A relative path with `/` as a link destination: only what has a meaning there is percent-encoded."""
    return _MEANINGFUL.sub(lambda match: quote(match[0]), path)
