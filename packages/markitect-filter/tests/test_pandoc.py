"""pandoc reads in our Markdown what we meant: headings, notes, tables, links, pictures, formulas, code.

Its syntax tree is held against what the adapter says of the document, and for what that does not list against the
reading of markdown-it-py.
"""

import json
import os
import re
import subprocess
import zipfile
from collections import Counter
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote

import pypandoc
import pytest
from markdown_it import MarkdownIt
from markitect_filter.adapters import epub3_adapter_descriptor, html_adapter_descriptor
from markitect_filter.testing.books import Book
from markitect_tool import SourceAdapterRegistry, normalize_source
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

ROOT = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or ROOT.parent / "shared/corpus")
REGISTRY = SourceAdapterRegistry([epub3_adapter_descriptor(), html_adapter_descriptor()])
FORMAT = "commonmark+pipe_tables+strikeout+footnotes+tex_math_dollars"
REAL = [
    *sorted(CORPUS.glob("se/*.epub"))[:3],
    *(path for path in sorted(CORPUS.glob("idpf/*.epub")) if path.stem in ("epub30-spec", "kusamakura-preview")),
    *(path for path in sorted(CORPUS.glob("idpf/*.epub")) if path.stem in ("linear-algebra", "georgia-cfi")),
]
PAGE = """
<h1>Night &amp; <i>day</i> # 1</h1>
<p>Low<sup><a href="#n1" id="r1">1</a></sup>, salt<a role="doc-noteref" href="#n2">*</a> and low again<sup><a
href="#n1">1</a></sup>: <a href="log_(a).html?x=1&amp;y=2" title='The "log"'>the [log]</a>,
<a href="#low">below</a>.<br>~not~ ^this^ {nor} -- "that" :x: @y $5 <s>gone</s> x<sup>2</sup></p>
<pre><code class="language-py">x = "*"

y</code></pre>
<table><tr><th>a|b<th>*c*</tr><tr><td>1<br>2<td><code>d|e</code></table>
<ol start="4"><li><p>Four<p>more<ul><li>deep</ul><li>Five</ol>
<blockquote><p>Said<blockquote><p>again</blockquote></blockquote>
<h2 id="low">Low</h2><p>Let <math><mi>x</mi><mo>=</mo><mn>1</mn></math>. <img src="a b.png" alt="A [boat]"></p>
<p>1. no list</p><p># no heading</p><p>[^9]: no note</p><p>- no bullet</p>
<aside role="doc-footnote" id="n1"><p>Per barrel.</p><ul><li>worn</li></ul><p>Ends.</p></aside>
<aside role="doc-footnote" id="n2"><p>Per night.</p></aside>
"""


def pandoc(markdown, *arguments):
    ended = subprocess.run(
        [pypandoc.get_pandoc_path(), "-f", FORMAT, *arguments],
        input=markdown.encode(),
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (ended.returncode, ended.stderr.decode()) == (0, "")
    return ended.stdout


def elements(node, kind=None, *, notes=True):
    """Every element of a syntax tree, or those of a kind; without those in notes unless they are asked for."""
    if isinstance(node, dict):
        if kind is None or node.get("t") == kind:
            yield node
        if notes or node.get("t") != "Note":
            yield from elements(node.get("c"), kind, notes=notes)
    elif isinstance(node, list):
        for child in node:
            yield from elements(child, kind, notes=notes)


def words(node):
    """The text of a part of a syntax tree, without its notes."""
    parts = []
    for element in elements(node, notes=False):
        if element["t"] == "Str":
            parts.append(element["c"])
        elif element["t"] in ("Code", "CodeBlock", "Math"):
            parts.append(element["c"][1])
        elif element["t"] in ("Space", "SoftBreak", "LineBreak", "Para", "Plain"):
            parts.append(" ")
    return folded("".join(parts))


def folded(text):
    """`text` as pandoc leaves it: composed, and here with one blank between words."""
    return normalize("NFC", " ".join(text.split()))


def links(blocks, kind="Link"):
    return [(words(link["c"][1]), unquote(link["c"][2][0])) for link in elements(blocks, kind)]


def anchors(blocks):
    return [match[1] for raw in elements(blocks, "RawInline") if (match := re.match('<a id="([^"]*)">', raw["c"][1]))]


class Tree:
    """A document and pandoc's syntax tree of it."""

    def __init__(self, content, name):
        result = normalize_source(content, uri=name, registry=REGISTRY, options={"segment_by": "heading"})
        self.document = result.document
        self.blocks = json.loads(pandoc(self.document.markdown, "-t", "json"))["blocks"]

    def of(self, kind):
        return list(elements(self.blocks, kind))

    @property
    def kinds(self):
        return [block["t"] for block in self.blocks]

    @property
    def headings(self):
        return [(block["c"][0], words(block["c"][2])) for block in self.blocks if block["t"] == "Header"]


@pytest.fixture(scope="module")
def tree():
    return Tree(PAGE.encode(), "a.html")


def test_blocks_are_those_of_the_page(tree):
    assert tree.kinds == [
        *("Header", "Para", "CodeBlock", "Table", "OrderedList", "BlockQuote", "Header", "Para"),
        *("Para", "Para", "Para", "Para"),
    ]


def test_headings_have_level_and_text(tree):
    assert tree.headings == [(1, "Night & day # 1"), (2, "Low")]


def test_note_stands_at_each_reference_with_all_its_blocks(tree):
    assert [[block["t"] for block in note["c"]] for note in tree.of("Note")] == [
        ["Para", "BulletList", "Para"],
        ["Para"],
        ["Para", "BulletList", "Para"],
    ]
    assert [words(note["c"]) for note in tree.of("Note")] == [
        "Per barrel. worn Ends.",
        "Per night.",
        "Per barrel. worn Ends.",
    ]


def test_links_have_target_title_and_text(tree):
    assert links(tree.blocks) == [("the [log]", "log_(a).html?x=1&y=2"), ("below", "#low")]
    assert tree.of("Link")[0]["c"][2][1] == 'The "log"'
    assert anchors(tree.blocks) == ["low"]


def test_literal_text_is_literal(tree):
    assert '~not~ ^this^ {nor} -- "that" :x: @y $5 gone' in words(tree.blocks[1])
    assert [words(block) for block in tree.blocks[-4:]] == [
        "1. no list",
        "# no heading",
        "[^9]: no note",
        "- no bullet",
    ]


def test_table_has_its_cells(tree):
    table = tree.of("Table")[0]["c"]
    rows = [row[1] for row in (*table[3][1], *table[4][0][3])]
    assert [[words(cell[4]) for cell in row] for row in rows] == [["a|b", "*c*"], ["12", "d|e"]]


def test_code_keeps_lines_and_language(tree):
    assert tree.of("CodeBlock")[0]["c"] == [["", ["py"], []], 'x = "*"\n\ny']


def test_list_keeps_number_and_depth(tree):
    (start, *_), items = tree.of("OrderedList")[0]["c"]
    assert start == 4
    assert [[block["t"] for block in item] for item in items] == [["Para", "Para", "BulletList"], ["Para"]]


def test_formula_strike_picture_and_nested_quote(tree):
    assert [math["c"][1] for math in tree.of("Math")] == ["x = 1"]
    assert [words(gone["c"]) for gone in tree.of("Strikeout")] == ["gone"]
    assert links(tree.blocks, "Image") == [("A [boat]", "a b.png")]
    assert len(tree.of("BlockQuote")) == 2


def test_notes_across_the_documents_of_a_book_are_notes():
    chapters = {
        "a.xhtml": '<h1>One</h1><p>Low<a epub:type="noteref" href="n.xhtml#n1">1</a></p>',
        "b.xhtml": '<h1>Two</h1><p>Salt<a epub:type="noteref" href="n.xhtml#n2">2</a> <a href="a.xhtml">One</a></p>',
        "n.xhtml": '<section epub:type="endnotes"><ol><li epub:type="endnote" id="n1"><p>Worn.</p></li>'
        '<li epub:type="endnote" id="n2"><p>Ten.</p></li></ol></section>',
    }
    tree = Tree(Book(chapters).pack(), "a.epub")
    assert tree.headings == [(1, "One"), (1, "Two")]
    assert [words(note["c"]) for note in tree.of("Note")] == ["Worn.", "Ten."]
    assert [target for _, target in links(tree.blocks)] == [f"#{anchors(tree.blocks)[0]}"]


def test_filter_of_the_examples_keeps_places_beyond_html(tmp_path):
    lua = str(ROOT / "examples/pandoc/anchors.lua")
    markdown = Tree(b'<p><a href="#low">down</a><h2 id="low">Low</h2>', "a.html").document.markdown
    blocks = json.loads(pandoc(markdown, "--lua-filter", lua, "-t", "json"))["blocks"]
    assert anchors(blocks) == []
    assert [span["c"][0][0] for span in elements(blocks, "Span")] == ["low"]
    pandoc(markdown, "--lua-filter", lua, "-o", str(tmp_path / "a.docx"))
    with zipfile.ZipFile(tmp_path / "a.docx") as written:
        body = written.read("word/document.xml").decode()
    assert 'w:name="low"' in body
    assert 'w:anchor="low"' in body


@pytest.fixture(scope="module", params=REAL, ids=lambda path: path.stem)
def real(request):
    return Tree(request.param.read_bytes(), "book.epub")


needs_books = pytest.mark.skipif(not REAL, reason="no books: set MARKITECT_CORPUS to their folder")


def reading(document):
    """What markdown-it-py finds: links, pictures, tables, formulas and references to notes."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False).use(dollarmath_plugin, double_inline=True)
    found = []
    for token in parser.parse(document.markdown):
        found += [token, *(token.children or ())]
    return found


@needs_books
def test_headings_of_a_real_book_are_those_of_its_segments(real):
    segments = [segment for segment in real.document.segments if segment.heading is not None]
    assert real.headings == [(segment.heading_level, folded(segment.heading)) for segment in segments]


@needs_books
def test_notes_of_a_real_book_are_those_of_its_provenance(real):
    defined = [
        segment.markdown[span.start_offset : span.end_offset]
        for segment in real.document.segments
        for span in segment.provenance
        if span.metadata.get("kind") == "note"
    ]
    meant = {
        folded(words(json.loads(pandoc(text.partition("]:")[2].strip(), "-t", "json"))["blocks"]))
        for text in defined[:40]
    }
    found = [words(note["c"]) for note in real.of("Note")]
    assert meant <= set(found)
    assert len(found) == sum(token.type == "footnote_ref" for token in reading(real.document))
    assert len(set(found)) <= len(defined) <= len(found)


@needs_books
def test_links_pictures_tables_and_formulas_of_a_real_book_are_all_there(real):
    tokens = reading(real.document)
    found = Counter(element["t"] for element in elements(real.blocks))
    count = Counter(token.type for token in tokens)
    assert Counter(target for _, target in links(real.blocks)) == Counter(
        unquote(token.attrGet("href")) for token in tokens if token.type == "link_open"
    )
    assert [target for _, target in links(real.blocks, "Image")] == [
        unquote(token.attrGet("src")) for token in tokens if token.type == "image"
    ]
    assert found["Table"] == count["table_open"]
    assert found["Math"] == count["math_inline"] + count["math_block"] + count["math_inline_double"]


@needs_books
def test_links_of_a_real_book_lead_to_places_that_pandoc_sees(real):
    targets = {target[1:] for _, target in links(real.blocks) if target.startswith("#")}
    assert targets <= set(anchors(real.blocks))
