"""Words, and the words that two texts have in common."""

import random
from difflib import SequenceMatcher

import pytest
from markitect_tool.reports.words import common_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Low water, at nine.", ["Low", "water", ",", "at", "nine", "."]),
        ("annual97 labour", ["annual", "97", "labour"]),
        ("co\xadoperate", ["cooperate"]),
        ("草枕 x", ["草", "枕", "x"]),
        ("«été»", ["«", "été", "»"]),
        ("\u200b", []),
    ],
)
def test_text_is_words_numbers_and_marks(text, words):
    assert words_of(text).keys == words


def test_place_of_a_word_is_where_it_stands():
    words = words_of("a\xa0b c")
    assert [("a\xa0b c"[start:end]) for start, end in zip(words.starts, words.ends, strict=True)] == ["a", "b", "c"]


def test_equal_texts_match_as_one_run():
    words = ["the", "tide", "went", "out"]
    assert common_words(words, words) == [(0, 0, 4)]


@pytest.mark.parametrize("seed", range(60))
def test_matches_are_equal_words_in_the_order_of_both(seed):
    draw = random.Random(seed)
    words = [str(draw.randrange(draw.choice([2, 9, 300]))) for _ in range(draw.randrange(400))]
    changed = list(words)
    for _ in range(draw.randrange(12)):
        place = draw.randrange(len(changed) + 1)
        changed[place : place + draw.randrange(9)] = ["new"] * draw.randrange(4)
    ends = (0, 0)
    for at, there, size in common_words(words, changed):
        assert words[at : at + size] == changed[there : there + size]
        assert at >= ends[0]
        assert there >= ends[1]
        ends = (at + size, there + size)


def test_long_text_with_few_changes_loses_only_those():
    words = [f"w{number}" for number in range(50_000)]
    changed = [word for number, word in enumerate(words) if number % 1000]
    assert sum(size for _, _, size in common_words(words, changed)) == len(changed)


def test_repeated_words_match_about_as_well_as_the_standard_library_finds():
    draw = random.Random(7)
    words = [draw.choice("abcdefgh") for _ in range(90)]
    changed = [word for word in words if draw.random() > 0.1]
    found = sum(size for _, _, size in common_words(words, changed))
    assert found >= sum(match.size for match in SequenceMatcher(None, words, changed, False).get_matching_blocks())


@pytest.mark.parametrize(
    ("source", "made"),
    [
        (["a", "b", "c"] * 50_000, ["b", "c", "a"] * 50_000 + ["x"]),
        ([str(number) for number in range(60_000)], [str(number) for number in reversed(range(60_000))]),
    ],
    ids=["periodic", "reversed"],
)
def test_texts_made_to_resist_are_given_up_on(source, made):
    looks = 0

    class Counted(list):
        def __getitem__(self, key):
            nonlocal looks
            looks += len(range(*key.indices(len(self)))) if isinstance(key, slice) else 1
            return super().__getitem__(key)

    common_words(Counted(source), Counted(made))
    assert looks < 100 * (len(source) + len(made))
