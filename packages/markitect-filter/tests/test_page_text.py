"""The text of a page as its readers see it, for comparison."""

import pytest
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_filter.markup.parse import parse_markup
from markitect_filter.pagetext import PageText
from markitect_filter.testing.books import Book
from markitect_filter.testing.books import page as xhtml
from markitect_tool import normalize_source
from markitect_tool.errors import SourceError
from markitect_tool.source.messages import SourceReadRequest
from markitect_tool.source.model import SourceAsset
from markitect_tool.source.pages import source_pages


@pytest.fixture
def read():
    """The text of a page with this body."""
    return lambda body: PageText(parse_markup(xhtml(body).encode()).root.find("{*}body"))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>One\n  two</p><p>three</p>", "One two\n\nthree"),
        ("bare<div>block</div>bare", "bare\n\nblock\n\nbare"),
        ("<p>un<b>break</b>able <i> x</i></p>", "unbreakable x"),
        ("<p>one<br/>two</p>", "one\ntwo"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a\tb\nc"),
        ("<p>a</p><p> </p><hr/><p>b</p>", "a\n\nb"),
        ("<pre>a\n  b\n</pre><p>c</p>", "a\n  b\n\nc"),
        ("<p>a<!-- not --><?not this?>b</p>", "ab"),
        ("<p>a</p><script>not()</script><style>not</style><template>not</template>", "a"),
        ("<ruby>火<rp>(</rp><rt>か</rt><rp>)</rp></ruby>", "火か"),
        ('<p hidden="hidden">shown all the same</p>', "shown all the same"),
        ("<p>10\xa0km co\xadoperate</p>", "10\xa0km co\xadoperate"),
        ("", ""),
    ],
)
def test_text_is_folded_as_a_reader_sees_it(read, body, text):
    assert read(body).text == text


def test_anchors_say_where_in_the_text_they_are(read):
    found = read('<p id="a">One</p><p>two <b id="b">three</b><a name="c"/> four</p><p id="end"/>')
    assert {name: found.text[place:] for name, place in found.anchors.items()} == {
        "a": "One\n\ntwo three four",
        "b": "three four",
        "c": "four",
        "end": "",
    }


def test_first_of_equal_anchors_counts(read):
    assert read('<p id="a">One</p><p id="a">two</p>').anchors == {"a": 0}


def test_formulas_are_spans_of_the_text(read):
    math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi><mo>+</mo><mn>1</mn>{}</math>'
    found = read(f"<p>Let {math.format('<annotation>x+1</annotation>')} be {math.format('')}</p><math/>")
    assert [found.text[start:end] for start, end in found.formulas] == ["x+1", "x+1"]


def test_deep_page_has_its_text(read):
    assert read("<div>" * 200 + "core" + "</div>" * 200).text == "core"


def test_pages_of_a_book_come_in_reading_order_with_those_left_out():
    book = Book({"a.xhtml": "<p>One</p>", "nav.xhtml": "<p>x</p>", "b.xhtml": "<p>Two</p>"}).pack()
    document = normalize_source(book, uri="test:book", name="book.epub").document
    assert [(page.path, page.text) for page in source_pages(book, document)][::2] == [
        ("OPS/a.xhtml", "One"),
        ("OPS/b.xhtml", "Two"),
    ]


def test_page_that_cannot_be_read_is_passed_over():
    book = Book({"a.xhtml": "<p>One</p>", "b.xhtml": b"\0\x01\x02\x03" * 50, "c.xhtml": "<p>Three</p>"}).pack()
    document = normalize_source(book, uri="test:book", name="book.epub").document
    assert [page.text for page in source_pages(book, document)] == ["One", "Three"]


def test_pages_of_a_source_that_has_changed_are_refused():
    before, after = (Book({"a.xhtml": f"<p>{word}</p>"}).pack() for word in ("One", "Two"))
    document = normalize_source(before, uri="test:book", name="book.epub").document
    with pytest.raises(SourceError, match="has changed"):
        source_pages(after, document)


def test_limits_hold_for_pages_too():
    adapter = epub3_adapter_descriptor().factory()
    book = Book({"a.xhtml": "<p>One</p>", "b.xhtml": f"<p>{'Two ' * 900}</p>"}).pack(stored=True)
    request = SourceReadRequest(SourceAsset("test:book"), {"max_text_bytes": 1500}, book)
    assert [page.text for page in adapter.source_pages(request)] == ["One"]
