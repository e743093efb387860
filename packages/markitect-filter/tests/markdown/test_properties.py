"""Random trees: nothing raises, nothing is lost, and writing what a parser makes of the Markdown changes nothing."""

import os
import re
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.builder import ElementMaker
from markitect_filter.markdown import to_markdown
from markitect_filter.markdown.finish import finish
from markitect_filter.markdown.marks import ANCHOR, Late, LinkTarget
from markitect_filter.markdown.references import Directive, PlainReferences
from markitect_filter.markdown.writer import Writer

XHTML = "http://www.w3.org/1999/xhtml"
make = ElementMaker(namespace=XHTML, nsmap={None: XHTML})
EXAMPLES = int(os.environ.get("MARKITECT_EXAMPLES", "250"))

_INLINE = "em i b strong del code kbd sup sub span a small cite q mark u ruby rt bdo my-word"
_BLOCK = """p div section blockquote ul ol li dl dt dd h1 h2 h3 pre table tr td th thead tbody caption figure
figcaption hr br details summary form address center my-block hgroup"""
_PIECES = r"""a b c word Wort word word é 火 山 1 2 10 _ * ** *** __ ~ ~~ ` `` ``` \ | $ $$ # ## ### #. - + = >
< [ ] ( ) ! ^ : & ; ' " . , … — “ ” € [^1] [^1]: ](x) [x]: <b> </b> <!-- --> &amp; &#35; http://a.b --- === ***
1. 1) - + ![ 2) ~~~"""
_SPACES = (" ", " ", " ", "  ", "\n", "\t", "\n\n", "\xa0", "\u2003", "\xad", "\u200b", "\u2028", "\x85")
INLINE, BLOCK, PIECES = _INLINE.split(), _BLOCK.split(), [*_PIECES.split(), *_SPACES]
SEPARATING = {*BLOCK, "q"} - {"my-block"}
VOID = {"br", "hr"}

text = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
attributes = st.fixed_dictionaries(
    {},
    optional={
        "href": st.sampled_from(
            ["http://a.b/c", "x(y", "a b", "#", "`", "$1$", "javascript:x", "<>", "&amp;", "a\\b", ""]
        ),
        "start": st.sampled_from(["4", "0", "-2", "999999999", "x"]),
        "title": st.sampled_from(["t", 'a "b" \\', "`$", "&lt;"]),
        "class": st.sampled_from(["language-c", "language-`"]),
        "colspan": st.sampled_from(["2", "0", "x"]),
        "rowspan": st.sampled_from(["2", "0"]),
        "align": st.sampled_from(["left", "right", "x"]),
        "hidden": st.just(""),
    },
)
no_attributes = st.just({})
tags = st.one_of(st.sampled_from(INLINE), st.sampled_from(BLOCK))


def element(children):
    return st.tuples(tags, st.one_of(no_attributes, no_attributes, attributes), st.lists(children, max_size=5))


trees = st.lists(st.recursive(text, element, max_leaves=14), max_size=4)


def build(tree):
    body = make.body()
    stack = [(body, iter(tree))]
    while stack:
        parent, nodes = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
        elif isinstance(node, str):
            if len(parent):
                parent[-1].tail = (parent[-1].tail or "") + node
            else:
                parent.text = (parent.text or "") + node
        else:
            tag, attributes, children = node
            child = make(tag, **attributes)
            parent.append(child)
            stack.append((child, iter(children if tag not in VOID else ())))
    return body


def visible_text(root):
    """The text that a person would read, blocks apart."""
    parts = []

    def enter(node):
        separate = etree.QName(node).localname in SEPARATING
        parts.append(" " * separate)
        if node.get("hidden") is None:
            parts.append(node.text or "")
            for child in node:
                enter(child)
                parts.append(child.tail or "")
        parts.append(" " * separate)

    enter(root)
    return "".join(parts)


def words(text):
    """Words, Chinese ones by character; numbers are left out, since lists bring their own."""
    found = re.findall(r"[\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+", text.replace("\xad", ""))
    return Counter(found)


check = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@check
@given(trees)
def test_every_character_is_accounted_for(tree):
    written = Writer(PlainReferences()).write(build(tree))
    assert written.ledger.balanced


@check
@given(trees)
def test_words_of_the_source_are_the_words_of_the_rendered_markdown(render, text_of, tree):
    body = build(tree)
    assert words(text_of(render(to_markdown(body)))) == words(visible_text(body))


@check
@given(trees)
def test_writing_the_rendered_markdown_changes_nothing(render, write, tree):
    markdown = to_markdown(build(tree))
    assert write(render(markdown)) == markdown


class LateReferences(PlainReferences):
    """Every link leads to a place in the document that may turn out not to exist."""

    def link(self, element, href):
        return LinkTarget(key=href)


@check
@given(trees, st.integers(0, 3))
def test_links_and_anchors_that_come_to_nothing_leave_the_text_alone(render, text_of, tree, kept):
    body = build(tree)
    late = Late()
    places = {element: late.add(ANCHOR, "a") for element in body.iter("{*}span", "{*}em", "{*}td")}
    hidden = {element: Directive(skip="hidden") for element in body.iter() if element.get("hidden") is not None}
    writer = Writer(LateReferences(), late, hidden, places)
    written = writer.write(body)

    def resolve(kind, number, offset):
        shown = {"L": "[", "M": "](#a)", "A": '<a id="a"></a>'}[kind]
        place = 0 if kind == "A" else 1  # both ends of a link share their fate
        return shown if kept >> place & 1 else ""

    assert written.ledger.balanced
    finished = finish("\n\n".join(written.blocks).encode(), resolve).decode()
    assert words(text_of(render(finished))) == words(visible_text(body))
