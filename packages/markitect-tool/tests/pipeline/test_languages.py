"""The naive guess at a language."""

import pytest
from markitect_tool.pipeline.languages import guess_language

SAMPLES = {
    "en": "It was the first of many days that he had to be in the town with his friends, and not at home.",
    "de": "Es war der erste von vielen Tagen, die er mit den Freunden in der Stadt und nicht auf dem Land war.",
    "fr": "Il est dans la ville avec les amis pour une fois, et ce n'est pas la campagne que le père a sur les bras.",
    "es": "La casa de los amigos que está en el campo no es como las de la ciudad, pero se vive más y con menos.",
    "ru": "Он не был в городе и не знал, что это за дом на горе, но из окна он видел, как они шли по дороге к нему.",
}


@pytest.mark.parametrize("code", SAMPLES)
def test_language_of_a_paragraph_is_guessed(code):
    assert guess_language(SAMPLES[code].encode()) == code
    assert guess_language(SAMPLES[code]) == code


@pytest.mark.parametrize("content", [b"", b"12 34", b"\xff\xfe\x00", "日本語の文章です。".encode(), b"the end"])
def test_nothing_is_guessed_where_nothing_speaks_for_a_language(content):
    assert guess_language(content) is None


def test_languages_that_are_mixed_evenly_are_not_guessed():
    assert guess_language((SAMPLES["en"] + SAMPLES["de"]).encode()) is None
