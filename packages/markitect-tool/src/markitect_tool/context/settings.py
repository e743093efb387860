"""An adapter's section of the manifest, read strictly: a misspelt limit must not be no limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markitect_tool.context.errors import ManifestError

# Every adapter has these; the registry heeds `enabled` and `trust`.
_COMMON = ("enabled", "trust", "timeout_ms", "max_bytes")


GREATEST = 2_000_000_000


class Settings:
    """The values of `adapters.<name>`. Raises `ManifestError` for a key that is neither common nor in `own`."""

    def __init__(self, name: str, config: Mapping[str, Any], *own: str) -> None:
        self._name = name
        self._config = config
        known = (*_COMMON, *own)
        for key in config:
            if key not in known:
                raise self._wrong(key, f"is no setting of {name}; the settings are {', '.join(known)}")

    def positive(self, key: str, default: int) -> int:
        """A whole number above zero, and not beyond what files, SQLite and sockets can be told."""
        value = self._config.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= GREATEST:
            raise self._wrong(key, f"is a whole number from 1 to {GREATEST:,}, not {value!r}")
        return value

    def flag(self, key: str) -> bool:
        """Whether a permission is given; it is not, unless the manifest says so."""
        value = self._config.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, f"is true or false, not {value!r}")
        return value

    def names(self, key: str) -> list[str] | None:
        """A list of texts; None when the key is absent."""
        value = self._config.get(key)
        if key in self._config and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise self._wrong(key, f"is a list of names, not {value!r}")
        return value

    def texts(self, key: str) -> Mapping[str, str]:
        """A mapping of texts to texts; empty when the key is absent."""
        value = self._config.get(key, {})
        if not isinstance(value, Mapping) or not all(isinstance(text, str) for pair in value.items() for text in pair):
            raise self._wrong(key, f"maps names to paths, which {value!r} does not")
        return value

    def _wrong(self, key: str, what: str) -> ManifestError:
        return ManifestError(f"adapters.{self._name}.{key} {what}.", hint="Correct the manifest.")
