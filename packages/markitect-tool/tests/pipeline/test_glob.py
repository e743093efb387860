"""A pattern as a source."""

import pytest
from markitect_tool.errors import MissingSourceError
from markitect_tool.pipeline.sources import GlobSource


def keys(pattern, storage):
    return [item.key for item in GlobSource(pattern).items(storage)]


@pytest.fixture
def library(put):
    return put("a.epub", "b.txt", "x/c.epub", "x/y/d.epub", "x/e.EPUB", ".h/f.epub", "x/[1].epub")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.epub", ["a.epub"]),
        ("**/*.epub", ["a.epub", "x/[1].epub", "x/c.epub", "x/y/d.epub"]),
        ("x/*.epub", ["[1].epub", "c.epub"]),
        ("x/**", ["[1].epub", "c.epub", "e.EPUB", "y/d.epub"]),
        ("?.txt", ["b.txt"]),
        ("*/[cd].epub", ["x/c.epub"]),
        ("x/[[]1].epub", ["[1].epub"]),
        ("./x//c.*", ["c.epub"]),
        (".h/*", ["f.epub"]),
        ("*/.h*", []),
    ],
)
def test_pattern_means_these_files(library, pattern, expected):
    if expected:
        assert keys(pattern, library) == expected
    else:
        with pytest.raises(MissingSourceError, match="No file matches"):
            keys(pattern, library)


def test_what_a_pattern_means_is_loaded(library):
    source = GlobSource("x/**/*.epub")
    assert [(given.provenance.key, given.provenance.source) for given in source.produce(library)] == [
        ("[1].epub", "glob"),
        ("c.epub", "glob"),
        ("y/d.epub", "glob"),
    ]


def test_folder_of_a_pattern_has_to_be_there(library):
    with pytest.raises(MissingSourceError, match="There is no folder"):
        keys("gone/*.epub", library)


def test_pattern_elsewhere(memory):
    memory.write_all({"a.epub": b"1", "x/b.epub": b"2", "x/y/c.epub": b"3", "x/n.txt": b"4"})
    assert keys("**/*.epub", memory) == ["a.epub", "x/b.epub", "x/y/c.epub"]
    assert keys("x/*", memory) == ["b.epub", "n.txt"]


def test_broken_link_that_matches_is_told_of(put, tmp_path):
    storage = put("a.epub")
    (tmp_path / "b.epub").symlink_to("gone")
    (tmp_path / "c.txt").symlink_to("gone")
    assert keys("*.epub", storage) == ["a.epub", "b.epub"]
