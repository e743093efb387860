"""The manifest: found upward, checked field by field, refused where reading on would be guessing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from markitect_tool.context.errors import (
    ContextError,
    ManifestError,
    ManifestNotFoundError,
    UnsupportedVersionError,
)
from markitect_tool.context.manifest import Manifest, find_manifest, load_manifest
from markitect_tool.context.model import Trust

HEAD = 'opencontext: "1.0"\nid: project\n'


def read(tmp_path: Path, text: str, name: str = "opencontext.yaml") -> Manifest:
    (tmp_path / name).write_text(text)
    return load_manifest(tmp_path / name)


def problems(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    return [(found.code, found.message) for found in read(tmp_path, HEAD + text).diagnostics]


@pytest.mark.parametrize("name", ["opencontext.yaml", "opencontext.yml", "opencontext.json"])
def test_manifest_is_found_from_a_folder_below(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}")
    (tmp_path / "a/b").mkdir(parents=True)
    assert find_manifest(tmp_path / "a/b") == tmp_path.resolve() / name


def test_nearest_manifest_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for folder in (tmp_path, tmp_path / "a"):
        (folder / "opencontext.yaml").write_text("{}")
    assert find_manifest(tmp_path / "a") == tmp_path.resolve() / "a/opencontext.yaml"


def test_manifest_that_is_nowhere_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ManifestNotFoundError):
        find_manifest(tmp_path / "missing")


def test_json_manifest_is_read_as_json(tmp_path: Path) -> None:
    manifest = read(tmp_path, '{"opencontext": "1.2", "id": "project", "name": "A project"}', "opencontext.json")
    assert (manifest.id, manifest.name, manifest.diagnostics) == ("project", "A project", ())


def test_second_manifest_in_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "opencontext.json").write_text("{}")
    assert problems(tmp_path, "") == [
        (
            "context.manifest_ambiguous",
            "Beside opencontext.yaml there is opencontext.json, which is not read.",
        )
    ]


@pytest.mark.parametrize("version", ['"1.0"', "1.0", "1", '"1.7.3"'])
def test_version_of_major_1_is_read(tmp_path: Path, version: str) -> None:
    assert read(tmp_path, f"opencontext: {version}\nid: project\n").diagnostics == ()


@pytest.mark.parametrize("version", ['"2.0"', "2.0", '"0.9"', "10"])
def test_other_major_version_is_refused(tmp_path: Path, version: str) -> None:
    with pytest.raises(UnsupportedVersionError):
        read(tmp_path, f"opencontext: {version}\nid: project\n")


@pytest.mark.parametrize("text", ["id: project\n", "opencontext: true\n", "opencontext: new\n", "- a\n", "", "a: [\n"])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ContextError):
        read(tmp_path, text)


def test_every_wrong_field_is_reported(tmp_path: Path) -> None:
    text = (
        "opencontext: 1.0\nid: Not An Id\nname: [a]\ncontext: {Mission: a.md, glossary: 3}\n"
        "collections: {a: 1, b: {type: x}, c: 'a\\b'}\ndefaults: {trust: much}\nprovenance: {require_digest: 'no'}\n"
        "adapters: {https: {enabled: 1, timeout_ms: 0, trust: x}, git: no}\n"
    )
    manifest = read(tmp_path, text)
    assert [found.code for found in manifest.diagnostics] == ["context.manifest_invalid"] * 13


@pytest.mark.parametrize("text", ["defaults: {id: a}\n", "collections: {a: {source: a/*, content: x}}\n"])
def test_default_that_no_two_objects_can_share_is_wrong(tmp_path: Path, text: str) -> None:
    assert [code for code, _ in problems(tmp_path, text)] == ["context.manifest_invalid"]


def test_what_cannot_be_understood_is_read_carefully(tmp_path: Path) -> None:
    manifest = read(
        tmp_path,
        HEAD
        + "defaults: {trust: much}\nprovenance: {require_digest: 'no'}\nadapters: {git: no, https: {enabled: 1}}\n",
    )
    assert manifest.default_trust is Trust.UNTRUSTED
    assert manifest.require_digest
    assert manifest.adapters == {"git": {"enabled": False}, "https": {"enabled": False}}


@pytest.mark.parametrize("value", ["[https]", "[]", "false", "0", "''"])
def test_adapters_that_are_no_mapping_are_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(ManifestError, match="adapters"):
        read(tmp_path, HEAD + f"adapters: {value}\n")


def test_glob_that_leads_outside_is_path_traversal(tmp_path: Path) -> None:
    assert [code for code, _ in problems(tmp_path, "collections: {a: ../**}\n")] == ["path-traversal"]


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("roles: {support: {include: [a]}}\n", "roles"),
        ("agents: {}\n", "agents"),
        ("redact: []\n", "redact"),
        ("permissions: {}\n", "permissions"),
        ("scopes: {}\n", "scopes"),
        ("freshness: {exclude_expired: true}\n", "freshness"),
        ("invented_later: {}\n", "invented_later"),
        ("defaults: {classification: internal}\n", "defaults.classification"),
        ("collections: {a: {source: a/*, permissions: {read: [x]}}}\n", "collections.a.permissions"),
        ("provenance: {invented_later: true}\n", "provenance.invented_later"),
    ],
)
def test_section_that_could_restrict_disclosure_is_reported(tmp_path: Path, text: str, section: str) -> None:
    manifest = read(tmp_path, HEAD + text)
    assert manifest.unenforced == (section,)
    assert [(found.code, found.severity) for found in manifest.diagnostics] == [
        ("context.unenforced_section", "warning")
    ]


@pytest.mark.parametrize("text", ["health: {}\n", "related: {}\n", "authority: {}\n", "provenance: {required: true}\n"])
def test_section_that_hides_nothing_is_a_note(tmp_path: Path, text: str) -> None:
    manifest = read(tmp_path, HEAD + text)
    assert manifest.unenforced == ()
    assert [found.severity for found in manifest.diagnostics] == ["info"]


def test_public_classification_restricts_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD + "defaults: {classification: public}\n").unenforced == ()


def test_unreadable_manifest_is_an_error(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    with pytest.raises(ManifestError, match="cannot be read"):
        load_manifest(tmp_path / "opencontext.yaml")
