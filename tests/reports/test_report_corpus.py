"""On real books: the Markdown has every word of the pages, and the report says so."""

import os
from pathlib import Path

import pytest
from markitect_tool import normalize_source
from markitect_tool.reports.source_report import source_report

CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or Path(__file__).parents[3] / "shared/corpus")
BOOKS = sorted(CORPUS.glob("se/*.epub"))


@pytest.mark.skipif(not BOOKS, reason="no folder of books in MARKITECT_CORPUS")
@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_no_paragraph_of_a_well_made_book_differs(book):
    html = source_report(normalize_source(book), book, name=book.name)
    assert "no paragraph differs" in html
    assert 'class="r d"' not in html


@pytest.mark.skipif(not BOOKS, reason="no folder of books in MARKITECT_CORPUS")
def test_report_on_a_large_book_can_be_looked_at(view):
    book = max(BOOKS, key=lambda path: path.stat().st_size)
    seen = view(source_report(normalize_source(book), book, name=book.name), width=390, height=844)
    assert (seen.asked, seen.said, seen.overflow()) == ([], [], 0)
    seen.evaluate("location.hash = [...document.querySelectorAll('.toc a')].at(-1).hash")
    assert seen.locator("#text details[open]").count() == 1
