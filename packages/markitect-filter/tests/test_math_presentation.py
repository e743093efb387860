"""Presentation MathML to TeX: a table of cases, one construct each."""

import pytest
from lxml import etree
from markitect_filter.markdown.math import math_to_tex

TOKENS = [
    ("letters side by side", "<mi>x</mi><mi>y</mi>", "xy"),
    ("a command is kept off the letter behind it", "<mi>α</mi><mi>x</mi><mi>β</mi>", r"\alpha x\beta"),
    ("a command is kept off a letter of any script", "<mi>φ</mi><mi>ħ</mi><mi>α</mi><mi>ж</mi>", r"\varphi ħ\alpha ж"),
    ("infix operators stand free", "<mi>a</mi><mo>+</mo><mi>b</mi><mo>≤</mo><mi>c</mi>", r"a + b \le c"),
    ("a sign stands close", "<mo>−</mo><mi>x</mi><mo>=</mo><mo>−</mo><mn>1</mn>", "-x = -1"),
    ("invisible times between digits", "<mn>2</mn><mo>&#x2062;</mo><mn>3</mn>", r"2\,3"),
    ("invisible times elsewhere", "<mn>2</mn><mo>&#x2062;</mo><mi>x</mi>", "2x"),
    ("function application", "<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", r"\sin x"),
    ("function name without a command", "<mi>rank</mi><mi>A</mi>", r"\operatorname{rank}A"),
    ("function name as operator", "<mo> det</mo><mi>A</mi>", r"\det A"),
    ("upright", '<mi mathvariant="normal">d</mi>', r"\mathrm{d}"),
    ("bold", '<mi mathvariant="bold">v</mi>', r"\mathbf{v}"),
    ("bold Greek", '<mi mathvariant="bold">α</mi>', r"\boldsymbol{\alpha}"),
    ("double-struck by attribute", '<mi mathvariant="double-struck">R</mi>', r"\mathbb{R}"),
    ("double-struck by character", "<mi>ℝ</mi>", r"\mathbb{R}"),
    ("bold script", '<mi mathvariant="bold-script">ℛ</mi>', r"\boldsymbol{\mathcal{R}}"),
    ("mathematical alphabet", "<mi>𝐀</mi><mi>𝔤</mi><mi>𝛼</mi>", r"\mathbf{A}\mathfrak{g}\alpha"),
    ("letter with a combining mark", "<mi>x&#x302;</mi>", r"\hat{x}"),
    ("comma in a number", "<mn>1,000.5</mn>", "1{,}000.5"),
    ("blank in a number", "<mn>1 000</mn>", r"1\,000"),
    ("hexadecimal number", "<mn>0xFF</mn>", r"\mathrm{0xFF}"),
    ("words", "<mtext>for all</mtext><mi>x</mi>", r"\text{for all}x"),
    ("words with blanks at the edge", "<mtext> if&#xa0;</mtext>", r"\text{ if }"),
    ("words on lines of their own", "<mtext>\n  if\n</mtext>", r"\text{if}"),
    ("specials in words", "<mtext>#%&amp;_{}$</mtext>", r"\text{\#\%\&\_\{\}\$}"),
    ("a backslash in words", "<mtext>\\</mtext>", r"\text{\textbackslash{}}"),
    ("hat, tilde and bar in words", "<mtext>^~|</mtext>", r"\text{\textasciicircum{}\textasciitilde{}\textbar{}}"),
    ("a symbol in words", "<mtext>a ≤ b</mtext>", r"\text{a }\le\text{ b}"),
    ("specials as symbols", "<mo>#</mo><mo>%</mo><mo>$</mo><mo>&amp;</mo><mo>_</mo>", r"\#\%\$\&\_"),
    ("multi-character operators", "<mi>x</mi><mo>:=</mo><mi>y</mi><mo>!=</mo><mi>z</mi>", r"x := y \ne z"),
    ("quoted string", "<ms>hi</ms>", r'\text{"hi"}'),
    ("quoted string, own quotes", '<ms lquote="«" rquote="»">hi</ms>', r"\text{«hi»}"),
    ("wide space", '<mi>x</mi><mspace width="2em"/><mi>y</mi>', r"x\qquad y"),
    ("thin space", '<mi>x</mi><mspace width="thinmathspace"/><mi>y</mi>', r"x\,y"),
    ("negative space", '<mi>x</mi><mspace width="-3px"/><mi>y</mi>', r"x\!y"),
    ("thin space behind a comma", '<mi>x</mi><mo>,</mo><mspace width="0.2em"/><mi>y</mi>', "x, y"),
    ("picture of a character", '<mi>x</mi><mglyph src="a.png" alt="ring"/>', r"x\text{ring}"),
    ("a character without a command", "<mi>♦</mi><mi>中</mi>", "♦中"),
]

LAYOUT = [
    ("fraction", "<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", r"\frac{a}{b + 1}"),
    ("bevelled fraction", '<mfrac bevelled="true"><mi>a</mi><mi>b</mi></mfrac>', "a/b"),
    (
        "binomial coefficient",
        '<mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>',
        r"\binom{n}{k}",
    ),
    (
        "fraction without a line",
        '<mfrac linethickness="0pt"><mi>n</mi><mi>k</mi></mfrac>',
        r"\genfrac{}{}{0pt}{}{n}{k}",
    ),
    ("square root of a row", "<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", r"\sqrt{a + b}"),
    ("cube root", "<mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt[3]{x}"),
    ("bracket in a root's index", "<mroot><mi>x</mi><mo>]</mo></mroot>", r"\sqrt[{]}]{x}"),
    ("subscript", "<msub><mi>x</mi><mi>i</mi></msub>", "x_{i}"),
    ("both scripts", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_{1}^{2}"),
    ("script on a sum", "<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup>", "{a + b}^{2}"),
    ("script on parentheses", "<msup><mfenced><mi>x</mi></mfenced><mn>2</mn></msup>", "(x)^{2}"),
    ("script on a script", "<msup><msup><mi>x</mi><mn>2</mn></msup><mn>3</mn></msup>", "{x^{2}}^{3}"),
    ("script on a relation with one", "<msub><msub><mo>=</mo><mi>a</mi></msub><mi>b</mi></msub>", "{=_{a}}_{b}"),
    ("script without a base", "<msub><mrow/><mi>i</mi></msub>", "{}_{i}"),
    ("prime", "<msup><mi>f</mi><mo>′</mo></msup><msup><mi>f</mi><mo>″</mo></msup>", "f'f''"),
    ("prime beside a script", "<msup><mi>x</mi><mn>2</mn></msup><mo>′</mo>", "x^{2}{}'"),
    ("star as a script", "<msup><mi>A</mi><mo>*</mo></msup>", r"A^{\ast}"),
    ("degrees", "<msup><mn>90</mn><mo>°</mo></msup>", r"90^{\circ}"),
    (
        "limits of a sum",
        "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
        r"\sum_{i = 1}^{n}i",
    ),
    ("limits of an integral", "<munderover><mo>∫</mo><mn>0</mn><mn>1</mn></munderover>", r"\int\limits_{0}^{1}"),
    (
        "limit",
        "<munder><mo>lim</mo><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>x</mi>",
        r"\lim_{x \to 0}x",
    ),
    ("limit under a name of its own", "<munder><mi>argmax</mi><mi>x</mi></munder>", r"\operatorname*{argmax}_{x}"),
    (
        "lines under a sum",
        "<munder><mo>∑</mo><mtable><mtr><mtd><mi>i</mi></mtd></mtr><mtr><mtd><mi>j</mi></mtd></mtr></mtable></munder>",
        r"\sum_{\substack{i \\ j}}",
    ),
    ("accent on a letter", "<mover><mi>x</mi><mo>^</mo></mover>", r"\hat{x}"),
    ("accent on letters", "<mover><mrow><mi>a</mi><mi>b</mi></mrow><mo>^</mo></mover>", r"\widehat{ab}"),
    ("vector", "<mover><mi>v</mi><mo>→</mo></mover>", r"\vec{v}"),
    ("bar", "<mover><mi>x</mi><mo>¯</mo></mover>", r"\bar{x}"),
    ("line over a row", "<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>‾</mo></mover>", r"\overline{AB}"),
    ("line under", "<munder><mi>x</mi><mo>_</mo></munder>", r"\underline{x}"),
    (
        "brace with a label",
        "<munder><munder><mi>x</mi><mo>⏟</mo></munder><mtext>all</mtext></munder>",
        r"\underbrace{x}_{\text{all}}",
    ),
    ("brace above with a label", "<mover><mover><mi>x</mi><mo>⏞</mo></mover><mi>n</mi></mover>", r"\overbrace{x}^{n}"),
    (
        "arrow with labels",
        "<mi>A</mi><munderover><mo>→</mo><mi>g</mi><mi>h</mi></munderover><mi>B</mi>",
        r"A \xrightarrow[g]{h} B",
    ),
    (
        "words over a relation",
        "<mi>a</mi><mover><mo>=</mo><mtext>def</mtext></mover><mi>b</mi>",
        r"a \overset{\text{def}}{=} b",
    ),
    ("something under a letter", "<munder><mi>u</mi><mi>k</mi></munder>", r"\underset{k}{u}"),
    (
        "scripts before the base",
        "<mmultiscripts><mi>X</mi><mi>a</mi><mi>b</mi><mprescripts/><mi>c</mi><none/></mmultiscripts>",
        "{}_{c}X_{a}^{b}",
    ),
    ("box", '<menclose notation="box"><mi>x</mi></menclose>', r"\boxed{x}"),
    ("strike", '<menclose notation="updiagonalstrike"><mi>x</mi></menclose>', r"\cancel{x}"),
    ("phantom", "<mi>x</mi><mphantom><mi>y</mi></mphantom>", r"x\phantom{y}"),
    ("style", '<mstyle mathvariant="bold"><mi>x</mi></mstyle>', r"\mathbf{x}"),
    ("action shows the first", "<maction><mi>a</mi><mi>b</mi></maction>", "a"),
    ("action with a selection", '<maction selection="2"><mi>a</mi><mi>b</mi></maction>', "b"),
    ("error keeps its words", "<merror><mtext>bad</mtext></merror>", r"\text{bad}"),
    ("padding", '<mpadded width="0"><mi>x</mi></mpadded>', "x"),
    ("absent children", "<mfrac><mi>a</mi></mfrac>", r"\frac{a}{}"),
    ("surplus children", "<msub><mi>x</mi><mn>1</mn><mn>2</mn></msub>", "x_{1}2"),
]

FENCES = [
    ("flat content", "<mi>f</mi><mo>(</mo><mi>x</mi><mo>)</mo>", "f(x)"),
    ("tall content", "<mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo>", r"\left(\frac{a}{b}\right)"),
    ("half-open interval", "<mo>[</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo>", "[0, 1)"),
    ("braces", "<mo>{</mo><mi>a</mi><mo>}</mo>", r"\{a\}"),
    ("absolute value", "<mo>|</mo><mi>x</mi><mo>|</mo>", r"\lvert x\rvert"),
    (
        "two absolute values",
        "<mo>|</mo><mi>x</mi><mo>|</mo><mo>|</mo><mi>y</mi><mo>|</mo>",
        r"\lvert x\rvert\lvert y\rvert",
    ),
    ("norm", "<mo>‖</mo><mi>x</mi><mo>‖</mo>", r"\lVert x\rVert"),
    (
        "bar that divides",
        "<mo>{</mo><mi>x</mi><mo>|</mo><mi>x</mi><mo>&gt;</mo><mn>0</mn><mo>}</mo>",
        r"\{x \mid x > 0\}",
    ),
    (
        "bars that divide in two parentheses",
        "<mi>P</mi><mo>(</mo><mi>A</mi><mo>|</mo><mi>B</mi><mo>)</mo><mi>P</mi><mo>(</mo><mi>C</mi><mo>|</mo><mi>D</mi><mo>)</mo>",
        r"P(A \mid B)P(C \mid D)",
    ),
    ("bar with a form", '<mo form="prefix">|</mo><mi>x</mi><mo form="postfix">|</mo>', r"\lvert x\rvert"),
    ("no partner", "<mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac>", r"(\frac{a}{b}"),
    ("mfenced", "<mfenced><mi>x</mi><mi>y</mi></mfenced>", "(x, y)"),
    (
        "mfenced with separators",
        '<mfenced open="[" separators=";,"><mi>x</mi><mi>y</mi><mi>z</mi></mfenced>',
        "[x; y, z)",
    ),
    (
        "mfenced, tall",
        '<mfenced open="⟨" close="⟩"><mfrac><mi>a</mi><mi>b</mi></mfrac></mfenced>',
        r"\left\langle\frac{a}{b}\right\rangle",
    ),
    ("mfenced, angles", '<mfenced open="&lt;" close="&gt;"><mi>u</mi></mfenced>', r"\langle u\rangle"),
    (
        "mfenced, one side",
        '<mfenced open="" close="|"><mfrac><mi>a</mi><mi>b</mi></mfrac></mfenced>',
        r"\left.\frac{a}{b}\right\vert",
    ),
    (
        "mfenced, no known fence",
        '<mfenced open="begin" close="end"><mi>u</mi></mfenced>',
        r"\operatorname{begin}u\operatorname{end}",
    ),
]


def _table(attributes, *rows):
    cells = ["".join(f"<mtd><mi>{cell}</mi></mtd>" for cell in row) for row in rows]
    return f"<mtable {attributes}>" + "".join(f"<mtr>{row}</mtr>" for row in cells) + "</mtable>"


TABLES = [
    ("matrix", _table("", "ab", "cd"), r"\begin{matrix} a & b \\ c & d \end{matrix}"),
    ("in parentheses", f"<mo>(</mo>{_table('', 'ab')}<mo>)</mo>", r"\begin{pmatrix} a & b \end{pmatrix}"),
    (
        "in brackets",
        '<mfenced open="[" close="]">' + _table("", "a") + "</mfenced>",
        r"\begin{bmatrix} a \end{bmatrix}",
    ),
    ("determinant", f"<mo>|</mo>{_table('', 'ab')}<mo>|</mo>", r"\begin{vmatrix} a & b \end{vmatrix}"),
    (
        "cases",
        "<mi>f</mi><mo>=</mo><mo>{</mo>" + _table('columnalign="left"', "ab", "cd"),
        r"f = \begin{cases} a & b \\ c & d \end{cases}",
    ),
    ("aligned", _table('columnalign="right left"', "ab"), r"\begin{aligned} a & b \end{aligned}"),
    ("aligned columns", _table('columnalign="left right"', "ab"), r"\begin{array}{lr} a & b \end{array}"),
    (
        "in brackets, aligned columns",
        "<mo>[</mo>" + _table('columnalign="left right"', "ab") + "<mo>]</mo>",
        r"\left[\begin{array}{lr} a & b \end{array}\right]",
    ),
    ("line between columns", _table('columnlines="none solid"', "abc"), r"\begin{array}{cc|c} a & b & c \end{array}"),
    (
        "frame and line between rows",
        _table('rowlines="solid" frame="solid"', "a", "b"),
        r"\begin{array}{|c|} \hline a \\ \hline b \\ \hline \end{array}",
    ),
    (
        "label of a row",
        "<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd><mi>x</mi></mtd></mlabeledtr></mtable>",
        r"\begin{matrix} x\qquad\text{(1)} \end{matrix}",
    ),
    (
        "span over columns",
        '<mtable><mtr><mtd columnspan="2"><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>',
        r"\begin{matrix} a & & b \end{matrix}",
    ),
    (
        "blank columns at the end",
        '<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mspace width="2em"/></mtd><mtd/></mtr></mtable>',
        r"\begin{matrix} a \end{matrix}",
    ),
    ("bracket that starts a row", _table("", "a", "[").replace("mi>", "mo>"), r"\begin{matrix} a \\ {}[ \end{matrix}"),
    ("rows outside a table", "<mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>", r"a\quad b"),
]


def convert(mathml):
    return math_to_tex(etree.fromstring(f"<math>{mathml}</math>"))


@pytest.mark.parametrize(
    ("mathml", "tex"), [pytest.param(*case[1:], id=case[0]) for case in TOKENS + LAYOUT + FENCES + TABLES]
)
def test_presentation(mathml, tex):
    math = convert(mathml)

    assert (math.tex, math.source, math.problems) == (tex, "presentation", ())


def test_namespace_and_prefix_make_no_difference():
    plain = convert("<msup><mi>x</mi><mn>2</mn></msup>")
    namespaced = etree.fromstring(
        '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math>'
    )

    assert math_to_tex(namespaced) == plain


def test_comments_take_no_place():
    assert convert("<mfrac><!-- up --><mi>a</mi><?x y?><mi>b</mi></mfrac>").tex == r"\frac{a}{b}"


@pytest.mark.parametrize(
    "attributes", ['display="block"', 'mode="display"', 'xmlns="http://www.w3.org/1998/Math/MathML" display="block"']
)
def test_display(attributes):
    assert math_to_tex(etree.fromstring(f"<math {attributes}><mi>x</mi></math>")).display


def test_inline_is_the_default():
    assert not convert("<mi>x</mi>").display


@pytest.mark.parametrize("mathml", ["", "<mrow/>", "<mi> </mi>", '<mspace width="1em"/>', "<mo>&#x2061;</mo>"])
def test_nothing_to_show(mathml):
    assert convert(mathml) is None


@pytest.mark.parametrize(
    ("mathml", "tex", "problem"),
    [
        ("<mi>x</mi>stray<mi>y</mi>", r"x\text{stray}y", None),
        ("<mfrac>stray<mi>a</mi><mi>b</mi></mfrac>", r"\text{stray}\frac{a}{b}", None),
        ("<mtable><mtr>stray<mtd><mi>a</mi></mtd></mtr></mtable>", r"\begin{matrix} \text{stray}a \end{matrix}", None),
        ("<blink><mi>x</mi></blink>", "x", "blink"),
        ('<p xmlns="http://www.w3.org/1999/xhtml">so <b>on</b></p>', r"\text{so on}", "p"),
        ('<menclose notation="circle"><mi>x</mi></menclose>', "x", "menclose"),
        ("<mstack><mn>12</mn><mn>3</mn></mstack>", r"12\quad3", "mstack"),
        ("<mi>\ue000</mi>", "\ue000", "U+E000"),
        ("<mo>\u0359</mo>", "\\text{ \u0359}", "U+0359"),
    ],
)
def test_text_without_a_form_is_kept_and_named(mathml, tex, problem):
    math = convert(mathml)

    assert (math.tex, math.problems) == (tex, (problem,) if problem else ())


def test_markup_in_words_keeps_its_text():
    math = convert('<mtext>see <a xmlns="http://www.w3.org/1999/xhtml">here</a> now</mtext>')

    assert (math.tex, math.problems) == (r"\text{see here now}", ())


def test_entity_left_by_the_parser():
    parser = etree.XMLParser(resolve_entities=False)
    element = etree.fromstring("<!DOCTYPE math [<!ENTITY alpha 'a'>]><math><mi>&alpha;</mi>&alpha;</math>", parser)

    assert math_to_tex(element).tex == r"\alpha\alpha"
