"""What a read must give: a document by the rules of the model, the same however the source is handed over."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from markitect_tool.canonical import cache_key, digest_bytes, document_id
from markitect_tool.diagnostics import CATALOGUE
from markitect_tool.source.messages import SourceReadRequest, SourceReadResult
from markitect_tool.source.model import SCHEMA_VERSION
from markitect_tool.testing.subject import Subject, as_json

DIGEST = re.compile("sha256:[0-9a-f]{64}")
LOCAL_FIELDS = ("path", "mtime_ns", "name")
"""Fields of an asset that say where it lies on this machine; its URI does not."""


class ReadRules(Subject):
    """Rules for `read`, on the good sample."""

    def test_document_names_schema_asset_and_adapter(self) -> None:
        document, descriptor = self.document(self.good), self.descriptor
        assert document.schema_version == SCHEMA_VERSION
        assert document.asset.uri == self.good.uri
        assert document.asset.digest == digest_bytes(self.good.content)
        assert (document.adapter["id"], document.adapter["version"]) == (descriptor.id, descriptor.version)

    def test_document_id_and_cache_key_follow_the_contract(self) -> None:
        document = self.document(self.good, self.options)
        identity = (
            document.asset.uri,
            document.asset.digest,
            document.adapter["id"],
            document.adapter["version"],
        )
        assert document.document_id == document_id(*identity)
        assert document.cache_key == cache_key(*identity, document.adapter.get("options", {}), document.schema_version)

    def test_segments_are_in_order_from_zero(self) -> None:
        orders = [segment.order for segment in self.document(self.good).segments]
        assert orders == list(range(len(orders)))
        assert orders, "the good sample gives no segment"

    def test_segment_ids_are_unique(self) -> None:
        ids = [segment.segment_id for segment in self.document(self.good).segments]
        assert len(set(ids)) == len(ids)

    def test_markdown_is_the_segments_joined_with_a_blank_line(self) -> None:
        """Override this with your own rule if your adapter documents front matter or separators."""
        document = self.document(self.good)
        assert document.markdown == "\n\n".join(segment.markdown for segment in document.segments)

    def test_markdown_has_unix_line_ends_and_encodes_as_utf8(self) -> None:
        markdown = self.document(self.good).markdown
        assert "\r" not in markdown
        assert markdown.encode("utf-8").decode("utf-8") == markdown

    def test_provenance_points_at_the_source(self) -> None:
        document = self.document(self.good)
        spans = [*document.provenance, *(span for part in document.segments for span in part.provenance)]
        assert spans, "no segment says where it comes from"
        assert {span.source_uri for span in spans} == {document.asset.uri}

    def test_heading_levels_are_those_of_markdown(self) -> None:
        levels = {part.heading_level for part in self.document(self.good).segments} - {None}
        assert levels <= set(range(1, 7))

    def test_digests_are_written_as_the_contract_says(self) -> None:
        document = self.document(self.good)
        spans = [*document.provenance, *(span for part in document.segments for span in part.provenance)]
        digests = [span.digest for span in spans] + [asset.digest for asset in document.attachments]
        assert [digest for digest in digests if digest is not None and not DIGEST.fullmatch(digest)] == []

    def test_quality_counts_the_warnings(self) -> None:
        document = self.document(self.good)
        warnings = [entry for entry in document.diagnostics if entry.severity == "warning"]
        assert (document.quality.warnings or 0) == len(warnings)

    def test_diagnostics_come_from_the_catalogue(self) -> None:
        result = self.read(self.good)
        assert {entry.code for entry in result.diagnostics} <= set(CATALOGUE)

    def test_result_survives_json(self) -> None:
        result = self.read(self.good, self.options)
        assert SourceReadResult.from_dict(result.to_dict()) == result

    def test_second_read_gives_the_same_bytes(self) -> None:
        assert as_json(self.read(self.good)) == as_json(self.read(self.good))

    def test_reads_in_several_threads_give_the_same_bytes(self) -> None:
        with ThreadPoolExecutor(4) as threads:
            results = set(threads.map(lambda _: as_json(self.read(self.good)), range(8)))
        assert results == {as_json(self.read(self.good))}

    def test_one_adapter_object_reads_again_unchanged(self) -> None:
        adapter = self.descriptor.factory()
        request = SourceReadRequest(self.good.asset, content=self.good.content)
        first, second = adapter.read(request), adapter.read(request)
        assert as_json(first) == as_json(second)

    def test_path_gives_the_same_document_as_bytes(self, tmp_path: Path) -> None:
        from_path = self.document(self.good.write(tmp_path), uri=self.good.uri)
        assert anywhere(from_path.to_dict()) == anywhere(self.document(self.good).to_dict())

    def test_options_change_the_cache_key_but_not_the_document_id(self) -> None:
        if not self.options:
            pytest.skip("the adapter declares no options")
        plain, chosen = self.document(self.good), self.document(self.good, self.options)
        assert plain.cache_key != chosen.cache_key
        assert plain.document_id == chosen.document_id

    def test_uri_changes_document_id_and_cache_key(self) -> None:
        here, there = (
            self.document(self.good),
            self.document(self.good, uri="sample:elsewhere/" + self.good.name),
        )
        assert here.document_id != there.document_id
        assert here.cache_key != there.cache_key


def anywhere(document: dict[str, Any]) -> dict[str, Any]:
    """`document` without what is only true on this machine: the path and times of the file."""
    asset = {name: value for name, value in document["asset"].items() if name not in LOCAL_FIELDS}
    return {**without_source_path(document), "asset": asset}


def without_source_path(value: Any) -> Any:
    """`value` without the local path of every provenance record in it."""
    if isinstance(value, dict):
        return {name: without_source_path(item) for name, item in value.items() if name != "source_path"}
    if isinstance(value, list):
        return [without_source_path(item) for item in value]
    return value
