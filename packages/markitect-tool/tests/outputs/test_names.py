"""Names of files: readable, and safe on every system."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.outputs.names import UniqueNames, file_stem


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("Chapter 1: The Sea", "Chapter-1-The-Sea"),
        ("Ebb & flow — a history", "Ebb-flow-a-history"),
        ("Jane’s boat isn't", "Janes-boat-isnt"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\boat", "C-boat"),
        ("火山が鳴る", "火山が鳴る"),
        ("हिन्दी", "हिन्दी"),
        ("Köln", "Köln"),
        (".hidden", "hidden"),
        ("name. ", "name"),
        ("a\u202etxt.exe", "atxt-exe"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\u0301mark", "mark"),
        ("CON", "CON-file"),
        ("Lpt1", "Lpt1-file"),
        ("console", "console"),
        ("🜚", "fallback"),
        ("", "fallback"),
    ],
)
def test_stem_of_a_text(text, stem):
    assert file_stem(text, fallback="fallback") == stem


def test_stem_is_composed():
    assert file_stem(unicodedata.normalize("NFD", "Köln"), fallback="x") == "Köln"


def test_long_stem_ends_between_words():
    stem = file_stem("word " * 100, fallback="x")
    assert stem == "-".join(["word"] * 19)


def test_long_stem_of_other_scripts_is_cut_between_characters():
    assert file_stem("火" * 100, fallback="x") == "火" * 32


@given(st.text(max_size=300))
def test_any_stem_is_safe(text):
    stem = file_stem(text, fallback="fallback")
    assert stem
    assert len(stem.encode()) <= 101
    assert not set(stem) & set('/\\<>:"|?*. \0\n')
    assert not stem.startswith("-")
    assert file_stem(stem, fallback="x") == stem


def test_second_of_a_name_gets_a_number():
    names = UniqueNames()
    assert [names.take("a"), names.take("a"), names.take("a")] == ["a", "a-2", "a-3"]


def test_number_stands_before_the_suffix():
    names = UniqueNames()
    assert [names.take("map.png"), names.take("map.png")] == ["map.png", "map-2.png"]


@pytest.mark.parametrize("other", ["MAP.PNG", "Map.png", "map.pnG"])
def test_letter_case_makes_no_difference(other):
    names = UniqueNames()
    names.take("map.png")
    assert names.take(other).lower() == "map-2.png"


def test_unicode_forms_make_no_difference():
    names = UniqueNames()
    names.take("Köln")
    assert names.take(unicodedata.normalize("NFD", "Köln")) == unicodedata.normalize("NFD", "Köln") + "-2"


def test_numbered_name_that_is_taken_already_is_passed_over():
    names = UniqueNames()
    assert [names.take("a-2"), names.take("a"), names.take("a")] == ["a-2", "a", "a-3"]


@given(st.lists(st.sampled_from(["a", "A", "a-2", "a-3", "b", "a-2-2"]), max_size=30))
def test_names_never_collide(wanted):
    names = UniqueNames()
    taken = [names.take(name).casefold() for name in wanted]
    assert len(set(taken)) == len(taken)
