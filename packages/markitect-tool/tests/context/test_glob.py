"""Globs of collections against real folders."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from markitect_tool.context.errors import ContextError, PathTraversalError
from markitect_tool.context.glob import Glob


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for path in (
        "c/a.md",
        "c/b.yaml",
        "c/d.txt",
        "c/x/a.md",
        "c/x/y/a.json",
        "c/.git/a.md",
        "c/.hidden.md",
        "c/node_modules/a.md",
        "c/[z].md",
        "top.md",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")
    return root


def matched(folder: Path, pattern: str) -> list[str]:
    return list(Glob.parse(pattern).files(folder, lambda error: pytest.fail(str(error))))


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("./c/**", ["c/[z].md", "c/a.md", "c/b.yaml", "c/x/a.md", "c/x/y/a.json"]),
        ("c/*", ["c/[z].md", "c/a.md", "c/b.yaml"]),
        ("c/*.md", ["c/[z].md", "c/a.md"]),
        ("c/**/a.md", ["c/a.md", "c/x/a.md"]),
        ("c/**.md", ["c/[z].md", "c/a.md", "c/x/a.md"]),
        ("c/**/y/*", ["c/x/y/a.json"]),
        ("**/x/**", ["c/x/a.md", "c/x/y/a.json"]),
        ("c/?.md", ["c/a.md"]),
        ("c/*.txt", ["c/d.txt"]),
        ("c/[z].md", ["c/[z].md"]),
        ("c/a.md", ["c/a.md"]),
        ("*", ["top.md"]),
        ("c//x/./*", ["c/x/a.md"]),
        ("c/a.md/**", []),
        ("nothing/**", []),
        ("C/**", []),
    ],
)
def test_pattern_means_these_files(folder: Path, pattern: str, files: list[str]) -> None:
    assert matched(folder, pattern) == files


@pytest.mark.parametrize("pattern", ["../**", "c/../../x/*", "/etc/*", "C:/x/*"])
def test_pattern_that_leads_outside_is_refused(pattern: str) -> None:
    with pytest.raises(PathTraversalError):
        Glob.parse(pattern)


@pytest.mark.parametrize("pattern", ["", "./", "c\\*.md", "c/\0", "c/a**b**c"])
def test_pattern_that_cannot_be_meant_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Glob.parse(pattern)


def test_link_to_a_file_inside_is_a_file(folder: Path) -> None:
    (folder / "c/x/link.md").symlink_to(folder / "top.md")
    assert "c/x/link.md" in matched(folder, "c/**")


def test_link_to_a_file_outside_is_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (folder / "c/link.md").symlink_to(tmp_path / "secret.md")
    found: list[ContextError] = []
    assert "c/link.md" not in list(Glob.parse("c/**").files(folder, found.append))
    assert [error.code for error in found] == ["path-traversal"]


def test_link_to_nothing_is_reported(folder: Path) -> None:
    (folder / "c/link.md").symlink_to(folder / "gone.md")
    found: list[ContextError] = []
    assert "c/link.md" not in list(Glob.parse("c/**").files(folder, found.append))
    assert [error.code for error in found] == ["source-unavailable"]


def test_base_that_is_a_link_outside_is_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a.md").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "other")
    found: list[ContextError] = []
    assert list(Glob.parse("out/**").files(folder, found.append)) == []
    assert [error.code for error in found] == ["path-traversal"]


def test_link_to_a_folder_is_reported_and_not_followed(folder: Path) -> None:
    (folder / "c/x/loop").symlink_to(folder / "c")
    found: list[ContextError] = []
    assert not [path for path in Glob.parse("c/**").files(folder, found.append) if "loop" in path]
    assert [error.code for error in found] == ["context.link_not_followed"]


def test_link_to_a_folder_outside_is_path_traversal(folder: Path, tmp_path: Path) -> None:
    (folder / "c/out").symlink_to(tmp_path)
    found: list[ContextError] = []
    list(Glob.parse("c/**").files(folder, found.append))
    assert [error.code for error in found] == ["path-traversal"]


def test_hostile_pattern_takes_no_time(folder: Path) -> None:
    (folder / "c" / ("a" * 200 + ".md")).write_text("x")
    start = time.perf_counter()
    assert matched(folder, "**/" * 30 + "*a" * 30 + "b") == []
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("target", ["loop.md", "nowhere", "a.md/below", "x" * 300])
def test_link_that_leads_nowhere_is_reported_once_and_ends_nothing(folder: Path, target: str) -> None:
    (folder / "c/loop.md").symlink_to(target)
    reported: list[ContextError] = []
    assert "c/a.md" in list(Glob.parse("c/*.md").files(folder, reported.append))
    assert [error.code for error in reported] == ["source-unavailable"]
    assert "c/loop.md" in str(reported[0])
