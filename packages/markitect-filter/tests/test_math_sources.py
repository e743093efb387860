"""Where the TeX of a formula comes from: annotation, alttext, presentation, content, in this order."""

import pytest
from lxml import etree
from markitect_filter.markdown.math import math_to_tex

PRESENTATION = "<mfrac><mi>p</mi><mi>q</mi></mfrac>"


def annotated(tex, encoding="application/x-tex", first=PRESENTATION):
    math = etree.fromstring(f"<math><semantics>{first}<annotation/></semantics></math>")
    annotation = math.find(".//annotation")
    annotation.set("encoding", encoding)
    annotation.text = tex
    return math_to_tex(math)


def described(alttext, inside=PRESENTATION):
    math = etree.fromstring(f"<math>{inside}</math>")
    math.set("alttext", alttext)
    return math_to_tex(math)


@pytest.mark.parametrize("encoding", ["application/x-tex", "TeX", "LaTeX", "application/x-latex; charset=utf-8"])
def test_a_tex_annotation_wins(encoding):
    math = annotated(r"\tfrac{p}{q}", encoding)

    assert (math.tex, math.source) == (r"\tfrac{p}{q}", "annotation")


def test_an_annotation_wins_over_alttext():
    math = etree.fromstring(
        rf'<math alttext="\dfrac{{p}}{{q}}"><mrow><semantics>{PRESENTATION}'
        r'<annotation encoding="TeX">\tfrac{p}{q}</annotation></semantics></mrow></math>'
    )

    assert math_to_tex(math).tex == r"\tfrac{p}{q}"


def test_an_annotation_in_another_language_is_not_tex():
    assert annotated("p over q", "application/x-starmath").source == "presentation"


@pytest.mark.parametrize(
    "tex", ["", "{", "}", r"\frac{p}{q", r"\begin{matrix}p", r"\begin{a}\end{b}", r"\left(p", "p$q", "p\x7fq"]
)
def test_a_broken_annotation_does_not_win(tex):
    assert annotated(tex).tex == r"\frac{p}{q}"


@pytest.mark.parametrize(
    ("written", "tex"),
    [
        ("  p \n + q ", "p + q"),
        ("p % note\n+ q", "p + q"),
        (r"50\% p", r"50\% p"),
        ("$p$", "p"),
        ("$$p$$", "p"),
        (r"\[p\]", "p"),
        (r"\(p\)", "p"),
        (r"{\displaystyle p_{1}}", "p_{1}"),
        (r"\displaystyle p", "p"),
        (r"\begin{equation}p\label{e}\end{equation}", "p"),
        (r"\begin{align*}p&=q\end{align*}", r"\begin{aligned}p&=q\end{aligned}"),
        ("|p|", r"\vert p\vert"),
        (r"\|p\|", r"\Vert p\Vert"),
        (r"\left|p\right|", r"\left\vert p\right\vert"),
        (r"\text{a|b}", r"\text{a\textbar{}b}"),
        (r"\begin{array}{c|c}p&q\end{array}", r"\begin{array}{c|c}p&q\end{array}"),
        (r"\text{if $p$ holds}", r"\text{if \(p\) holds}"),
        (r"\text{costs \$5}", r"\text{costs \$5}"),
        ("p\\ ", "p"),
        ("p \\\\ q", r"p \\ q"),
    ],
)
def test_an_annotation_is_made_fit_to_stand_between_dollars(written, tex):
    assert annotated(written).tex == tex


@pytest.mark.parametrize(
    "alttext", [r"\dfrac{p}{q}", "{\\displaystyle p}", "x^2", "a_{ij}+b", r"p \text{ for every other element }"]
)
def test_alttext_that_is_tex_wins_over_presentation(alttext):
    assert described(alttext).source == "alttext"


@pytest.mark.parametrize(
    "alttext",
    [
        "Alternative text not available",
        "x equals open parenthesis a plus b close parenthesis squared",
        "p over q",
        "p/q",
        "see file_name",
        r"the \alpha particle which decays quickly",
        r"\frac{p}{q",
    ],
)
def test_alttext_that_is_prose_or_broken_does_not(alttext):
    math = described(alttext)

    assert (math.tex, math.source) == (r"\frac{p}{q}", "presentation")


def test_prose_is_better_than_nothing():
    math = described("p over q", inside="")

    assert (math.tex, math.source) == (r"\text{p over q}", "alttext")


def test_presentation_annotation_of_content():
    math = etree.fromstring(
        "<math><semantics><apply><plus/><ci>p</ci><ci>q</ci></apply>"
        f'<annotation-xml encoding="MathML-Presentation">{PRESENTATION}</annotation-xml></semantics></math>'
    )

    assert (math_to_tex(math).tex, math_to_tex(math).source) == (r"\frac{p}{q}", "presentation")


def test_other_annotations_are_not_shown():
    math = etree.fromstring(
        f"<math><semantics>{PRESENTATION}<annotation-xml><p>p over q</p></annotation-xml>"
        '<annotation encoding="text/plain">p over q</annotation></semantics></math>'
    )

    assert (math_to_tex(math).tex, math_to_tex(math).problems) == (r"\frac{p}{q}", ())


def test_an_annotation_alone_is_shown_as_words():
    math = annotated("p over q", "text/plain", first="")

    assert (math.tex, math.problems) == (r"\text{p over q}", ("annotation",))
