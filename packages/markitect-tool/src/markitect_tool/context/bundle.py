"""A bundle: resolved objects as one document that can be handed on, with a digest that says what was in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markitect_tool.canonical import canonical_json, digest_bytes
from markitect_tool.context.resolve import ResolvedObject
from markitect_tool.diagnostics import Diagnostic

VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class SkippedObject:
    """An object that is not in the bundle, named so that nobody takes the bundle for complete."""

    id: str
    uri: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """This entry as JSON data."""
        return {"id": self.id, "uri": self.uri, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Bundle:
    """Objects of one project with their content, by id."""

    project: str  # id of the manifest
    name: str | None
    objects: tuple[ResolvedObject, ...]
    skipped: tuple[SkippedObject, ...] = ()
    scopes_ignored: tuple[str, ...] = ()  # what limits who may read, and was not enforced on demand
    diagnostics: tuple[Diagnostic, ...] = ()  # warnings and notes of the run; not part of the document

    @property
    def digest(self) -> str:
        """`sha256:<64 hex>` of everything in the bundle except when it was retrieved: equal content, equal digest."""
        data = self._to_dict()
        for entry in data["objects"]:
            entry["provenance"].pop("retrieved_at", None)
        return digest_bytes(canonical_json(data).encode("utf-8", "surrogatepass"))

    def to_dict(self) -> dict[str, Any]:
        """The bundle as JSON data, `digest` last."""
        return {**self._to_dict(), "digest": self.digest}

    def _to_dict(self) -> dict[str, Any]:
        facts = {
            "opencontext": VERSION,
            "id": self.project,
            "name": self.name,
            "scopes_ignored": list(self.scopes_ignored) or None,
            "skipped": [entry.to_dict() for entry in self.skipped] or None,
            "objects": [entry.to_dict() for entry in self.objects],
        }
        return {name: value for name, value in facts.items() if value is not None}
