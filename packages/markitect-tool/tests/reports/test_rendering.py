"""Canonical Markdown as safe HTML."""

import re

import pytest
from markitect_tool.reports.rendering import Renderer


@pytest.fixture
def html():
    """The HTML of Markdown, blocks joined."""

    def make(markdown, **settings):
        rendered = Renderer(**settings).render(markdown, "1")
        return "".join(
            part if isinstance(part, str) else rendered.text[slice(*part)]
            for block in rendered.blocks
            for part in block.parts
        )

    return make


@pytest.mark.parametrize(
    ("markdown", "wanted"),
    [
        ("*a* **b** ~~c~~ `d`", '<p dir="auto"><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>'),
        ("a\\\nb", '<p dir="auto">a<br>b</p>'),
        ("H<sub>2</sub>O", '<p dir="auto">H<sub>2</sub>O</p>'),
        ("<ruby>火<rt>か</rt></ruby>", '<p dir="auto"><ruby>火<rt>か</rt></ruby></p>'),
        ('<a id="salt"></a>Salt', '<p dir="auto"><span id="b-salt"></span>Salt</p>'),
        ("[up](#salt)", '<p dir="auto"><a href="#b-salt">up</a></p>'),
        ("## Two", '<p role="heading" aria-level="5" class="h2" dir="auto">Two</p>'),
        ("***", "<hr>"),
        ("```\na < b\n```", "<pre><code>a < b\n</code></pre>"),
        ("- a\n- b", "<ul><li>a</li></ul><ul><li>b</li></ul>"),
        ("4. a\n5. b", '<ol start="4"><li>a</li></ol><ol start="5"><li>b</li></ol>'),
        ("$x^2$", '<p dir="auto"><code class="tex">x^2</code></p>'),
        ("> a\n>\n> b", '<blockquote><p dir="auto">a</p></blockquote><blockquote><p dir="auto">b</p></blockquote>'),
        ("| a |\n| --: |\n| b |", '<table><thead><tr><th class="right">a</th></tr></thead><tbody><tr>'),
    ],
)
def test_construct_of_the_dialect_is_rendered(html, markdown, wanted):
    assert html(markdown).startswith(wanted)


def test_footnote_and_its_reference_lead_to_each_other(html):
    made = html("a[^1]\n\n[^1]: b")
    assert '<sup class="ref" id="r-1-1"><a href="#n-1-1">1</a></sup>' in made
    assert '<div class="note" id="n-1-1">' in made
    assert 'href="#r-1-1"' in made


def test_footnote_that_nothing_refers_to_is_shown(html):
    assert "lonely" in html("a\n\n[^1]: lonely")


@pytest.mark.parametrize(
    "markdown",
    [
        "<script>hit()</script>",
        "<img src=x onerror=hit()>",
        '<a id="x" onclick="hit()"></a>',
        '<a id="x><script>hit()"></a>',
        "<iframe srcdoc='<script>hit()</script>'>",
        "<style>* { display: none }</style>",
        "<svg onload=hit()>",
        "<sup onclick=hit()>a</sup>",
        "<!-- --!><script>hit()</script> -->",
        "</p></div></details><script>hit()</script>",
        "a <br onload=hit()> b",
        "| <script>hit()</script> |\n| --- |\n| <b onclick=hit()>x</b> |",
    ],
)
def test_markup_that_is_not_of_the_dialect_is_shown_as_text(markdown):
    rendered = Renderer().render(markdown, "1")
    tags = [part for block in rendered.blocks for part in block.parts if isinstance(part, str)]
    assert not re.search(r"script|iframe|style|svg|img|on\w+=", "".join(tags))
    assert "hit()" in rendered.text or "display" in rendered.text


@pytest.mark.parametrize(
    "target",
    [
        "javascript:hit()",
        "JaVaScRiPt:hit()",
        "data:text/html,<script>hit()</script>",
        "vbscript:hit()",
        "file:///etc/passwd",
        "//example.org/",
        "OPS/chapter.xhtml",
        "blob:x",
    ],
)
def test_link_that_is_no_address_of_the_web_leads_nowhere(html, target):
    assert "href" not in html(f"[a](<{target}>)")


def test_link_to_the_web_tells_nobody_where_it_was(html):
    assert 'rel="noopener noreferrer nofollow"' in html("[a](https://example.org/)")


def test_quotes_in_an_address_stay_in_the_attribute(html):
    made = html('[a](https://example.org/"onclick="hit\\(\\))')
    assert re.search(r' on\w+="', made) is None


def test_quotes_in_a_description_stay_in_the_attribute(html):
    made = html('!["><script>hit()</script>](a.png)', picture=lambda destination: "data:image/png;base64,AA==")
    assert made.count("<") == len(re.findall(r"<(?:/?p\b|img )", made))


def test_picture_that_cannot_be_shown_is_its_description(html):
    assert "A <b>map</b>" not in html("![A <b>map</b>](a.png)")
    assert "A &lt;b&gt;map&lt;/b&gt;" in html("![A \\<b\\>map\\</b\\>](a.png)")


def test_elements_that_are_not_closed_end_with_their_paragraph(html):
    assert html("<sup>a *b*") == '<p dir="auto"><sup>a <em>b</em></sup></p>'


def test_elements_that_overlap_are_nested(html):
    assert html("<sup>*a</sup>*") == '<p dir="auto"><sup><em>a</em></sup></p>'


def test_text_has_one_character_for_what_has_no_words():
    rendered = Renderer().render("a[^1] $x$ ![b](c.png)\n\n[^1]: d", "1")
    assert [stand_in.text for stand_in in rendered.stand_ins] == ["1", "x", "b"]


def test_characters_that_stand_for_something_cannot_be_smuggled_in():
    rendered = Renderer().render("a\ufdd0b", "1")
    assert "\ufdd0" not in rendered.text


def test_ids_of_the_book_are_apart_from_those_of_the_page(html):
    assert 'id="b-main"' in html('<a id="main"></a>a')
