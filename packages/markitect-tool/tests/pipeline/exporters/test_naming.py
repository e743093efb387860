"""Names of output files follow from the key alone, and differ on any file system."""

import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.pipeline.exporters.naming import document_name, key_hash
from markitect_tool.pipeline.storage import checked_name


@pytest.mark.parametrize(
    "key", ["emma.epub", "shelf/emma.epub", "a", "bücher/emma", "日本.txt", "a_1-2.md", "x.segments"]
)
def test_a_key_that_is_safe_is_its_own_name(key):
    assert document_name(key) == key


@pytest.mark.parametrize(
    ("key", "readable"),
    [
        ("Emma.epub", "Emma-*.epub"),
        ("Shelf/emma.epub", "Shelf-*/emma.epub"),
        ("my book.epub", "my-book-*.epub"),
        ("emma.EPUB", "emma-*.epub"),
        ("a.tar.gz", "a-tar-*.gz"),
        (".hidden", "document-*.hidden"),
        ("con.txt", "con-file-*.txt"),
        ("e\u0301.txt", "é-*.txt"),
        ("ſ.txt", "ſ-*.txt"),
        ("ı", "ı-*"),
        ("a\u200db", "ab-*"),
        ("../etc/passwd", "etc-passwd-*"),
        ("https://example.org/a?b", "https-example-org-a-b-*"),
        ("a//b", "a-b-*"),
        ("\ud800", "document-*"),
        ("", "document-*"),
    ],
)
def test_a_part_that_another_could_meet_gets_its_hash(key, readable):
    assert re.sub("-[0-9a-f]{16}", "-*", document_name(key)) == readable


def test_a_key_cannot_pretend_to_be_the_name_of_another():
    assert document_name(document_name("Emma")) != document_name("Emma")


def test_a_folder_is_not_in_the_way_of_the_file_of_another_key():
    file = f"{document_name('emma')}.md"
    assert not document_name("emma.md/notes.txt").startswith(f"{file}/")


def test_a_long_part_is_shortened():
    assert len(document_name("ä" * 5000 + ".epub").encode()) < 150


def folded(name):
    """What names have in common that some file system takes for one."""
    return normalize("NFD", normalize("NFD", name).casefold().upper()).casefold()


part = st.text(st.sampled_from("aAbB-.ıIſsßẞéÉ\u0301 _1ς\u200d"), max_size=4) | st.text(max_size=3)
key = st.lists(part, min_size=1, max_size=3).map("/".join)


@given(st.lists(key, min_size=2, max_size=30, unique=True))
def test_different_keys_have_names_that_no_file_system_takes_for_one(keys):
    names = [folded(document_name(key)) for key in keys]
    assert len(set(names)) == len(keys)


@given(key)
def test_a_name_stays_inside_and_is_not_hidden(key):
    name = document_name(key)
    assert checked_name(name, "memory://") == name
    assert not any(part.startswith((".", "~")) or part.endswith((".", " ")) for part in name.split("/"))
    assert re.search(r'[\\:*?"<>|\0-\x1f]', name) is None


def test_hashes_of_keys_are_even():
    shards = [int(key_hash(f"{number}.epub"), 16) % 8 for number in range(8000)]
    assert all(850 < shards.count(shard) < 1150 for shard in range(8))
