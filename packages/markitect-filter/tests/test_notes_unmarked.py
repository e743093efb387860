"""Notes that are not marked: a short label alone is not enough, two signals that agree are."""

import pytest

RAISED = '<p>Salt<sup><a id="r1" href="#n1">1</a></sup> was dear.</p>'


def test_link_back_makes_a_note(read):
    book = read(RAISED + '<p id="n1"><a href="#r1">1</a> Per barrel.</p>')
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Per barrel."


@pytest.mark.parametrize("arrow", ["↩", "↑", "^", "[back]", "Return", "↩︎"])
def test_arrow_back_makes_a_note(read, arrow):
    book = read(RAISED + f'<p id="n1">Per barrel. <a href="#r1">{arrow}</a></p>')
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Per barrel."


def test_raised_reference_and_its_label_repeated_make_a_note(read):
    book = read(RAISED + '<p id="n1">1. Per barrel.</p>')
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Per barrel."


def test_raised_link_alone_makes_no_note(read):
    book = read(RAISED + '<p id="n1">Per barrel.</p>')
    assert book.markdown == 'Salt<sup>[1](#n1)</sup> was dear.\n\n<a id="n1"></a>Per barrel.'


def test_link_that_is_only_a_number_makes_no_note(read):
    book = read('<p>See <a href="#n1">1</a>.</p><p id="n1">1. Per barrel.</p>')
    assert book.markdown == 'See [1](#n1).\n\n<a id="n1"></a>1\\. Per barrel.'


@pytest.mark.parametrize(
    ("reference", "label"), [("[1]", "1"), ("(1)", "1"), ("{1}", "1"), ("*", "note"), ("†", "note"), ("[a]", "a")]
)
def test_label_in_brackets_or_of_signs_is_a_signal(read, reference, label):
    bare = reference.strip("[](){}")
    text = f'<p>Salt<a id="r1" href="#n1">{reference}</a> was dear.</p>'
    book = read(f'{text}<p id="n1"><a href="#r1">{bare}</a> Per barrel.</p>')
    assert book.markdown == f"Salt[^{label}] was dear.\n\n[^{label}]: Per barrel."


def test_bracketed_link_back_at_the_start_goes_with_its_brackets(read):
    book = read(RAISED + '<p id="n1">[<a href="#r1">1</a>] Per barrel.</p>')
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Per barrel."


def test_anchor_inside_of_the_paragraph_stands_for_the_paragraph(read):
    book = read(RAISED + '<p><a id="n1" href="#r1">1</a>. Per barrel.</p>')
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Per barrel."


def test_old_style_name_is_an_anchor(read):
    text = '<p>Salt<a name="r1" href="#n1"><sup>1</sup></a> was dear.</p>'
    book = read(text + '<p><a name="n1" href="#r1">1</a> Per barrel.</p>')
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Per barrel."


def test_notes_in_a_later_document_are_found(read):
    notes = '<h2>Notes</h2><p id="n1"><a href="c1.xhtml#r1">1.</a> Per barrel.</p>'
    book = read([RAISED.replace("#n1", "c2.xhtml#n1"), notes])
    assert book.texts == ["Salt[^1] was dear.\n\n[^1]: Per barrel."]


def test_notes_in_an_earlier_document_are_found(read):
    notes = '<h2>Notes</h2><p id="n1"><a href="c2.xhtml#r1">1.</a> Per barrel.</p>'
    book = read([notes, RAISED.replace("#n1", "c1.xhtml#n1")])
    assert book.texts == ["Salt[^1] was dear.\n\n[^1]: Per barrel."]


def test_chapter_heading_that_links_back_to_the_contents_is_no_note(read):
    contents = '<p><a id="t1" href="c2.xhtml#ch1">I</a></p><p>A long list of what there is to read.</p>'
    book = read([contents, '<h1 id="ch1"><a href="c1.xhtml#t1">I</a></h1><p>Text.</p>'])
    assert "[^" not in book.markdown


def test_cross_reference_to_a_numbered_paragraph_is_no_note(read):
    book = read('<p>As in <a href="#p7">7</a>.</p><p id="p7"><a href="#p7">7</a> Salt was dear.</p>')
    assert "[^" not in book.markdown


def test_table_cell_is_never_taken_for_a_note(read):
    table = '<table><tr><td id="n1"><a href="#r1">1</a> Gram.</td><td>x</td></tr></table>'
    book = read(RAISED + table)
    assert "[^" not in book.markdown
    assert "Gram." in book.markdown


def test_item_that_starts_with_the_anchor_is_the_note_with_all_its_paragraphs(read):
    notes = '<ol><li><p id="n1">Gram. <a href="#r1">↩</a></p><p>More.</p></li></ol>'
    book = read(RAISED + notes)
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Gram.\n\n    More."


def test_text_around_a_reference_is_never_lost(read):
    text = '<p>Alpha<a href="notes.xhtml#k1">[1]</a> beta<a href="notes.xhtml#k2">[2]</a> gamma.</p>'
    book = read(text)
    assert book.markdown == "Alpha[1] beta[2] gamma."


def test_every_line_of_a_list_of_links_stays(read):
    links = "".join(f'<li><a href="c2.xhtml#s{n}">{n}</a></li>' for n in (1, 2, 3))
    sections = "".join(f'<p id="s{n}">{n}. Text.</p>' for n in (1, 2, 3))
    book = read([f"<ul>{links}</ul><p>An index of what follows.</p>", sections])
    assert "[1](#s1)" in book.markdown
    assert "[^" not in book.markdown


def test_signs_repeated_at_the_start_make_a_note(read):
    book = read(
        '<p>Salt<a href="#a1">*</a>.</p><p id="a1">* Gram.</p><p>Tin<a href="#a2">†</a>.</p><p id="a2">† Ounce.</p>'
    )
    assert book.markdown == "Salt[^note].\n\nTin[^note-2].\n\n[^note]: Gram.\n\n[^note-2]: Ounce."


def test_division_whose_class_is_footnote_is_the_note_with_all_its_paragraphs(read):
    note = '<div class="footnote"><p><a id="f1" href="#r1">[1]</a> Gram.</p><p>More.</p></div>'
    book = read('<p>Salt<a id="r1" href="#f1">[1]</a>.</p>' + note)
    assert book.markdown == "Salt[^1].\n\n[^1]: Gram.\n\n    More."


def test_division_with_several_notes_is_none_of_them(read):
    notes = '<p><a id="f1" href="#r1">[1]</a> Gram.</p><p><a id="f2" href="#r2">[2]</a> Ounce.</p>'
    text = '<p>Salt<a id="r1" href="#f1">[1]</a>, tin<a id="r2" href="#f2">[2]</a>.</p>'
    book = read(f'{text}<div class="footnote">{notes}</div>')
    assert book.markdown == "Salt[^1], tin[^2].\n\n[^1]: Gram.\n\n[^2]: Ounce."


def test_reference_at_the_start_of_a_paragraph_is_told_by_being_raised(read):
    book = read('<p><sup><a id="r1" href="#f1">1</a></sup>Salt was dear.</p><p id="f1"><a href="#r1">1</a> Gram.</p>')
    assert book.markdown == "[^1]Salt was dear.\n\n[^1]: Gram."


def test_links_back_to_each_of_several_references_go(read):
    text = '<p>Salt<a id="r1" href="#f1">[1]</a>, tin<a id="r2" href="#f1">[1]</a>.</p>'
    book = read(text + '<p id="f1">Gram. <a href="#r1">↩</a> <a href="#r2">↩<sup>2</sup></a></p>')
    assert book.markdown == "Salt[^1], tin[^1].\n\n[^1]: Gram."


def test_numbered_list_of_sources_is_no_list_of_notes(read):
    sources = '<p id="s1">[1] Ann Roe, Salt.</p><p id="s2">[2] Ben Poe, Tin.</p>'
    book = read(f'<p>See <a href="#s1">[1]</a> and <a href="#s2">[2]</a>.</p>{sources}')
    assert "[^" not in book.markdown


def test_label_in_full_width_brackets_is_a_plain_one_in_the_footnote(read):
    book = read('<p>塩<a id="r" href="#n">（１）</a></p><p id="n"><a href="#r">（１）</a> 高い。</p>')
    assert book.markdown == "塩[^1]\n\n[^1]: 高い。"
