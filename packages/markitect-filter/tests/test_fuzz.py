"""A few changed books in every run of the suite; `make fuzz` makes as many as there is time for. And what it found."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_filter.testing.archives import METHOD, patched
from markitect_filter.testing.books import Book, ncx_page
from markitect_filter.testing.invariants import violations, violations_of_inspection
from markitect_filter.testing.mutation import KINDS, Mutation, mutated
from markitect_tool.source.messages import SourceInspectRequest, SourceReadRequest
from markitect_tool.source.model import SourceAsset

BODY = (
    '<h1 id="t">Tides</h1><p>Alpha<a epub:type="noteref" href="#n">1</a> <b>bo</b><i>ld</i> <a href="b.xhtml#t">b</a>'
    '</p><aside epub:type="footnote" id="n">1. note</aside><ul><li>one<ol start="4"><li>in</li></ol></li></ul>'
    '<table><tr><th colspan="2">h</th></tr><tr><td>a|b</td><td>c</td></tr></table><pre>code</pre>'
    '<figure><img src="p.png" alt="a"/><figcaption>caption</figcaption></figure>'
    '<span epub:type="pagebreak" title="7"/>'
)
POINT = '<navPoint><navLabel><text>A</text></navLabel><content src="a.xhtml#n"/></navPoint>'
MADE = Book({"a.xhtml": BODY, "b.xhtml": BODY}, {"OPS/p.png": b"x"}, ncx=ncx_page(POINT)).contents()
MEMBERS = [(name, content.encode() if isinstance(content, str) else content) for name, content in MADE.items()]
NUMBERS = st.integers(0, 2**16)


def problems(data):
    adapter, asset = epub3_adapter_descriptor().factory(), SourceAsset(uri="fuzz:book")
    inspected = adapter.inspect(SourceInspectRequest(asset, content=data))
    return violations_of_inspection(inspected) + violations(adapter.read(SourceReadRequest(asset, content=data)))


@given(st.lists(st.builds(Mutation, st.integers(0, KINDS - 1), NUMBERS, NUMBERS, NUMBERS), max_size=4))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_must_hold_holds_for_changed_books(changes):
    assert problems(mutated(MEMBERS, changes)) == []


def test_every_kind_of_change_changes_the_book():
    sound = mutated(MEMBERS, [])
    for kind in range(KINDS):
        changed = {mutated(MEMBERS, [Mutation(kind, n, n, 3 * n + 1)]) for n in range(1, 12)}
        assert changed - {sound}, Mutation(kind, 0, 0, 0).name


# What the fuzzer found, each as the smallest book that shows it.
FOUND = {
    "what stops a book was a warning": patched(Book({"a.xhtml": "<p>x</p>"}).pack(), "OPS/package.opf", METHOD, 14),
    "text inside a drawing's image was lost": Book(
        {"a.xhtml": '<p>x <svg xmlns="http://www.w3.org/2000/svg"><image xlink:href="p">y</image></svg></p>'}
    ).pack(),
    "an attachment of no known type had an empty one": Book(
        {"a.xhtml": '<p><a href="x">y</a></p>'}, {"OPS/x": b""}
    ).pack(),
    "text inside an image was lost": Book({"a.xhtml": '<p>x<img src="p" alt="a"><head>y</head></img></p>'}).pack(),
}


@pytest.mark.parametrize("finding", FOUND)
def test_a_finding_stays_fixed(finding):
    assert problems(FOUND[finding]) == []
