"""What an inspection must give, and what it must not do: convert."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markitect_tool.canonical import digest_bytes
from markitect_tool.source.messages import SourceInspectRequest, SourceInspectResult, SourceReadRequest
from markitect_tool.testing.subject import Subject, as_json


class InspectRules(Subject):
    """Rules for `inspect`, on the good sample."""

    def test_inspect_accepts_the_good_source(self) -> None:
        result, descriptor = self.inspect(self.good), self.descriptor
        assert result.valid
        assert result.asset.uri == self.good.uri
        assert result.asset.digest == digest_bytes(self.good.content)
        assert (result.adapter["id"], result.adapter["version"]) == (descriptor.id, descriptor.version)

    def test_inspect_result_has_no_converted_text(self) -> None:
        result = as_json(self.inspect(self.good))
        assert '"markdown":' not in result
        assert '"segments":[' not in result
        assert self.document(self.good).markdown not in result

    def test_inspect_reports_the_metadata_of_the_document(self) -> None:
        """Except `raw`, where a read may add what only a read finds out."""
        inspected, read = self.inspect(self.good).metadata, self.document(self.good).metadata
        assert replace(inspected, raw={}) == replace(read, raw={})

    def test_inspect_is_far_cheaper_than_read(self) -> None:
        """Counted in function calls, which no other process on the machine can disturb."""
        large = self.large
        if large is None:
            pytest.skip("the suite was given no large source")
        adapter = self.descriptor.factory()
        assert self.inspect(large).valid  # what is imported or compiled once is no cost of either
        self.document(large)
        inspecting = calls(lambda: adapter.inspect(SourceInspectRequest(large.asset, content=large.content)))
        reading = calls(lambda: adapter.read(SourceReadRequest(large.asset, content=large.content)))
        assert inspecting * 2 < reading, f"inspect took {inspecting} calls, read {reading}"

    def test_inspect_result_survives_json(self) -> None:
        result = self.inspect(self.good, self.options)
        assert SourceInspectResult.from_dict(result.to_dict()) == result

    def test_second_inspection_gives_the_same_bytes(self) -> None:
        assert as_json(self.inspect(self.good)) == as_json(self.inspect(self.good))

    def test_inspection_of_a_path_gives_the_same_as_of_bytes(self, tmp_path: Path) -> None:
        from_path = self.inspect(self.good.write(tmp_path), uri=self.good.uri)
        from_bytes = self.inspect(self.good)
        assert from_path.metadata == from_bytes.metadata
        assert from_path.quality == from_bytes.quality
        assert from_path.capabilities == from_bytes.capabilities


def calls(action: Callable[[], Any]) -> int:
    """How many functions, in Python or in C, `action` calls."""
    count = 0

    def on_event(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count
