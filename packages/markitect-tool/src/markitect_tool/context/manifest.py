"""The manifest `opencontext.yaml`: found upward from a folder, checked field by field.

A manifest of an unsupported major version, or one that cannot be read at all, raises `ManifestError`. Everything else
that is wrong becomes a diagnostic of the manifest, so that one run reports it all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markitect_tool.context.errors import (
    ManifestError,
    ManifestNotFoundError,
    PathTraversalError,
    UnsupportedVersionError,
)
from markitect_tool.context.glob import Glob
from markitect_tool.context.model import Trust
from markitect_tool.context.reading import MAX_BYTES, decode, parse_json, parse_yaml
from markitect_tool.context.scopes import HARMLESS, unenforced_fields, unheeded_sections
from markitect_tool.diagnostics import Diagnostic, DiagnosticSink

MANIFEST_NAMES = ("opencontext.yaml", "opencontext.yml", "opencontext.json")
SUPPORTED_MAJOR = 1

# One part of an id; ids are such parts joined with dots.
ID_PART = "[a-z0-9][a-z0-9_-]*"
_ID = re.compile(rf"{ID_PART}(?:\.{ID_PART})*")
_NEVER_SHARED = ("id", "content", "content_uri", "sources")  # fields that no two objects can have in common
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


@dataclass(frozen=True, slots=True)
class Collection:
    """Files that a glob names; `key` is the namespace of ids derived from their paths."""

    key: str
    glob: Glob
    pattern: str
    fields: Mapping[str, Any] = field(default_factory=dict)  # for members that omit them


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says, as far as it could be read."""

    path: Path
    id: str
    name: str | None
    documents: Mapping[str, str]  # object id -> path or URI
    collections: tuple[Collection, ...]
    adapters: Mapping[str, Mapping[str, Any]]  # scheme -> configuration
    default_trust: Trust
    defaults: Mapping[str, Any]  # of objects, `trust` apart
    require_digest: bool
    unenforced: tuple[str, ...]  # sections that could restrict disclosure and are not obeyed
    diagnostics: tuple[Diagnostic, ...]

    @property
    def folder(self) -> Path:
        """Where the manifest lies; nothing outside is read."""
        return self.path.parent

    @property
    def file_name(self) -> str:
        """The manifest's name in its folder, as diagnostics give it."""
        return self.path.name

    @property
    def file_trust(self) -> Trust:
        """The most that the operator trusts files in this folder with."""
        return Trust.parse(self.adapters.get("file", {}).get("trust", Trust.TRUSTED.value))

    @classmethod
    def bare(cls, folder: Path) -> Manifest:
        """What holds in a folder without a manifest: no objects, adapters as they come."""
        return cls(folder / MANIFEST_NAMES[0], "none", None, {}, (), {}, Trust.TRUSTED, {}, False, (), ())


def is_id(text: object) -> bool:
    """Whether `text` can be the id of an object: lower-case words joined with dots."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def find_manifest(start: Path) -> Path:
    """The manifest `start`, or the nearest one in the folder `start` and those above it.

    Raises `ManifestNotFoundError`.
    """
    if start.is_file():
        return start.parent.resolve() / start.name
    if not start.is_dir():
        raise ManifestNotFoundError(f"There is no file or folder {str(start)!r}.")
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        for name in MANIFEST_NAMES:
            if (candidate / name).is_file():
                return candidate / name
    raise ManifestNotFoundError(f"There is no {MANIFEST_NAMES[0]} in {str(start)!r} or any folder above it.")


def load_manifest(path: Path) -> Manifest:
    """Read the manifest at `path`.

    Raises `ManifestError` when it cannot be read or is no mapping, `UnsupportedVersionError` when its major version
    is not `SUPPORTED_MAJOR`. A version that is not understood is never read in part.
    """
    try:
        with path.open("rb") as stream:
            text = decode(stream.read(MAX_BYTES + 1), path.name)
    except OSError as error:
        raise ManifestError(f"{path.name} cannot be read: {error.strerror}.", source=path.name) from error
    data = (parse_json if path.suffix == ".json" else parse_yaml)(text, path.name)
    if not isinstance(data, dict):
        raise ManifestError(f"{path.name} is a mapping of fields, not {_kind(data)}.", source=path.name)
    _check_version(data.get("opencontext"), path.name)
    return _Reading(path, data).manifest()


def _check_version(version: Any, name: str) -> None:
    if version is None:
        raise ManifestError(
            f"{name} does not say its version.",
            source=name,
            hint=f'Begin it with `opencontext: "{SUPPORTED_MAJOR}.0"`.',
        )
    text = str(version) if isinstance(version, str | int | float) and not isinstance(version, bool) else ""
    if not re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,2}", text):
        raise ManifestError(f'{name}: `opencontext` is a version such as "1.0", not {version!r}.', source=name)
    if int(text.partition(".")[0]) != SUPPORTED_MAJOR:
        raise UnsupportedVersionError(
            f"{name} follows OpenContext {text}; {SUPPORTED_MAJOR}.x is supported.", source=name
        )


class _Reading:
    """One pass over a manifest's data, which collects what is wrong."""

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self._path, self._data = path, data
        self._found = DiagnosticSink()

    def manifest(self) -> Manifest:
        self._look_for_rivals()
        documents = self._documents()
        collections = self._collections()
        adapters = self._adapters()
        defaults = self._section("defaults")
        trust = self._trust(defaults, "defaults.trust")
        require_digest = self._flag(self._section("provenance"), "require_digest", "provenance")
        digest = self._section("provenance").get("digest", "sha256")
        if digest != "sha256":
            self._wrong(f"`provenance.digest` is {digest!r}; only sha256 is supported.")
        return Manifest(
            self._path,
            self._id(),
            self._text("name"),
            documents,
            collections,
            adapters,
            Trust.TRUSTED if trust is None else trust,
            self._shareable({name: value for name, value in defaults.items() if name != "trust"}, "defaults"),
            require_digest,
            self._unenforced(collections, defaults),
            tuple(self._found),
        )

    def _wrong(self, message: str, *, hint: str | None = None) -> None:
        self._found.report("context.manifest_invalid", message, source=self._path.name, hint=hint)

    def _look_for_rivals(self) -> None:
        others = [name for name in MANIFEST_NAMES if name != self._path.name and (self._path.parent / name).is_file()]
        if others and self._path.name in MANIFEST_NAMES:
            self._found.report(
                "context.manifest_ambiguous",
                f"Beside {self._path.name} there is {' and '.join(others)}, which is not read.",
                source=self._path.name,
            )

    def _id(self) -> str:
        given = self._data.get("id")
        if not is_id(given):
            self._wrong(
                "`id` is missing." if given is None else f"`id` is {given!r}.",
                hint="Give the project an id of lower-case letters, digits, dots and dashes.",
            )
        return given if isinstance(given, str) else ""

    def _text(self, key: str) -> str | None:
        value = self._data.get(key)
        if value is not None and not isinstance(value, str):
            self._wrong(f"`{key}` is text, not {_kind(value)}.")
            return None
        return value

    def _section(self, key: str) -> dict[str, Any]:
        value = self._data.get(key)
        if value is None or isinstance(value, dict):
            return value or {}
        # Named once, however often the section is asked for.
        self._found.report(
            "context.manifest_invalid", f"`{key}` is a mapping, not {_kind(value)}.", source=self._path.name, once=key
        )
        return {}

    def _shareable(self, fields: Mapping[str, Any], where: str) -> dict[str, Any]:
        """`fields` as defaults of objects."""
        for name in _NEVER_SHARED:
            if name in fields:
                self._wrong(f"`{where}.{name}` belongs into each object.")
        return {name: value for name, value in fields.items() if name not in _NEVER_SHARED}

    def _flag(self, section: Mapping[str, Any], key: str, where: str) -> bool:
        value = section.get(key, False)
        if not isinstance(value, bool):
            self._wrong(f"`{where}.{key}` is true or false, not {value!r}.")
            return True  # the careful reading: the one that checks more
        return value

    def _trust(self, section: Mapping[str, Any], where: str) -> Trust | None:
        given = section.get("trust")
        if given is None:
            return None
        try:
            return Trust.parse(given, f"`{where}`")
        except ManifestError as error:
            self._wrong(str(error))
            return Trust.UNTRUSTED

    def _documents(self) -> dict[str, str]:
        documents = {}
        for key, place in self._section("context").items():
            if not is_id(key):
                self._wrong(f"`context.{key}` cannot be the id of an object.")
            elif not isinstance(place, str) or not place.strip():
                self._wrong(f"`context.{key}` is a path or a URI, not {_kind(place)}.")
            else:
                documents[key] = place
        return documents

    def _collections(self) -> tuple[Collection, ...]:
        collections = []
        for key, value in self._section("collections").items():
            where = f"collections.{key}"
            fields = dict(value) if isinstance(value, dict) else {"source": value}
            pattern = fields.pop("source", None)
            if not is_id(key):
                self._wrong(f"`{where}` cannot begin the id of an object.")
            elif not isinstance(pattern, str):
                self._wrong(f"`{where}` is a glob, or a mapping with a glob as its `source`.")
            else:
                fields = self._shareable(fields, where)
                if (trust := self._trust(fields, f"{where}.trust")) is not None:
                    fields["trust"] = trust.value
                try:
                    collections.append(Collection(key, Glob.parse(pattern), pattern, fields))
                except PathTraversalError as error:
                    self._found.report(error.code, f"`{where}`: {error}", source=self._path.name, hint=error.hint)
                except ValueError as error:
                    self._wrong(f"`{where}`: the glob {pattern!r} cannot be used: {error}.")
        return tuple(collections)

    def _adapters(self) -> dict[str, Mapping[str, Any]]:
        """What the operator allows. What cannot be understood allows nothing, for it may have been meant to forbid."""
        section = self._data.get("adapters")
        if section is None:
            return {}
        if not isinstance(section, dict):
            raise ManifestError(f"`adapters` is a mapping, not {_kind(section)}.", source=self._path.name)
        adapters: dict[str, Mapping[str, Any]] = {}
        for scheme, value in section.items():
            where = f"adapters.{scheme}"
            if not _SCHEME.fullmatch(scheme) or not isinstance(value, dict):
                self._wrong(f"`{where}` is the configuration of a scheme: a lower-case name with a mapping.")
                adapters[scheme] = {"enabled": False}
                continue
            config = dict(value)
            if not isinstance(config.get("enabled", True), bool):
                self._wrong(f"`{where}.enabled` is true or false, not {config['enabled']!r}.")
                config["enabled"] = False
            timeout = config.get("timeout_ms", 1)
            if isinstance(timeout, bool) or not isinstance(timeout, int) or timeout < 1:
                self._wrong(f"`{where}.timeout_ms` is a number of milliseconds from 1, not {timeout!r}.")
                del config["timeout_ms"]
            if (trust := self._trust(config, f"{where}.trust")) is not None:
                config["trust"] = trust.value
            adapters[scheme] = config
        return adapters

    def _unenforced(self, collections: tuple[Collection, ...], defaults: Mapping[str, Any]) -> tuple[str, ...]:
        unenforced = []
        for section in unheeded_sections(self._data):
            if section in HARMLESS:
                self._found.report(
                    "context.section_ignored", f"`{section}` has no effect here.", source=self._path.name
                )
            else:
                unenforced.append(section)
        unenforced += [f"defaults.{name}" for name in unenforced_fields(defaults)]
        for collection in collections:
            unenforced += [f"collections.{collection.key}.{name}" for name in unenforced_fields(collection.fields)]
        for section in unenforced:
            self._found.report(
                "context.unenforced_section",
                f"`{section}` is not enforced: everything can be read by everybody.",
                source=self._path.name,
                section=section,
            )
        return tuple(unenforced)


def _kind(value: Any) -> str:
    """What a value is, for a person."""
    names = {type(None): "nothing", bool: "true or false", dict: "a mapping", list: "a list", str: "text"}
    return names.get(type(value), "a number")
