"""Time of the reader: bytes to trees, archives to packages, whole books."""

import pytest
from markitect_filter.markup.parse import parse_markup
from markitect_filter.testing.books import page
from markitect_tool import inspect_source, normalize_source

from benchmarks.books import FIXTURES, Dice, prose

BROKEN = "<div><p>Low water at nine.<p>High &amp; dry<br><b>at three</div>"


@pytest.mark.parametrize("name", FIXTURES)
def test_book_to_markdown(benchmark, name):
    content = FIXTURES[name]().pack()
    assert benchmark(normalize_source, content, uri="book.epub").valid


@pytest.mark.parametrize("name", FIXTURES)
def test_book_inspected(benchmark, name):
    content = FIXTURES[name]().pack()
    assert benchmark(inspect_source, content, uri="book.epub").valid


def test_page_parsed(benchmark):
    content = page(prose(Dice(5), 100_000)).encode()
    assert not benchmark(parse_markup, content).tolerant


def test_broken_page_parsed(benchmark):
    assert benchmark(parse_markup, page(BROKEN * 200).encode()).tolerant
