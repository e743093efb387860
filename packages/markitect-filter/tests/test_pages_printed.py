"""Pages of the printed edition: spans of the segments' Markdown, and never a number in the text."""

import pytest


@pytest.fixture
def pages(read):
    """(label, text of the page in its segment) of every page of a book."""

    def pages(chapters, options=None, **overlay):
        book = read(chapters, options, **overlay)
        found = []
        for segment in book.segments:
            for span in segment.provenance:
                if span.metadata.get("kind") == "page":
                    found.append((span.page, segment.markdown[span.start_offset : span.end_offset]))
        return found, book

    return pages


BREAKS = [
    '<span epub:type="pagebreak" id="q41" title="41"/>',
    '<span epub:type="pagebreak" title="41">41</span>',
    '<span epub:type="pagebreak">41</span>',
    '<span role="doc-pagebreak" id="q41" aria-label="41"></span>',
    '<span role="doc-pagebreak" aria-label="41" title="x">p. 41</span>',
    '<a epub:type="pagebreak" id="q41" title="41"/>',
    '<a epub:type="pagebreak" id="q41" title="41">[41]</a>',
]


@pytest.mark.parametrize("mark", BREAKS)
def test_page_break_inside_of_a_paragraph(pages, mark):
    found, book = pages(f"<p>over the {mark}hill</p>")
    assert book.markdown == "over the hill"
    assert found == [("41", "hill")]


def test_pages_are_counted_in_characters_whatever_a_character_takes(pages):
    found, _ = pages(
        "<p>\u201cover\u201d \U0001f40c \u2014 the "
        '<span epub:type="pagebreak" title="41"/>na\u00efve \u4e2d\u6587 '
        '<span epub:type="pagebreak" title="42"/>\u201chill\u201d</p>'
    )
    assert found == [("41", "na\u00efve \u4e2d\u6587 "), ("42", "\u201chill\u201d")]


def test_a_page_starts_behind_a_blank_that_is_not_ascii(pages):
    found, _ = pages('<p>over<span epub:type="pagebreak" title="41"/>\u3000\u00a0hill</p>')
    assert found == [("41", "hill")]


def test_page_break_inside_of_a_word_leaves_it_whole(pages):
    found, book = pages('<p>won<span epub:type="pagebreak" title="41">41</span>derful</p>')
    assert book.markdown == "wonderful"
    assert found == [("41", "derful")]


def test_page_break_between_blocks(pages):
    found, book = pages('<p>a</p><div epub:type="pagebreak" title="7">7</div><p>b</p><hr/>')
    assert book.markdown == "a\n\nb\n\n***"
    assert found == [("7", "b\n\n***")]


def test_page_ends_where_the_next_starts(pages):
    found, _ = pages(
        '<p><span epub:type="pagebreak" title="1"/>one <span epub:type="pagebreak" title="2"/>two</p><p>more</p>'
    )
    assert found == [("1", "one "), ("2", "two\n\nmore")]


def test_page_break_at_the_end_of_a_document(pages):
    found, book = pages(['<p>a</p><p epub:type="pagebreak" title="8"/>', "<p>b</p>"])
    assert found == [("8", "")]
    assert book.segments[1].provenance[0].page == "8"


def test_page_list_names_pages_without_any_mark_in_the_text(pages):
    found, book = pages('<p>over the <span id="p9"/>hill</p>', pages=[("9", "c1.xhtml#p9")])
    assert book.markdown == "over the hill"
    assert found == [("9", "hill")]


def test_page_list_may_name_a_whole_document(pages):
    found, _ = pages(["<p>a</p>", "<p>b</p>"], pages=[("1", "c1.xhtml"), ("2", "c2.xhtml")])
    assert found == [("1", "a"), ("2", "b")]


def test_page_list_of_an_ncx_counts_as_well(pages):
    ncx = (
        '<navMap><navPoint id="n"><navLabel><text>A</text></navLabel><content src="c1.xhtml"/></navPoint></navMap>'
        '<pageList><pageTarget id="t"><navLabel><text>iv</text></navLabel><content src="c1.xhtml#p"/>'
        "</pageTarget></pageList>"
    )
    found, _ = pages('<p id="p">a</p>', ncx=ncx, version="2.0")
    assert found == [("iv", "a")]


def test_page_list_wins_over_the_mark_and_the_difference_is_reported(pages):
    found, book = pages('<p>a <span epub:type="pagebreak" id="p" title="9"/>b</p>', pages=[("10", "c1.xhtml#p")])
    assert found == [("10", "b")]
    assert "'10'" in book.one("source.page_conflict").message


def test_page_list_and_mark_that_agree_are_one_page(pages):
    found, book = pages('<p>a <span epub:type="pagebreak" id="p" title="9"/>b</p>', pages=[("9", "c1.xhtml#p")])
    assert found == [("9", "b")]
    assert book.codes == []


def test_marks_that_the_page_list_does_not_name_count_too(pages):
    text = '<p>a <span epub:type="pagebreak" id="p" title="9"/>b <span epub:type="pagebreak" title="10"/>c</p>'
    found, _ = pages(text, pages=[("9", "c1.xhtml#p")])
    assert found == [("9", "b "), ("10", "c")]


def test_entry_of_the_page_list_that_leads_nowhere_is_reported(pages):
    found, book = pages("<p>a</p>", pages=[("9", "c1.xhtml#gone")])
    assert found == []
    assert book.one("source.page_conflict").details["pages"] == ["9"]


def test_page_number_alone_in_a_wrapper_does_not_leak(pages):
    _, book = pages('<p>a</p><p><span epub:type="pagebreak" id="p">Page 12</span></p><p>b</p>')
    assert book.markdown == "a\n\nb"
    assert book.ledger["skipped"] == {"page-label": len("Page12")}


def test_element_that_wraps_a_whole_page_keeps_its_text(pages):
    text = "The salt of the earth was dear that year, and so was tin."
    found, book = pages(f'<div epub:type="pagebreak" title="3"><p>{text}</p></div>')
    assert book.markdown == text
    assert found == [("3", text)]


def test_page_is_carried_over_to_the_segments_after(pages):
    _, book = pages(['<p>a <span epub:type="pagebreak" title="5"/>b</p>', "<p>c</p>", "<p>d</p>"])
    assert [segment.provenance[0].page for segment in book.segments] == [None, "5", "5"]


def test_segment_that_starts_with_a_break_is_on_the_new_page(pages):
    text = '<p>a <span epub:type="pagebreak" title="5"/>b</p>'
    _, book = pages([text, '<div epub:type="pagebreak" title="6"/><h1>C</h1>'])
    assert [segment.provenance[0].page for segment in book.segments] == [None, "6"]


@pytest.mark.parametrize(
    ("markup", "start"),
    [
        ("<h1>{}Title</h1>", "# "),
        ("<ul><li>{}item</li></ul>", "- "),
        ("<blockquote><p>{}quote</p></blockquote>", "> "),
        ("<p><em>{}emphasis</em></p>", ""),
        ("<table><tr><th>{}h</th></tr><tr><td>c</td></tr></table>", ""),
        ("<pre>a\n{}b</pre>", ""),
    ],
)
def test_page_break_in_any_block_has_a_place(pages, markup, start):
    found, book = pages("<p>before</p>" + markup.format('<span epub:type="pagebreak" title="5"/>'))
    ((label, text),) = found
    assert label == "5"
    assert text
    assert book.markdown.endswith(text)
    assert not book.markdown[: -len(text)].strip().endswith("item")


def test_page_that_starts_in_a_note_is_the_notes(pages):
    reference = '<p>a<a epub:type="noteref" href="#n">1</a></p>'
    note = '<aside epub:type="footnote" id="n"><p>x <span epub:type="pagebreak" title="9"/>y</p></aside><p>b</p>'
    found, book = pages(reference + note)
    assert book.markdown == "a[^1]\n\nb\n\n[^1]: x y"
    assert found == [("9", "[^1]: x y")]


def test_page_in_a_note_is_not_the_page_of_what_follows(pages):
    reference = '<p><span epub:type="pagebreak" title="1"/>a<a epub:type="noteref" href="c3.xhtml#n">1</a></p>'
    note = '<aside epub:type="footnote" id="n"><p>x <span epub:type="pagebreak" title="99"/>y</p></aside>'
    _, book = pages([reference, "<p>b</p>", note])
    assert [segment.provenance[0].page for segment in book.segments] == ["1", "1"]


def test_last_page_of_a_segment_ends_before_its_notes(pages):
    reference = '<p><span epub:type="pagebreak" title="1"/>a<a epub:type="noteref" href="#n">1</a></p>'
    found, _ = pages(reference + '<aside epub:type="footnote" id="n"><p>x</p></aside>')
    assert found == [("1", "a[^1]")]


def test_link_to_a_page_leads_to_it(pages):
    found, book = pages(
        '<p><a href="#p41">page 41</a></p><p>over the <span epub:type="pagebreak" id="p41" title="41"/>hill</p>'
    )
    assert book.markdown == '[page 41](#p41)\n\nover the<a id="p41"></a> hill'
    assert found == [("41", "hill")]


def test_notes_of_a_segment_have_spans_of_their_own(read):
    reference = '<p>a<a epub:type="noteref" href="c2.xhtml#n">1</a></p>'
    book = read([reference, '<aside epub:type="footnote" id="n"><p>x</p></aside>'])
    (span,) = [span for span in book.segments[0].provenance if span.metadata.get("kind") == "note"]
    assert book.texts[0][span.start_offset : span.end_offset] == "[^1]: x"
    assert (span.package_path, span.anchor) == ("OPS/c2.xhtml", "n")


LISTED = [("5", "c1.xhtml#P5")]


@pytest.mark.parametrize("text", ["5", "[5]", "[Pg 5]", "p. 5", "Page 5", "(5)", "{5}", "| 5 |", "— 5 —"])
def test_label_where_the_page_list_points_is_no_text(pages, text):
    found, book = pages(f'<p>four <span class="x" id="P5">{text}</span>six</p>', pages=LISTED)
    assert book.markdown == "four six"
    assert found == [("5", "six")]
    assert book.ledger["skipped"] == {"page-label": len("".join(text.split()))}


@pytest.mark.parametrize(
    "mark", ['<span><a id="P5"/>[5]</span>', '<span>[<a id="P5">5</a>]</span>', '<b><i><a id="P5">5</a></i></b>']
)
def test_label_around_the_target_of_the_page_list_is_no_text(pages, mark):
    found, book = pages(f"<p>won{mark}derful</p>", pages=LISTED)
    assert book.markdown == "wonderful"
    assert found == [("5", "derful")]


@pytest.mark.parametrize(
    "markup",
    [
        '<p id="P5">Five barrels.</p>',
        '<h1 id="P5">5</h1>',
        '<p><a id="P5" href="#n">5</a></p><p id="n">x</p>',
        '<p><span id="P5">6</span> barrels</p>',
        '<table><tr><td id="P5">5</td></tr></table>',
    ],
)
def test_other_text_where_the_page_list_points_stays(pages, markup):
    _, book = pages(f"<p>a</p>{markup}", pages=LISTED)
    assert "page-label" not in book.ledger["skipped"]


def test_number_of_a_chapter_on_a_roman_page_stays(pages):
    _, book = pages('<p id="p">I</p><p>Text.</p>', pages=[("i", "c1.xhtml#p")])
    assert book.markdown == "I\n\nText."


@pytest.mark.parametrize(
    "mark",
    [
        '<span class="pagenum"><a id="Page_4">[Pg 4]</a></span>',
        '<span class="pagenum"><a name="Page_4" id="Page_4"></a>[4]</span>',
        '<span class="pageno">{4}</span>',
        '<span class="x-ebookmaker-pageno" title="[4]"><a id="p4">4</a></span>',
        '<span class="page-number" id="Page_4">4</span>',
        '<a class="pagenum" id="page4" title="4"></a>',
        '<span class="pageNum small" id="pg_4"></span>',
        '<span class="pgNo">[4]</span>',
        '<span class="pagebreak">p. 4</span>',
    ],
)
def test_page_that_only_its_class_and_label_mark(pages, mark):
    found, book = pages(f"<p>over the {mark}hill</p>")
    assert book.markdown == "over the hill"
    assert found == [("4", "hill")]


@pytest.mark.parametrize(
    "markup",
    [
        '<span class="pagenum">4</span>',
        '<span class="pagenum">four</span>',
        '<span class="number" id="Page_4">[4]</span>',
        '<a class="pagenum" href="#x">[4]</a><a id="x"/>',
        '<span class="pagination">[4]</span>',
        '<span class="page-number" id="Page_5">4</span>',
    ],
)
def test_class_or_label_alone_is_no_page(pages, markup):
    found, book = pages(f"<p>see {markup}</p>")
    assert found == []
    assert "page-label" not in book.ledger["skipped"]


def test_page_with_both_a_class_and_a_mark_is_one(pages):
    mark = '<span class="pagenum">[<a epub:type="pagebreak" id="Page_4">4</a>]</span>'
    found, book = pages(f"<p>over the {mark}hill</p>", pages=[("4", "c1.xhtml#Page_4")])
    assert book.markdown == "over the hill"
    assert found == [("4", "hill")]


@pytest.mark.parametrize(
    "mark",
    [
        '<a id="P5"/><span class="pagenum">[Pg 5]</span>',
        '<span class="pagenum"><b><a id="P5"/></b>[Pg 5]</span>',
        '<span class="pagenum">[Pg 5]<a id="P5"/></span>',
    ],
)
def test_page_with_both_a_class_and_an_entry_of_the_page_list_is_one(pages, mark):
    found, book = pages(f"<p>over the {mark}hill</p>", pages=LISTED)
    assert book.markdown == "over the hill"
    assert found == [("5", "hill")]


def test_blanks_inside_of_a_label_still_part_words(pages):
    _, book = pages('<p>four<span class="pagenum"> [Pg 5] </span>six</p>')
    assert book.markdown == "four six"


def test_page_between_paragraphs_leaves_none_of_its_own(pages):
    found, book = pages('<p>a</p><p><span class="pagenum"><a id="Page_4">[Pg 4]</a></span></p><p>b</p>')
    assert book.markdown == "a\n\nb"
    assert found == [("4", "b")]


@pytest.mark.parametrize("label", [" Page 12. ", "page 12", "p. 12", "[12]", "12."])
def test_word_page_is_no_part_of_a_label(pages, label):
    mark = f'<span role="doc-pagebreak" id="q" aria-label="{label}"/>'
    assert pages(f"<p>a {mark}b</p>")[0] == [("12", "b")]
    found, book = pages(f"<p>a {mark}b</p>", pages=[("12", "c1.xhtml#q")])
    assert found == [("12", "b")]
    assert book.codes == []
