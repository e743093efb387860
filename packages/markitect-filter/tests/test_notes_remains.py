"""What stays where notes were: lists keep their numbers, and no heading is left over nothing."""

import pytest

SALT = '<p>Salt<a epub:type="noteref" href="#n1">1</a>.</p>'
NOTE = '<aside epub:type="footnote" id="n1"><p>Gram.</p></aside>'
END = "\n\n[^1]: Gram."


@pytest.mark.parametrize(
    ("before", "attributes", "rest", "expected"),
    [
        ("", "", '<li id="n2">two</li>', "2. two"),
        ("", "", "<li>two</li><li>three</li>", "2. two\n3. three"),
        ("", ' start="5"', "<li>six</li>", "6. six"),
        ("", "", '<li value="9">nine</li>', "9. nine"),
        ("", ' reversed="reversed"', "<li>one</li>", "1. one"),
        ("<li>a</li>", "", "<li>c</li>", "1. a\n\n3) c"),
    ],
)
def test_items_of_a_list_keep_their_numbers(read, before, attributes, rest, expected):
    items = f'{before}<li epub:type="footnote" id="n1">Gram.</li>{rest}'
    book = read(f"{SALT}<ol{attributes}>{items}</ol>")
    assert book.markdown == f"Salt[^1].\n\n{expected}{END}"


@pytest.mark.parametrize(
    "section",
    [
        "<section><h2>Notes</h2>{}</section>",
        '<div class="footnotes"><h3>FOOTNOTES:</h3>{}</div>',
        '<section epub:type="footnotes"><hr/>{}</section>',
        '<aside epub:type="footnotes"><h2>Notes</h2><section><h3>Salt</h3>{}</section></aside>',
        "<section><h2>Notes</h2><ol>{}</ol></section>",
        "<div><hr/>{}<hr/></div>",
    ],
)
def test_headings_of_a_section_go_with_all_of_its_notes(read, section):
    book = read(SALT + section.format(NOTE) + "<p>The end.</p>")
    assert book.markdown == f"Salt[^1].\n\nThe end.{END}"


@pytest.mark.parametrize("notes", [NOTE, f"<ol>{NOTE}</ol>"])
@pytest.mark.parametrize(("after", "expected"), [("", ""), ("<h2>Next</h2>", "\n\n## Next"), ("<hr/>", "\n\n***")])
def test_heading_of_notes_without_a_section_goes_with_them(read, notes, after, expected):
    book = read(f"{SALT}<h3>FOOTNOTES:</h3>{notes}{after}")
    assert book.markdown == f"Salt[^1].{expected}{END}"


def test_heading_that_goes_is_in_the_ledger(read):
    book = read(f"{SALT}<section><h2>Notes</h2>{NOTE}</section>")
    assert book.ledger["skipped"]["note-heading"] == len("Notes")


@pytest.mark.parametrize(
    "section",
    [
        "<section><h2>Notes</h2>{}<p>Mine.</p></section>",
        "<section><h2>Notes</h2>Mine.{}</section>",
        '<section><h2>Notes</h2>{}<aside epub:type="footnote" id="x"><p>Alone.</p></aside></section>',
        '<section><h2>Notes<a epub:type="noteref" href="#n1">1</a></h2>{}</section>',
        "<section><h2>Salt</h2>{}</section>",
        "<h2>Notes</h2>{}<p>Mine.</p>",
        "<h2>Salt</h2>{}<hr/>",
        '<section epub:type="footnotes"><p>All of them:</p><section><h2>Salt</h2>{}</section></section>',
        '<section><h2>Notes</h2>{}<p><img src="https://example.org/x.png" alt="Map"/></p></section>',
    ],
)
def test_heading_stays_with_anything_else(read, section):
    book = read(SALT + section.format(NOTE))
    assert "\n\n## " in book.markdown


def test_link_to_a_heading_that_went_leads_to_the_text_around_it(read):
    book = read(f'<p><a href="#h">Notes</a></p>{SALT}<section><h2 id="h">Notes</h2>{NOTE}</section><p>The end.</p>')
    assert "## Notes" not in book.markdown
    assert '<a id="h"></a>' in book.markdown
    assert book.codes == []
