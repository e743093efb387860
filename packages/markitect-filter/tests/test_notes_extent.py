"""Where a note ends: all of its blocks, and never a block of the text."""

import pytest

SALT = '<p>Salt<a id="r1" href="#n1">[1]</a>.</p>'
BOTH = '<p>Salt<a id="r1" href="#n1">[1]</a>, tin<a id="r2" href="#n2">[2]</a>.</p>'
FIRST = '<p id="n1"><a href="#r1">[1]</a> Gram.</p>'
SECOND = '<p id="n2"><a href="#r2">[2]</a> Ounce.</p>'
MORE = "<p>More of one.</p><blockquote><p>Quoted.</p></blockquote>"


def away(notes):
    """Notes whose references are in another document."""
    return notes.replace("#r", "c1.xhtml#r")


@pytest.mark.parametrize(
    "label", ['<p id="n1"><a href="#r1">[1]</a></p>', '<p><a id="n1" href="#r1">[1]</a>.</p>', '<p id="n1">[1]</p>']
)
@pytest.mark.parametrize("text", ["<p>Gram.</p>", "<blockquote><p>Gram.</p></blockquote>"])
def test_paragraph_that_holds_only_the_label_is_followed_by_the_note(read, label, text):
    book = read(SALT.replace("<a ", '<a epub:type="noteref" ') + label + text)
    definition = "[^1]: Gram." if text.startswith("<p>") else "[^1]:\n    > Gram."
    assert book.markdown == f"Salt[^1].\n\n{definition}"
    assert book.ledger["skipped"]["note-label"] >= len("[1]")


def test_labels_in_paragraphs_of_their_own_each_have_the_text_up_to_the_next(read):
    notes = "".join(f'<p id="n{n}"><a href="#r{n}">[{n}]</a></p><p>Text {n}.</p><p>On {n}.</p>' for n in (1, 2))
    book = read([BOTH.replace("#n", "c2.xhtml#n"), away(f"<h2>Notes</h2>{notes}")])
    assert book.texts == [
        "Salt[^1], tin[^2].\n\n[^1]: Text 1.\n\n    On 1.\n\n[^2]: Text 2.\n\n    On 2.",
    ]


def test_label_with_a_heading_after_it_is_no_note(read):
    book = read(SALT + '<p id="n1"><a id="x" href="#r1">[1]</a></p><h2>Tin</h2><p>Tin was dear.</p>')
    assert "[^" not in book.markdown
    assert "[\\[1\\]](#n1)" in book.markdown


def test_lone_label_takes_one_paragraph_of_the_chapter(read):
    label = '<p id="n1"><a href="#r1">[1]</a></p><p>Gram.</p>'
    book = read(f"{SALT}{label}<p>So was tin.</p><p>And lead.</p>")
    assert book.markdown == "Salt[^1].\n\nSo was tin.\n\nAnd lead.\n\n[^1]: Gram."


def test_link_to_a_note_with_its_label_apart_leads_to_its_text(read):
    book = read([f'{SALT}<p id="n1"><a href="#r1">[1]</a></p><p>Gram.</p>', '<p><a href="c1.xhtml#n1">Note</a></p>'])
    assert book.texts == ['Salt[^1].\n\n[^1]: <a id="n1"></a>Gram.', "[Note](#n1)"]


def test_division_that_starts_with_the_note_is_all_of_it(read):
    text = '<div id="ftn1"><p><a id="n1" href="#r1">[1]</a> Gram.</p><p>More.</p></div>'
    assert read(SALT + text).markdown == "Salt[^1].\n\n[^1]: Gram.\n\n    More."


def test_one_of_several_divisions_is_all_of_its_note(read):
    notes = FIRST.replace("</p>", "</p><p>More.</p>"), SECOND.replace("</p>", "</p><p>More.</p>")
    book = read(BOTH + "".join(f'<div class="x">{note}</div>' for note in notes))
    assert book.markdown == "Salt[^1], tin[^2].\n\n[^1]: Gram.\n\n    More.\n\n[^2]: Ounce.\n\n    More."


def test_division_with_a_chapter_that_starts_with_a_note_is_no_note(read):
    book = read(f"<p>One.</p><div>{FIRST}<h2>Salt</h2>{SALT}</div>")
    assert book.markdown == "One.\n\n## Salt\n\nSalt[^1].\n\n[^1]: Gram."


def test_division_with_the_reference_is_no_note(read):
    book = read(f"<p>One.</p><div>{FIRST}{SALT}</div>")
    assert book.markdown == "One.\n\nSalt[^1].\n\n[^1]: Gram."


def test_division_in_the_middle_that_starts_with_a_note_keeps_its_text(read):
    book = read(f"<div>{SALT}</div><div>{FIRST}<p>So was tin.</p></div><div><p>And lead.</p></div>")
    assert book.markdown == "Salt[^1].\n\nSo was tin.\n\nAnd lead.\n\n[^1]: Gram."


def test_last_division_that_starts_with_the_note_is_all_of_it(read):
    book = read(f"<div>{SALT}</div><div>{FIRST}<p>More.</p></div>")
    assert book.markdown == "Salt[^1].\n\n[^1]: Gram.\n\n    More."


def test_division_of_the_whole_document_is_no_note(read):
    book = read([SALT.replace("#n", "c2.xhtml#n"), away(f"<div>{FIRST}<p>So was tin.</p></div>")])
    assert book.texts == ["Salt[^1].\n\n[^1]: Gram.", "So was tin."]


def test_flat_document_of_notes_has_them_whole(read):
    book = read([BOTH.replace("#n", "c2.xhtml#n"), away(f"{FIRST}{MORE}{SECOND}<p>More of two.</p>")])
    assert book.texts == [
        "Salt[^1], tin[^2].\n\n[^1]: Gram.\n\n    More of one.\n\n    > Quoted.\n\n[^2]: Ounce.\n\n    More of two."
    ]


def test_headings_in_a_document_of_notes_end_them(read):
    notes = away(f"<h2>Notes</h2>{FIRST}{MORE}<h3>Two</h3>{SECOND}<hr/><p>The end.</p>")
    book = read([BOTH.replace("#n", "c2.xhtml#n"), notes])
    assert book.texts[0].endswith("[^1]: Gram.\n\n    More of one.\n\n    > Quoted.\n\n[^2]: Ounce.")
    assert book.texts[1] == "## Notes\n\n### Two\n\n***\n\nThe end."


def test_notes_at_the_end_of_a_chapter_have_them_whole(read):
    book = read(f"{BOTH}{FIRST}{MORE}{SECOND}")
    assert book.markdown == ("Salt[^1], tin[^2].\n\n[^1]: Gram.\n\n    More of one.\n\n    > Quoted.\n\n[^2]: Ounce.")


def test_paragraph_of_the_notes_class_is_the_note_before(read):
    note = FIRST.replace("<p ", '<p class="footnote" ')
    book = read(f'{SALT}{note}<p class="footnote">More.</p><p>So was tin.</p>')
    assert book.markdown == "Salt[^1].\n\nSo was tin.\n\n[^1]: Gram.\n\n    More."


@pytest.mark.parametrize(
    "container",
    [
        '<aside epub:type="footnotes">{}</aside>',
        '<section role="doc-endnotes">{}</section>',
        '<div class="footnotes">{}</div>',
    ],
)
def test_section_of_notes_has_them_whole(read, container):
    note = '<p epub:type="footnote" id="n1"><a href="#r1">[1]</a> Gram.</p>'
    book = read(SALT + container.format(f"{note}<p>More.</p>") + "<p>So was tin.</p>")
    assert book.markdown == "Salt[^1].\n\nSo was tin.\n\n[^1]: Gram.\n\n    More."


def test_section_of_notes_keeps_its_notes_apart(read):
    notes = f'<aside epub:type="footnotes">{FIRST}<p>More.</p>{SECOND}<p>Still more.</p></aside>'
    book = read(BOTH + notes)
    assert book.markdown == "Salt[^1], tin[^2].\n\n[^1]: Gram.\n\n    More.\n\n[^2]: Ounce.\n\n    Still more."


def test_text_after_a_note_in_the_middle_of_a_chapter_stays(read):
    book = read(f"{SALT}{FIRST}<p>So was tin.</p><p>And lead.</p>")
    assert book.markdown == "Salt[^1].\n\nSo was tin.\n\nAnd lead.\n\n[^1]: Gram."


def test_text_between_notes_that_stand_among_it_stays(read):
    tin = '<p>Tin<a id="r2" href="#n2">[2]</a>.</p>'
    book = read(f"{SALT}{FIRST}<p>Then came war.</p>{tin}{SECOND}<p>The end.</p>")
    assert book.markdown == ("Salt[^1].\n\nThen came war.\n\nTin[^2].\n\nThe end.\n\n[^1]: Gram.\n\n[^2]: Ounce.")


def test_text_between_notes_and_after_them_stays(read):
    book = read(f"{BOTH}{FIRST}<p>Then came war.</p>{SECOND}<p>The end.</p>")
    assert book.markdown == "Salt[^1], tin[^2].\n\nThen came war.\n\nThe end.\n\n[^1]: Gram.\n\n[^2]: Ounce."


def test_text_after_a_rule_and_notes_stays(read):
    book = read(f"{BOTH}<hr/>{FIRST}{SECOND}<p>So was lead.</p>")
    assert "So was lead.\n\n[^1]: Gram." in book.markdown


def test_text_after_an_aside_stays(read):
    asides = "".join(f'<aside epub:type="footnote" id="n{n}"><p>Note {n}.</p></aside><p>Text {n}.</p>' for n in (1, 2))
    book = read(BOTH + asides)
    assert book.markdown == "Salt[^1], tin[^2].\n\nText 1.\n\nText 2.\n\n[^1]: Note 1.\n\n[^2]: Note 2."


def test_note_that_nothing_refers_to_is_not_more_of_the_one_before(read):
    notes = away(f"<h2>Notes</h2>{FIRST}<p>2. Ounce.</p>{SECOND.replace('2', '3')}")
    book = read([BOTH.replace("2", "3").replace("#n", "c2.xhtml#n"), notes])
    assert book.texts[1] == "## Notes\n\n2\\. Ounce."


def test_link_back_at_the_end_of_a_further_paragraph_goes(read):
    notes = '<p id="n1">[1] Gram.</p><p>More. <a href="#r1">↩</a></p>'
    book = read(SALT.replace("<a ", '<a epub:type="noteref" ') + f'<div class="footnotes">{notes}</div>')
    assert book.markdown == "Salt[^1].\n\n[^1]: Gram.\n\n    More."


def test_mark_of_a_page_between_the_blocks_of_a_note_does_not_end_it(read):
    mark = '<div epub:type="pagebreak" title="9"/>'
    book = read([BOTH.replace("#n", "c2.xhtml#n"), away(f"{FIRST}{mark}{MORE}{SECOND}")])
    assert "[^1]: Gram.\n\n    More of one." in book.texts[0]


def test_definition_of_a_label_is_a_note(read):
    reference = SALT.replace("<a ", '<a epub:type="noteref" ')
    notes = '<dl><dt id="n1">[1]</dt><dd><p>Gram.</p></dd><dd>More.</dd></dl>'
    assert read(reference + notes).markdown == "Salt[^1].\n\n[^1]: Gram.\n\n    More."


def test_label_of_a_definition_that_is_a_note_goes(read):
    reference = SALT.replace("<a ", '<a epub:type="noteref" ')
    book = read(f'{reference}<dl><dt>1.</dt><dd id="n1">Gram.</dd><dt>Tin</dt><dd>A metal.</dd></dl>')
    assert book.markdown == "Salt[^1].\n\n- Tin\n  - A metal.\n\n[^1]: Gram."


def test_definition_of_a_word_is_no_note(read):
    reference = SALT.replace("<a ", '<a epub:type="noteref" ')
    book = read(reference + '<dl><dt id="n1">Salt</dt><dd>A mineral.</dd></dl>')
    assert "[^" not in book.markdown


def test_table_row_stays_where_it_is(read):
    reference = SALT.replace("<a ", '<a epub:type="noteref" ')
    book = read(f'{reference}<table><tr id="n1"><td>[1]</td><td>Gram.</td></tr></table>')
    assert "[^" not in book.markdown
    assert "Gram." in book.markdown
