"""Known boilerplate, by the marks that its producers leave."""

import pytest
from markitect_filter.documents.xml_names import text_of
from markitect_filter.epub3.roles.boilerplate import find_boilerplate
from markitect_filter.markup.parse import parse_markup

START = "*** START OF THE PROJECT GUTENBERG EBOOK SALT ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK SALT ***"


def find(inner):
    """Role and texts of each piece of boilerplate."""
    data = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{inner}</body></html>'.encode()
    found = find_boilerplate(next(parse_markup(data).root.iter("{*}body")))
    return [(piece.role, [text_of(element) for element in piece.elements]) for piece in found]


def test_text_up_to_the_start_line_is_header():
    assert find(f"<p>Produced by A</p><p>Title</p><p>{START}</p><p>Text</p>") == [
        ("header", ["Produced by A", "Title", START])
    ]


def test_text_from_the_end_line_is_footer():
    assert find(f"<p>Text</p><p>{END}</p><p>Small print</p>") == [("footer", [END, "Small print"])]


def test_closing_line_before_the_end_line_is_footer():
    found = find(f"<p>Text</p><p>End of the Project Gutenberg EBook of Salt</p><p>{END}</p>")
    assert found == [("footer", ["End of the Project Gutenberg EBook of Salt", END])]


def test_licence_after_the_end_line_is_licence():
    found = find(f"<p>Text</p><p>{END}</p><p>Updated</p><h2>START: FULL LICENSE</h2><p>Terms</p>")
    assert found == [("footer", [END, "Updated"]), ("license", ["START: FULL LICENSE", "Terms"])]


def test_licence_in_its_own_document_is_licence():
    assert find("<h2>THE FULL PROJECT GUTENBERG LICENSE</h2><p>Terms</p>") == [
        ("license", ["THE FULL PROJECT GUTENBERG LICENSE", "Terms"])
    ]


def test_marker_inside_wrappers_takes_whole_elements_on_its_side_only():
    found = find(f"<div><p>Top</p></div><div><div><p>By A</p><p>{START}</p><p>Text</p></div><p>More</p></div>")
    assert found == [("header", ["Top", "By A", START])]


@pytest.mark.parametrize(
    ("inner", "role"),
    [
        ('<section id="pg-header"><p>About Project Gutenberg</p></section><p>Text</p>', "header"),
        ('<p>Text</p><section id="pg-footer"><p>About Project Gutenberg</p></section>', "footer"),
        ('<p>Text</p><div id="project-gutenberg-license"><p>Project Gutenberg</p></div>', "license"),
    ],
)
def test_element_with_a_known_id_is_boilerplate(inner, role):
    assert [piece[0] for piece in find(inner)] == [role]


def test_marker_inside_a_labelled_element_is_not_counted_twice():
    assert len(find(f'<section id="pg-header"><p>{START}</p></section><p>Text</p>')) == 1


def test_marker_split_by_markup_is_found():
    assert [piece[0] for piece in find(f"<p><a id='x'/>{START}</p><p>Text</p>")] == ["header"]


def test_long_block_that_only_mentions_the_start_line_is_text():
    assert find(f"<p>{START} {'and a long discussion follows ' * 30}</p>") == []


def test_talk_about_the_project_is_text():
    assert find("<p>He gave his books to Project Gutenberg.</p><h2>The license</h2>") == []


@pytest.mark.parametrize(
    "line",
    [
        "***START OF THIS PROJECT GUTENBERG EBOOK SALT***",
        "*** Start of the Project Gutenberg E-text of Salt ***",
        "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS",
    ],
)
def test_older_start_lines_are_known(line):
    assert find(f"<p>Gutenberg</p><p>{line}</p><p>Text</p>") == [("header", ["Gutenberg", line])]


@pytest.mark.parametrize(
    "note",
    [
        "<p>[Transcriber's Note: spelling kept.]</p>",
        "<p>Transcriber’s notes. Spelling kept.</p>",
        '<div class="transnote"><p>The transcriber kept the spelling.</p></div>',
        "<p><b>Transcribers' Note</b> Spelling kept.</p>",
        "<div><h2>Transcriber’s Note</h2><p>Spelling kept.</p></div>",
    ],
)
def test_transcribers_note_is_found_and_nothing_else(note):
    ((role, texts),) = find(f"<h1>Salt</h1><p>Text</p>{note}<p>More</p>")
    assert role == "transcriber-notes"
    assert len(texts) == 1


def test_note_under_a_heading_ends_at_the_next_heading():
    found = find("<h2>Transcriber's Notes</h2><p>Kept.</p><p>Mended.</p><h2>Chapter</h2><p>Text</p>")
    assert found == [("transcriber-notes", ["Transcriber's Notes", "Kept.", "Mended."])]


def test_note_at_the_head_of_a_wrapper_with_chapters_does_not_take_the_chapters():
    found = find("<div><h2>Transcriber's Note</h2><p>Kept.</p><div><h2>One</h2><p>Text</p></div></div>")
    assert found == [("transcriber-notes", ["Transcriber's Note", "Kept."])]
