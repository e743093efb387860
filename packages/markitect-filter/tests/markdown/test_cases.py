"""The case files: docs/canonical-markdown.md, which specifies the dialect, and tests/cases/*.md."""

import pytest
from lxml import etree
from markitect_filter.markdown import to_markdown


def test_case(case, write):
    assert write(case.markup) == case.markdown


def test_case_read_back_is_written_the_same(case, write, render):
    if "<math" in case.markup:
        pytest.skip("the parser leaves formulas to its caller")
    assert write(render(case.markdown)) == case.markdown


def test_upper_case_names_and_names_without_namespace_are_known():
    root = etree.fromstring("<BODY><H1>Title</H1><P>one <B>two</B></P><p>three</p></BODY>")
    assert to_markdown(root) == "# Title\n\none **two**\n\nthree"


def test_what_follows_the_root_is_not_written():
    root = etree.fromstring("<div><p>inside</p>outside</div>")
    assert to_markdown(root[0]) == "inside"
