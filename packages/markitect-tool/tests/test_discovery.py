"""Discovery through real metadata: distributions on `sys.path` with a `dist-info` folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from markitect_tool import discover_source_adapters, installed, normalize_source
from markitect_tool.diagnostics import Diagnostic
from markitect_tool.installed import offers
from markitect_tool.source.registry import SourceAdapterRegistry

Install = Callable[..., None]
GROUP = "[markitect_tool.source_adapters]\n"
MODULE = """
from markitect_tool.testing import fake_descriptor
one = fake_descriptor("source.one")
many = (fake_descriptor(name) for name in ("source.two", "source.three"))
def function(): return fake_descriptor("source.four", extensions=[".four"])
def several(): return [fake_descriptor("source.five"), fake_descriptor("source.six")]
"""


def _ids(registry: SourceAdapterRegistry) -> list[str]:
    return [descriptor.id for descriptor in registry]


def _of(registry: SourceAdapterRegistry, distribution: str) -> list[Diagnostic]:
    return [found for found in registry.diagnostics if distribution in found.message]


def test_built_in_adapter_comes_through_the_same_door():
    registry = discover_source_adapters()
    assert registry.origin("source.plaintext") == "markitect-tool"


@pytest.mark.parametrize(
    ("attribute", "ids"),
    [
        ("one", ["source.one"]),
        ("many", ["source.three", "source.two"]),
        ("function", ["source.four"]),
        ("several", ["source.five", "source.six"]),
    ],
)
def test_entry_point_may_be_a_descriptor_an_iterable_or_a_callable(install: Install, attribute: str, ids: list[str]):
    install("fake-filter", f"{GROUP}x = fake_filter:{attribute}\n", MODULE)
    registry = discover_source_adapters()
    assert set(ids) <= set(_ids(registry))
    assert {registry.origin(name) for name in ids} == {"fake-filter"}
    assert _of(registry, "fake-filter") == []


def test_discovered_adapter_reads(install: Install):
    install("fake-filter", f"{GROUP}x = fake_filter:function\n", MODULE)
    result = normalize_source(b"FAKE Found\n", uri="x.four", registry=discover_source_adapters())
    assert result.document is not None
    assert result.document.markdown == "# Found"


@pytest.mark.parametrize(
    "module",
    [
        "raise RuntimeError('boom')",
        "import no_such_module",
        "raise SystemExit(3)",
        "this is not python",
        "x = 42",
        "x = 'text'",
        "x = []",
        "x = [1]",
        "def x(): return None",
        "def x(): raise ValueError('boom')",
        "def x(needed): return needed",
        "from markitect_tool.testing import fake_descriptor\ndef x(): return fake_descriptor('')",
        "y = 1",
        "class Skipped(BaseException): pass\nraise Skipped",
        "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute",
        "import itertools\nx = itertools.count()",
        "import itertools, markitect_tool.testing as it\nx = itertools.repeat(it.fake_descriptor())",
        "from markitect_tool.testing import fake_descriptor\nx = fake_descriptor(5)",
    ],
)
def test_broken_entry_point_is_a_warning_that_names_the_distribution(install: Install, module: str):
    install("broken-dist", f"{GROUP}x = broken_dist:x\n", module)
    registry = discover_source_adapters()
    (found,) = _of(registry, "broken-dist")
    assert (found.code, found.severity) == ("source.discovery_failed", "warning")
    assert found.details == {"distribution": "broken-dist"}
    assert "source.plaintext" in registry


def test_unparsable_metadata_breaks_no_other_distribution(install: Install):
    install("good-dist", f"{GROUP}x = good_dist:one\n", MODULE)
    install("rotten-dist", f"{GROUP}no equals sign here\n")
    registry = discover_source_adapters()
    assert {"source.one", "source.plaintext"} <= set(_ids(registry))
    assert [found.code for found in _of(registry, "rotten-dist")] == ["source.discovery_failed"]


def test_one_bad_entry_point_of_a_distribution_leaves_its_others(install: Install):
    install("mixed-dist", f"{GROUP}bad = mixed_dist:absent\ngood = mixed_dist:one\n", MODULE)
    registry = discover_source_adapters()
    assert "source.one" in registry
    assert len(_of(registry, "mixed-dist")) == 1


def test_duplicate_id_is_reported_with_both_names(install: Install):
    install("a-dist", f"{GROUP}x = a_dist:one\n", MODULE)
    install("b-dist", f"{GROUP}x = b_dist:one\n", MODULE)
    registry = discover_source_adapters()
    assert registry.origin("source.one") == "a-dist"
    (found,) = _of(registry, "b-dist")
    assert found.code == "source.discovery_failed"
    assert found.details["distributions"] == ["a-dist", "b-dist"]


def test_nobody_takes_the_place_of_the_built_in_adapter(install: Install):
    module = "from markitect_tool.testing import fake_descriptor\nx = fake_descriptor('source.plaintext')"
    install("a-thief", f"{GROUP}x = a_thief:x\n", module)
    registry = discover_source_adapters()
    assert registry.origin("source.plaintext") == "markitect-tool"
    assert len(_of(registry, "a-thief")) == 1


def test_distribution_seen_twice_on_the_path_counts_once(install: Install, monkeypatch: pytest.MonkeyPatch):
    install("twice-dist", f"{GROUP}x = twice_dist:one\n", MODULE)
    monkeypatch.setattr(sys, "path", [sys.path[0], *sys.path])
    assert _of(discover_source_adapters(), "twice-dist") == []


def test_adapters_are_added_to_a_given_registry(install: Install):
    registry = SourceAdapterRegistry()
    assert discover_source_adapters(registry) is registry
    assert len(registry) > 0


def test_listing_survives_broken_distributions(install: Install, mkt: Callable[..., object]):
    install("broken-dist", f"{GROUP}x = broken_dist:x\n", "raise RuntimeError('boom')")
    result = mkt("source", "adapters", "--format", "json")
    data = json.loads(result.stdout)  # type: ignore[attr-defined]
    assert result.exit_code == 0  # type: ignore[attr-defined]
    assert data["valid"] is True
    assert "source.plaintext" in [adapter["id"] for adapter in data["adapters"]]
    assert "source.discovery_failed" in [found["code"] for found in data["diagnostics"]]


def test_broken_distribution_does_not_touch_another_adapter(install: Install, mkt: Callable[..., object]):
    install("broken-dist", f"{GROUP}x = broken_dist:x\n", "raise RuntimeError('boom')")
    result = mkt("source", "normalize", "-", "--uri", "a.txt", input=b"text")  # type: ignore[call-arg]
    assert (result.exit_code, result.stdout, result.stderr) == (0, "text\n", "")  # type: ignore[attr-defined]


def test_failed_discovery_is_told_when_no_adapter_matches(install: Install):
    install("broken-dist", f"{GROUP}x = broken_dist:x\n", "raise RuntimeError('boom')")
    result = normalize_source(b"text", uri="a.unheard-of", registry=discover_source_adapters())
    assert next(found.code for found in result.diagnostics) == "source.unsupported_format"
    assert any("broken-dist" in found.message for found in result.diagnostics)


def test_folders_hold_what_importlib_metadata_finds(monkeypatch: pytest.MonkeyPatch):
    from_folders = sorted(offers("console_scripts"))
    monkeypatch.setattr(installed, "_installed", lambda: None)
    assert from_folders == sorted(offers("console_scripts"))
    assert "markitect-tool" in [offer.distribution for offer in from_folders]


def test_distribution_inside_an_archive_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("packed_dist-1.0.dist-info/METADATA", "Name: packed-dist\nVersion: 1.0\n")
        members.writestr("packed_dist-1.0.dist-info/entry_points.txt", f"{GROUP}x = packed_dist:one\n")
        members.writestr("packed_dist.py", MODULE)
    monkeypatch.syspath_prepend(str(archive))
    assert discover_source_adapters().origin("source.one") == "packed-dist"


def test_finder_of_somebody_else_is_asked(monkeypatch: pytest.MonkeyPatch):
    class Packed(Distribution):
        def read_text(self, filename: str) -> str | None:
            return {"METADATA": "Name: found-dist\n", "entry_points.txt": f"{GROUP}x = json:dumps\n"}.get(filename)

        def locate_file(self, path: object) -> Path:
            raise AssertionError("not asked for")

    class Finder:
        def find_spec(self, *_: object) -> None:
            return None

        def find_distributions(self, context: object) -> list[Distribution]:
            return [Packed()]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert "found-dist" in [offer.distribution for offer in offers("markitect_tool.source_adapters")]


def test_listing_does_without_importlib_metadata():
    code = (
        "import sys; from markitect_tool import discover_source_adapters\n"
        "print(len(discover_source_adapters()) > 0, 'importlib.metadata' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "True False\n"


def test_what_an_entry_point_prints_is_no_output(install: Install, mkt_process: Callable[..., Any], tmp_path: Path):
    install("loud-dist", f"{GROUP}x = loud_dist:one\n", f"print('Thank you for installing me!')\n{MODULE}")
    ended = mkt_process("source", "adapters", "--format", "json", PYTHONPATH=os.pathsep.join(sys.path))
    assert "source.one" in [adapter["id"] for adapter in json.loads(ended.stdout)["adapters"]]
    assert b"Thank you" in ended.stderr


def test_interrupt_ends_discovery(install: Install):
    install("slow-dist", f"{GROUP}x = slow_dist:x\n", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        discover_source_adapters()


def _other_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in front of the path with a newer `fake-filter`, without entry points."""
    folder = tmp_path / "newer" / "fake_filter-2.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Name: fake-filter\nVersion: 2.0\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    return folder


@pytest.mark.parametrize("by_importlib", [False, True])
def test_hidden_version_of_a_distribution_offers_nothing(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_importlib: bool
):
    install("fake-filter", f"{GROUP}x = fake_filter:one\n", MODULE)
    _other_version(tmp_path, monkeypatch)
    if by_importlib:
        monkeypatch.setattr(installed, "_installed", lambda: None)
    assert "source.one" not in discover_source_adapters()


def test_metadata_in_an_old_encoding_hides_no_adapter(install: Install, tmp_path: Path):
    install("fake-filter", f"{GROUP}x = fake_filter:one\n", MODULE)
    metadata = tmp_path / "site-fake-filter" / "fake_filter-1.0.dist-info" / "METADATA"
    metadata.write_bytes(b"Name: fake-filter\nAuthor: Andr\xe9\n")
    assert discover_source_adapters().origin("source.one") == "fake-filter"


def test_metadata_that_cannot_be_read_still_names_the_distribution(install: Install, tmp_path: Path):
    install("fake-filter", f"{GROUP}x = fake_filter:one\n", MODULE)
    entry_points = tmp_path / "site-fake-filter" / "fake_filter-1.0.dist-info" / "entry_points.txt"
    entry_points.unlink()
    entry_points.mkdir()
    (found,) = _of(discover_source_adapters(), "fake_filter")
    assert found.details == {"distribution": "fake_filter"}
