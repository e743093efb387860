"""What of a page is its content: by landmarks alone, and every character that is left out is counted."""

import pytest

AROUND = "<nav><a href=/>Home</a></nav>{}<footer>Port</footer>"


@pytest.mark.parametrize(
    "marked",
    [
        "<main><p>Tide</main>",
        "<div role=main><p>Tide</div>",
        "<div><div role='main banana'></div><main><p>Tide</main></div>",
    ],
)
def test_marked_main_content_is_what_is_written(make, marked):
    made = make(AROUND.format(f"<p>Around</p>{marked}"))
    assert made.markdown == "Tide"
    assert made.metadata.raw["content"] == "main"


def test_what_is_around_is_counted_by_landmark_or_as_outside(make):
    made = make(f"<header>Head</header>bare{AROUND.format('<main>Tide</main> more')}<aside>Ads</aside>")
    assert made.skipped == {
        "banner": 4,
        "complementary": 3,
        "contentinfo": 4,
        "navigation": 4,
        "outside-main": 8,
    }


def test_what_is_left_out_is_reported_once_for_each_reason(make):
    made = make("<nav>a</nav><nav>b</nav><main>Tide</main>")
    (told,) = made.details("source.item_skipped")
    assert told.details == {"reason": "navigation", "characters": 2}
    assert "content=all" in told.message


def test_everything_is_kept_on_request(make):
    made = make(AROUND.format("<main><p>Tide</main>"), content="all")
    assert made.markdown == "[Home](/)\n\nTide\n\nPort"
    assert made.skipped == {}


@pytest.mark.parametrize(
    "page",
    [
        "<main><p>One</main><p>Between<main><p>Two</main>",  # two would do
        "<main hidden><p>Three</main><p>One<p>Between<p>Two",
        "<main><script>run()</script></main><p>One<p>Between<p>Two",
        "<main></main><p>One<p>Between<p>Two",
    ],
)
def test_without_one_main_that_holds_something_the_body_is_written(make, page):
    assert make(page).markdown == "One\n\nBetween\n\nTwo"


def test_main_inside_of_main_is_part_of_it(make):
    assert make("<p>x<main><p>One<div role=main><p>Two</div></main>").markdown == "One\n\nTwo"


def test_one_article_is_the_content(make):
    made = make("<div>Around</div><article><h1>Tide</h1><nav>Parts</nav></article>")
    assert (made.markdown, made.metadata.raw["content"]) == ("# Tide\n\nParts", "article")


@pytest.mark.parametrize(
    "page",
    [
        "<p>Around<article><p>One</article><article><p>Two</article>",
        "<section><p>Around<article><p>One</article></section><p>Two",
        "<h2>Around</h2><article><p>One</article><p>Two",
    ],
)
def test_article_that_is_one_part_of_the_page_is_not_the_content(make, page):
    assert make(page).markdown.replace("## ", "") == "Around\n\nOne\n\nTwo"


def test_article_inside_of_an_article_belongs_to_it(make):
    assert make("<p>x<article><p>One<article><p>Answer</article></article>").markdown == "One\n\nAnswer"


@pytest.mark.parametrize(
    ("landmark", "reason"),
    [
        ("<nav>x</nav>", "navigation"),
        ("<div role=navigation>x</div>", "navigation"),
        ("<nav role=doc-toc>x</nav>", "navigation"),
        ("<header>x</header>", "banner"),
        ("<div><footer>x</footer></div>", "contentinfo"),
        ("<aside>x</aside>", "complementary"),
        ("<section role=complementary>x</section>", "complementary"),
        ("<form role=search>x</form>", "search"),
        ("<search>x</search>", "search"),
        ("<section><nav>x</nav></section>", "navigation"),
    ],
)
def test_landmark_of_the_body_is_left_out(make, landmark, reason):
    made = make(f"<p>Tide{landmark}")
    assert (made.markdown, made.skipped) == ("Tide", {reason: 1})


@pytest.mark.parametrize(
    "element",
    [
        "<section><header>x</header></section>",
        "<section><footer>x</footer></section>",
        "<section><aside>x</aside></section>",
        "<article><nav>x</nav></article><article>y</article>",
        "<nav role=presentation>x</nav>",
        "<aside role=note>x</aside>",
        "<footer role=doc-endnotes>x</footer>",
        "<div class='sidebar nav menu'>x</div>",
        "<div id=footer>x</div>",
    ],
)
def test_what_is_no_landmark_of_the_page_stays(make, element):
    made = make(f"<p>Tide{element}")
    assert "x" in made.markdown
    assert made.skipped == {}


def test_banner_with_the_only_title_of_the_page_stays(make):
    made = make("<header><nav>Home</nav><h1>Tide</h1>by A. Pilot</header><p>Low water")
    assert made.markdown == "# Tide\n\nby A. Pilot\n\nLow water"
    assert made.skipped == {"navigation": 4}


def test_banner_goes_where_the_page_has_a_title(make):
    assert make("<header><h1>Port</h1></header><h1>Tide</h1>").markdown == "# Tide"


def test_page_of_landmarks_alone_is_written(make):
    made = make("<nav><p>One</nav><footer><p>Two</footer>")
    assert (made.markdown, made.skipped) == ("One\n\nTwo", {})


def test_note_outside_comes_with_the_content_that_refers_to_it(make):
    made = make(
        "<main><p>Tide<sup><a href=#n1 id=r1>1</a></sup></main>"
        "<footer>Port<ol><li id=n1>Low. <a href=#r1>back</a><li id=n2>Unread.</ol></footer>"
    )
    assert made.markdown == "Tide[^1]\n\n[^1]: Low."
    assert made.skipped["contentinfo"] == len("Port") + len("Unread.")


def test_note_that_only_what_is_left_out_refers_to_is_left_out(make):
    made = make("<main><p>Tide</main><footer>x<a role=doc-noteref href=#n>1</a><p role=doc-footnote id=n>Low</footer>")
    assert made.markdown == "Tide"


@pytest.mark.parametrize("hidden", ["hidden", "hidden=hidden", "HIDDEN"])
def test_hidden_is_left_out(make, hidden):
    made = make(f"<p>Tide<p {hidden}>not")
    assert (made.markdown, made.skipped) == ("Tide", {"hidden": 3})


def test_hidden_until_found_is_text(make):
    assert make("<p hidden=until-found>Tide").markdown == "Tide"


def test_text_for_readers_without_scripts_is_text(make):
    assert make("<noscript><p>Tide</noscript><script>if (a < b) run()</script>").markdown == "Tide"


def test_page_without_text_is_valid_and_warned_of(make):
    made = make("<!doctype html><title>x</title><div id=app></div><script src=app.js></script>")
    assert (made.markdown, made.codes) == ("", ["source.text_empty"])


def test_page_of_frames_is_read(make):
    page = "<html><frameset><frame src=a.html><noframes><p>Tide</noframes></frameset></html>"
    assert make(page).markdown == "Tide"
