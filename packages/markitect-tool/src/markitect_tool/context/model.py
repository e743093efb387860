"""What adapters and their callers exchange: trust, the context of a load, its result, the protocol.

Contract: "The contract" and "Choosing a trust level".
"""

from __future__ import annotations

from codecs import lookup
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from functools import total_ordering
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from markitect_tool.canonical import canonical_json, digest_bytes
from markitect_tool.context.errors import ManifestError, SourceUnavailableError
from markitect_tool.serialization import plain_json

# Codecs of Python that are no charsets of text: they depend on the host, build characters from escapes, or (punycode)
# take hours for a few megabytes.
_NO_CHARSETS = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)


@total_ordering
class Trust(Enum):
    """How far the text of a source may be believed; a later member is trusted more. It can only be lowered."""

    UNTRUSTED = "untrusted"  # a stranger may have written it
    VERIFIED = "verified"  # its origin is known
    TRUSTED = "trusted"  # it was reviewed where the manifest was

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Trust):
            return NotImplemented
        ranks = list(Trust)
        return ranks.index(self) < ranks.index(other)

    def __str__(self) -> str:
        return self.value

    @classmethod
    def parse(cls, text: Any, where: str = "trust") -> Trust:
        """The level that `text` names. Raises `ManifestError` naming `where`, the place in the manifest."""
        for level in cls:
            if text == level.value:
                return level
        raise ManifestError(f"{where} is one of {', '.join(level.value for level in cls)}, not {text!r}.")


def lower(first: Trust, second: Trust) -> Trust:
    """The lesser of two levels: the only way in which levels combine."""
    return min(first, second)


@dataclass(frozen=True, slots=True)
class AdapterContext:
    """The circumstances of a load, all of them decided by the operator."""

    dir: Path  # the manifest's folder; file access must not leave it
    offline: bool = False
    config: Mapping[str, Any] = field(default_factory=dict)  # `adapters.<scheme>` of the manifest
    timeout_ms: int | None = None  # milliseconds for the whole load; None leaves it to the adapter


@dataclass(frozen=True, slots=True)
class AdapterResult:
    """The bytes behind a URI, and what is known about them.

    Raises `SourceUnavailableError` for empty content: whatever could not be fetched is an error, and whatever is
    really empty tells a reader nothing. Raises `TypeError` for content that is not
    bytes and for other fields of other types, `ValueError` for metadata that JSON cannot express.
    """

    content: bytes
    content_type: str | None = None  # a media type, maybe with `charset`
    digest: str = ""  # "sha256:<64 hex>" of `content`, computed when left out
    retrieved_at: str | None = None  # RFC 3339, UTC; now when left out
    trust: Trust = Trust.UNTRUSTED
    metadata: Mapping[str, Any] = field(default_factory=dict)  # JSON facts: etag, final_url, revision

    def __post_init__(self) -> None:
        if not isinstance(self.content, bytes):
            raise TypeError(f"the content of a result is bytes, not {type(self.content).__name__}")
        if not self.content:
            raise SourceUnavailableError("The source is empty.", hint="Check that the source holds what you expect.")
        for name in ("content_type", "retrieved_at"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise TypeError(f"the {name} of a result is text or None, not {value!r}")
        if not isinstance(self.trust, Trust) or not isinstance(self.metadata, Mapping):
            raise TypeError("the trust of a result is a `Trust`, and its metadata a mapping")
        object.__setattr__(self, "digest", self.digest or digest_bytes(self.content))
        object.__setattr__(self, "retrieved_at", self.retrieved_at or utc_now())
        object.__setattr__(self, "metadata", plain_json(self.metadata, "AdapterResult.metadata"))
        canonical_json(self.metadata)  # numbers of thousands of digits cannot be written

    def text(self, encoding: str | None = None) -> str:
        """The content as text: in `encoding`, else the content type's charset, else UTF-8 (a BOM is dropped).

        Raises `SourceUnavailableError` when the bytes are not text in that encoding or it is unknown.
        """
        name = encoding or charset(self.content_type) or "utf-8"
        try:
            codec = lookup(name).name
            if codec in _NO_CHARSETS:
                raise LookupError(f"{codec} is no charset")
            return self.content.decode("utf-8-sig" if codec == "utf-8" else codec)
        except (ValueError, LookupError) as error:  # ValueError: no text in it, or NUL in the name
            raise SourceUnavailableError(
                f"The content is not text in the encoding {name}.", hint="Name the encoding, or use the bytes."
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """Everything but the content, as JSON data."""
        facts = {
            "content_type": self.content_type,
            "digest": self.digest,
            "size": len(self.content),
            "retrieved_at": self.retrieved_at,
            "trust": self.trust.value,
            "metadata": dict(self.metadata) or None,
        }
        return {name: value for name, value in facts.items() if value is not None}


@runtime_checkable
class Adapter(Protocol):
    """Gets the bytes behind the URIs of some schemes. Plain class attributes do for the properties.

    `load` raises a `ContextError` for whatever keeps it from returning exactly what was asked for. It is called from
    several threads at once.
    """

    @property
    def name(self) -> str:
        """What the manifest calls it: "crm"."""
        ...

    @property
    def schemes(self) -> Sequence[str]:
        """The schemes that it claims, in lower case and without "://"; no other adapter may claim them."""
        ...

    @property
    def remote(self) -> bool:
        """Whether it reaches the network; then it refuses when `ctx.offline`."""
        ...

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        """The bytes behind `uri`, as data: never executed, and without influence on any policy."""
        ...


def charset(content_type: str | None) -> str | None:
    """The `charset` parameter of a media type."""
    for parameter in (content_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'") or None
    return None


def utc_now() -> str:
    """The time in RFC 3339, UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
