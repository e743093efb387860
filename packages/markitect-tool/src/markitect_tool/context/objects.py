"""Context objects: one durable piece of context each, read from a Markdown, YAML or JSON file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from markitect_tool.context.errors import ManifestError, ObjectInvalidError
from markitect_tool.context.manifest import is_id
from markitect_tool.context.model import Trust
from markitect_tool.context.reading import decode, parse_json, parse_yaml
from markitect_tool.context.registry import scheme_of
from markitect_tool.context.scopes import unenforced_fields
from markitect_tool.diagnostics import DiagnosticSink

DEFAULT_TYPE = "document"
MARKDOWN = "text/markdown"
JSON = "application/json"

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
# Fields with a blank line above or without an end. To take them for text would drop the limits that they set.
_FIELDS = re.compile(r"\s*^---[ \t]*\r?\n\s*[A-Za-z_][\w-]*[ \t]*:(?:[ \t\r]|$)", re.MULTILINE)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_OWN_FIELDS = frozenset({"id", "type", "title", "content", "content_type", "content_uri", "trust", "sources"})
_FOLDER_PAGES = ("index", "readme")  # a file of this name stands for its folder


@dataclass(frozen=True, slots=True)
class SourceReference:
    """Where an object says that its content comes from."""

    uri: str
    digest: str | None = None  # "sha256:<64 hex>"
    trust: Trust | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)  # what else was said about it

    def to_dict(self) -> dict[str, Any]:
        """This reference as JSON data."""
        facts = {"uri": self.uri, "digest": self.digest, "trust": self.trust.value if self.trust else None}
        return {name: value for name, value in {**facts, **self.fields}.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ContextObject:
    """An object as its file declares it. It has `content` or a `content_uri`, never both."""

    id: str
    type: str
    path: str  # of its file, relative to the manifest, with `/`
    content: Any = None  # text, or a JSON mapping or list
    content_type: str | None = None
    content_uri: str | None = None
    title: str | None = None
    trust: Trust | None = None  # declared; it lowers the trust of what it points at, and never raises it
    sources: tuple[SourceReference, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)  # everything else that the file says
    unenforced: tuple[str, ...] = ()  # fields that limit who may read it

    def to_dict(self) -> dict[str, Any]:
        """This object as JSON data, with what it declares; a key is left out when it is empty."""
        facts: dict[str, Any] = {
            "id": self.id,
            "type": self.type,
            "title": self.title,
            "path": self.path,
            "content_type": self.content_type,
            "content_uri": self.content_uri,
            "trust": self.trust.value if self.trust else None,
            "content": self.content,
            "sources": [source.to_dict() for source in self.sources] or None,
            "fields": dict(self.fields) or None,
        }
        return {name: value for name, value in facts.items() if value is not None}


def derive_id(key: str, path: str) -> str | None:
    """The id of the file `path`, which is relative to the base of the collection `key`; None if it has none.

    Each folder and the name without its suffix become one part: lower-case letters without accents, with a dash for
    every run of other characters. `index` and `readme` stand for their folder.
    """
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts[-1].lower() in _FOLDER_PAGES:
        parts.pop()
    words = [_word(part) for part in parts]
    return ".".join([key, *words]) if all(words) else None


def _word(text: str) -> str:
    plain = "".join(char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")


def read_object(
    data: bytes, path: str, derived_id: str | None, defaults: Mapping[str, Any], found: DiagnosticSink
) -> ContextObject | None:
    """The object in a file, or None when it has none that can be used; `found` is told everything that is wrong.

    `derived_id` holds unless the file declares an id, and each of `defaults` unless it declares that field; of two
    levels of trust the lower one holds. Raises
    `MalformedDocumentError` for a file that is not of its format, `ObjectInvalidError` for one without fields.
    """
    return _Checking(path, _declared(decode(data, path), path), derived_id, defaults, found).object()


def pointer(id: str, uri: str, path: str, defaults: Mapping[str, Any], found: DiagnosticSink) -> ContextObject | None:
    """The object `id` whose content is behind `uri`; `path` is the file that says so."""
    return _Checking(path, {"content_uri": uri}, id, defaults, found).object()


def _declared(text: str, path: str) -> dict[str, Any]:
    suffix = PurePosixPath(path).suffix.lower()
    if suffix == ".json":
        return _mapping(parse_json(text, path), path)
    if suffix in (".yaml", ".yml"):
        return _mapping(parse_yaml(text, path), path)
    front = _FRONT_MATTER.match(text)
    if front is None:
        if _FIELDS.match(text):
            raise ObjectInvalidError(
                f"{path} has fields that are no front matter, and would be read as text.",
                source=path,
                hint="Put one line `---` before them, as the first of the file, and another one after them.",
            )
        return {"content": text}
    declared = _mapping(parse_yaml(front[1], path, first_line=2) or {}, path)
    body = re.sub(r"\A(?:[ \t]*\r?\n)+", "", text[front.end() :])
    if body.strip():
        if "content" in declared:
            raise ObjectInvalidError(f"{path} has a `content` and text below its front matter.", source=path)
        declared["content"] = body
    return declared


def _mapping(data: Any, path: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ObjectInvalidError(f"{path} holds no mapping of fields.", source=path)
    return data


class _Checking:
    """One pass over an object's fields, which reports what is wrong."""

    def __init__(
        self,
        path: str,
        declared: Mapping[str, Any],
        derived_id: str | None,
        defaults: Mapping[str, Any],
        found: DiagnosticSink,
    ) -> None:
        self._path, self._found = path, found
        self._fields = {**defaults, **declared}
        self._trusts = [fields["trust"] for fields in (defaults, declared) if fields.get("trust") is not None]
        # What defaults restrict was reported for the manifest.
        self._unenforced = tuple(unenforced_fields(declared))
        self._id: Any = declared.get("id", derived_id)
        self._usable = True

    def object(self) -> ContextObject | None:
        if not is_id(self._id):
            self._wrong(
                f"{self._path} has the id {self._id!r}." if self._id else f"{self._path} has no id.",
                hint="Declare an `id` of lower-case letters, digits, dashes and dots.",
            )
        made = ContextObject(
            self._id,
            self._text("type") or DEFAULT_TYPE,
            self._path,
            *self._content(),
            title=self._text("title"),
            trust=self._lowest_trust(),
            sources=tuple(self._sources()),
            fields={name: value for name, value in self._fields.items() if name not in _OWN_FIELDS},
            unenforced=self._unenforced,
        )
        if not self._usable:
            return None
        for name in made.unenforced:
            self._found.report(
                "context.unenforced_section",
                f"`{name}` of {made.id} is not enforced: everybody can read it.",
                source=self._path,
                id=made.id,
                section=name,
            )
        return made

    def _wrong(self, message: str, *, hint: str | None = None) -> None:
        self._usable = False
        known = self._id if isinstance(self._id, str) else None
        self._found.report("context.object_invalid", message, source=self._path, hint=hint, id=known)

    def _text(self, key: str) -> str | None:
        value = self._fields.get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            self._wrong(f"`{key}` in {self._path} is text, not {value!r}.")
            return None
        return value

    def _content(self) -> tuple[Any, str | None, str | None]:
        content, uri, kind = self._fields.get("content"), self._text("content_uri"), self._text("content_type")
        if content is not None and uri is not None:
            self._wrong(
                f"{self._path} has both content and a `content_uri`.", hint="Keep the one that is the source of truth."
            )
        elif uri is not None:
            if scheme_of(uri) is None:
                self._wrong(
                    f"`content_uri` in {self._path} has no scheme: {uri!r}.",
                    hint="Begin it with file://./ or the like.",
                )
        elif content is None or content in ("", [], {}) or (isinstance(content, str) and not content.strip()):
            self._wrong(f"{self._path} has no content.", hint="Write it below the front matter, or point at it.")
        elif not isinstance(content, str | list | dict):
            self._wrong(f"`content` in {self._path} is text, a mapping or a list, not {content!r}.")
        if uri is None:
            kind = kind or (MARKDOWN if isinstance(content, str) else JSON)
        return content, kind, uri

    def _lowest_trust(self) -> Trust | None:
        """A collection's level bounds those of its members: a letter cannot promote itself."""
        levels = [self._trust(given, "trust") for given in self._trusts]
        return min((level for level in levels if level is not None), default=None)

    def _trust(self, given: Any, where: str) -> Trust | None:
        if given is None:
            return None
        try:
            return Trust.parse(given, f"`{where}` in {self._path}")
        except ManifestError as error:
            self._wrong(str(error))
            return None

    def _sources(self) -> list[SourceReference]:
        given = self._fields.get("sources")
        if given is None:
            return []
        sources = []
        for index, entry in enumerate(given if isinstance(given, list) else [None]):
            fields = {"uri": entry} if isinstance(entry, str) else dict(entry) if isinstance(entry, dict) else {}
            uri, digest = fields.pop("uri", None), fields.pop("digest", None)
            where = f"sources[{index}]"
            if not isinstance(uri, str) or scheme_of(uri) is None:
                self._wrong(f"`{where}` in {self._path} needs a `uri` with a scheme.")
                continue
            if digest is not None and (not isinstance(digest, str) or not _DIGEST.fullmatch(digest)):
                self._wrong(f"`{where}.digest` in {self._path} is sha256: and 64 hexadecimal digits, not {digest!r}.")
                digest = None
            trust = self._trust(fields.pop("trust", None), f"{where}.trust")
            sources.append(SourceReference(uri, digest, trust, fields))
        return sources
