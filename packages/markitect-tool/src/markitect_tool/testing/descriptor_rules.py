"""What a descriptor must say, and how little it may cost."""

from __future__ import annotations

import re

from markitect_tool.canonical import canonical_json
from markitect_tool.source.messages import SourceAdapterMatchRequest
from markitect_tool.source.model import SourceAsset
from markitect_tool.source.options import OPTION_TYPES, option_types, resolve_options
from markitect_tool.source.protocol import SourceReadAdapter
from markitect_tool.source.registry import SourceAdapterRegistry
from markitect_tool.testing.isolation import HEAVY_MODULES, run_fresh
from markitect_tool.testing.subject import Subject

LISTING = """
import sys
from markitect_tool.testing.subject import load_descriptor
descriptor = load_descriptor(sys.argv[1])
descriptor.to_dict(), descriptor.to_extension(), descriptor.missing_dependencies()
print(descriptor.id)
"""


class DescriptorRules(Subject):
    """Rules for the descriptor, and for matching by it."""

    def test_descriptor_is_listed_without_importing_a_format_library(self) -> None:
        descriptor = self.descriptor
        own = {need.import_name for need in descriptor.optional_dependencies}
        ended = run_fresh(LISTING, self.entry_point, forbid=own | set(HEAVY_MODULES))
        assert ended.stdout == f"{descriptor.id}\n", ended.stderr

    def test_descriptor_is_the_same_each_time(self) -> None:
        assert canonical_json(self.descriptor.to_dict()) == canonical_json(self.descriptor.to_dict())

    def test_descriptor_has_read_as_its_only_operation(self) -> None:
        assert list(self.descriptor.operations) == ["read"]

    def test_descriptor_id_is_in_the_source_namespace(self) -> None:
        prefix, _, name = self.descriptor.id.partition(".")
        assert prefix == "source"
        assert name

    def test_descriptor_says_what_it_reads(self) -> None:
        descriptor = self.descriptor
        assert descriptor.media_types or descriptor.extensions
        assert all(media_type == media_type.lower() for media_type in descriptor.media_types)
        assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in descriptor.extensions)

    def test_descriptor_registers_as_a_source_adapter_extension(self) -> None:
        extension = self.descriptor.to_extension()
        assert (extension.id, extension.kind) == (self.descriptor.id, "source-adapter")
        assert extension.diagnostics_namespace == "source"
        assert "source read" in extension.capabilities

    def test_every_declared_option_has_a_type_and_a_description(self) -> None:
        for name, schema in self.descriptor.option_schema.get("properties", {}).items():
            assert "type" in schema or "enum" in schema, name
            assert schema.get("description"), name

    def test_every_schema_of_an_option_can_be_used(self) -> None:
        for name, schema in self.descriptor.option_schema.get("properties", {}).items():
            for part in (schema, schema.get("items", {})):
                assert set(option_types(part)) <= set(OPTION_TYPES), name
                assert isinstance(part.get("enum", []), list), name
                re.compile(part.get("pattern", ""))

    def test_default_of_every_option_fits_its_schema(self) -> None:
        declared = self.descriptor.option_schema.get("properties", {})
        defaults = {name: schema["default"] for name, schema in declared.items() if "default" in schema}
        _, problems = resolve_options(self.descriptor, defaults)
        assert [problem.message for problem in problems] == []

    def test_suite_was_given_options_if_the_adapter_has_any(self) -> None:
        declared = set(self.descriptor.option_schema.get("properties", {}))
        if declared:
            assert self.options, "set `options`: valid ones that differ from the defaults"
            assert set(self.invalid_options) <= declared
            assert self.invalid_options, "set `invalid_options`: a declared option with a value of the wrong type"

    def test_factory_gives_an_adapter_of_this_descriptor(self) -> None:
        adapter = SourceAdapterRegistry([self.descriptor]).adapter(self.descriptor.id)
        assert isinstance(adapter, SourceReadAdapter)
        assert adapter.descriptor.to_dict() == self.descriptor.to_dict()

    def test_adapter_matches_the_good_source_under_each_media_type_and_suffix(self) -> None:
        descriptor = self.descriptor
        adapter = descriptor.factory()
        assets = [
            *(SourceAsset("sample:nowhere", media_type=media_type) for media_type in descriptor.media_types),
            *(SourceAsset("sample:nowhere", media_type=f"{name}; version=1") for name in descriptor.media_types),
            *(SourceAsset("sample:nowhere" + suffix, extension=suffix) for suffix in descriptor.extensions),
        ]
        for asset in assets:
            match = adapter.can_read(SourceAdapterMatchRequest(asset, content=self.good.content))
            assert match.matched, asset
            assert match.adapter_id == descriptor.id
            assert 0 < match.confidence <= 100
            assert match.reason

    def test_adapter_does_not_match_a_foreign_format(self) -> None:
        foreign = SourceAsset("sample:nowhere.unheard-of", media_type="x-foreign/x-none", extension=".unheard-of")
        assert not self.descriptor.factory().can_read(SourceAdapterMatchRequest(foreign)).matched
