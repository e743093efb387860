"""The registry of adapters."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from markitect_tool import OptionalDependency, SourceAdapterRegistry, normalize_source
from markitect_tool.errors import DuplicateAdapterError, MissingDependencyError, UnknownAdapterError
from markitect_tool.source.protocol import SourceReadAdapter
from markitect_tool.testing import fake_descriptor


@pytest.mark.parametrize("order", list(permutations(["source.a", "source.b", "source.c"])))
def test_listing_is_by_id_whatever_the_order_of_registration(order: tuple[str, ...]):
    registry = SourceAdapterRegistry([fake_descriptor(name) for name in order])
    assert [descriptor.id for descriptor in registry] == ["source.a", "source.b", "source.c"]
    assert [extension.id for extension in registry.extensions()] == ["source.a", "source.b", "source.c"]


def test_registered_fake_adapter_reads():
    registry = SourceAdapterRegistry([fake_descriptor()])
    result = normalize_source(b"FAKE Title\nbody", uri="x.fake", registry=registry)
    assert result.valid
    assert result.document is not None
    assert result.document.markdown == "# Title\n\nbody"


def test_duplicate_id_names_both_distributions():
    registry = SourceAdapterRegistry()
    registry.register(fake_descriptor(), origin="first-dist")
    with pytest.raises(DuplicateAdapterError) as caught:
        registry.register(fake_descriptor(), origin="second-dist")
    assert caught.value.diagnostic.code == "source.duplicate_adapter"
    assert caught.value.diagnostic.details["distributions"] == ["first-dist", "second-dist"]
    assert "first-dist" in str(caught.value)
    assert "second-dist" in str(caught.value)


def test_duplicate_leaves_the_first_in_place():
    first = fake_descriptor()
    registry = SourceAdapterRegistry([first])
    with pytest.raises(DuplicateAdapterError):
        registry.register(replace(first, name="Other"))
    assert registry.get("source.fake") is first
    assert len(registry) == 1


def test_registering_the_same_descriptor_twice_is_harmless():
    descriptor = fake_descriptor()
    registry = SourceAdapterRegistry([descriptor, descriptor])
    assert len(registry) == 1


def test_unknown_id_names_the_near_miss_and_the_known_ids():
    registry = SourceAdapterRegistry([fake_descriptor("source.epub3"), fake_descriptor("source.pdf")])
    with pytest.raises(UnknownAdapterError) as caught:
        registry.get("source.epub")
    assert caught.value.diagnostic.hint == ("Did you mean source.epub3? Known adapters: source.epub3, source.pdf.")


def test_adapters_are_made_once():
    registry = SourceAdapterRegistry([fake_descriptor()])
    assert registry.adapter("source.fake") is registry.adapter("source.fake")


def test_listing_makes_no_adapter():
    def factory() -> SourceReadAdapter:
        raise AssertionError("listing made an adapter")

    registry = SourceAdapterRegistry([replace(fake_descriptor(), factory=factory)])
    assert [descriptor.to_dict()["id"] for descriptor in registry] == ["source.fake"]
    assert "source.fake" in registry


def test_factory_that_cannot_import_says_what_to_install():
    def factory() -> SourceReadAdapter:
        raise ModuleNotFoundError("No module named 'tiny.parser'", name="tiny.parser")

    descriptor = replace(
        fake_descriptor(),
        factory=factory,
        optional_dependencies=[OptionalDependency("tiny", "fake-filter", "tiny")],
    )
    with pytest.raises(MissingDependencyError) as caught:
        SourceAdapterRegistry([descriptor]).adapter("source.fake")
    assert caught.value.diagnostic.hint == "Install it: pip install fake-filter[tiny]"


def test_missing_libraries_are_looked_for_until_there_are_none(monkeypatch: pytest.MonkeyPatch):
    needed = OptionalDependency("tiny", "fake-filter", "tiny")
    registry = SourceAdapterRegistry([replace(fake_descriptor(), optional_dependencies=[needed])])
    assert [found.code for found in registry.missing_dependencies("source.fake")] == ["source.missing_dependency"]
    monkeypatch.setattr(OptionalDependency, "is_available", lambda _: True)
    assert registry.missing_dependencies("source.fake") == []
    monkeypatch.setattr(OptionalDependency, "is_available", lambda _: pytest.fail("looked for again"))
    assert registry.missing_dependencies("source.fake") == []


def test_origin_is_the_distribution_that_registered():
    registry = SourceAdapterRegistry()
    registry.register(fake_descriptor(), origin="fake-filter")
    assert registry.origin("source.fake") == "fake-filter"
