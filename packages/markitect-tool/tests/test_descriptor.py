"""Descriptors, optional dependencies and the catalogue of extensions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest
from markitect_tool import ExtensionCatalog, OptionalDependency, SourceAdapterDescriptor, SourceReadAdapter
from markitect_tool.errors import DuplicateAdapterError, ModelError
from markitect_tool.testing import fake_descriptor

LXML = OptionalDependency("no_such_lxml", "markitect-filter", "epub3", purpose="parsing")


def _descriptor(**changes: Any) -> SourceAdapterDescriptor:
    fields: dict[str, Any] = {
        "id": "source.x",
        "version": "1",
        "name": "X",
        "operations": ["read"],
        "media_types": ["text/x"],
        "extensions": [".x"],
        "factory": lambda: None,
    }
    return SourceAdapterDescriptor(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"operations": ["read", "write"]}, "operations"),
        ({"operations": []}, "operations"),
        ({"media_types": ["Text/X"]}, "media type"),
        ({"media_types": ["text"]}, "media type"),
        ({"extensions": ["x"]}, "suffix"),
        ({"extensions": [".X"]}, "suffix"),
        ({"id": ""}, "id"),
        ({"factory": None}, "factory"),
        ({"id": 5}, "id takes str"),
        ({"id": "source.a b"}, "blanks"),
        ({"id": "source.a\x1b"}, "control characters"),
        ({"version": 1}, "version takes str"),
        ({"name": 5}, "name takes str"),
        ({"summary": 5}, "summary takes str"),
        ({"safety": 5}, "safety takes dict"),
        ({"extensions": [".x", 5]}, "extensions takes list"),
        ({"optional_dependencies": ["lxml"]}, "optional_dependencies is a list of OptionalDependency"),
        ({"option_schema": {"properties": ["encoding"]}}, "option_schema"),
        ({"option_schema": {"properties": {"encoding": "string"}}}, "option_schema"),
    ],
)
def test_descriptor_refuses_what_the_contract_forbids(changes: dict[str, Any], complaint: str):
    with pytest.raises(ModelError, match=complaint):
        _descriptor(**changes)


def test_descriptor_serialises_without_its_factory():
    assert _descriptor(optional_dependencies=[LXML]).to_dict() == {
        "id": "source.x",
        "version": "1",
        "name": "X",
        "operations": ["read"],
        "media_types": ["text/x"],
        "extensions": [".x"],
        "optional_dependencies": [
            {
                "import_name": "no_such_lxml",
                "distribution": "markitect-filter",
                "extra": "epub3",
                "required": True,
                "purpose": "parsing",
            }
        ],
    }


def test_descriptor_does_not_come_back_from_data():
    """Its factory is code."""
    with pytest.raises(ModelError, match="factory"):
        SourceAdapterDescriptor.from_dict(_descriptor().to_dict())


def test_dependency_is_a_top_level_module():
    """To look for a submodule imports its package, which listing adapters must not do."""
    with pytest.raises(ModelError, match="top-level"):
        OptionalDependency("lxml.etree", "lxml")


def test_install_command_names_distribution_and_extra():
    assert LXML.install_command == "pip install markitect-filter[epub3]"
    assert OptionalDependency("lxml", "lxml").install_command == "pip install lxml"


def test_dependency_is_found_without_being_imported():
    assert OptionalDependency("this", "this").is_available()
    assert "this" not in sys.modules


def test_dependency_that_is_absent_is_not_available():
    assert not LXML.is_available()


def test_dependency_that_an_import_hook_refuses_is_not_available(monkeypatch: pytest.MonkeyPatch):
    class Refusing:
        def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
            if name == "no_such_lxml":
                raise ImportError("blocked")

    monkeypatch.setattr(sys, "meta_path", [Refusing(), *sys.meta_path])
    assert not LXML.is_available()


def test_missing_dependency_says_the_exact_command():
    (found,) = _descriptor(optional_dependencies=[LXML]).missing_dependency_diagnostics()
    assert found.code == "source.missing_dependency"
    assert found.severity == "error"
    assert "no_such_lxml" in found.message
    assert found.hint == "Install it: pip install markitect-filter[epub3]"
    assert found.details["install"] == "pip install markitect-filter[epub3]"


def test_dependency_that_is_not_required_is_never_missing():
    optional = OptionalDependency("no_such_module", "x", required=False)
    assert _descriptor(optional_dependencies=[optional]).missing_dependencies() == []


def test_descriptor_maps_to_the_extension_of_the_contract():
    extension = fake_descriptor("source.fake").to_extension()
    assert extension.id == "source.fake"
    assert extension.kind == "source-adapter"
    assert extension.input_contract == "SourceInspectRequest | SourceReadRequest"
    assert extension.output_contract == "SourceInspectResult | SourceReadResult"
    assert extension.diagnostics_namespace == "source"
    assert extension.provenance_prefix == "source.fake"
    assert extension.capabilities == [
        "source read",
        "markdown normalize",
        "diagnostics emit",
        "provenance emit",
        "filesystem read",
    ]


def test_provenance_prefix_is_in_the_source_namespace():
    assert fake_descriptor("fake").to_extension().provenance_prefix == "source.fake"


def test_catalogue_lists_by_id_and_kind():
    catalog = ExtensionCatalog()
    for name in ("source.b", "source.a"):
        catalog.register(fake_descriptor(name).to_extension())
    assert [extension.id for extension in catalog.of_kind("source-adapter")] == ["source.a", "source.b"]
    assert catalog.of_kind("other") == []


def test_catalogue_refuses_a_second_extension_of_one_id():
    catalog = ExtensionCatalog()
    catalog.register(fake_descriptor().to_extension())
    catalog.register(fake_descriptor().to_extension())
    with pytest.raises(DuplicateAdapterError, match=r"source\.fake"):
        catalog.register(replace(fake_descriptor().to_extension(), version="2"))
    assert len(catalog) == 1


def test_adapters_satisfy_the_protocol():
    assert isinstance(fake_descriptor().factory(), SourceReadAdapter)
    assert not isinstance(object(), SourceReadAdapter)
