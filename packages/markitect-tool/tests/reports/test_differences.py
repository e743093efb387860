"""What a report marks as different between a source's pages and its Markdown, and what it doesn't."""

import re

import pytest
from markitect_tool.reports.sides import Bounds
from markitect_tool.source.pages import SourcePage


def page(text, path="a.xhtml", **more):
    return SourcePage(path, text, **more)


def test_equal_texts_have_no_difference(report, marks):
    html = report([("a.xhtml", "# One\n\nLow *water* at nine.")], [page("One\n\nLow water\nat nine.")])
    assert marks(html) == []
    assert "no paragraph differs" in html


def test_words_that_the_markdown_lacks_are_marked_in_the_source(report, marks):
    html = report([("a.xhtml", "Low at nine.")], [page("Low water at nine.")])
    assert marks(html) == ["-water"]
    assert "1 paragraph in 1 segment differs" in html


def test_words_that_the_source_lacks_are_marked_in_the_markdown(report, marks):
    assert marks(report([("a.xhtml", "Low **grey** water.")], [page("Low water.")])) == ["+grey"]


def test_paragraph_that_is_lost_has_a_row_of_its_own(report):
    html = report([("a.xhtml", "One here.\n\nThree here.")], [page("One here.\n\nTwo was lost.\n\nThree here.")])
    assert re.search(
        r'<div class="r d"><div class="s"><p dir="auto"><del>Two was lost\.</del></p></div><div class="m">', html
    )


def test_paragraphs_stand_beside_their_own_in_quotes_and_lists(report):
    html = report(
        [("a.xhtml", "> One a.\n>\n> Two b.\n\n- Three c.\n- Four d.")],
        [page("One a.\n\nTwo b.\n\nThree c.\n\nFour d.")],
    )
    assert len(re.findall(r'<div class="r"><div class="s"><p dir="auto">', html)) == 4


@pytest.mark.parametrize(
    ("markdown", "text", "wanted"),
    [
        ("Low[^1] water.\n\n[^1]: Ebb", "Low[1] water.", ["~[1]"]),
        ("In 1747[^1] it\n\n[^1]: Ebb", "In 174712 it", ["~174712"]),
        ("![A map](m.png)\n\nText", "A map\n\nText", ["~A map"]),
        ("![A map](m.png)\n\nText", "A lost map\n\nText", ["-A lost map"]),
        ("Let $x_1$ be.", "Let x1 be.", ["~x1"]),
    ],
    ids=["note", "note after a number", "picture", "picture that says less", "formula"],
)
def test_words_in_another_form_are_told_from_lost_ones(report, marks, markdown, text, wanted):
    assert marks(report([("a.xhtml", markdown)], [page(text)])) == wanted


def test_number_of_a_printed_page_is_in_another_form(report, marks):
    from markitect_tool.reports.comparing import View, compare_page
    from markitect_tool.reports.pages import Page
    from markitect_tool.reports.rendering import Renderer

    view = View(0, Renderer().render("It was low.", "1"), [], frozenset({"xii"}))
    compare_page(Page(page("It was xii low.")), [view])
    assert [mark.kind for row in view.rows for mark in row.marks] == ["rewritten"]


def test_formula_of_the_source_is_one_word(report, marks):
    text = "Let a + b = c be."
    html = report([("a.xhtml", "Let $a+b=c$ be.")], [page(text, formulas=[(4, 13)])])
    assert marks(html) == []


def test_footnote_is_compared_with_the_note_that_it_was(report, marks):
    definition = "[^1]: The ebb, that is."
    html = report(
        [("a.xhtml", f"Low[^1] water.\n\n{definition}", [("notes.xhtml", "n1", definition)])],
        [
            page("Low1 water."),
            page("Notes\n\n1. The deep ebb, that is. ↩\n\n2. More.", "notes.xhtml", anchors={"n1": 10}),
        ],
    )
    assert marks(html) == ["~1", "~1.", "-deep", "~↩"]
    assert "Notes" in html.partition("Pages left out")[2]


def test_note_on_the_page_itself_is_not_missed_there(report, marks):
    definition = "[^1]: The ebb."
    html = report(
        [("a.xhtml", f"Low[^1] water.\n\n{definition}", [("a.xhtml", "n1", definition)])],
        [page("Low1 water.\n\nThe ebb.", anchors={"n1": 13})],
    )
    assert marks(html) == ["~1"]


def test_page_of_several_segments_is_divided_among_them(report, marks):
    html = report([("a.xhtml", "# One\n\nEbb."), ("a.xhtml", "# Two\n\nFlow.")], [page("One\n\nEbb.\n\nTwo\n\nFlow.")])
    assert marks(html) == []
    assert re.search(r'id="s-2".*<p dir="auto">Two</p>', html, re.S)


def test_text_that_the_source_repeats_is_found_in_its_place(report, marks):
    lines = "\n\n".join(f"Refrain. Line {number}. Refrain." for number in range(200))
    assert marks(report([("a.xhtml", lines.replace("Line 77.", ""))], [page(lines)])) == ["-Line 77."]


def test_page_without_a_segment_is_shown_as_left_out(report):
    html = report([("a.xhtml", "Text.")], [page("Contents of it", "toc.xhtml"), page("Text.")])
    assert "Contents of it" in html.partition("Pages left out")[2].partition("side by side")[0]


def test_without_pages_only_the_markdown_is_shown(report):
    html = report([("a.xhtml", "Low water.")])
    assert "Low water." in html
    assert "offers no text of the source" in html
    assert "no paragraph differs" not in html


def test_page_over_the_bound_is_not_compared_and_says_so(report):
    html = report([("a.xhtml", "w " * 600)], [page("w " * 600)], bounds=Bounds(page=2_000))
    assert "Too long to compare" in html
    assert "1 segment could not be compared" in html


def test_full_report_shows_only_what_differs(report):
    lines = [f"This is line {number}." for number in range(300)]
    made = "\n\n".join(lines).replace("line 150.", "line.")
    html = report([("a.xhtml", made)], [page("\n\n".join(lines))], bounds=Bounds(shown=5_000))
    assert "150 paragraphs without differences" in html
    assert "<del>150</del>" in html
    assert "line 20." not in html


def test_overfull_report_shows_only_how_much_differs(report):
    html = report([("a.xhtml", "Low.")], [page("Low water.")], bounds=Bounds(shown=10, differences=10))
    assert "Not shown: the report is full." in html
    assert "1 difference" in html


def test_joiners_and_soft_hyphens_are_no_difference(report, marks):
    assert marks(report([("a.xhtml", "cooperate")], [page("co\xadop\u2060erate")])) == []


def test_table_stands_beside_its_cells(report, marks):
    html = report([("a.xhtml", "| a | b |\n| --- | --- |\n| c | d |")], [page("a\tb\nc\td")])
    assert marks(html) == []


def test_text_of_the_source_is_escaped(report):
    html = report([("a.xhtml", "x")], [page("<script>hit()</script>")])
    assert "<script>hit" not in html
