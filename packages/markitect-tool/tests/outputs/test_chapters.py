"""Chapters: which segments they hold, and links and footnotes across their files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.outputs.blocks import read_blocks
from markitect_tool.outputs.chapters import chapters_of, landings, relinked
from markitect_tool.outputs.pictures import Pictures, as_destination, referenced_pictures
from markitect_tool.outputs.rewriting import Edit, edited

NONE = Pictures({}, {})


def at(*path, level=1):
    return {"metadata": {"section_path": list(path)}, "heading": path[-1] if path else None, "heading_level": level}


def texts(document, **how):
    """The text of each chapter by its file."""
    chapters = chapters_of(document, **how)
    places = landings(chapters)
    return {chapter.file: relinked(chapter, places, NONE, "") for chapter in chapters}


def first(found):
    return next(iter(found.values()))


def test_chapter_is_a_segment(make):
    document = make(("a", at("One")), ("b", at("One", "Two")))
    assert texts(document) == {"01-One.md": "a", "02-Two.md": "b"}


def test_parts_below_a_depth_stay_with_the_one_above(make):
    document = make(("a", at("P")), ("b", at("P", "C")), ("c", at("P", "C", "S")), ("d", at("P", "D")), ("e", at("Q")))
    assert texts(document, depth=1) == {"01-P.md": "a\n\nb\n\nc\n\nd", "02-Q.md": "e"}
    assert texts(document, depth=2) == {"01-P.md": "a", "02-C.md": "b\n\nc", "03-D.md": "d", "04-Q.md": "e"}


def test_two_chapters_of_one_title_are_two(make):
    document = make(("a", at("Night")), ("b", at("Night")), ("c", at("Night", "x")))
    assert list(texts(document, depth=1)) == ["01-Night.md", "02-Night.md"]


def test_part_without_the_one_above_begins_a_file_of_its_name(make):
    assert list(texts(make(("a", at("P", "C", "S")), ("b", at("P", "C", "T"))), depth=1)) == ["01-P.md"]


def test_text_before_the_first_heading_has_a_number(make):
    assert list(texts(make("a", ("b", at("B"))))) == ["01-Text-1.md", "02-B.md"]


def test_chapters_together_are_the_document(make):
    document = make(("a", at("A")), ("b", at("A", "B")), "c", ("d", at("D")))
    for depth in (None, 1, 2):
        assert "\n\n".join(texts(document, depth=depth).values()) == document.markdown


def test_numbers_have_the_width_of_the_last(make):
    assert min(texts(make(*(["x"] * 100)))) == "001-Text-1.md"


def test_link_into_another_chapter_names_its_file(make):
    document = make(('<a id="x"></a>One [b](#y)', at("A")), ('[a](#x "t") <a id="y"></a>', at("B")))
    assert list(texts(document).values()) == [
        '<a id="x"></a>One [b](02-B.md#y)',
        '[a](01-A.md#x "t") <a id="y"></a>',
    ]


def test_link_in_its_own_chapter_stays(make):
    assert first(texts(make('<a id="x"></a> [a](#x)', "b"))) == '<a id="x"></a> [a](#x)'


@pytest.mark.parametrize(
    "text", ["`[a](#x)`", "```\n[a](#x)\n```", "\\[a](#x)", "$[a](#x)$", "[a](other.md#x)", "[a](#gone)", "[a](#)"]
)
def test_what_is_no_link_there_stays(make, text):
    assert first(texts(make(text, '<a id="x"></a>'))) == text


def test_link_to_the_id_that_programs_make_of_a_heading_is_followed(make):
    document = make("[a](#harbour-log) [b](#köln)", "# *Harbour* log!", "## Köln ##")
    assert first(texts(document)) == "[a](02-Text-2.md#harbour-log) [b](03-Text-3.md#köln)"


def test_explicit_anchor_goes_before_a_heading(make):
    document = make("[a](#log)", "# Log", '<a id="log"></a>')
    assert first(texts(document)) == "[a](03-Text-3.md#log)"


def test_first_of_two_anchors_of_a_name_counts(make):
    document = make("[a](#x)", '<a id="x"></a>', '<a id="x"></a>')
    assert first(texts(document)) == "[a](02-Text-2.md#x)"


def test_footnote_is_defined_in_the_file_that_refers_to_it(make):
    document = make("a[^1]", "b", "[^1]: note\n\n    more\n\nend")
    assert list(texts(document).values()) == ["a[^1]\n\n[^1]: note\n\n    more", "b", "end"]


def test_footnote_that_two_files_refer_to_is_in_both(make):
    document = make("a[^1]\n\n[^1]: note", "b[^1]")
    assert list(texts(document).values()) == ["a[^1]\n\n[^1]: note", "b[^1]\n\n[^1]: note"]


def test_footnote_of_a_footnote_comes_along(make):
    document = make("a[^1]", "[^1]: see[^2]\n\n[^2]: that")
    assert list(texts(document).values()) == ["a[^1]\n\n[^1]: see[^2]\n\n[^2]: that", ""]


def test_footnotes_that_refer_to_each_other_end(make):
    document = make("a[^1]", "[^1]: see[^2]\n\n[^2]: see[^1]")
    assert first(texts(document)).count("[^1]:") == 1


def test_footnote_that_nobody_refers_to_stays(make):
    assert list(texts(make("a", "[^1]: note")).values()) == ["a", "[^1]: note"]


def test_pictures_get_safe_names_of_their_own(make):
    document = make(
        "![](OPS/Map.PNG) ![](a/map.png) [s](a/%2E%2E/tide%20table.mp3#t=5) ![](b/notes.md) ![](c/image)",
        attachments=("OPS/Map.PNG", "a/map.png", "a/../tide%20table.mp3", "b/notes.md", "c/image", "d/unused.png"),
        media_types=(None, None, None, None, "image/jpeg", None),
    )
    (chapter,) = chapters_of(document)
    pictures = referenced_pictures(document, chapter.references)
    assert relinked(chapter, {}, pictures, "pics") == (
        "![](pics/Map.png) ![](pics/map-2.png) [s](pics/tide-table.mp3#t=5) ![](pics/notes-md.txt) ![](pics/image.jpg)"
    )


def test_picture_that_is_no_attachment_stays(make):
    text = "![](other.png) ![](https://example.org/a.png) ![](data:image/png;base64,AA==) `![](a.png)`"
    document = make(text, attachments=("a.png", "https://example.org/a.png"))
    (chapter,) = chapters_of(document)
    pictures = referenced_pictures(document, chapter.references)
    assert pictures.names == {}
    assert relinked(chapter, {}, pictures, "pics") == text


def test_destination_has_no_character_with_a_meaning():
    assert as_destination("a b(c)[d]<e>&f#g?h%i/ü") == "a%20b%28c%29%5Bd%5D%3Ce%3E%26f%23g%3Fh%25i/ü"


@given(st.lists(st.sampled_from(["x", "\n\n", "[^1]", "[^2]", "[^1]: a", "[^2]: b", "    c", "# h", "`"]), max_size=12))
def test_no_footnote_is_lost(make, parts):
    text = "\n\n".join(parts)
    document = make(text, "end[^1][^2]")
    defined = {note.label for note in read_blocks(text).notes}
    last = list(texts(document).values())[-1]
    assert {note.label for note in read_blocks(last).notes} >= defined


def test_edits_change_nothing_else():
    assert edited("abcdef", [Edit(4, 5, "E!"), Edit(1, 1, "-"), Edit(1, 2, "B")]) == "a-BcdE!f"
