"""A report can be read: in light and dark, on a phone, by keyboard, on paper, by people who do not see it."""

import re
from itertools import pairwise

import pytest
from markitect_filter.testing.books import Book, page
from markitect_tool.diagnostics import diagnostic
from markitect_tool.pipeline.summary import CodeCount, DocumentRow, RunSummary
from markitect_tool.reports.run import run_report

PARTS = "".join(f"<h2>Part {number}</h2><p>{'Low water at nine. ' * 30}</p>" for number in range(12))
PAGES = {
    "a.xhtml": f"<h1>Log</h1><p>First <em>words</em>.</p><p hidden='hidden'>Not to be seen.</p>{PARTS}",
    "b.xhtml": "<h1>More</h1><p>Said <q>low</q> at nine.</p><table><tr><th>Port</th><td>Hull</td></tr></table>",
}


@pytest.fixture(scope="module")
def html():
    """The report on a book in which one paragraph was left out and one got quotation marks."""
    from markitect_tool import normalize_source
    from markitect_tool.reports.source_report import source_report

    content = Book(PAGES).pack()
    return source_report(normalize_source(content, uri="test:book", name="book.epub"), content, name="book.epub")


@pytest.fixture(scope="module")
def run_html():
    """The report on a run with failures."""
    found = (diagnostic("source.malformed", "It has no end.", hint="Fetch it again."),)
    warned = (diagnostic("source.link_target_missing", "x", count=70),)
    row = DocumentRow("shelf/a-rather-long-name-of-a-book-that-has-to-break.epub", "file:a", "done", "Low", 9.0)
    return run_report(
        RunSummary(
            *(("books",), "out", "jsonl", "segments", "complete", "2026-01-03T10:00:00Z", 9.0, 2, "local"),
            {"done": 7, "failed": 2, "screened": 1},
            *(0, 0, 10**9, 10**8),
            codes=(CodeCount("source.nav_missing", "warning", 5, 7), CodeCount("source.malformed", "error", 2, 2)),
            slowest=(row,),
            worst=(DocumentRow("b.epub", "file:b", "done", diagnostics=warned),),
            failures=(DocumentRow("c.epub", "file:c", "failed", diagnostics=found),),
            documents=(),
        )
    )


def test_differences_are_marked_where_they_are(view, html):
    seen = view(html)
    assert seen.texts("main details del") == ["Not to be seen."]
    assert seen.texts("main details ins") == ["“", "”"]


@pytest.mark.parametrize("kind", ["html", "run_html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(view, request, kind, scheme):
    seen = view(request.getfixturevalue(kind), color_scheme=scheme)
    poor = seen.evaluate(
        """() => {
          const luminance = (c) => {
            const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const parse = (s) => s.match(/[\\d.]+/g).map(Number);
          const ground = (e) => {
            for (; e; e = e.parentElement) {
              const c = parse(getComputedStyle(e).backgroundColor);
              if (c.length < 4 || c[3] === 1) return c.slice(0, 3);
            }
          };
          return [...document.querySelectorAll('body *')].filter((e) => {
            const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
            if (!own || !e.checkVisibility() || e.closest('script')) return false;
            const a = luminance(parse(getComputedStyle(e).color).slice(0, 3)), b = luminance(ground(e));
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
          }).map((e) => e.outerHTML.slice(0, 80));
        }"""
    )
    assert poor == []


def test_dark_scheme_is_dark(view, html):
    grounds = [
        view(html, color_scheme=scheme).evaluate("getComputedStyle(document.documentElement).backgroundColor")
        for scheme in ("light", "dark")
    ]
    light, dark = (sum(map(int, re.findall(r"\d+", ground))) for ground in grounds)
    assert dark < 120 < 600 < light


@pytest.mark.parametrize("kind", ["html", "run_html"])
@pytest.mark.parametrize("width", [320, 390, 768, 1440])
def test_page_never_scrolls_sideways(view, request, kind, width):
    assert view(request.getfixturevalue(kind), width=width).overflow() == 0


def test_long_words_and_wide_tables_fit_a_phone(view, report_on):
    cells = "".join(f"<td>{'cell' * 8}{number}</td>" for number in range(12))
    body = f"<h1>{'W' * 300}</h1><p>{'w' * 3000}</p><table><tr>{cells}</tr></table><pre>{'code ' * 90}</pre>"
    book = Book({f"{'long' * 40}.xhtml": body}, metadata=f"<dc:rights>{'r' * 500}</dc:rights>").pack()
    assert view(report_on(book), width=390).overflow() == 0


def test_phone_shows_the_source_of_what_differs_and_of_the_rest_when_asked(view, html):
    seen = view(html, width=390, height=844)
    before = len(seen.texts(".r > .s"))
    assert 0 < before < seen.locator(".r > .s").count()
    seen.check("#both")
    assert len(seen.texts(".r > .s")) > before


def test_wide_window_shows_both_sides_by_each_other(view, html):
    left, right = (view(html).locator(f"#s-1 .r:not(.heads) > .{side}").first.bounding_box() for side in "sm")
    assert left["x"] + left["width"] <= right["x"]
    assert abs(left["y"] - right["y"]) < 2


def test_only_differences_hides_the_rest(view, html):
    seen = view(html)
    seen.check("#only")
    assert {row.get_attribute("class") for row in seen.locator(".r:not(.heads)").all() if row.is_visible()} == {"r d"}


def test_keys_go_from_difference_to_difference_and_round(view, html):
    seen = view(html, height=400)
    wanted = seen.evaluate("[...document.querySelectorAll('.r.d')].map((e) => e.textContent)")
    assert len(wanted) == 2
    for key, index in (("n", 0), ("n", 1), ("n", 0), ("p", 1)):
        seen.keyboard.press(key)
        assert seen.evaluate("document.activeElement.textContent") == wanted[index]
        box = seen.evaluate("document.activeElement.getBoundingClientRect().toJSON()")
        assert 0 <= box["top"] < 400
    assert seen.inner_text("output") == "2 of 2"


def test_keys_open_a_part_that_is_closed(view, html):
    seen = view(html)
    seen.evaluate("for (const part of document.querySelectorAll('details')) part.open = false")
    seen.keyboard.press("n")
    assert seen.locator(".r.d").first.is_visible()


def test_link_of_the_contents_opens_its_segment(view, html):
    seen = view(html)
    seen.click(".toc a[href='#s-2']")
    assert seen.evaluate("document.getElementById('s-2').getBoundingClientRect().top") < 900


def test_link_of_the_contents_opens_its_segment_without_a_script_too(view, html):
    seen = view(html.replace('" open>', '">'), java_script_enabled=False)
    assert not seen.locator("#s-1").is_visible()
    seen.click(".toc a[href='#s-1']")
    assert seen.locator("#s-1").is_visible()


def test_tab_reaches_skip_link_contents_and_parts_in_their_order(view, html):
    seen = view(html)
    stops = []
    for _ in range(60):
        seen.keyboard.press("Tab")
        stops.append(
            seen.evaluate("((e) => e.className || e.id || e.getAttribute('href') || e.tagName)(document.activeElement)")
        )
    assert stops[:3] == ["skip", "toc-list", "#s-1"]
    assert stops.index("toc-list") < stops.index("only") < len(stops)
    assert "SUMMARY" in stops
    seen.keyboard.press("Home")


def test_skip_link_leads_to_the_main_part(view, html):
    seen = view(html)
    seen.keyboard.press("Tab")
    assert seen.locator(".skip").is_visible()
    seen.keyboard.press("Enter")
    assert seen.page.url.endswith("#main")


@pytest.mark.parametrize("kind", ["html", "run_html"])
def test_headings_and_landmarks_make_an_outline(view, request, kind):
    seen = view(request.getfixturevalue(kind))
    levels = seen.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((e) => +e.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert [seen.locator(name).count() for name in ("header", "main", "html[lang=en]", "title")] == [1, 1, 1, 1]
    unnamed = "section:not([aria-labelledby]), [role=group]:not([aria-label]):not([aria-labelledby]), img:not([alt])"
    assert seen.locator(f"main :is({unnamed})").count() == 0


def test_bar_of_the_ledger_has_its_figures_in_words(view, html):
    seen = view(html)
    assert seen.locator("#ledger svg").get_attribute("aria-hidden") == "true"
    assert any("hidden" in row for row in seen.texts("#ledger tbody tr"))


def test_book_from_right_to_left_runs_so(view, report_on):
    body = page("<h1>الفصل</h1><p>ما هو البحر؟</p><ul><li>واحد</li></ul>")
    seen = view(report_on(Book({"a.xhtml": body}, metadata="").pack().replace(b">en<", b">en<")))
    directions = seen.evaluate("[...document.querySelectorAll('.m p')].map((e) => getComputedStyle(e).direction)")
    assert directions == ["rtl", "rtl"]


def test_paper_has_everything_open_and_no_tools(view, html):
    seen = view(html)
    seen.evaluate("for (const part of document.querySelectorAll('details')) part.open = false")
    seen.emulate_media(media="print")
    seen.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert seen.locator("details:not([open])").count() == 0
    assert not seen.locator(".tools").is_visible()
    seen.evaluate("dispatchEvent(new Event('afterprint'))")
    assert seen.locator("details[open]").count() == 0


def test_page_works_without_its_script(view, html):
    seen = view(html, java_script_enabled=False)
    assert seen.texts("main details del") == ["Not to be seen."]
    assert not seen.locator(".go").is_visible()
    seen.check("#only")
    assert len(seen.texts(".r:not(.heads)")) == 2


@pytest.mark.parametrize("kind", ["html", "run_html"])
def test_page_asks_for_nothing_and_has_nothing_to_complain_about(view, request, kind):
    seen = view(request.getfixturevalue(kind))
    seen.wait_for_timeout(100)
    assert (seen.asked, seen.said) == ([], [])


def test_large_book_opens_with_its_parts_closed(view, report_on):
    chapters = {
        f"{number}.xhtml": f"<h1>Chapter {number}</h1>" + f"<p>{'Low water at nine. ' * 40}</p>" * 60
        for number in range(70)
    }
    seen = view(report_on(chapters))
    assert seen.locator("#text details").count() == 70
    assert seen.locator("#text details[open]").count() == 0
    seen.click(".toc a[href='#s-60']")
    assert seen.locator("#s-60").is_visible()
    assert seen.locator("#text details[open]").count() == 1
    assert seen.overflow() == 0
