"""Searches of a document's tree: the quick ones find what a walk over every element finds."""

import os

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from markitect_filter.documents import pages
from markitect_filter.documents.anchors import find_anchors
from markitect_filter.documents.attributes import find_attributes
from markitect_filter.documents.notes import blocks
from markitect_filter.documents.semantics import find_typed
from markitect_filter.documents.xml_names import OPS, XHTML, XML
from markitect_filter.epub3.roles import boilerplate, roles
from markitect_filter.epub3.roles.boilerplate import find_boilerplate

EXAMPLES = int(os.environ.get("MARKITECT_EXAMPLES", "200"))
ID, XML_ID, TYPE = "id", f"{{{XML}}}id", f"{{{OPS}}}type"

names = st.sampled_from(["a", "b", " a ", "", "c d", "%61"])
types = st.sampled_from(["noteref", "footnote note", "z3998:roman", "se:name z3998:x note", ""])
attributes = st.dictionaries(st.sampled_from([ID, XML_ID, "name"]), names).flatmap(
    lambda given: st.dictionaries(st.sampled_from([TYPE, "role"]), types).map(lambda more: given | more)
)
texts = st.sampled_from(
    [
        "",
        "Salt",
        "[1]",
        " \n*** START OF THE\nPROJECT GUTENBERG EBOOK SALT ***",
        "*** END OF THIS Project Gutenberg EBook ***",
        "*END*THE SMALL\nPRINT",
        "START: FULL LICENSE",
        "\n[ Transcriber\u2019s  Note: the spelling was kept.",
        "TRANSCRIBERS NOTE",
        "\xa0Transcriber's notes",
    ]
)


@st.composite
def bodies(draw):
    """A body with some elements in each other, in any of which there may be text and attributes."""
    root = etree.Element(f"{{{XHTML}}}html", draw(attributes))
    open_elements = [etree.SubElement(root, f"{{{XHTML}}}body", draw(attributes))]
    for _ in range(draw(st.integers(0, 8))):
        parent = draw(st.sampled_from(open_elements))
        element = etree.SubElement(parent, f"{{{XHTML}}}{draw(st.sampled_from(['a', 'p', 'h2']))}", draw(attributes))
        element.text, element.tail = draw(texts), draw(texts)
        open_elements.append(element)
    return open_elements[0]


@settings(max_examples=EXAMPLES, deadline=None)
@given(bodies())
def test_elements_that_say_what_they_are(body):
    def values(element, name):
        return tuple(value for value in element.get(name, "").split() if ":" not in value)

    told = [(element, values(element, TYPE), values(element, "role")) for element in body.iterdescendants()]
    assert [(typed.element, typed.types, typed.roles) for typed in find_typed(body, find_attributes(body))] == [
        (element, types, roles) for element, types, roles in told if types or roles
    ]


def test_no_value_that_is_asked_for_is_a_word_of_another_vocabulary():
    asked = {*blocks.NOTE, *pages._BREAK, *roles._ROLE_OF_TYPE}
    assert not any(":" in value for value in asked)


@settings(max_examples=EXAMPLES, deadline=None)
@given(bodies())
def test_anchors(body):
    above = body.getparent()
    places = [((above.get(ID) or above.get(XML_ID) or "").strip(), body)]
    places += [(element.get(ID, "").strip(), element) for element in body.iter()]
    for element in body.iter():
        named = element.get("name", "") if etree.QName(element).localname == "a" else ""
        places += [(element.get(XML_ID, "").strip(), element), (named.strip(), element)]
    expected = {}
    for name, element in places:
        if name:
            expected.setdefault(name, element)
    if "%61" in expected:
        expected.setdefault("a", expected["%61"])
    assert list(find_anchors("x", body, find_attributes(body)).elements.items()) == list(expected.items())


@settings(max_examples=EXAMPLES, deadline=None)
@given(bodies())
def test_boilerplate_is_only_looked_for_where_it_may_be(body):
    found = find_boilerplate(body)
    quick, boilerplate._may_mark = boilerplate._may_mark, lambda text: True
    try:
        assert find_boilerplate(body) == found
    finally:
        boilerplate._may_mark = quick


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.text("ab1 \n[]", max_size=400), st.text("ab1 ", max_size=60))
def test_block_that_is_too_long_for_a_label_is_known_by_its_start(text, linked):
    block = etree.Element("p")
    block.text = text[: len(text) // 2]
    link = etree.SubElement(block, "a")
    link.text, link.tail = linked, text[len(text) // 2 :]
    found = blocks.is_only_label(block, {"1"}, [link])
    looks = blocks._text, blocks._shows_long_text
    blocks._text, blocks._shows_long_text = lambda element: "", lambda block, without: False
    try:
        assert blocks.is_only_label(block, {"1"}, [link]) is found
    finally:
        blocks._text, blocks._shows_long_text = looks
