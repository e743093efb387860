"""Content MathML to TeX: a table of cases, one operator or constructor each."""

import pytest
from lxml import etree
from markitect_filter.markdown.math import math_to_tex

SUM = "<apply><plus/><ci>a</ci><ci>b</ci></apply>"


def apply(name, *arguments):
    return f"<apply><{name}/>{''.join(arguments)}</apply>"


CASES = [
    ("sum", apply("plus", "<ci>a</ci>", "<ci>b</ci>", "<cn>1</cn>"), "a + b + 1"),
    ("sum with a negative", apply("plus", "<ci>a</ci>", apply("minus", "<ci>b</ci>")), "a + (-b)"),
    (
        "difference of a difference",
        apply("minus", "<ci>a</ci>", apply("minus", "<ci>b</ci>", "<ci>c</ci>")),
        "a - (b - c)",
    ),
    ("product", apply("times", "<cn>2</cn>", "<cn>3</cn>", SUM), r"2\,3(a + b)"),
    ("quotient", apply("divide", "<ci>a</ci>", SUM), r"\frac{a}{a + b}"),
    ("power", apply("power", "<ci>x</ci>", "<cn>2</cn>"), "x^{2}"),
    ("power of a sum", apply("power", SUM, "<ci>n</ci>"), "(a + b)^{n}"),
    ("power of a negative", apply("power", "<cn>-1</cn>", "<ci>n</ci>"), "(-1)^{n}"),
    ("square root", apply("root", "<ci>x</ci>"), r"\sqrt{x}"),
    ("cube root", apply("root", "<degree><cn>3</cn></degree>", "<ci>x</ci>"), r"\sqrt[3]{x}"),
    ("function", apply("sin", "<ci>x</ci>"), r"\sin x"),
    ("function of a sum", apply("sin", SUM), r"\sin(a + b)"),
    ("logarithm", apply("log", "<logbase><cn>2</cn></logbase>", "<ci>x</ci>"), r"\log_{2}x"),
    ("function of its own", "<apply><ci>f</ci><ci>x</ci><ci>y</ci></apply>", "f(x, y)"),
    ("inverse function", f"<apply>{apply('inverse', '<ci>f</ci>')}<ci>x</ci></apply>", "f^{-1}(x)"),
    (
        "sum over a range",
        apply(
            "sum", "<bvar><ci>i</ci></bvar><lowlimit><cn>1</cn></lowlimit><uplimit><ci>n</ci></uplimit>", "<ci>i</ci>"
        ),
        r"\sum_{i = 1}^{n}i",
    ),
    (
        "integral",
        apply(
            "int", "<bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit><uplimit><infinity/></uplimit>", "<ci>f</ci>"
        ),
        r"\int_{0}^{\infty}f\,dx",
    ),
    (
        "limit",
        apply("limit", "<bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit>", apply("sin", "<ci>x</ci>")),
        r"\lim_{x \to 0}\sin x",
    ),
    ("derivative", apply("diff", "<bvar><ci>x</ci></bvar>", "<ci>f</ci>"), r"\frac{df}{dx}"),
    ("derivative without a variable", apply("diff", "<ci>f</ci>"), "f'"),
    (
        "second partial derivative",
        apply("partialdiff", "<bvar><ci>x</ci><degree><cn>2</cn></degree></bvar>", "<ci>f</ci>"),
        r"\frac{\partial^{2}f}{\partial x^{2}}",
    ),
    (
        "for all",
        apply("forall", "<bvar><ci>x</ci></bvar>", apply("in", "<ci>x</ci>", "<reals/>")),
        r"\forall x, x \in \mathbb{R}",
    ),
    ("or within and", apply("and", "<ci>p</ci>", apply("or", "<ci>q</ci>", "<ci>r</ci>")), r"p \wedge (q \vee r)"),
    ("not", apply("not", "<ci>p</ci>"), r"\neg p"),
    ("absolute value", apply("abs", "<ci>x</ci>"), r"\lvert x\rvert"),
    ("factorial", apply("factorial", SUM), "(a + b)!"),
    ("conjugate", apply("conjugate", "<ci>z</ci>"), r"\bar{z}"),
    ("element of a vector", apply("selector", "<ci>v</ci>", "<cn>1</cn>"), "v_{1}"),
    ("transposed matrix", apply("transpose", '<ci type="matrix">A</ci>'), r"\mathbf{A}^{T}"),
    ("set", "<set><ci>a</ci><ci>b</ci></set>", r"\{a, b\}"),
    (
        "set by condition",
        f"<set><bvar><ci>x</ci></bvar><condition>{apply('gt', '<ci>x</ci>', '<cn>0</cn>')}</condition></set>",
        r"\{x \mid x > 0\}",
    ),
    ("vector", "<vector><cn>1</cn><cn>2</cn></vector>", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"),
    (
        "matrix",
        "<matrix><matrixrow><cn>1</cn><cn>0</cn></matrixrow><matrixrow><cn>0</cn><cn>1</cn></matrixrow></matrix>",
        r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}",
    ),
    ("interval", '<interval closure="open-closed"><ci>a</ci><ci>b</ci></interval>', "(a, b]"),
    (
        "piecewise",
        f"<piecewise><piece><cn>1</cn>{apply('gt', '<ci>x</ci>', '<cn>0</cn>')}</piece>"
        "<otherwise><cn>0</cn></otherwise></piecewise>",
        r"\begin{cases} 1 & \text{if }x > 0 \\ 0 & \text{otherwise} \end{cases}",
    ),
    ("lambda", f"<lambda><bvar><ci>x</ci></bvar>{SUM}</lambda>", r"x \mapsto a + b"),
    ("rational number", '<cn type="rational">1<sep/>2</cn>', r"\frac{1}{2}"),
    ("number with exponent", '<cn type="e-notation">2.5<sep/>-3</cn>', r"2.5 \times 10^{-3}"),
    ("complex number", '<cn type="complex-cartesian">1<sep/>2</cn>', r"1 + 2\mathrm{i}"),
    ("number in another base", '<cn base="16">FF</cn>', r"\mathrm{FF}_{16}"),
    ("strict content", "<apply><csymbol cd='arith1'>plus</csymbol><ci>x</ci><pi/></apply>", r"x + \pi"),
    ("name of several words", "<ci>total cost</ci>", r"\text{total cost}"),
    ("presentation in a name", "<ci><msub><mi>x</mi><mn>1</mn></msub></ci>", "x_{1}"),
    ("operator nobody applies", "<plus/>", "+"),
    ("function without a command", apply("arcsinh", "<ci>x</ci>"), r"\operatorname{arcsinh}(x)"),
    ("qualifier that does not belong", apply("sin", "<degree><cn>3</cn></degree>", "<ci>x</ci>"), r"\sin x(3)"),
]


@pytest.mark.parametrize(("mathml", "tex"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_content(mathml, tex):
    math = math_to_tex(etree.fromstring(f"<math>{mathml}</math>"))

    assert (math.tex, math.source, math.problems) == (tex, "content", ())
