"""Book text that Obsidian would take for an order, and how it is shown as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markitect_tool.outputs.obsidian_text import as_obsidian_shows_it
from markitect_tool.outputs.split import Split


def shown(text):
    """What a parser of CommonMark makes of a text. The words of pictures, whose escapes it forgets, are told apart."""
    alternatives = []

    def alternative(renderer, tokens, number, options, environment):
        alternatives.append("".join(token.content for token in tokens[number].children or ()))
        return f"<img {tokens[number].attrs}>"

    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", alternative)
    return parser.render(text), alternatives


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a %%secret%% b", r"a \%\%secret\%\% b"),
        ("%%\n\nsecret", "\\%\\%\n\nsecret"),
        ("a ^block", r"a \^block"),
        ("^block", r"\^block"),
        ("- a ^block\n- b", "- a \\^block\n- b"),
        ("a\nb ^block", "a\nb \\^block"),
        ("x^[note]", r"x\^[note]"),
        ("[[wiki]]", r"\[\[wiki\]\]"),
        ("![[embed]]", r"!\[\[embed\]\]"),
        ("[[1]](u)", r"[\[1\]](u)"),
        ("[x [[a]] y](u)", r"[x \[\[a\]\] y](u)"),
        ("[[a]]\n\n[a]: /u", "\\[[a]\\]\n\n[a]: /u"),
        ("#tag", r"\#tag"),
        ("a *#tag* b", r"a *\#tag* b"),
        ("a #1a/b and #🌊", r"a \#1a/b and \#🌊"),
        ('<a id="x"></a>#tag', r'<a id="x"></a>\#tag'),
        ("[#tag](#tag)", r"[\#tag](#tag)"),
        ("==hi==", r"\=\=hi\=\="),
        ("# ==hi== #tag", r"# \=\=hi\=\= \#tag"),
        ("> [!danger] x", r"> \[!danger\] x"),
        ("> [!danger](u) x", r"> [\!danger](u) x"),
        ("https://example.org/%%secret%%", r"https://example.org/\%\%secret\%\%"),
        ("a[^1]\n\n[^1]: b #tag", "a[^1]\n\n[^1]: b \\#tag"),
        ("| a | b #c |\n| --- | --- |\n| d | %%e%% |", "| a | b \\#c |\n| --- | --- |\n| d | \\%\\%e\\%\\% |"),
    ],
)
def test_what_means_something_in_obsidian_is_text(text, escaped):
    assert as_obsidian_shows_it(text) == escaped
    assert shown(escaped) == shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "`%%a%%` and `#tag`",
        "```\n[[a]] ==b== ==c== ^d\n```",
        "$#a$ and $%%$",
        "<b title='%%#a==b=='>x</b>",
        "<div>\n%%a%%\n</div>",
        "[a](b%%c#d '==e== ==f==')",
        "[a ==b== c]\n\n[a ==b== c]: /u",
        "[a]: u\n    %%code%%",
        "[a](#b) #1 C#sharp ## &#38; a# # b",
        "100% of 5%, a == b, 2^10 and ^ up",
        r"\[\[a]] \#b \%\%c\%\% \==d\== e \^f",
        "https://example.org/?a==b==c#d",
        "[!danger] x",
        "# A\n\n[^1] ![b](c) [![d](e)](f)\n\n[^1]: x",
    ],
)
def test_what_means_nothing_in_obsidian_stays(text):
    assert as_obsidian_shows_it(text) == text


PIECES = [
    "%%", "==", "=", "#tag", "#", "^a", " ^b", "^[", "[[", "]]", "[", "]", "![", "!", "](u)", "](<b c> 't')",
    "[a]: u\n", "`", "\\", "\n", "\n\n", "> ", "- ", "# ", "*", "**", "_", "~~", " ", "word", "<a id=\"x\"></a>", "<b>",
    "<!--", "-->", "&#35;", "| a | b |\n| --- | --- |\n", "|", "https://e.org/", "<https://e.org>", "    ", "```\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_any_text_is_shown_as_before(text):
    assert shown(as_obsidian_shows_it(text)) == shown(text)


def test_only_obsidian_gets_its_escapes(make):
    document = make("a #tag ^block")
    for layout, text in [("plain", "a #tag ^block\n"), ("obsidian", "a \\#tag \\^block\n")]:
        split = Split(document, layout=layout)
        assert dict(split.texts(split.pictures))["01-Text-1.md"] == text


def test_identifiers_of_ours_come_behind_what_looks_like_one(make):
    split = Split(make('[a](#x)\n\nb\n\n<a id="x"></a>c ^d'), layout="obsidian")
    assert dict(split.texts(split.pictures))["01-Text-1.md"].endswith("c \\^d ^x\n")


@pytest.mark.parametrize("piece", ["[[", "%%", "==", " #a", " ^a", "www.", "^[", "[[]]", "#1"])
def test_hostile_text_takes_no_more_than_a_moment(piece):
    assert as_obsidian_shows_it(piece * 30_000).replace("\\", "") == piece * 30_000
