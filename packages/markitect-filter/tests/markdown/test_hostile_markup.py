"""Markup made to hurt: depth, width and repetition cost no more than their size, and end in Markdown.

The limit is far above what any case takes and far below what it would take if the time grew with the square.
"""

import time
from xml.parsers import expat

import pytest
from lxml import etree
from markitect_filter.markdown import to_markdown

DEPTH = 100_000
MANY = 20_000
LIMIT = 15.0  # seconds of processor time
XHTML = "http://www.w3.org/1999/xhtml"
OPEN = (
    f'<body xmlns="{XHTML}" xmlns:epub="http://www.idpf.org/2007/ops" xmlns:svg="http://www.w3.org/2000/svg" '
    'xmlns:xlink="http://www.w3.org/1999/xlink">'
)


def tree(content):
    """A tree as deep as the markup says: libxml2's own parser stops earlier."""
    builder = etree.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")

    def name(expanded):
        return f"{{{expanded}" if "}" in expanded else expanded

    def start(tag, attributes):
        builder.start(name(tag), {name(key): value for key, value in attributes.items()})

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: builder.end(name(tag))
    parser.CharacterDataHandler = builder.data
    parser.buffer_text = True
    parser.Parse(f"{OPEN}{content}</body>", True)
    return builder.close()


def convert(content):
    root = tree(content)
    started = time.process_time()
    markdown = to_markdown(root)
    assert time.process_time() - started < LIMIT
    return markdown


@pytest.mark.parametrize(
    "opening",
    [
        *("<div>", "<span>", "<em>", "<strong>", "<del>", "<code>", "<sup>", "<q>", "<a href='u'>", "<ruby>", "<pre>"),
        *("<ul>", "<ol>", "<ul><li>", "<dl><dt>", "<dl><dd>", "<blockquote>", "<h1>", "<table>", "<table><tr><td>"),
        *("<figure>", "<object data='d'>", "<svg:svg>", "<svg:g>", "<my-element>", "<li>", "<dd>"),
    ],
)
def test_depth(opening):
    count = DEPTH // max(1, opening.count("<"))
    closing = "".join(f"</{tag.split()[0]}" for tag in reversed(opening.replace("<p>a</p>", "").split("<")[1:]))
    closing = closing.replace(">", "").replace("</", "></")[1:] + ">"
    assert convert(opening * count + "word" + closing * count).count("word") == 1


@pytest.mark.parametrize("piece", ["*", "[", "`", "_a", "**a", "](", "![", "&lt;a", "&amp;", "$", "~", "\\", "|", "^["])
def test_text(piece):
    text = piece * MANY
    assert convert(f"<p>{text}</p><p><em>{text}</em> <a href='u'>{text}</a></p><table><tr><td>{text}</td></tr></table>")


@pytest.mark.parametrize(
    "element",
    [
        *("<span>a</span> ", "<em>a</em> ", "<em>a</em>b", "<em>a<b>c</b></em>d", '<i>"</i>a', "<code>a</code>b"),
        *("<a href='u'>a</a> ", "<a id='x'/>", "<br/>", "<br/>a", "<sup>2</sup>", "<q>a</q>", "<!-- c -->"),
        *(
            "<em> </em>",
            "<img src='i' alt='a'/>",
            "<input type='checkbox'/>",
            "<svg:svg><svg:title>t</svg:title></svg:svg>",
        ),
    ],
)
def test_one_paragraph(element):
    assert convert(f"<p>word{element * MANY}<a href='#x'>word</a></p>").startswith("wor")


@pytest.mark.parametrize(
    ("container", "element"),
    [
        ("table", "<tr><td>a</td><td>b</td></tr>"),
        ("table", "<tr><td rowspan='0'>a</td></tr>"),
        ("tr", "<td>a</td>"),
        ("ul", "<li>a</li>"),
        ("ol", "<li value='7'>a</li>"),
        ("dl", "<dt>a</dt>"),
        ("dl", "<dd>a</dd>"),
        ("section", "<ul><li>a</li></ul>"),
        ("section", "<h2>a <i>b</i></h2>"),
        ("section", "<p>a</p>"),
        ("td", "<ol><li>a</li></ol>"),
        ("pre", "<span>a\n</span>"),
    ],
)
def test_many_children(container, element):
    count = 10_000 if "rowspan" in element else MANY
    assert convert(f"<{container}>{element * count}</{container}>").count("a") >= count


def test_many_anchors():
    anchors = "".join(f"<a id='a{n}'/>" for n in range(MANY))
    links = "".join(f"<a href='#a{n}'>x</a> " for n in range(MANY))
    assert convert(f"<p>{anchors}</p><p>{links}</p>").count("[x](#a") == MANY


def test_emphasis_across_many_paragraphs():
    depth = 1000
    assert convert("<em><b><sup>" * depth + "<p>a</p>" * 10_000 + "</sup></b></em>" * depth).count("a") == 10_000


@pytest.mark.parametrize(
    "element",
    [
        '<p><a href="{}">a</a></p>',
        '<p><img src="i" alt="{}"/></p>',
        '<p><a href="u" title="{}">a</a></p>',
        '<pre class="{}">a</pre>',
        '<table><tr><td style="{}">a</td></tr></table>',
        '<ol start="{}"><li>a</li></ol>',
        '<p><img srcset="{}" alt="a"/></p>',
    ],
)
@pytest.mark.parametrize("piece", [" ", "brush: ", "text-align ", "* 9"])
def test_attribute_of_megabytes(element, piece):
    assert convert(element.format(piece * (5_000_000 // len(piece))))


def test_spans_of_a_hundred_million_cells():
    cell = "<td colspan='100000000' rowspan='100000000'>a</td>"
    markdown = convert(f"<table><tr>{cell * 1000}</tr>{'<tr><td>b</td></tr>' * 1000}</table>")
    assert markdown.count("b") == 1000
