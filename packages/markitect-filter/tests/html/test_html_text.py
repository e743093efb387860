"""Notes, segments, pages and the quality of a page: what the stages of the books make of it."""

import pytest
from markitect_tool import normalize_source
from markitect_tool.source.pages import source_pages

NOTES = (
    '<p>Low<sup><a href="#fn1" id="fnref1">[1]</a></sup> and high<a href="#fn2" id="fnref2"><sup>2</sup></a>.</p>'
    '<section class="footnotes" id="footnotes"><h2>Notes</h2><ol><li id="fn1"><p>Nine. <a href="#fnref1">↩</a></p></li>'
    '<li id="fn2"><p>Ten. <a href="#fnref2">↩</a></p></li></ol></section>'
)


def test_notes_become_footnotes(make):
    made = make(NOTES)
    assert made.markdown == "Low[^1] and high[^2].\n\n[^1]: Nine.\n\n[^2]: Ten."
    assert made.skipped == {"note-backlink": 2, "note-heading": 5, "note-reference": 4}


def test_notes_stay_on_request(make):
    made = make(NOTES, notes="keep")
    assert "<sup>[\\[1\\]](#document-fn1)</sup>" in made.markdown
    assert "## Notes" in made.markdown


def test_note_by_role_is_found(make):
    page = '<p>Low<a role="doc-noteref" href="#n">a</a>.<aside role="doc-footnote" id="n">Nine.</aside>'
    assert make(page).markdown == "Low[^a].\n\n[^a]: Nine."


def test_reference_without_a_note_is_a_link_with_a_warning(make):
    made = make('<p>Low<a role="doc-noteref" href="#gone">a</a>.')
    assert made.codes == ["source.note_unmatched"]


@pytest.mark.parametrize("nothing", ["<br><i id=x></i>", "&nbsp;<i id=x></i><br>", "<br><i id=x></i><br><i id=y></i>"])
def test_places_without_text_are_no_segment(make, nothing):
    assert make(nothing).segments == []


def test_segment_starts_at_every_heading(make):
    made = make("<p>a<h1>One</h1><p>b<h3>Two</h3><p>c")
    assert [(each.segment_id, each.heading, each.heading_level) for each in made.segments] == [
        ("seg-0001", None, None),
        ("seg-0002", "One", 1),
        ("seg-0003", "Two", 3),
    ]


def test_segments_down_to_a_depth(make):
    page = "<h1>One</h1><h2>Two</h2><h3>Three</h3>"
    assert [each.heading for each in make(page, segment_depth=2).segments] == ["One", "Two"]


def test_page_is_one_segment_on_request(make):
    assert len(make("<h1>One</h1><h2>Two</h2>", segment_by="page").segments) == 1


def test_heading_in_a_list_starts_no_segment(make):
    assert len(make("<ul><li><h2>One</h2><li><h2>Two</h2></ul>").segments) == 1


@pytest.mark.parametrize(
    "markup",
    [
        '<h1 id="low">Low</h1>',
        '<section id="low"><h1>Low</h1></section>',
        '<h1><a name="low"></a>Low</h1>',
        '<a id="low"></a><h1>Low</h1>',
    ],
)
def test_segment_is_named_by_the_anchor_at_its_start(make, markup):
    made = make(f"<p>x</p>{markup}<p>y")
    assert made.segments[1].segment_id == "low"
    assert made.segments[1].anchors == ["low"]
    assert made.segments[1].provenance[0].source_href == "#low"


def test_anchor_of_what_is_left_out_names_nothing(make):
    assert make('<nav id="n"><a id="m">x</a></nav><h1>Low</h1>').segments[0].segment_id == "seg-0001"


def test_anchor_that_is_there_twice_names_the_first(make):
    made = make('<h1 id="a">One</h1><h1 id="a">Two</h1>')
    assert [each.segment_id for each in made.segments] == ["a", "seg-0002"]


def test_section_is_the_path_of_headings(make):
    made = make("<h1>One</h1><h3>Two</h3><h2>Three</h2><h1>Four</h1>")
    assert [each.provenance[0].section for each in made.segments] == ["One", "One / Two", "One / Three", "Four"]
    assert made.segments[2].metadata == {"section_path": ["One", "Three"]}


def test_printed_pages_are_in_the_provenance(make):
    page = '<h1>One</h1><p>a <span role="doc-pagebreak" aria-label="7"></span>b</p><h1>Two</h1><p>c'
    first, second = make(page).segments
    (span,) = [entry for entry in first.provenance if entry.metadata.get("kind") == "page"]
    assert (span.page, first.markdown[span.start_offset : span.end_offset]) == ("7", "b")
    assert second.provenance[0].page == "7"


def test_page_on_which_a_segment_starts_is_the_one_before_its_heading(make):
    page = '<p>a</p><span role="doc-pagebreak" aria-label="7"></span><h1>One</h1><p>b'
    assert make(page).segments[1].provenance[0].page == "7"


def test_note_is_in_the_provenance_of_its_segment(make):
    (segment,) = make(NOTES).segments
    notes = [entry for entry in segment.provenance if entry.metadata.get("kind") == "note"]
    assert [(entry.anchor, segment.markdown[entry.start_offset : entry.end_offset]) for entry in notes] == [
        ("fn1", "[^1]: Nine."),
        ("fn2", "[^2]: Ten."),
    ]


def test_html_without_end_tags_is_of_full_quality(make):
    quality = make("<p>a<p>b<ul><li>c</ul>").document.quality
    assert (quality.lossiness, quality.confidence) == ("none", 1.0)


@pytest.mark.parametrize(
    "arguments", [{"uri": "a.xhtml"}, {"uri": "a.html", "media_type": "application/xhtml+xml"}], ids=["suffix", "type"]
)
def test_xhtml_that_is_not_well_formed_is_reported(make, arguments):
    made = make('<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a<p>b</body></html>', **arguments)
    assert (made.markdown, made.codes) == ("a\n\nb", ["source.markup_recovered"])
    assert made.document.quality.confidence == 0.75


def test_declared_type_counts_more_than_the_suffix(make):
    assert make("<p>a<p>b", uri="a.xhtml", media_type="text/html").codes == []


def test_page_that_declares_xml_is_held_to_it(make):
    assert make('<?xml version="1.0"?><html><body><p>a</body></html>').codes == ["source.markup_recovered"]


def test_formulas_become_tex(make):
    assert make("<p>Let <math><mi>x</mi><mo>+</mo><mn>1</mn></math>.").markdown == "Let $x + 1$."


def test_same_page_gives_the_same_ids_wherever_it_lies(make):
    first, second = (make(NOTES, uri=uri).document for uri in ("a/x.html", "a/x.html"))
    assert (first.document_id, first.cache_key) == (second.document_id, second.cache_key)


def test_page_can_be_seen_beside_its_markdown(registry):
    page = b'<!doctype html><nav>Home</nav><main><h1 id="a">Low</h1><p>Nine</main>'
    document = normalize_source(page, uri="a.html", registry=registry).document
    (seen,) = source_pages(page, document, registry=registry)
    assert (seen.path, seen.text, dict(seen.anchors)) == (None, "Home\n\nLow\n\nNine", {"a": 6})
