"""Links: dangerous ones become text and are reported, the others keep their URL."""

import pytest
from markitect_filter.markdown import to_markdown
from markitect_filter.markdown.references import PlainReferences, scheme

DANGEROUS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "  javascript:alert(1)",
    "java&#10;script:alert(1)",
    "java&#9;script&#13;:alert(1)",
    "&#106;avascript&#58;alert(1)",
    "javascript&#32;:alert(1)",
    "\u00a0javascript:alert(1)",
    "vbscript:x",
    "data:text/html,%3Cscript%3E",
    "data:image/svg+xml,x",
    "file:///etc/passwd",
    "FILE:x",
    "view-source:javascript:x",
    "blob:https://example.org/x",
]
HARMLESS = [
    "https://example.org/",
    "mailto:a@example.org",
    "chapter.xhtml#javascript:x",
    "a/b:c",
    "tel:1",
    "//host/x",
    "?q=a:b",
]


@pytest.mark.parametrize("href", DANGEROUS)
def test_dangerous_link_becomes_text_and_is_reported(href, parse):
    references = PlainReferences()
    markdown = to_markdown(parse(f'<p>Do <a href="{href}">not</a> click.</p>'), references)
    assert markdown == "Do not click."
    assert [code for code, _ in references.problems] == ["source.link_unsafe"]


@pytest.mark.parametrize("href", HARMLESS)
def test_harmless_link_keeps_its_url(href, write):
    assert write(f'<p><a href="{href}">go</a></p>') == f"[go]({href})"


@pytest.mark.parametrize("href", DANGEROUS)
def test_picture_with_a_dangerous_url_leaves_its_alternative_text(href, write):
    assert write(f'<p><img src="{href}" alt="boat"/></p>') == "boat"


def test_link_in_a_drawing_is_checked_as_well(write):
    markup = '<svg:svg><svg:a xlink:href="javascript:x"><svg:text>run</svg:text></svg:a></svg:svg>'
    assert write(markup) == "run"


@pytest.mark.parametrize(("url", "expected"), [("a:b", "a"), ("A+b-1.c:", "a+b-1.c"), ("1a:b", None), ("a/b:c", None)])
def test_scheme_is_read_as_a_browser_reads_it(url, expected):
    assert scheme(url) == expected


@pytest.mark.parametrize(
    "url",
    ["https://example.org/a_(b)", "https://e.org/)(", "https://e.org/a*b_c~d", "x?a=1&copy=2&amp=3", "https://e.org/é"],
)
def test_url_comes_back_from_the_parser(url, write, render, same):
    href = url.replace("&", "&amp;")
    markup = f'<p><a href="{href}">a</a></p>'
    rendered = render(write(markup)).replace("%C3%A9", "é")
    assert same(rendered) == same(markup)
