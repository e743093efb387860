"""Every limit, end to end: it trips while reading, and names itself, its value and the option that raises it."""

from dataclasses import fields

import pytest
from markitect_filter.documents.budget import Budget
from markitect_filter.documents.limits import Limits
from markitect_filter.testing.archives import with_zeros
from markitect_filter.testing.books import Book, nav_page
from markitect_tool.errors import LimitExceededError

THREE = {name: f"<p>{name} core</p>" for name in ("a.xhtml", "b.xhtml", "c.xhtml")}
ENTITIES = '<!DOCTYPE html [<!ENTITY e "eeeeeeeeee">]><html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
NESTED = "<div>" * 40 + "core" + "</div>" * 40
SOUP = "<p><b>x</i>" * 30

# limit -> (value, book that passes it, is there still a document?)
TRIPS = {
    "archive_bytes": (500, Book(THREE).pack(), False),
    "members": (3, Book(THREE).pack(), False),
    "member_bytes": (100, Book(THREE).pack(), False),
    "structural_bytes": (100, Book(THREE).pack(), False),
    "total_bytes": (1200, Book(THREE).pack(), False),
    "ratio": (20, with_zeros(Book(THREE, spine=('<itemref idref="z"/>',), manifest=(
        '<item id="z" href="z.xhtml" media-type="application/xhtml+xml"/>',)).pack(), "OPS/z.xhtml", 8 * 2**20), False),
    "tags": (5, Book({"a.xhtml": "<p>x</p>" * 9}).pack(), False),
    "attributes": (20, Book({"a.xhtml": '<p class="x"/>' * 30}).pack(), False),
    "tolerant_tags": (50, Book({"a.xhtml": SOUP}).pack(), False),
    "book_tags": (20, Book(THREE).pack(), False),
    "book_tolerant_tags": (50, Book(dict.fromkeys(THREE, SOUP)).pack(), False),
    "text_bytes": (400, Book(THREE).pack(), False),
    "entity_chars": (50, Book({"a.xhtml": ENTITIES.format("<p>&e;</p>" * 9)}).pack(), False),
    "spine_items": (2, Book(THREE).pack(), False),
    "output_bytes": (20, Book(THREE).pack(), False),
    "toc_entries": (2, Book(THREE).pack(), True),
    "table_cells": (50, Book({"a.xhtml": '<table><tr><td colspan="90">core</td></tr></table>'}).pack(), True),
}  # fmt: skip
ELSEWHERE = {
    "depth": "deeper elements are unwrapped, which is content_flattened",
    "asset_bytes": "needs attachment digests",
    "ratio_floor_bytes": "bounds the limit `ratio`",
    "seconds": "needs a clock that can be turned",
}


def test_every_limit_has_a_test_here():
    assert {limit.name for limit in fields(Limits)} == TRIPS.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("limit", TRIPS)
def test_a_limit_that_trips_names_itself_its_value_and_its_option(limit, read):
    value, book, valid = TRIPS[limit]
    extra = {"max_ratio_floor_bytes": 1000} if limit == "ratio" else {}
    reading = read(book, {f"max_{limit}": value, **extra})
    assert reading.valid == valid
    found = reading.all("source.limit_exceeded")[-1]  # navigation over the limit is a warning before the error
    assert (found.details["limit"], found.details["value"], found.details["option"]) == (limit, value, f"max_{limit}")
    assert found.severity == ("warning" if valid else "error")
    assert f"{limit}: {value:,}" in found.message
    assert f"--option max_{limit}=" in found.hint


@pytest.mark.parametrize("limit", TRIPS)
def test_the_same_book_is_read_with_the_default_limits(limit, read):
    reading = read(TRIPS[limit][1])
    assert "source.limit_exceeded" not in reading.codes or limit == "ratio"


def test_elements_below_the_greatest_depth_keep_their_text_and_are_reported(read):
    reading = read(Book({"a.xhtml": NESTED}).pack(), {"max_depth": 20})
    assert reading.markdown == "core"
    assert "source.content_flattened" in reading.codes


def test_an_attachment_over_its_limit_stops_a_book_whose_digests_are_wanted(read):
    item = '<item id="z" href="z.png" media-type="image/png"/>'
    book = Book({"a.xhtml": "<p>core</p>"}, {"OPS/z.png": b"z" * 1000}, manifest=(item,)).pack()
    assert read(book, {"max_asset_bytes": 100}).markdown == "core"
    assert (
        "asset_bytes"
        in read(book, {"max_asset_bytes": 100, "attachment_digests": True}).one("source.limit_exceeded").message
    )


def test_a_budget_that_trips_in_the_middle_names_what_was_not_reached(read):
    pages = {f"{number}.xhtml": "<p>x</p>" * 10 for number in range(80)}
    reading = read(Book(pages).pack(), {"max_book_tags": 300})
    found = reading.one("source.not_reached")
    reached = found.details["position"]
    assert 0 < reached < 80
    assert found.details["not_reached"] == 80 - reached
    assert found.details["documents"] == [f"OPS/{number}.xhtml" for number in range(reached, 80)][:50]


def test_a_document_that_waited_for_its_notes_is_named_when_it_is_not_reached(read):
    notes = '<aside epub:type="footnote" id="n"><p>note</p></aside>'
    text = '<p>core<a epub:type="noteref" href="a.xhtml#n">1</a></p>' + "<p>x</p>" * 20
    reading = read(Book({"a.xhtml": notes, "b.xhtml": text}).pack(), {"max_book_tags": 70})
    assert reading.one("source.not_reached").details["documents"] == ["OPS/a.xhtml"]


def test_time_is_asked_for_before_each_document():
    now = iter([0.0, 1.0, 100.0])
    budget = Budget(Limits(seconds=60), clock=lambda: next(now))
    budget.enter(b"<p/>", "a")
    with pytest.raises(LimitExceededError, match=r"seconds: 60") as raised:
        budget.enter(b"<p/>", "b")
    assert raised.value.diagnostic.path == "b"


def test_tags_of_the_document_at_hand_count_before_it_is_parsed():
    budget = Budget(Limits(book_tags=3))
    budget.enter(b"<p></p>", "a")
    with pytest.raises(LimitExceededError, match="book_tags"):
        budget.enter(b"<p></p>", "b")


def test_entities_of_all_documents_share_one_budget(read):
    pages = {f"{n}.xhtml": ENTITIES.format("<p>core &e;</p>") for n in range(9)}
    reading = read(Book(pages).pack(), {"max_entity_chars": 50})
    assert reading.one("source.limit_exceeded").details["limit"] == "entity_chars"
    assert reading.one("source.not_reached").details["not_reached"] == 4
    assert read(Book(pages).pack(), {"max_entity_chars": 90}).valid


def test_spans_of_many_small_tables_share_one_budget(read):
    table = '<table><tr><td colspan="60">core</td></tr></table>'
    within, beyond = (read(Book({"a.xhtml": table * n}).pack(), {"max_table_cells": 130}) for n in (2, 3))
    assert not within.all("source.limit_exceeded")
    assert beyond.one("source.limit_exceeded").details["limit"] == "table_cells"


def test_rows_that_reach_to_the_end_of_the_table_count_in_full(read):
    rows = '<tr><td rowspan="0">core</td></tr>' * 60
    reading = read(Book({"a.xhtml": f"<table>{rows}</table>"}).pack(), {"max_table_cells": 500})
    assert reading.one("source.limit_exceeded").details["limit"] == "table_cells"
    assert reading.markdown.count("core") == 60


def test_the_first_row_of_a_table_without_its_spans_is_as_wide_as_the_widest(read):
    rows = '<tr><th colspan="900">a</th></tr><tr><td>b</td><td>core</td></tr>'
    reading = read(Book({"a.xhtml": f"<table>{rows}</table>"}).pack(), {"max_table_cells": 10})
    assert reading.markdown == "| a |  |\n| --- | --- |\n| b | core |"


def test_labels_of_a_deep_table_of_contents_are_cut(read):
    entries = "".join(f"<li><a href='a.xhtml'>{'l' * 5000}</a><ol>" for _ in range(10))
    reading = read(Book({"a.xhtml": "<p>core</p>"}, nav=nav_page(entries + "</ol></li>" * 10)).pack())
    assert len(reading.segments[0].provenance[0].section) < 1100


def test_a_long_base_url_does_not_stand_at_every_link(read, wrap):
    head = f'<base href="http://example.org/{"b" * 3000}/"/>'
    reading = read(Book({"a.xhtml": wrap('<p>core <a href="x">y</a></p>', head)}).pack())
    assert "bbb" not in reading.markdown


def test_what_an_image_inside_of_a_drawing_says_is_accounted_for(read):
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><image xlink:href="p.png">**a</image></svg>'
    reading = read(Book({"a.xhtml": f"<p>core {svg}</p>"}, {"OPS/p.png": b""}).pack())
    assert reading.markdown == "core ![\\*\\*a](OPS/p.png)"


def test_an_attachment_of_no_known_type_has_none(read):
    reading = read(Book({"a.xhtml": '<p>core <a href="x">y</a></p>'}, {"OPS/x": b"?"}).pack())
    assert [asset.media_type for asset in reading.document.attachments] == [None]
