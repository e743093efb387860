"""Pages made to hurt: an error or a document within bounds, in time that grows with their size and no faster.

Time is the processor's. The bound is far above what any case takes, and far below what it would take if the time grew
with the square.
"""

import time
from itertools import pairwise

import pytest

LIMIT = 30.0  # seconds of processor time
MANY = 8_000


def timed(make, page, **options):
    started = time.process_time()
    made = make(page, **options)
    assert time.process_time() - started < LIMIT
    return made


def numbered(pattern, count=MANY):
    return "".join(pattern.format(number) for number in range(count))


@pytest.mark.parametrize("element", ["div", "b", "main", "article", "svg", "math", "ul><li", "table><tr><td", "x-y"])
def test_depth_is_bounded_and_the_text_stays(make, element):
    made = timed(make, f"<p>Low {f'<{element}>' * MANY}water")
    assert "water" in made.markdown
    assert "source.content_flattened" in made.codes


@pytest.mark.parametrize(
    "page",
    [
        "<article>x" * MANY,
        "<article>" * 200 + "<article>x</article>" * MANY,
        "<main>x</main>" * MANY,
        "<div>" * 200 + "<article>" + "<h2>a</h2>" * MANY,
        "<main>x</main>" + "y<i>z</i>" * MANY,
        "<nav>" + numbered("<a id=h{0}>a</a>") + "</nav><p>x",
        "<div hidden>" * 200 + numbered("<b hidden id=h{0}>a</b>") + "</div>" * 200 + "<p>x",
        numbered("<a name=h{0}></a>") + "<h1>x",
        numbered("<h2 id=h{0}>a</h2>"),
        numbered("<meta name=a{0} content=b>") + "<p>x",
        numbered('<a href="p{0}?x=1#y">a</a> '),
        numbered("<span class=pagenum>[Pg {0}]</span> a "),
        "<base href='" + "x" * 100_000 + "'>" + "<a href=y>z</a>" * MANY,
        "<table><tr><td colspan=1000 rowspan=65534>x</table>" * 200,
        "<p>" + "&hellip;" * MANY * 5,
        "<!-- -->" * MANY + "x",
        "<script>" * MANY + "x",
        "x" + "<title>" * MANY,
    ],
    ids=range(18),
)
def test_repetition_costs_no_more_than_its_size(make, page):
    assert timed(make, page).markdown


def test_paragraphs_that_are_left_open_cost_no_more_than_closed_ones(make):
    assert timed(make, "<p>a <i>b</i> c\n" * 25_000).markdown.count("a *b* c") == 25_000


def test_masses_of_notes_in_what_is_left_out_are_found(make):
    count = 2000
    references = numbered('<p>a<sup><a href="#n{0}" id="r{0}">{0}</a></sup></p>', count)
    notes = numbered('<p id="n{0}"><a href="#r{0}">{0}</a> note</p>', count)
    made = timed(make, f"<main>{references}</main><footer>Port{notes}</footer>")
    assert made.markdown.count("]: note") == count
    assert made.skipped["contentinfo"] == len("Port")


@pytest.mark.parametrize(
    ("page", "limit", "options"),
    [
        ("<" * 500_000, "tags", {}),
        ("<p>" * 300_000, "tolerant_tags", {}),
        ("<p " + "a=b " * 300_000 + ">x", "attributes", {}),
        ("<p>" + "x" * 200, "text_bytes", {"max_text_bytes": 100}),
        ("<p>" + "x" * 200, "output_bytes", {"max_output_bytes": 100}),
        ("<base href='https://example.org/" + "x" * 1900 + "/'>" + "<a href=y>z</a>" * 16_000, "output_bytes", {}),
    ],
)
def test_limit_is_an_error_that_says_how_to_raise_it(refuse, page, limit, options):
    told = refuse(page, **options)
    assert told.code == "source.limit_exceeded"
    assert (told.details["limit"], told.details["option"]) == (limit, f"max_{limit}")
    assert f"max_{limit}" in told.hint


def test_limit_is_told_on_inspection_too(inspect):
    result = inspect("<p>" + "x" * 200, max_text_bytes=100)
    assert [entry.code for entry in result.diagnostics] == ["source.limit_exceeded"]


def test_entities_that_multiply_are_refused(refuse):
    names = "abcdefg"
    declared = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)
    )
    assert refuse(f"<!DOCTYPE html [{declared}]><html><body>&g;</body></html>").details["limit"] == "entity_chars"


def test_external_entity_is_not_read(make, tmp_path):
    (tmp_path / "secret").write_text("salt")
    page = (
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">]><html><body><p>&x;</p></body></html>'
    )
    made = make(page)
    assert "salt" not in made.markdown
    assert "&x;" in made.markdown.replace("\\", "")


@pytest.mark.parametrize("page", ["", " \n\t", "\0\0\0", "<!-- x -->", "<?xml version='1.0'?>", "<!doctype html>"])
def test_page_without_anything_is_an_error_or_empty(read, page):
    result = read(page)
    if result.valid:
        assert result.document.markdown == ""
    else:
        assert result.diagnostics[-1].code in ("source.malformed", "source.empty")


@pytest.mark.parametrize("name", ["", "a b", "1", "p:q", "p@q", "constructor", "plaintext", "xmp", "é"])
def test_element_of_any_name_keeps_its_text(make, name):
    assert "Tide" in make(f"<p>Low<{name or 'x'}>Tide</{name or 'x'}>").markdown.replace("\\", "")


def test_attributes_that_xml_does_not_know_do_no_harm(make):
    page = '<p @click="x" :is="y" (z)="a" #b *ngIf="c" v-on:d.e="f" "=" a=b a=c xmlns:q="q" q:r="s">Tide'
    assert make(page).markdown == "Tide"


@pytest.mark.parametrize("cut", range(15, 115, 5))
def test_page_that_breaks_off_anywhere_is_read(make, cut):
    make(
        '<!doctype html><main><p title="x">Low <b>water &amp; <a href="#x">salt</a></b><!-- x --><table><tr><td>'[:cut]
        + "x"
    )
