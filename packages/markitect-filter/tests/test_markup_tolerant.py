"""Markup that is not well-formed keeps its text, in one kind of tree."""

import pytest
from lxml import etree
from markitect_filter.markup import tolerant
from markitect_filter.markup.limits import MarkupLimitError, MarkupLimits
from markitect_filter.markup.parse import parse_markup

XHTML = "http://www.w3.org/1999/xhtml"
HEAD = f'<html xmlns="{XHTML}"><head><title>t</title></head><body>'


def outline(element):
    """The tree as text: every element as its local name with its content in parentheses."""
    name = str(element.tag).rpartition("}")[2]
    inner = (element.text or "") + "".join(outline(child) + (child.tail or "") for child in element)
    return f"{name}({inner})"


def body_of(markup, **options):
    parsed = parse_markup(markup.encode(), **options)
    assert parsed.tolerant
    assert parsed.error
    return next(parsed.root.iter(f"{{{XHTML}}}body"))


def test_text_after_mismatched_tags_is_kept():
    body = body_of(HEAD + "<p>One <b>two</p><p>three</b> four</p></body></html>")
    assert outline(body) == "body(p(One b(two))p(three four))"


@pytest.mark.parametrize("tag", ["script", "title", "style", "textarea", "div", "a", "p", "iframe"])
def test_a_self_closing_element_does_not_swallow_the_page(tag):
    body = body_of(HEAD.replace("<title>t</title>", f"<{tag}/>") + f"<{tag} class='x' /><p>Visible<p>text")
    assert "".join(body.itertext()).replace("\n", "") == "Visibletext"
    assert [child.tag for child in body][-2:] == [f"{{{XHTML}}}p"] * 2


@pytest.mark.parametrize("tag", ["script", "style", "title", "textarea"])
def test_an_element_that_is_never_closed_does_not_swallow_the_page(tag):
    assert "Visible" in "".join(body_of(f"<html><head><{tag}><body><p>Visible").itertext())


def test_script_and_style_content_is_no_text():
    body = body_of(HEAD + "<script>if (a < b) { x('<p>no</p>') }</script><STYLE>p {}</style><p>yes")
    assert "".join(body.itertext()) == "yes"


@pytest.mark.parametrize(
    ("soup", "text"),
    [
        ("<p>a < b <3 <", "a < b <3 <"),
        ("<p>if a<b and c>d</p", "if ad</p"),
        ("<p>a</ b", "a</ b"),
        ("<p>x <![CDATA[1 < 2]]> y", "x 1 < 2 y"),
        ("<p>x <![CDATA[never closed", "x never closed"),
        ("<p>x <!-- never closed", "x  never closed"),
        ("<p>x <!-- gone --> y", "x  y"),
        ("<p>x <?php echo ?> y <?", "x  y <?"),
        ("<p>&lt;b&gt; &amp;nbsp; &#8212; R&D &eacute", "<b> &nbsp; — R&D é"),
        ('<p title="a > b">x', "x"),
        ("<p title=\"never closed>x</p>\n<p class='y'>z", "x"),
    ],
)
def test_stray_markup_characters_are_text(soup, text):
    assert text in "".join(body_of(HEAD + soup + "<b>").itertext())


@pytest.mark.parametrize(
    ("soup", "expected"),
    [
        ("<p>a<p>b", "p(a)p(b)"),
        ("<ul><li>a<li>b<ol><li>c<li>d</ol><li>e</ul>", "ul(li(a)li(bol(li(c)li(d)))li(e))"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "dl(dt(a)dd(b)dt(c))"),
        ("<table><tr><td>1<td>2<tr><th>3</table>", "table(tr(td(1)td(2))tr(th(3)))"),
        (
            "<table><thead><tr><td>1<tbody><tr><td><p>2<table><tr><td>3",
            "table(thead(tr(td(1)))tbody(tr(td(p(2)table(tr(td(3)))))))",
        ),
        ("<p>a<div>b</div>c", "p(a)div(b)c"),
        ("<ruby>山<rt>さん<rp>)</ruby><i>", "ruby(山rt(さん)rp()))i()"),
        ("a<br>b<hr>c<img src='x'>d<p>", "abr()bhr()cimg()dp()"),
    ],
)
def test_end_tags_that_html_implies_are_put_in(soup, expected):
    assert outline(body_of("<html><body>" + soup)) == f"body({expected})"


def test_upper_case_html_is_xhtml_afterwards():
    body = body_of("<HTML><BODY><P ALIGN=left>Loud<BR>and clear</P></BODY></HTML>")
    assert outline(body) == "body(p(Loudbr()and clear))"


def test_a_lower_case_root_does_not_hide_upper_case_html():
    assert outline(body_of("<html><BODY><P>x</P></BODY></html>")) == "body(p(x))"


def test_plain_text_becomes_a_page():
    assert outline(body_of("No markup at all")) == "body(p(No markup at all))"


def test_text_outside_the_body_is_kept():
    body = body_of("before<html><body><p>in</p></body>after</html>behind")
    assert "".join(body.itertext()) == "beforeinafterbehind"


def test_a_second_body_is_merged_into_the_first():
    body = body_of("<html><body class='a'><p>1<body class='b'><p>2")
    assert (outline(body), body.get("class")) == ("body(p(1)p(2))", "a")


def test_attributes_of_epub_are_in_their_namespaces():
    soup = '<p epub:type="pagebreak" xml:lang="la" o:odd="1" 1bad="x" class="a b">x<svg><image xlink:href="y.png">'
    body = body_of("<html lang=en><body>" + soup)
    paragraph = body[0]
    assert dict(paragraph.attrib) == {
        "{http://www.idpf.org/2007/ops}type": "pagebreak",
        "{http://www.w3.org/XML/1998/namespace}lang": "la",
        "class": "a b",
    }
    image = next(body.iter("{http://www.w3.org/2000/svg}image"))
    assert image.get("{http://www.w3.org/1999/xlink}href") == "y.png"
    assert body.getparent().get("lang") == "en"


def test_prefixes_that_the_document_declares_are_honoured():
    soup = (
        '<html xmlns:ops="http://www.idpf.org/2007/ops" xmlns:v="http://www.w3.org/2000/svg"><body>'
        '<p ops:type="footnote">x<v:title>y</v:title><o:p>z</o:p>'
    )
    body = body_of(soup)
    assert body[0].get("{http://www.idpf.org/2007/ops}type") == "footnote"
    assert [child.tag for child in body[0]] == ["{http://www.w3.org/2000/svg}title", f"{{{XHTML}}}span"]


def test_islands_are_in_their_namespaces_and_html_inside_them_is_html():
    body = body_of("<html><body><svg><foreignObject><p>h</p></foreignObject></svg><math><mi>x</mi></math><p>")
    assert [str(element.tag) for element in body.iter() if element.text] == [
        f"{{{XHTML}}}p",
        "{http://www.w3.org/1998/Math/MathML}mi",
    ]


@pytest.mark.parametrize(
    "declaration",
    [
        'xmlns:a="http://www.w3.org/XML/1998/namespace"',
        'xmlns:a="http://www.w3.org/2000/xmlns/"',
        'xmlns:xml="http://example.org/"',
        'xmlns:a="http://\ufffd/ not a URI"',
        'xmlns:A="http://example.org/a"',
    ],
)
def test_an_odd_prefix_declaration_does_no_harm(declaration):
    assert "x" in "".join(body_of(f"<html {declaration}><body><a:p a:b='c'>x</a:p><b><i></b>").itertext())


def test_two_prefixes_of_one_namespace_are_one_attribute():
    soup = '<html xmlns:ops="http://www.idpf.org/2007/ops"><body><p epub:type="a" ops:type="b">x<b>'
    assert body_of(soup)[0].get("{http://www.idpf.org/2007/ops}type") == "a"


@pytest.mark.parametrize("attributes", ['b"<![x"', "=<![x=", "'<![CDATA['", 'a="1"b="2"', "a='\"<![y]'"])
def test_quotes_astray_in_a_tag_do_not_open_anything(attributes):
    assert "".join(body_of(HEAD + f"<p {attributes}>x<b>").itertext()).endswith("x")


def test_the_first_of_two_equal_attributes_counts():
    assert body_of(HEAD + '<p id="a" id="b">x')[0].get("id") == "a"


def test_references_to_impossible_characters_are_dropped():
    assert "".join(body_of(HEAD + "<p>a&#xD800;b&#1;c<b>").itertext()) in ("abc", "a\ufffdbc")


def test_deep_nesting_without_end_tags_keeps_its_text():
    parsed = parse_markup((HEAD + "<span>" * 30_000 + "core").encode())
    assert "".join(parsed.root.itertext()) == "tcore"
    assert parsed.flattened > 29_000
    deepest = max(len(list(element.iterancestors())) for element in parsed.root.iter())
    assert deepest < MarkupLimits().depth


def test_unclosed_paragraphs_do_not_nest():
    parsed = parse_markup((HEAD + "<p>x" * 2_000).encode())
    assert (len(list(parsed.root.iter(f"{{{XHTML}}}p"))), parsed.flattened) == (2_000, 0)


def test_a_broken_page_over_the_limit_is_refused_by_name():
    with pytest.raises(MarkupLimitError) as caught:
        parse_markup((HEAD + "<p>x" * 100).encode(), limits=MarkupLimits(tolerant_tags=50))
    assert caught.value.limit == "tolerant_tags"


@pytest.mark.parametrize("hostile", ["<a ", '<a b="', "<a b='<c d=\"", "</", "<!", "<!-", "<a/", "<a =", "<p\n"])
def test_hostile_tags_are_read_in_linear_time(hostile):
    parsed = parse_markup((HEAD + hostile * 30_000).encode())
    assert parsed.tolerant
    assert etree.tostring(parsed.root)


def test_references_reach_the_tree_without_the_slow_parser(monkeypatch):
    given = []
    soup = tolerant._Soup
    monkeypatch.setattr(tolerant, "_Soup", lambda text, *a, **k: given.append(text) or soup(text, *a, **k))
    text = "<p title='&quot;&#38;&apos;'>a &amp; b &lt;i&gt; &#38;amp; &#60; &#150; &#233;</b>"
    root, _ = tolerant.parse_tolerantly(text, 100)
    assert "&" not in given[0]
    assert "".join(root.itertext()) == "a & b <i> &amp; < \u2013 \u00e9"
    assert root.find(".//{*}p").get("title") == "\"&'"
