"""What is left out by default, by option, and what is rescued because it holds prose."""

import pytest
from markitect_filter.epub3.roles.roles import RoleDecision
from markitect_filter.epub3.roles.skipping import COVER_WORDS, SkipPolicy, has_few_words, mostly_links, word_count
from markitect_filter.markup.parse import parse_markup
from markitect_tool.errors import InvalidOptionError

PROSE = "<p>" + "every grain of salt has a story " * 5 + "</p>"
LINKS = "<ul>" + '<li><a href="a">Chapter of the book</a></li>' * 12 + "</ul>"


def body_of(inner):
    root = parse_markup(f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{inner}</body></html>'.encode()).root
    return next(root.iter("{*}body"))


def skips(role, inner, policy=None):
    return (policy or SkipPolicy()).skips_document(RoleDecision(role, "guide:x"), body_of(inner))


@pytest.mark.parametrize(
    ("skip", "keep", "left_out"),
    [
        (None, None, {"cover", "landmarks", "navigation", "toc"}),
        ("index, License", None, {"cover", "index", "landmarks", "license", "navigation", "toc"}),
        (None, "toc,cover", {"landmarks", "navigation"}),
        ("index", "index", {"cover", "landmarks", "navigation", "toc"}),
        ("", " , ", {"cover", "landmarks", "navigation", "toc"}),
    ],
)
def test_options_add_to_and_take_from_the_defaults(skip, keep, left_out):
    assert SkipPolicy.from_options(skip, keep).roles == left_out


@pytest.mark.parametrize("option", ["skip", "keep"])
def test_unknown_role_is_an_invalid_option(option):
    with pytest.raises(InvalidOptionError, match="'chapters'"):
        SkipPolicy.from_options(**{option: "chapters"})


@pytest.mark.parametrize("inner", ['<img src="c.png"/>', "<h1>Salt</h1><p>Ann Roe</p>"])
def test_cover_picture_is_left_out(inner):
    assert skips("cover", inner)


def test_cover_with_prose_stays():
    assert not skips("cover", PROSE)


def test_cover_without_word_spaces_counts_characters():
    assert not skips("cover", "<p>" + "塩の道は長い物語であり続けている今日も明日もまた</p>")


def test_contents_page_is_left_out():
    assert skips("toc", "<h1>Contents</h1>" + LINKS)


def test_contents_page_with_more_prose_than_links_stays():
    assert not skips("toc", PROSE + '<a href="x">on</a>')


def test_role_that_the_user_names_goes_whatever_it_holds():
    assert skips("cover", PROSE, SkipPolicy.from_options("cover"))
    assert skips("index", PROSE, SkipPolicy.from_options("index"))


def test_role_that_the_user_keeps_stays():
    assert not skips("toc", LINKS, SkipPolicy.from_options(None, "toc"))


def test_navigation_document_stays_but_its_lists_do_not():
    assert not skips("navigation", LINKS)
    assert SkipPolicy().skips("navigation")


@pytest.mark.parametrize("role", ["body", "index", "license", "transcriber-notes", "titlepage"])
def test_other_roles_stay_by_default(role):
    assert not skips(role, "")


def test_script_and_style_are_no_words():
    assert word_count(body_of("<script>a b c</script><style>d e</style><p>one</p>")) == 1


@pytest.mark.parametrize("silent", ["", "a b c " * 9])
@pytest.mark.parametrize("words", [0, 1, COVER_WORDS - 1, COVER_WORDS, COVER_WORDS + 1])
def test_few_words_are_told_without_counting_them(words, silent):
    body = body_of(f"<script>{silent}</script>" + "<p>字</p>" * (words % 2) + "<b>one</b><i>two</i>" * (words // 2))
    assert word_count(body) == words
    assert has_few_words(body) is (words < COVER_WORDS)


def test_bibliography_of_links_with_notes_is_not_mostly_links():
    assert not mostly_links(
        body_of('<p><a href="x">One</a> is the longest account of the trade, ' + "and so on " * 8 + "</p>")
    )
