"""Time of the writer: trees to Markdown, one construct at a time, 100 of each."""

import pytest
from lxml import etree
from markitect_filter.markdown import to_markdown
from markitect_filter.testing.books import page

from benchmarks.books import Dice, paragraph, sentence

_SENTENCE = sentence(Dice(6))
CONSTRUCTS = {
    "paragraph": paragraph(Dice(7)),
    "emphasis": f"<p>{'<em>low</em> and <strong>high</strong> water, ' * 8}</p>",
    "special characters": f"<p>{'a*b_c [d] 1. #e `f` | ' * 12}</p>",
    "link": f'<p><a href="https://example.org/a">{_SENTENCE}</a></p>',
    "inner link": f'<p id="a"><a href="#a">{_SENTENCE}</a></p>',
    "list": f"<ul>{'<li>rope</li>' * 10}</ul>",
    "nested list": f"<ul><li>rope{'<ol><li>chart' * 5}{'</li></ol>' * 5}</li></ul>",
    "table": f"<table>{'<tr><td>rope</td><td>12</td><td>quay</td></tr>' * 6}</table>",
    "quotation": f"<blockquote><p>{_SENTENCE}</p><p>{_SENTENCE}</p></blockquote>",
    "listing": f"<pre>{'count = 1  # of ropes' * 8}</pre>",
    "ruby": f"<p>{'<ruby>港<rt>みなと</rt></ruby>' * 8}</p>",
    "formula": '<p><math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math></p>',
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_construct_written(benchmark, name):
    root = etree.fromstring(page(CONSTRUCTS[name] * 100).encode())
    assert benchmark(to_markdown, root)
