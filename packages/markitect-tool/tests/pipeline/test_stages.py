"""Stages are wired to carriers that they take, or nothing runs."""

import pytest
from markitect_tool.pipeline.parsers import AnyParser, PlainTextParser
from markitect_tool.pipeline.records import DocumentRecord, ParserInput
from markitect_tool.pipeline.sources import FolderSource
from markitect_tool.pipeline.stages import ExportedFile, Parser, Source, SourceItem, WiringError, check_wiring, expect


class FakeExporter:
    consumes = DocumentRecord
    produces = ExportedFile


def test_source_parser_and_exporter_fit():
    check_wiring([FolderSource(), AnyParser(), FakeExporter()])


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ([FolderSource(), FakeExporter()], ("FolderSource", "ParserInput", "FakeExporter", "DocumentRecord")),
        ([AnyParser(), FolderSource()], ("AnyParser", "DocumentRecord", "FolderSource", "Storage")),
        ([FakeExporter(), AnyParser()], ("FakeExporter", "ExportedFile", "AnyParser", "ParserInput")),
    ],
)
def test_wrong_wiring_names_both_stages_and_both_carriers(stages, said):
    with pytest.raises(WiringError) as raised:
        check_wiring(stages)
    assert all(name in str(raised.value) for name in said)


def test_what_is_no_stage_is_named():
    with pytest.raises(WiringError, match="str is no stage"):
        check_wiring([FolderSource(), "parser"])


def test_wrong_carrier_at_run_time_is_named():
    with pytest.raises(WiringError, match="PlainTextParser takes ParserInput, but was given bytes"):
        list(PlainTextParser().parse([b"raw"]))


def test_right_carrier_passes():
    assert expect(FakeExporter(), int, 3) == 3


def test_sources_and_parsers_are_what_the_protocols_say():
    assert isinstance(FolderSource(), Source)
    assert isinstance(AnyParser(), Parser)
    assert AnyParser().consumes is FolderSource().produces is ParserInput


def test_item_is_named_by_the_last_part_of_its_key():
    assert SourceItem("a/b.epub", "a/b.epub").name == "b.epub"
    assert SourceItem("a/", "a/").name == "a"
