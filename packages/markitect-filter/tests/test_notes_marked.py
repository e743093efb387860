"""Notes that are marked as such become footnotes of the segment that refers to them."""

import pytest

SALT = '<p>Salt<a epub:type="noteref" href="#s">*</a> was dear.</p>'
NOTE = '<aside epub:type="footnote" id="s"><p>{}</p></aside>'


def test_aside_becomes_a_footnote_and_leaves_the_text_flow(read):
    book = read(f'{SALT}<aside epub:type="footnote" id="s"><p>* Per barrel.</p></aside><p>So was tin.</p>')
    assert book.texts == ["Salt[^note] was dear.\n\nSo was tin.\n\n[^note]: Per barrel."]


@pytest.mark.parametrize("kind", ["noteref", "annoref"])
def test_reference_that_is_a_word_of_the_sentence_keeps_the_word(read, kind):
    book = read(f'<p>Grey <a epub:type="{kind}" href="#s">salt</a> was dear.</p>{NOTE.format("From pans.")}')
    assert book.markdown == "Grey salt[^note] was dear.\n\n[^note]: From pans."


@pytest.mark.parametrize("label", ["Note 4", "[footnote]", "note", "iv", "(12)", "†"])
def test_sign_for_the_note_is_no_word_of_the_sentence(read, label):
    book = read(f'<p>Salt<a epub:type="noteref" href="#s">{label}</a> was dear.</p>{NOTE.format("Per barrel.")}')
    assert book.markdown.startswith("Salt[^")


def test_note_is_defined_once_in_the_whole_book(read):
    book = read([SALT + NOTE.format("Per barrel."), "<p>Tin.</p>"])
    assert book.markdown.count("Per barrel.") == 1


@pytest.mark.parametrize(
    ("reference", "note"),
    [
        ('role="doc-noteref"', 'role="doc-footnote"'),
        ('epub:type="noteref"', 'epub:type="endnote"'),
        ('epub:type="noteref"', 'epub:type="rearnote"'),
        ('epub:type="noteref"', 'epub:type="footnote"'),
        ('role="doc-noteref"', 'role="doc-endnote"'),
    ],
)
def test_every_mark_of_notes_is_known(read, reference, note):
    book = read(f'<p>Salt<a {reference} href="#s">3</a>.</p><aside {note} id="s"><p>Per barrel.</p></aside>')
    assert book.markdown == "Salt[^3].\n\n[^3]: Per barrel."


@pytest.mark.parametrize("href", ["notes.xhtml#k1", "./notes.xhtml#k1", "notes%2Exhtml#k1", "../OPS/notes.xhtml#k1"])
def test_reference_with_a_file_name_keeps_the_text_after_it(read, href):
    alpha = f'<p>Alpha<a epub:type="noteref" href="{href}">1</a> beta.</p>'
    notes = '<section epub:type="endnotes"><ol><li id="k1" epub:type="endnote"><p>One.</p></li></ol></section>'
    book = read({"c.xhtml": alpha, "notes.xhtml": notes})
    assert book.texts == ["Alpha[^1] beta.\n\n[^1]: One."]


def test_reference_may_name_its_own_file(read):
    book = read(SALT.replace("#s", "c1.xhtml#s") + NOTE.format("Per barrel."))
    assert book.markdown == "Salt[^note] was dear.\n\n[^note]: Per barrel."


def test_notes_before_their_references_are_found_as_well(read):
    notes = (
        '<section epub:type="endnotes"><h2>Notes</h2><aside epub:type="endnote" id="s"><p>Gram.</p></aside></section>'
    )
    book = read([notes, SALT.replace("#s", "c1.xhtml#s")])
    assert book.texts == ["Salt[^note] was dear.\n\n[^note]: Gram."]


def test_endnote_document_without_anything_left_is_no_segment(read):
    notes = (
        '<section epub:type="endnotes"><h2>Notes</h2><aside epub:type="endnote" id="s"><p>Gram.</p></aside></section>'
    )
    book = read([SALT.replace("#s", "c2.xhtml#s"), notes])
    assert len(book.segments) == 1
    assert book.one("source.note_document_emptied").path == "OPS/c2.xhtml"
    assert book.ledger["skipped"]["note-heading"] == len("Notes")


def test_endnote_document_with_other_text_stays_for_that(read):
    notes = '<h2>Notes</h2><p>Mine.</p><aside epub:type="endnote" id="s"><p>Gram.</p></aside>'
    book = read([SALT.replace("#s", "c2.xhtml#s"), notes])
    assert book.texts == ["Salt[^note] was dear.\n\n[^note]: Gram.", "## Notes\n\nMine."]


def test_link_to_an_emptied_endnote_document_leads_to_a_neighbour(read):
    notes = '<h2>Notes</h2><aside epub:type="endnote" id="s"><p>Gram.</p></aside>'
    text = SALT.replace("#s", "c2.xhtml#s") + '<p><a href="c2.xhtml">All notes</a></p>'
    book = read([text, notes])
    assert "[All notes](#c1)" in book.markdown
    assert book.all("source.link_target_missing") == []


def test_aside_that_nothing_refers_to_stays_in_place(read):
    book = read("<p>One.</p>" + NOTE.format("Alone.") + "<p>Two.</p>")
    assert book.markdown == "One.\n\nAlone.\n\nTwo."
    assert book.one("source.note_unreferenced").path == "OPS/c1.xhtml"


def test_marked_reference_without_a_note_stays_visible(read):
    book = read('<p>Salt<a epub:type="noteref" href="#gone">7</a> was dear.</p>')
    assert book.markdown == '<a id="c1"></a>Salt[7](#c1) was dear.'
    assert book.codes == ["source.note_unmatched"]


def test_marked_reference_into_a_missing_document_stays_as_text(read):
    book = read('<p>Salt<a epub:type="noteref" href="gone.xhtml#n">7</a> was dear.</p>')
    assert book.markdown == "Salt7 was dear."
    assert book.codes == ["source.link_target_missing"]


def test_raised_reference_without_a_note_stays_raised(read):
    book = read('<p>Salt<sup><a epub:type="noteref" href="#gone">7</a></sup> was dear.</p>')
    assert "<sup>[7](#c1)</sup>" in book.markdown


def test_reference_to_its_own_paragraph_stays_visible(read):
    book = read('<p id="a">Salt<a epub:type="noteref" href="#a">1</a>.</p>')
    assert book.markdown == '<a id="a"></a>Salt[1](#a).'


def test_heading_beside_a_note_that_goes_back_to_its_place_stays(read):
    book = read('<h2>Salt</h2><p id="a"><a epub:type="noteref" href="#a">1</a></p>')
    assert book.markdown == '## Salt\n\n<a id="a"></a>[1](#a)'


def test_superscript_around_a_reference_goes_with_it(read):
    book = read(SALT.replace("<a", "<sup><a").replace("</a>", "</a></sup>") + NOTE.format("Gram."))
    assert book.markdown == "Salt[^note] was dear.\n\n[^note]: Gram."


def test_superscript_inside_a_reference_goes_with_it(read):
    book = read(SALT.replace(">*<", "><sup>2</sup><") + NOTE.format("Gram."))
    assert book.markdown == "Salt[^2] was dear.\n\n[^2]: Gram."


def test_superscript_that_holds_more_than_references_stays(read):
    book = read('<p>x<sup>2<a epub:type="noteref" href="#s">a</a></sup></p>' + NOTE.format("Gram."))
    assert "<sup>2[^a]</sup>" in book.markdown


def test_several_references_to_one_note_in_a_segment_share_its_definition(read):
    book = read(SALT + SALT.replace("Salt", "Tin") + NOTE.format("Per barrel."))
    assert book.markdown == "Salt[^note] was dear.\n\nTin[^note] was dear.\n\n[^note]: Per barrel."


def test_reference_in_another_segment_is_a_link_to_the_note(read):
    text = SALT.replace("*", "1")
    book = read([text + NOTE.format("Per barrel."), text.replace("#s", "c1.xhtml#s")])
    assert book.texts == [
        'Salt[^1] was dear.\n\n[^1]: <a id="s"></a>Per barrel.',
        "Salt[1](#s) was dear.",
    ]


def test_note_may_refer_to_another_note(read):
    first = NOTE.format('See<a epub:type="noteref" href="#t">2</a>.')
    second = NOTE.format("Gram.").replace('"s"', '"t"')
    book = read(SALT.replace("*", "1") + first + second)
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: See[^2].\n\n[^2]: Gram."


def test_notes_that_refer_to_each_other_end(read):
    first = NOTE.format('See<a epub:type="noteref" href="#t">2</a>.')
    second = NOTE.format('See<a epub:type="noteref" href="#s">1</a>.').replace('id="s"', 'id="t"')
    book = read(SALT.replace("*", "1") + first + second)
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: See[^2].\n\n[^2]: See[^1]."


def test_labels_that_repeat_in_each_chapter_stay_apart(read):
    chapter = SALT.replace("*", "1") + NOTE
    book = read([chapter.format("Gram."), chapter.format("Ounce.")])
    assert book.texts == ["Salt[^1] was dear.\n\n[^1]: Gram.", "Salt[^1-2] was dear.\n\n[^1-2]: Ounce."]


def test_repeated_id_means_its_first_element(read):
    book = read(SALT.replace("*", "1") + NOTE.format("Gram.") + NOTE.format("Ounce."))
    assert book.markdown == "Salt[^1] was dear.\n\nOunce.\n\n[^1]: Gram."


@pytest.mark.parametrize(
    ("inside", "label"),
    [("1. Gram.", "1"), ("1) Gram.", "1"), ("[1] Gram.", "1"), ("<sup>1</sup> Gram.", "1"), ("* Gram.", "*")],
)
def test_label_at_the_start_of_the_note_is_not_repeated(read, inside, label):
    book = read(SALT.replace("*", label) + NOTE.format(inside))
    assert book.markdown.endswith("]: Gram.")


def test_note_that_starts_with_a_number_of_its_own_keeps_it(read):
    book = read(SALT.replace("*", "1") + NOTE.format("1 barrel of salt."))
    assert book.markdown.endswith("[^1]: 1 barrel of salt.")


def test_link_back_to_the_reference_goes(read):
    text = SALT.replace("<a", '<a id="r"').replace("*", "1")
    book = read(text + NOTE.format('Gram. <a href="#r" role="doc-backlink">↩</a>'))
    assert book.markdown == "Salt[^1] was dear.\n\n[^1]: Gram."
    assert book.ledger["skipped"]["note-backlink"] == 1


def test_notes_keep_leaves_everything_where_it_is(read):
    book = read(SALT.replace("*", "1") + NOTE.format("Per barrel."), {"notes": "keep"})
    assert book.markdown == 'Salt[1](#s) was dear.\n\n<a id="s"></a>Per barrel.'
    assert book.codes == []


def test_note_whose_reference_is_left_out_is_kept_as_text(read):
    hidden = SALT.replace("<p>", '<p hidden="hidden">')
    book = read(f"<p>One.</p>{hidden}" + NOTE.format("Per barrel."))
    assert book.markdown == "One.\n\nPer barrel."
    assert "left out" in book.one("source.note_unreferenced").message


def test_note_whose_reference_is_in_a_document_that_is_left_out_is_kept(read):
    contents = '<section epub:type="toc"><p><a href="c2.xhtml">Salt</a>'
    contents += '<a epub:type="noteref" href="c2.xhtml#s">1</a></p></section>'
    book = read([contents, "<p>One.</p>" + NOTE.format("Per barrel.")])
    assert book.markdown == "One.\n\nPer barrel."


def test_orphan_of_an_emptied_notes_document_has_a_segment_of_its_own(read):
    text = "<p>One.</p>" + SALT.replace("<p>", '<p hidden="hidden">').replace("#s", "c2.xhtml#s")
    book = read([text, NOTE.format("Per barrel."), "<p>End.</p>"])
    assert book.texts == ["One.", "Per barrel.", "End."]


def test_empty_note_whose_reference_is_left_out_leaves_nothing(read):
    hidden = SALT.replace("<p>", '<p hidden="hidden">').replace("#s", "c2.xhtml#s")
    book = read([f"<p>One.</p>{hidden}", '<div id="s"/>', '<p>Two. <a href="c2.xhtml#s">See</a></p>'])
    assert book.texts == ["One.", '<a id="c3"></a>Two. [See](#c3)']


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        ("<h1>{}</h1>", "# Salt[^1] here"),
        ("<ul><li>{}</li></ul>", "- Salt[^1] here"),
        ("<blockquote><p>{}</p></blockquote>", "> Salt[^1] here"),
        ("<p><b>{}</b></p>", "**Salt[^1] here**"),
    ],
)
def test_reference_stands_inside_any_block(read, around, expected):
    reference = 'Salt<a epub:type="noteref" href="#s">1</a> here'
    book = read(around.format(reference) + NOTE.format("Gram."))
    assert book.markdown == f"{expected}\n\n[^1]: Gram."


def test_reference_in_a_heading_is_not_part_of_its_text(read):
    book = read('<h1>Salt<a epub:type="noteref" href="#s">1</a></h1>' + NOTE.format("Gram."))
    assert book.segments[0].heading == "Salt"


def test_reference_in_a_table_cell_stands_there(read):
    table = '<table><tr><th>Salt<a epub:type="noteref" href="#s">1</a></th></tr><tr><td>3</td></tr></table>'
    book = read(table + NOTE.format("Gram."))
    assert "| Salt[^1] |" in book.markdown
    assert book.markdown.endswith("\n\n[^1]: Gram.")


def test_note_inside_a_table_cell_leaves_it(read):
    table = f"<table><tr><td>Salt</td><td>3{NOTE.format('Gram.')}</td></tr></table>"
    book = read(SALT.replace("*", "1") + table)
    assert book.markdown.endswith("\n\n[^1]: Gram.")
    assert "| 3 |" in " ".join(book.markdown.split())


def test_note_between_list_items_leaves_the_list_whole(read):
    book = read(SALT.replace("*", "1") + f"<ul><li>a</li>{NOTE.format('Gram.')}<li>b</li></ul>")
    assert book.markdown == "Salt[^1] was dear.\n\n- a\n- b\n\n[^1]: Gram."


def test_note_inside_of_a_paragraph_does_not_split_it(read):
    book = read(f'<div>Salt<a epub:type="noteref" href="#s">1</a>{NOTE.format("Gram.")} was dear.</div>')
    assert book.markdown.replace("\n\n", " ").split() == ["Salt[^1]", "was", "dear.", "[^1]:", "Gram."]
