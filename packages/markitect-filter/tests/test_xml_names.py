"""Names and attributes in parsed XML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markitect_filter.documents.xml_names import attribute, attributes_of, collapse


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters=" \t\n\r")))
def test_an_attribute_is_its_value_collapsed(value):
    element = etree.Element("a")
    try:
        element.set("b", value)
    except ValueError:  # no character of XML
        return
    assert attribute(element, "b") == attributes_of(element).get("b") == (collapse(value) or None)


@pytest.mark.parametrize("value", ["", " ", "\n \t"])
def test_a_blank_attribute_is_none(value):
    assert attribute(etree.Element("a", b=value), "b") is None
    assert attributes_of(etree.Element("a", b=value, c="d")) == {"c": "d"}
    assert attribute(etree.Element("a"), "b") is None
