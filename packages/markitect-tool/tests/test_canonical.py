"""Canonical JSON, digests, ids and cache keys."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.canonical import cache_key, canonical_json, digest_bytes, digest_stream, document_id

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
IDENTITY: dict[str, Any] = {
    "uri": "books/a.epub",
    "digest": "sha256:00",
    "adapter_id": "source.epub3",
    "adapter_version": "1",
}
NORMALIZATION = {**IDENTITY, "options": {"a": 1}, "schema_version": "markitect.source.v1"}


@given(json_values)
def test_canonical_json_reads_back(value: Any):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), json_values, max_size=6), st.randoms())
def test_canonical_json_ignores_insertion_order(value: dict[str, Any], random: Any):
    items = list(value.items())
    random.shuffle(items)
    assert canonical_json(dict(items)) == canonical_json(value)


def test_canonical_json_is_sorted_compact_and_unescaped():
    assert canonical_json({"b": [1, 2.5], "a": "é"}) == '{"a":"é","b":[1,2.5]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_canonical_json_refuses_numbers_that_are_none(value: float):
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(value)


@given(st.binary(max_size=2000))
def test_digest_of_a_stream_equals_digest_of_its_bytes(data: bytes):
    assert digest_stream(io.BytesIO(data)) == digest_bytes(data) == f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_document_id_is_pinned():
    canonical = '{"adapter_id":"source.epub3","adapter_version":"1","digest":"sha256:00","uri":"books/a.epub"}'
    expected = hashlib.sha256(canonical.encode()).hexdigest()
    assert document_id(**IDENTITY) == f"source-document:sha256:{expected}"


def test_cache_key_is_pinned():
    canonical = (
        '{"adapter_id":"source.epub3","adapter_version":"1","digest":"sha256:00","options":{"a":1},'
        '"schema_version":"markitect.source.v1","uri":"books/a.epub"}'
    )
    expected = hashlib.sha256(canonical.encode()).hexdigest()
    assert cache_key(**NORMALIZATION) == f"source-normalize:sha256:{expected}"


@pytest.mark.parametrize("part", IDENTITY)
def test_document_id_depends_on_each_part(part: str):
    assert document_id(**{**IDENTITY, part: "other"}) != document_id(**IDENTITY)


@pytest.mark.parametrize("part", NORMALIZATION)
def test_cache_key_depends_on_each_part(part: str):
    other = {"b": 2} if part == "options" else "other"
    assert cache_key(**{**NORMALIZATION, part: other}) != cache_key(**NORMALIZATION)


def test_cache_key_ignores_the_order_of_options():
    one = cache_key(**{**NORMALIZATION, "options": {"a": 1, "b": 2}})
    other = cache_key(**{**NORMALIZATION, "options": {"b": 2, "a": 1}})
    assert one == other


def test_ids_accept_text_that_has_no_utf8_form():
    assert document_id("\udc80", None, "a", "1") != document_id("\udc81", None, "a", "1")
