"""Segments: where they start, what they are called, where they come from."""

import pytest

PARTS = '<h1 id="i">One</h1><p>a</p><h2 id="ii">Two</h2><p>b</p><h1 id="iii">Three</h1><p>c</p>'
TOC = [("I", "c1.xhtml#i", [("II", "c1.xhtml#ii")]), ("III", "c1.xhtml#iii")]


def test_segment_starts_at_each_target_of_the_contents(read):
    book = read(PARTS, toc=TOC)
    assert book.texts == ["# One\n\na", "## Two\n\nb", "# Three\n\nc"]
    assert book.ids == ["i", "ii", "iii"]


def test_segment_depth_leaves_deeper_entries_inside(read):
    book = read(PARTS, {"segment_depth": 1}, toc=TOC)
    assert book.texts == ["# One\n\na\n\n## Two\n\nb", "# Three\n\nc"]


def test_entries_below_the_depth_are_led_to_the_segment_that_holds_them(read):
    book = read(PARTS, {"segment_depth": 1}, toc=TOC)
    assert book.document.metadata.raw["toc"][0]["children"][0]["segment"] == "i"


def test_entry_below_the_depth_is_led_to_the_segment_that_it_is_in_not_to_the_first(read):
    toc = [("I", "c1.xhtml#i"), ("III", "c1.xhtml#iii", [("c", "c1.xhtml#c")])]
    book = read(PARTS.replace("<p>c", '<p id="c">c'), {"segment_depth": 1}, toc=toc)
    assert book.document.metadata.raw["toc"][1]["children"][0]["segment"] == "iii"


def test_entry_to_a_document_outside_of_the_spine_is_reported(read):
    book = read(["<p>a</p>", "<p>b</p>"], spine='<itemref idref="i1"/>')
    assert "segment" not in book.document.metadata.raw["toc"][1]
    assert "'c2.xhtml'" in book.one("source.toc_target_missing").message


def test_segment_by_spine_has_one_for_each_document(read):
    book = read([PARTS, "<p>d</p>"], {"segment_by": "spine"}, toc=TOC)
    assert [text[:5] for text in book.texts] == ["# One", "d"]


def test_segment_by_heading_starts_one_at_each_heading(read):
    book = read(["<p>before</p>" + PARTS, "<p>d</p>"], {"segment_by": "heading"})
    assert book.texts == ["before", "# One\n\na", "## Two\n\nb", "# Three\n\nc", "d"]


def test_segment_by_heading_with_depth_looks_at_the_level(read):
    book = read(PARTS, {"segment_by": "heading", "segment_depth": 1})
    assert book.texts == ["# One\n\na\n\n## Two\n\nb", "# Three\n\nc"]


def test_heading_in_a_quote_or_list_starts_no_segment(read):
    quoted = "<blockquote><p>q</p><h2>Quoted</h2></blockquote><ul><li><h2>Item</h2></li></ul>"
    book = read(f"<h1>One</h1>{quoted}", {"segment_by": "heading"})
    assert len(book.segments) == 1


def test_every_document_starts_a_segment_whatever_the_contents_say(read):
    book = read(["<p>a</p>", "<p>b</p>", "<p>c</p>"], toc=[("Start", "c1.xhtml")])
    assert book.texts == ["a", "b", "c"]
    assert book.one("source.toc_unreached").details["documents"] == ["OPS/c2.xhtml", "OPS/c3.xhtml"]


def test_book_without_contents_follows_the_spine(read):
    book = read(["<p>a</p>", "<p>b</p>"], toc=())
    assert book.texts == ["a", "b"]
    assert book.codes == ["source.nav_missing"]


def test_several_entries_into_one_file_never_repeat_its_text(read):
    ncx = "<navMap>" + "".join(
        f'<navPoint id="n{n}"><navLabel><text>{n}</text></navLabel><content src="c1.xhtml#{n}"/></navPoint>'
        for n in ("i", "ii", "iii")
    )
    book = read(PARTS, ncx=ncx + "</navMap>", version="2.0")
    assert book.markdown == "# One\n\na\n\n## Two\n\nb\n\n# Three\n\nc"
    assert len(book.segments) == 3


def test_text_before_the_first_target_is_a_segment_of_its_own(read):
    book = read("<p>before</p>" + PARTS, toc=TOC)
    assert book.texts[0] == "before"
    assert book.ids == ["seg-0001", "i", "ii", "iii"]


def test_entries_out_of_order_cut_in_the_order_of_the_text(read):
    book = read(PARTS, toc=[("III", "c1.xhtml#iii"), ("I", "c1.xhtml#i"), ("II", "c1.xhtml#ii")])
    assert book.ids == ["i", "ii", "iii"]


def test_two_entries_at_one_place_are_one_segment_with_both(read):
    book = read('<h1 id="a"><span id="b">One</span></h1><p>x</p>', toc=[("A", "c1.xhtml#a"), ("B", "c1.xhtml#b")])
    assert len(book.segments) == 1
    assert book.segments[0].anchors == ["a", "b"]
    assert {entry["segment"] for entry in book.document.metadata.raw["toc"]} == {"a"}


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ('<p>a</p><table><tr><th>h</th></tr><tr><td id="t">c</td></tr></table>', 2),
        ('<p>a</p><ul><li>x</li><li id="t">y</li></ul>', 2),
        ('<p>a</p><blockquote><p>x</p><p id="t">y</p></blockquote>', 2),
        ('<p>a</p><p>x <span id="t">y</span></p>', 2),
        ('<p>a</p><div><div><p id="t">y</p></div></div>', 2),
        ('<p>a</p><p><a id="t"/></p><p>y</p>', 2),
        ('<p>a</p><div id="t"/><p>y</p>', 2),
        ('<p>a</p><p>y</p><p id="t"/>', 1),
    ],
)
def test_target_inside_of_a_block_starts_the_segment_at_that_block(read, markup, texts):
    book = read(markup, toc=[("A", "c1.xhtml"), ("T", "c1.xhtml#t")])
    assert len(book.segments) == texts
    assert book.texts[0].startswith("a")
    assert all(entry["segment"] in book.ids for entry in book.document.metadata.raw["toc"])


def test_id_of_a_segment_is_its_anchor_only_if_no_other_document_has_it(read):
    chapter = '<h1 id="{}">One</h1><p>a</p>'
    book = read([chapter.format("x"), chapter.format("x"), chapter.format("y")])
    assert book.ids == ["seg-0001", "seg-0002", "seg-0003"]
    toc = [("1", "c1.xhtml#x"), ("2", "c2.xhtml#x"), ("3", "c3.xhtml#y")]
    assert read([chapter.format("x"), chapter.format("x"), chapter.format("y")], toc=toc).ids == [
        "seg-0001",
        "seg-0002",
        "y",
    ]


def test_id_of_the_body_names_the_segment_of_its_document(read, wrap):
    chapter = wrap("<p>a</p>").replace("<body", '<body id="ch-one"')
    assert read(chapter).ids == ["ch-one"]


def test_id_of_the_section_that_fills_a_document_names_its_segment(read):
    assert read('<section id="ch-one"><p>a</p></section>').ids == ["ch-one"]


@pytest.mark.parametrize("odd", ["a b", "caf\u00e9", "1x", "x" * 200, "seg-0002"])
def test_id_that_is_unfit_for_an_address_is_replaced_by_a_number(read, odd):
    assert read(f'<section id="{odd}"><p>a</p></section>').ids == ["seg-0001"]


def test_ids_do_not_depend_on_the_options_of_other_segments(read):
    assert read([PARTS, "<p>d</p>"], toc=TOC).ids == ["i", "ii", "iii", "seg-0004"]


def test_heading_and_level_are_those_of_the_first_heading(read):
    book = read("<p>x</p><h2>Two <i>words</i><br/>more</h2><h1>One</h1>")
    assert (book.segments[0].heading, book.segments[0].heading_level) == ("Two words more", 2)


def test_heading_of_a_note_is_not_the_segments(read):
    reference = '<p>a<a epub:type="noteref" href="#n">1</a></p>'
    book = read(reference + '<aside epub:type="footnote" id="n"><h2>In a note</h2><p>x</p></aside>')
    assert book.segments[0].heading is None


def test_section_is_the_path_of_labels(read):
    book = read(PARTS, toc=TOC)
    assert [segment.provenance[0].section for segment in book.segments] == ["I", "I / II", "III"]
    assert book.segments[1].metadata["section_path"] == ["I", "II"]


def test_document_that_no_entry_reaches_goes_on_with_the_section_before(read):
    book = read(["<p>a</p>", "<p>b</p>"], toc=[("Start", "c1.xhtml")])
    assert [segment.provenance[0].section for segment in book.segments] == ["Start", "Start"]


def test_label_without_a_link_is_part_of_the_path(read):
    book = read(["<p>a</p>"], toc=[("Part One", None, [("Chapter", "c1.xhtml")])])
    assert book.segments[0].provenance[0].section == "Part One / Chapter"


def test_provenance_names_the_source_of_a_segment(read):
    item = '<item id="i1" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/>'
    book = read({"text/a b.xhtml": PARTS}, items=item, toc=[("I", "text/a%20b.xhtml#ii")])
    first, second = (segment.provenance[0] for segment in book.segments)
    assert (first.source_href, first.package_path, first.anchor) == ("text/a%20b.xhtml", "OPS/text/a b.xhtml", None)
    assert (second.source_href, second.anchor) == ("text/a%20b.xhtml#ii", "ii")
    assert (second.start_offset, second.end_offset) == (0, len(book.texts[1]))
    assert first.source_uri == "book:salt"
    assert first.metadata["spine_position"] == 0


def test_anchors_are_those_that_links_or_the_contents_lead_to(read):
    book = read('<h1 id="i">One</h1><p id="p">a <a href="#p">up</a></p><p id="q">b</p>', toc=[("I", "c1.xhtml#i")])
    assert book.segments[0].anchors == ["i", "p"]


def test_dead_entry_of_the_contents_is_reported_and_keeps_its_label(read):
    book = read("<p>a</p>", toc=[("A", "c1.xhtml"), ("Gone", "gone.xhtml")])
    assert book.document.metadata.raw["toc"][1]["label"] == "Gone"
    assert "segment" not in book.document.metadata.raw["toc"][1]
    assert "'Gone'" in book.one("source.toc_target_missing").message


def test_entry_with_a_dead_fragment_leads_to_the_document_and_is_reported(read):
    book = read(["<p>a</p>", '<p id="x">b</p>'], toc=[("A", "c1.xhtml"), ("B", "c2.xhtml#gone")])
    assert book.document.metadata.raw["toc"][1]["segment"] == "seg-0002"
    assert book.one("source.toc_target_missing").severity == "warning"


def test_entry_to_a_document_that_was_left_out_leads_to_the_next(read):
    contents = '<section epub:type="toc"><a href="c2.xhtml">1</a></section>'
    book = read([contents, "<p>b</p>"])
    assert [entry["segment"] for entry in book.document.metadata.raw["toc"]] == ["seg-0001", "seg-0001"]


def test_contents_are_a_tree_of_labels_that_lead_to_segments(read):
    toc = read(PARTS, toc=TOC).document.metadata.raw["toc"]
    assert [entry["segment"] for entry in toc] == ["i", "iii"]
    assert toc[0]["children"][0]["segment"] == "ii"


def test_nav_wins_over_a_different_ncx(read):
    ncx = (
        '<navMap><navPoint id="n"><navLabel><text>Old</text></navLabel><content src="c1.xhtml#ii"/></navPoint></navMap>'
    )
    book = read(PARTS, toc=[("New", "c1.xhtml#i")], ncx=ncx)
    assert [entry["label"] for entry in book.document.metadata.raw["toc"]] == ["New"]


def test_spine_that_names_no_ncx_is_reported(read):
    book = read("<p>a</p>", spine='<spine toc="x"><itemref idref="i1"/></spine>', toc=())
    assert book.texts == ["a"]
    assert book.codes == ["source.nav_irregular", "source.nav_missing"]


def test_segment_never_starts_within_a_footnote(read):
    reference = '<p>a<a epub:type="noteref" href="#n">1</a></p>'
    book = read(reference + '<aside epub:type="footnote" id="n"><p>x</p></aside><p>b</p>', toc=[("N", "c1.xhtml#n")])
    assert book.texts == ["a[^1]\n\nb\n\n[^1]: x"]
    assert book.document.metadata.raw["toc"][0]["segment"] == "seg-0001"


def test_target_in_hidden_content_starts_the_segment_at_what_follows(read):
    book = read('<p>a</p><p hidden="hidden" id="h">x</p><p>b</p>', toc=[("H", "c1.xhtml#h")])
    assert book.texts == ["a", "b"]


NESTED = [("A", "c1.xhtml", [("B", "c2.xhtml#b")]), ("C", "c3.xhtml#c")]
DOCUMENTS = ["<p>1</p>", '<p>2</p><h2 id="b">B</h2><p>b</p>', '<h1 id="c">C</h1>']


@pytest.mark.parametrize(
    ("options", "sections"),
    [
        ({}, ["A", "A", "A / B", "C"]),
        ({"segment_by": "spine"}, ["A", "A", "C"]),
        ({"segment_by": "heading"}, ["A", "A", "A / B", "C"]),
        ({"segment_depth": 1}, ["A", "A", "C"]),
    ],
)
def test_section_is_that_of_the_entry_in_whose_part_the_segment_starts(read, options, sections):
    book = read(DOCUMENTS, options, toc=NESTED)
    assert [segment.provenance[0].section for segment in book.segments] == sections


def test_section_goes_on_from_an_entry_in_the_middle_of_a_segment(read):
    book = read([*DOCUMENTS[:2], "<p>3</p>"], {"segment_by": "spine"}, toc=NESTED[:1])
    assert [segment.provenance[0].section for segment in book.segments] == ["A", "A", "A / B"]


def test_section_of_an_entry_whose_anchor_is_missing_starts_with_its_document(read):
    book = read(["<p>1</p>", "<p>2</p>"], toc=[("A", "c1.xhtml"), ("B", "c2.xhtml#nope")])
    assert [segment.provenance[0].section for segment in book.segments] == ["A", "B"]
    assert book.one("source.toc_target_missing")


def test_heading_inside_of_a_note_is_no_heading_of_its_segment(read):
    chapter = '<p>Salt<a epub:type="noteref" href="#n">1</a></p><aside epub:type="footnote" id="n"><h2>N</h2></aside>'
    (segment,) = read(chapter, {"segment_by": "heading"}).segments
    assert segment.heading is None
