"""End tags of structural XML that match nothing do not end what they are in."""

import time

import pytest
from markitect_filter.markup.balance import balance_end_tags
from markitect_filter.markup.parse import parse_xml


def outline(element):
    """The tree as text: every element as its name with its content in parentheses."""
    inner = (element.text or "") + "".join(outline(child) + (child.tail or "") for child in element)
    return f"{element.tag}({inner})"


@pytest.mark.parametrize(
    ("markup", "tree"),
    [
        ("<p><m><t>x</t></t><c>y</c></m><s/></p>", "p(m(t(x)c(y))s())"),
        ("<p><m><t>x</t></t></t></m></m><s/></p>", "p(m(t(x))s())"),
        ("<p><m></t><c/></m><s/></p>", "p(m(c())s())"),
        ("<p><m/></m><s/></p>", "p(m()s())"),
        ("<p><m><t>x</T><c>y</c></m><s/></p>", "p(m(t(x)c(y))s())"),
        ("<p><m><t>x</m><s/></p>", "p(m(t(x))s())"),
        ("<p><m><t></p><s/></p>", "p(m(t())s())"),
        ("<p><m/></p><s/>", "p(m()s())"),
        ("<p><!-- </m> <m> --><m><t>x</t></t><c/></m></p>", "p(m(t(x)c()))"),
        ("<p><m><t><![CDATA[</m>]]></t></t><c/></m></p>", "p(m(t(</m>)c()))"),
        ("<p><m><?x </m> ?><t/></t></m><s/></p>", "p(m(t())s())"),
        ("<p><m a=\"/>\" b='>'><t/></t><c/></m><s/></p>", "p(m(t()c())s())"),
        ("<p><m><t>x</t ></t ><c/></m></p>", "p(m(t(x)c()))"),
    ],
)
def test_end_tag_ends_the_element_of_its_name(markup, tree):
    parsed = parse_xml(markup.encode())
    assert (outline(parsed.root), parsed.tolerant, parsed.error is not None) == (tree, True, True)


def test_well_formed_text_is_left_as_it_is():
    text = '<?xml version="1.0"?>\n<p a="1>2"><!-- </p> --><m>x<t/>y</m> <s></s >\n</p>\n'
    assert balance_end_tags(text) == text.replace("</s >", "</s>")


def test_prefix_is_part_of_the_name():
    data = b'<p xmlns:d="urn:d"><m><d:t>x</d:t></t><c/></m><s/></p>'
    assert outline(parse_xml(data).root) == "p(m({urn:d}t(x)c())s())"


@pytest.mark.parametrize(
    "piece", ["</x>", "<a>", "<a></b>", "<a>x</b>", '<a b="', "<a b='\"", "<!--", "<![CDATA[", "<?", "</", "<a></p>"]
)
def test_time_grows_with_the_length_only(piece):
    start = time.perf_counter()
    balance_end_tags("<p>" + piece * 200_000)
    assert time.perf_counter() - start < 5
