"""Canonical JSON and what is computed from it: digests, document ids, cache keys.

Every value here depends on its arguments alone, so it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

DOCUMENT_ID_PREFIX = "source-document:sha256:"
CACHE_KEY_PREFIX = "source-normalize:sha256:"


def canonical_json(value: Any) -> str:
    """`value` as JSON with sorted keys and compact separators, characters unescaped.

    Raises `ValueError` for NaN and infinities, `TypeError` for what is not JSON data.
    """
    import json

    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data` in lower-case hexadecimal."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def digest_bytes(data: bytes) -> str:
    """The digest `sha256:<hex>` of `data`."""
    return "sha256:" + sha256_hex(data)


def digest_stream(stream: IO[bytes], block_size: int = 1 << 16) -> str:
    """The digest `sha256:<hex>` of what `stream` still holds, read `block_size` bytes at a time."""
    import hashlib

    state = hashlib.sha256()
    while block := stream.read(block_size):
        state.update(block)
    return "sha256:" + state.hexdigest()


def document_id(uri: str, digest: str | None, adapter_id: str, adapter_version: str) -> str:
    """The id of the document that an adapter makes of a source: the same wherever the URI is the same."""
    return DOCUMENT_ID_PREFIX + _fingerprint(_identity(uri, digest, adapter_id, adapter_version))


def cache_key(
    uri: str,
    digest: str | None,
    adapter_id: str,
    adapter_version: str,
    options: Mapping[str, Any],
    schema_version: str,
) -> str:
    """The key under which a normalization may be kept: equal keys promise equal documents.

    But for one thing that the contract leaves out of it, the declared media type: who reads the same bytes as
    two types gives them two URIs.
    """
    identity = _identity(uri, digest, adapter_id, adapter_version)
    return CACHE_KEY_PREFIX + _fingerprint({**identity, "options": dict(options), "schema_version": schema_version})


def _identity(uri: str, digest: str | None, adapter_id: str, adapter_version: str) -> dict[str, Any]:
    return {"uri": uri, "digest": digest, "adapter_id": adapter_id, "adapter_version": adapter_version}


def _fingerprint(value: Any) -> str:
    # A lone surrogate has no UTF-8 form; any fixed substitute keeps the fingerprint deterministic.
    return sha256_hex(canonical_json(value).encode("utf-8", "surrogatepass"))
