"""Where the links and pictures of a page lead."""

import pytest

WEB = "https://example.org/harbour/tides.html"


def link(url, head=""):
    return f'{head}<p id="p">x<p><a href="{url}">y</a>'


@pytest.mark.parametrize(
    "url",
    [
        "log.html",
        "log.html?n=1#nine",
        "../log.html",
        "/log",
        "?n=2",
        "//example.net/x",
        "mailto:a@example.org",
        "tel:1",
    ],
)
def test_link_of_a_file_stays_as_it_is(make, url):
    assert f"[y]({url})" in make(link(url)).markdown


@pytest.mark.parametrize(
    ("url", "absolute"),
    [
        ("log.html?n=1#nine", "https://example.org/harbour/log.html?n=1#nine"),
        ("../log", "https://example.org/log"),
        ("/log", "https://example.org/log"),
        ("//example.net/x", "https://example.net/x"),
        ("?n=2", "https://example.org/harbour/tides.html?n=2"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("http://[", "http://["),
    ],
)
def test_link_of_a_page_of_the_network_becomes_absolute(make, url, absolute):
    assert f"[y]({absolute})" in make(link(url), uri=WEB).markdown


@pytest.mark.parametrize(
    ("base", "uri", "absolute"),
    [
        ("https://example.net/a/b", "tides.html", "https://example.net/a/log"),
        ("logs/", "tides.html", "logs/log"),
        ("/logs/", WEB, "https://example.org/logs/log"),
        (" https://example.net/a/\n", WEB, "https://example.net/a/log"),
    ],
)
def test_base_of_the_page_counts(make, base, uri, absolute):
    assert f"[y]({absolute})" in make(link("log", f'<base href="{base}">'), uri=uri).markdown


@pytest.mark.parametrize("base", ["file:///home/a/", "javascript:x", "data:text/html,x"])
def test_base_that_is_dangerous_is_not_used(make, base):
    made = make(link("log", f'<base href="{base}">'))
    assert "[y](log)" in made.markdown
    assert made.codes == ["source.link_unsafe"]


@pytest.mark.parametrize(
    ("url", "uri"),
    [
        ("#p", "harbour/tides.html"),
        (" #p ", "harbour/tides.html"),
        ("tides.html#p", "harbour/tides.html"),
        ("./tides.html#p", "file:///harbour/tides.html"),
        (WEB + "#p", WEB),
        ("/harbour/tides.html#p", WEB),
    ],
)
def test_link_to_a_place_of_the_page_leads_there(make, url, uri):
    assert make(link(url), uri=uri).markdown == '<a id="p"></a>x\n\n[y](#p)'


@pytest.mark.parametrize("url", ["#", "", "#top", "#TOP", "tides.html"])
def test_link_to_the_start_leads_there(make, url):
    assert make(link(url)).markdown == '<a id="document"></a>x\n\n[y](#document)'


def test_place_called_top_is_a_place(make):
    assert make('<p>x<p id="top">y<p><a href="#top">z</a>').markdown == 'x\n\n<a id="top"></a>y\n\n[z](#top)'


def test_link_to_a_place_that_is_not_there_is_reported(make):
    made = make(link("#nowhere"))
    assert made.markdown == '<a id="document"></a>x\n\n[y](#document)'
    assert made.codes == ["source.link_target_missing"]


def test_link_to_what_was_left_out_keeps_its_text(make):
    made = make('<nav id="n">x</nav><p><a href="#n">y</a> z')
    (told,) = made.details("source.link_target_missing")
    assert (made.markdown, told.severity) == ("y z", "info")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:x()",
        "JavaScript:x()",
        " java\nscript:x()",
        "vbscript:x",
        "file:///etc/hosts",
        "data:text/html,x",
        "C:\\a",
    ],
)
def test_dangerous_link_is_text_with_a_warning(make, url):
    made = make(link(url))
    assert made.markdown == "x\n\ny"
    assert made.codes == ["source.link_unsafe"]


def test_what_no_url_may_contain_is_encoded(make):
    assert "[y](a%20b%3C.html)" in make(link("a b&lt;.html")).markdown


def test_picture_beside_the_page_is_an_attachment(make):
    made = make('<img src="img/a boat.png" alt="A boat">', uri="docs/tides.html")
    (attachment,) = made.document.attachments
    assert made.markdown == "![A boat](img/a%20boat.png)"
    assert attachment.to_dict() == {
        "uri": "docs/img/a%20boat.png",
        "name": "a boat.png",
        "media_type": "image/png",
        "metadata": {"href": "img/a%20boat.png", "referenced": True},
    }


def test_picture_of_the_network_is_an_attachment_and_not_fetched(make):
    made = make('<img src="boat.png"><video src="/tide.mp4"></video>', uri=WEB)
    assert [(entry.uri, entry.metadata["remote"]) for entry in made.document.attachments] == [
        ("https://example.org/harbour/boat.png", True),
        ("https://example.org/tide.mp4", True),
    ]
    assert made.codes == ["source.asset_remote"]


def test_picture_is_listed_once(make):
    assert len(make('<img src="a.png"><img src="a.png">').document.attachments) == 1


def test_picture_that_is_left_out_is_no_attachment(make):
    assert make('<nav><img src="a.png">x</nav><p>y').document.attachments == []


def test_small_picture_in_the_markup_stays(make):
    made = make('<img src="data:image/png;base64,AAAA" alt="dot">')
    assert made.markdown == "![dot](data:image/png;base64,AAAA)"
    assert made.document.attachments == []


@pytest.mark.parametrize("url", ["data:image/svg+xml,%3Csvg/%3E", "data:image/png;base64," + "A" * 100_000])
def test_other_picture_in_the_markup_is_its_description(make, url):
    made = make(f'<p><img src="{url}" alt="dot">')
    assert (made.markdown, made.codes) == ("dot", ["source.feature_unsupported"])


def test_picture_of_this_machine_is_its_description(make):
    made = make('<p><img src="file:///a.png" alt="dot">')
    assert (made.markdown, made.codes) == ("dot", ["source.link_unsafe"])


def test_line_of_a_problem_is_told_where_it_is_known(make):
    xhtml = '<html xmlns="http://www.w3.org/1999/xhtml"><body>\n<p>\n<a href="javascript:x">y</a></p></body></html>'
    assert [entry.line for entry in make(xhtml).details("source.link_unsafe")] == [3]
