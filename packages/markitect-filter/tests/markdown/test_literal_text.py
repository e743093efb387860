"""Text that looks like Markdown is text, wherever it stands."""

import pytest

_LITERALS = r"""# x¦#¦###### x¦x #¦#x¦1. x¦1) x¦123456789. x¦1.¦2) x¦0. x¦* x¦*¦+ x¦+¦- x¦-¦--¦---¦> x¦***¦* * *¦___¦===
=¦```¦~~~¦*x*¦**x**¦_x_¦__x__¦a*b*c¦a_b_c¦~~x~~¦`x`¦``¦\\¦\*¦x\¦\(x\)¦\[x\]¦:---¦x: y¦{x}¦- [ ] x¦[ ] x¦x!¦x^¦!¦![
[x](y)¦[x]¦[x][y]¦[x]: y¦![x](y)¦[^1]¦[^1]: x¦^[x]¦(x)¦](x)¦]¦[¦x](y)¦$5¦$5 and $6¦$x$¦$$x$$¦&amp;¦&lt;¦&#35;¦&copy¦&
<b>¦</b>¦<!-- x -->¦<a@b.c>¦<http://a.b>¦<¦<3¦a < b¦http://a.b/c_d_e¦a@b.c¦@x¦AT&T¦(c) 1.¦%¦=x=¦==x==¦^x^¦++x++¦::: x
…¦a  b¦'x'¦"x"¦.¦|¦| x |¦|---|¦x | y¦--- | ---¦:-: | x"""
LITERALS = [literal for line in _LITERALS.split("\n") for literal in line.split("¦")]
PLACES = {
    "paragraph": "<p>{}</p>",
    "start of a paragraph": "<p>{} word</p>",
    "middle of a paragraph": "<p>word {} word</p>",
    "inside of a word": "<p>word{}word</p>",
    "end of a paragraph": "<p>word {}</p>",
    "twice": "<p>{} and {}</p>",
    "bare in the body": "{}",
    "heading": "<h2>{}</h2>",
    "end of a heading": "<h2>word {}</h2>",
    "list item": "<ul><li>{}</li></ul>",
    "loose list item": "<ol><li><p>{}</p></li><li><p>word {} word</p></li></ol>",
    "quote": "<blockquote><p>{}</p></blockquote>",
    "after a break": "<p>word<br/>{}<br/>{}</p>",
    "before a break": "<p>{}<br/>word</p>",
    "emphasis": "<p>word <em>{}</em> word</p>",
    "strong": "<p><strong>{}</strong></p>",
    "beside emphasis": "<p>{}<em>word</em>{}</p>",
    "strikethrough": "<p><del>{}</del></p>",
    "link text": '<p><a href="http://a.b/">{}</a></p>',
    "beside a link": '<p>{}<a href="http://a.b/">word</a>{}</p>',
    "beside code": "<p>{}<code>word</code>{}</p>",
    "code": "<p><code>{}</code></p>",
    "superscript": "<p>word<sup>{}</sup></p>",
    "table cell": "<table><tr><th>{}</th><th>word</th></tr><tr><td>word {}</td><td><em>{}</em></td></tr></table>",
    "code in a table cell": "<table><tr><th><code>{}</code></th></tr></table>",
    "preformatted": "<pre>{}\n</pre>",
    "definition": "<dl><dt>{}</dt><dd>{}</dd></dl>",
    "caption": "<figure><figcaption>{}</figcaption></figure>",
}


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


@pytest.mark.parametrize("place", PLACES)
def test_literal_text_stays_literal(place, write, render, text_of, same):
    wrong = {}
    for literal in LITERALS:
        content = PLACES[place].format(*[escape(literal)] * 4)
        back = render(write(content))
        if place == "definition":
            content = f"<ul><li>{escape(literal)}<ul><li>{escape(literal)}</li></ul></li></ul>"
        elif place == "caption":
            content = f"<p>{escape(literal)}</p>"
        if text_of(back) != text_of(content):
            wrong[literal] = back
    assert wrong == {}


def test_literal_text_stays_literal_in_an_alternative_text(write, same, render):
    wrong = {}
    for literal in LITERALS:
        quoted = escape(literal).replace('"', "&quot;")
        back = same(render(write(f'<p><img src="x.png" alt="{quoted}" title="{quoted}"/></p>')))
        words = " ".join(literal.split())
        if back != [("p",), ("img", ("alt", words), ("src", "x.png"), ("title", words)), ("/p",)]:
            wrong[literal] = back
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        "Plain prose, with (brackets), a dash - and a plus + b; 3 * 4 = 12, 50% of 5 < 6 > 4, AT&T, a_b, [sic] and $5.",
        'What? It\'s #1! "Yes", he said: 1.5 ~ 2 … it costs £3^2 or so / never mind \\ that @ home.',
        "snake_case_name, C#, x2, {braces}, 10:30, a|b, don't - do, e.g. this & that.",
    ],
)
def test_prose_is_not_escaped(text, write):
    assert write(f"<p>{escape(text)}</p>") == text
