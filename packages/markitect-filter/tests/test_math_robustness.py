"""What holds for every formula: it converts, stands between dollars, and keeps its text. Random trees, hostile
ones, and the formulas of real books.

Needs the books of `MARKITECT_CORPUS` (default `../shared/corpus` beside the repository) for the last part.
"""

import os
import re
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from markitect_filter.markdown.math import content, math_to_tex, presentation

CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or Path(__file__).parents[3].parent / "shared/corpus")
MATH = "{http://www.w3.org/1998/Math/MathML}math"
TOKENS = ["mi", "mn", "mo", "mtext"]
LAYOUT = sorted(presentation.HANDLERS.keys() - {"maction", "mglyph", "mspace"})
CONTENT = sorted(content.HANDLERS)
OTHERS = ["maction", "mspace", "annotation", "blink", "{http://www.w3.org/1999/xhtml}p"]
#: Letters of no TeX command and no environment, so that they can be counted in the output.
COUNTED = "жщю中"
ATTRIBUTES = {
    "open": ["|", "", "(", "x"],
    "close": ["|", "", "}", "$"],
    "separators": ["", ";"],
    "linethickness": ["0"],
    "bevelled": ["true"],
    "mathvariant": ["bold", "script", "normal"],
    "notation": ["box left", "radical"],
    "columnalign": ["right left", "left"],
    "columnlines": ["solid"],
    "rowlines": ["solid"],
    "frame": ["solid"],
    "columnspan": ["3", "-1", "99999999999"],
    "width": ["-1em", "2em", "wide"],
    "selection": ["2", "0", "x"],
    "form": ["prefix", "postfix"],
    "type": ["rational", "vector"],
    "encoding": ["TeX"],
    "alttext": ["x^{2", "x^2", "|$"],
}
ATTRIBUTE = st.sampled_from(sorted(ATTRIBUTES)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from(ATTRIBUTES[name]))
)


def trees(names, token_text, leaves, stray):
    """Elements with the given names over token elements with the given text."""

    def element(name, text, tail, attributes, children):
        result = etree.Element(name, dict(attributes))
        result.text, result.tail = text, tail
        result.extend(children)
        return result

    attributes = st.lists(ATTRIBUTE, max_size=2)
    leaf = st.builds(element, st.sampled_from(leaves), token_text, stray, attributes, st.just([]))
    return st.recursive(
        leaf,
        lambda inner: st.builds(element, st.sampled_from(names), stray, stray, attributes, st.lists(inner, max_size=4)),
        max_leaves=12,
    ).map(lambda tree: element("math", None, None, [], [tree]))


TEXT = st.text(st.sampled_from("xA17 (){}[]|<>+-=,;.!'\"`~^_%#&$\\/:*@αℝ𝐀−∑∫→⏟¯′‖⟨\u2062\u0302\xa0\n"), max_size=4)
ANY_TREE = trees(LAYOUT + CONTENT + OTHERS, TEXT, [*TOKENS, "ci", "cn", "ms", "mspace"], TEXT)
COUNTED_TEXT = st.text(st.sampled_from(COUNTED), max_size=3)
KEEPING_TREE = trees(LAYOUT, COUNTED_TEXT, [*TOKENS, "ms"], COUNTED_TEXT)


def assert_stands_between_dollars(tex):
    assert tex
    assert tex == tex.strip()
    assert len(tex.splitlines()) == 1
    assert not re.search(r"[\x00-\x1f]", tex)
    without_pairs = re.sub(r"\\[^A-Za-z]", "", tex)
    assert "$" not in without_pairs
    assert not without_pairs.endswith("\\")
    assert "|" not in re.sub(r"\\begin\{array\}\{[lcr|]*\}", "", without_pairs)
    depth = 0
    for brace in re.findall("[{}]", without_pairs):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    assert Counter(re.findall(r"\\begin(\{.*?\})", tex)) == Counter(re.findall(r"\\end(\{.*?\})", tex))
    assert len(re.findall(r"\\left(?![a-z])", tex)) == len(re.findall(r"\\right(?![a-z])", tex))


@settings(deadline=None)
@given(ANY_TREE)
def test_any_tree_becomes_tex_that_stands_between_dollars(tree):
    math = math_to_tex(tree)

    if math is not None:
        assert_stands_between_dollars(math.tex)


@settings(deadline=None)
@given(KEEPING_TREE)
def test_no_text_is_lost_and_none_is_doubled(tree):
    math = math_to_tex(tree)

    def counted(text):
        return Counter(char for char in text if char in COUNTED)

    assert counted(math.tex if math else "") == counted("".join(tree.itertext()))


@settings(deadline=None)
@given(st.text(st.sampled_from(r"\{}$|%&a ^_" + "\n"), max_size=12))
def test_any_annotation_is_fit_or_refused(tex):
    math = etree.fromstring("<math><semantics><mi>x</mi><annotation encoding='TeX'/></semantics></math>")
    math.find(".//annotation").text = tex

    assert_stands_between_dollars(math_to_tex(math).tex)


def nested(name, depth):
    """`depth` elements around one letter. All are kept at hand while building, which lxml needs to be linear."""
    elements = [etree.Element("math")]
    for _ in range(depth):
        elements.append(etree.SubElement(elements[-1], name))
    etree.SubElement(elements[-1], "mi").text = "x"
    return elements[0]


@pytest.mark.parametrize("name", ["mrow", "mstyle", "semantics"])
def test_deep_groups_are_looked_through(name):
    assert math_to_tex(nested(name, 100_000)).tex == "x"


@pytest.mark.parametrize("name", ["msqrt", "mfenced", "mtable", "mtext", "apply", "annotation", "blink"])
def test_too_deep_nesting_keeps_its_text(name):
    math = math_to_tex(nested(name, 100_000))

    assert math.tex == r"\text{x}"
    assert math.problems


def test_deep_fences_in_one_row():
    math = math_to_tex(etree.fromstring(f"<math>{'<mo>(</mo>' * 20_000}<mi>x</mi>{'<mo>)</mo>' * 20_000}</math>"))

    assert math.tex == "(" * 20_000 + "x" + ")" * 20_000


def test_a_span_does_not_blow_up_the_table():
    cell = '<mtd columnspan="1000000000"><mi>x</mi></mtd>'

    math = math_to_tex(etree.fromstring(f"<math><mtable><mtr>{cell * 100}</mtr></mtable></math>"))

    assert len(math.tex) < 20_000


def formulas(book):
    with zipfile.ZipFile(book) as archive:
        for name in archive.namelist():
            data = archive.read(name) if name.endswith(("html", ".htm")) else b""
            if b"math" in data:
                yield from etree.fromstring(data, etree.XMLParser(recover=True, huge_tree=True)).iter(MATH)


def tokens_of(formula):
    """Letters and digits of identifiers and numbers."""
    text = "".join("".join(token.itertext()) for token in formula.iter("{*}mi", "{*}mn"))
    return Counter(char for char in text if char.isascii() and char.isalnum())


LINEAR_ALGEBRA = CORPUS / "idpf/linear-algebra.epub"


@pytest.mark.skipif(not LINEAR_ALGEBRA.exists(), reason="no linear-algebra book: set MARKITECT_CORPUS")
def test_every_formula_of_the_linear_algebra_book():
    count = 0
    for formula in formulas(LINEAR_ALGEBRA):
        count += 1
        math = math_to_tex(formula)

        assert (math.source, math.problems) == ("presentation", ())
        assert_stands_between_dollars(math.tex)
        assert not tokens_of(formula) - Counter(re.sub(r"\\(?:begin|end)\{\w+\}(?:\{[lcr|]+\})?", "", math.tex))
    assert count > 10_000


OTHER_BOOKS = sorted(CORPUS.glob("w3c/*mathml*.epub")) + sorted(CORPUS.glob("epubcheck/*mathml*.epub"))


@pytest.mark.skipif(not OTHER_BOOKS, reason="no books with MathML: set MARKITECT_CORPUS")
def test_formulas_of_the_specifications_books():
    found = [math_to_tex(formula) for book in OTHER_BOOKS for formula in formulas(book)]

    assert [math.tex for math in found if math] == ["x = (a + b)^{2}", "2x+y - z"]


def test_a_length_without_end_is_none():
    width = "1" * 1_000_000 + "!"  # hours, if every way to split the digits were tried
    math = etree.fromstring(
        f'<math xmlns="http://www.w3.org/1998/Math/MathML"><mspace width="{width}"/><mi>x</mi></math>'
    )
    assert math_to_tex(math).tex == "x"
