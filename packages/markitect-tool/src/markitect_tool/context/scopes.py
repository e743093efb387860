"""What a manifest or an object demands that is not enforced here: who may read what, and when.

Whoever drops such a demand may disclose. So it is never ignored quietly: a key counts as a demand unless it is known
to be harmless (in a manifest, where every key steers) or as soon as its name speaks of access or time (in an object,
where people write fields of their own).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_OBEYED = frozenset({"opencontext", "id", "name", "description", "context", "collections", "adapters", "defaults"})
_OBEYED_INSIDE = {"provenance": frozenset({"require_digest", "digest"})}
# Sections that are not obeyed either, but hide nothing from anybody.
HARMLESS = frozenset({"authority", "extensions", "health", "related", "review", "provenance.required"})

# fmt: off
_RESTRICTING = frozenset(
    {
        "access", "acl", "agents", "allow", "allowed", "audience", "classification", "clearance",
        "confidential", "denied", "deny", "draft", "embargo", "expires", "permissions", "private", "redact",
        "redaction", "restricted", "roles", "scope", "scopes", "secret", "sensitivity", "status", "valid_from",
        "valid_until", "visibility",
    }
)
# fmt: on
# Values that restrict nothing.
_OPEN: Mapping[str, frozenset[Any]] = {
    "classification": frozenset({"public"}),
    "sensitivity": frozenset({"public"}),
    "visibility": frozenset({"public"}),
    "status": frozenset({"accepted", "approved", "final", "published"}),
}


def unheeded_sections(manifest: Mapping[str, Any]) -> list[str]:
    """The sections of a manifest that nothing here obeys, harmless or not, as `key` or `key.key`."""
    found = []
    for key, value in manifest.items():
        inside = _OBEYED_INSIDE.get(key)
        if inside is not None and isinstance(value, Mapping):
            found += [f"{key}.{name}" for name in value if name not in inside]
        elif key not in _OBEYED:
            found.append(key)
    return found


def unenforced_fields(fields: Mapping[str, Any]) -> list[str]:
    """The fields of an object, or of the defaults for objects, that limit who may read it or when."""
    return [
        name for name, value in fields.items() if (word := _word(name)) in _RESTRICTING and not _is_open(word, value)
    ]


def _word(name: str) -> str:
    """`valid_from` for "Valid-From" and "validFrom": a limit stays one however it is spelt."""
    return name if name.islower() and name.isidentifier() else re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[ -]", "_", name).lower()


def _is_open(name: str, value: Any) -> bool:
    if value is None or value is False or value in ([], {}, ""):
        return True
    return isinstance(value, str) and value in _OPEN.get(name, ())
