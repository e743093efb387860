"""In a report no book can run, load or disguise anything. Looked at in a real browser."""

import pytest
from markitect_filter.testing.books import Book, nav_page, page
from markitect_filter.testing.hostile import CASES
from markitect_tool import normalize_source
from markitect_tool.reports.shell import page as whole_page
from markitect_tool.reports.source_report import source_report

HIT = "window.hit=1;alert(1)"
MARKUP = f"""
<script>{HIT}</script><p>core</p>
<p onclick="{HIT}" onmouseover="{HIT}">on</p>
<p><a href="javascript:{HIT}">a</a> <a href="java&#10;script:{HIT}">b</a> <a href="data:text/html,x">c</a>
<a href="//HOST/x">d</a> <a href="https://HOST/" target="_top" ping="http://HOST/p">e</a></p>
<p><img src="x" onerror="{HIT}" alt="&lt;img src=x onerror={HIT}&gt;"/></p>
<p><img src="http://HOST/a.png" alt="r"/></p>
<p>&lt;script&gt;{HIT}&lt;/script&gt; &lt;img src=x onerror={HIT}&gt;</p>
<p>&lt;/details&gt;&lt;/main&gt;&lt;style&gt;*{{}}</p>
<svg xmlns="http://www.w3.org/2000/svg" onload="{HIT}"><script>{HIT}</script><text>core</text>
<image href="http://HOST/b.png"/><a href="javascript:{HIT}"><text>x</text></a></svg>
<iframe src="http://HOST/" srcdoc="&lt;script&gt;{HIT}&lt;/script&gt;"></iframe>
<object data="javascript:{HIT}">object</object><embed src="http://HOST/"/>
<form action="http://HOST/"><button formaction="javascript:{HIT}">send</button></form>
<style>@import "http://HOST/c.css"; body {{ background: url(http://HOST/d.png) }}</style>
<link rel="stylesheet" href="http://HOST/e.css"/><base href="http://HOST/"/>
<meta http-equiv="refresh" content="0;url=http://HOST/"/>
<video src="http://HOST/v.mp4" poster="http://HOST/p.png" autoplay="autoplay"/>
<p id="main">id</p><p id="x&quot; onclick=&quot;{HIT}"><a href="#x%22%20onclick=%22{HIT}">y</a></p>
<p>note<a epub:type="noteref" href="#n">&lt;b onclick={HIT}&gt;</a></p>
<aside epub:type="footnote" id="n"><p>&lt;script&gt;{HIT}&lt;/script&gt;</p></aside>
<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext>&lt;script&gt;{HIT}&lt;/script&gt;</mtext></math>
<pre class="language-&quot;onclick=&quot;{HIT}">&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;{HIT}&lt;/script&gt;</pre>
<table><tr><td style="background:url(http://HOST/t)">&lt;td onclick={HIT}&gt;</td></tr></table>
"""
SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="{HIT}" width="9"
height="9"><rect width="9" height="9" onclick="{HIT}"/><style>@import url(http://HOST/s.css)</style></svg>"""
PLAIN_SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="{HIT}"><rect width="9" height="9"
fill="url(http://HOST/f)"/><a href="javascript:{HIT}"><text>x</text></a></svg>"""


@pytest.fixture
def hostile_book(listener):
    """Everything that a book can try, in its text, metadata, contents, names and pictures."""
    host, _ = listener
    evil = f'"&gt;&lt;script&gt;{HIT}&lt;/script&gt;'
    pictures = '<p><img src="s.svg" alt="s"/><img src="p.svg" alt="p"/><img src="f.png" alt="f"/></p>'
    return Book(
        {"a.xhtml": page(MARKUP.replace("HOST", host)), "b.xhtml": page(pictures)},
        {
            "OPS/s.svg": SVG.replace("HOST", host),
            "OPS/p.svg": PLAIN_SVG.replace("HOST", host),
            "OPS/f.png": f"<html><script>{HIT}</script></html>",
        },
        manifest=(
            '<item id="s" href="s.svg" media-type="image/svg+xml"/>',
            '<item id="q" href="p.svg" media-type="image/svg+xml"/>',
            '<item id="f" href="f.png" media-type="image/png"/>',
        ),
        metadata=f"<dc:creator>{evil}</dc:creator><dc:title>{evil}</dc:title><dc:rights>{evil}</dc:rights>"
        f"<dc:publisher>{evil}</dc:publisher><dc:source>javascript:{HIT}</dc:source>",
        nav=nav_page(
            f'<li><a href="a.xhtml">{evil}</a></li><li><a href="b.xhtml">&lt;img src=x onerror={HIT}&gt;</a></li>'
        ),
    ).pack()


def test_nothing_of_a_hostile_book_runs_or_loads(view, report_on, hostile_book, listener):
    seen = view(report_on(hostile_book))
    seen.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    for element in seen.locator("main p, main img, main summary").all()[:80]:
        element.dispatch_event("click")
        element.dispatch_event("mouseover")
    seen.wait_for_timeout(300)
    assert seen.evaluate("window.hit") is None
    assert (seen.asked, seen.said, listener[1]) == ([], [], [])
    assert seen.page.url.partition("#")[0] == seen.address
    assert "core" in seen.text_content("main")


def test_page_has_no_element_or_attribute_that_a_book_could_have_brought(view, report_on, hostile_book):
    seen = view(report_on(hostile_book))
    found = seen.evaluate(
        """() => {
          const all = [...document.querySelectorAll('*')];
          return {
            tags: [...new Set(all.map((e) => e.tagName.toLowerCase()))],
            attributes: [...new Set(all.flatMap((e) => e.getAttributeNames()))],
            scripts: document.scripts.length,
            styles: document.querySelectorAll('style').length,
            links: all.filter((e) => e.tagName === 'A').map((e) => e.getAttribute('href')),
          };
        }"""
    )
    foreign = {"iframe", "object", "embed", "form", "link", "base", "video", "audio", "image", "math"}
    assert not foreign & {*found["tags"]}
    assert not [name for name in found["attributes"] if name.startswith("on") or name in ("style", "srcset", "ping")]
    assert (found["scripts"], found["styles"]) == (1, 1)
    assert all(href is None or href.startswith(("#", "http://", "https://")) for href in found["links"])


def test_ids_of_the_book_take_none_of_the_page(view, report_on, hostile_book):
    seen = view(report_on(hostile_book))
    assert seen.evaluate("document.getElementById('main').tagName") == "MAIN"
    ids = seen.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len({*ids})


def test_drawing_of_the_book_is_shown_as_a_picture_in_which_nothing_runs(view, report_on, hostile_book):
    seen = view(report_on(hostile_book))
    shown = seen.evaluate("[...document.images].map((e) => [e.src.slice(0, 18), e.alt])")
    assert shown == [["data:image/svg+xml", "p"]]


def test_what_slips_through_meets_the_policy(view, listener):
    host, asked = listener
    seen = view(
        whole_page(
            "t",
            [
                "<script>window.hit=1</script>",
                f'<img src="x" onerror="window.hit=1"><img src="http://{host}/a.png">',
                f'<link rel="stylesheet" href="http://{host}/a.css"><p style="color: red">x</p>',
                f'<iframe srcdoc="<script>parent.hit=1</script>"></iframe><iframe src="http://{host}/b"></iframe>',
                f'<a href="javascript:window.hit=1">a</a><form action="http://{host}/c"><button>b</button></form>',
            ],
        )
    )
    seen.evaluate("document.querySelector('a').click(), document.querySelector('button').click()")
    seen.wait_for_timeout(300)
    assert (seen.evaluate("window.hit"), asked) == (None, [])
    assert seen.evaluate("getComputedStyle(document.querySelector('p')).color") != "rgb(255, 0, 0)"
    assert seen.page.url.partition("#")[0] == seen.address


QUICK = [
    *("entity-expansion-page", "zeros-image", "colspan", "list-start", "long-page-label", "long-drawing-label"),
    *("deep-div", "deep-b", "deep-ul-li", "deep-blockquote", "deep-table-tr-td", "deep-svg", "deep-math", "deep-nav"),
    *[name for name, case in CASES.items() if name.startswith("text-") and not case.slow][:12],
]


@pytest.mark.parametrize("name", [name for name in QUICK if name in CASES])
def test_report_on_a_hostile_book_can_be_looked_at(view, name):
    content = CASES[name].build()
    result = normalize_source(content, uri="test:book", name="book.epub")
    html = source_report(result, content, name="book.epub")
    seen = view(html, width=390, height=844)
    assert (seen.asked, seen.said) == ([], [])
    assert seen.overflow() == 0
    assert seen.locator("h1").is_visible()
    assert len(html) < 45_000_000
