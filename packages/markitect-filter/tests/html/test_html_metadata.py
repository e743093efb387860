"""What a page says about itself."""

import pytest

DC = '<meta name="{}" content="{}">'


def head(*elements, body="<p>x"):
    return f"<!doctype html><html><head>{''.join(elements)}</head><body>{body}</body></html>"


def meta(name, content, kind="name"):
    return f'<meta {kind}="{name}" content="{content}">'


@pytest.mark.parametrize(
    ("page", "title"),
    [
        (head("<title> Low \n water &amp; high</title>"), "Low water & high"),
        (head("<title>Tides | Port</title>", meta("DC.title", "Tides")), "Tides"),
        (head(meta("og:title", "Tides", "property")), "Tides"),
        (head(body="<h2>x</h2><h1>Tides</h1>"), "Tides"),
        (head(body="<nav><h1>Port</h1></nav><main><h1>Tides</h1></main>"), "Tides"),
        (head("<title> </title>"), None),
        (head(body="<svg><title>Boat</title></svg>"), None),
    ],
)
def test_title(make, page, title):
    assert make(page).metadata.title == title


@pytest.mark.parametrize("name", ["dc.creator", "DC.Creator", "dcterms:creator", "author", "Author"])
def test_authors_in_order_once(make, name):
    assert make(head(meta(name, "A. Pilot"), meta(name, "B. Bell"), meta(name, "A. Pilot"))).metadata.creators == [
        "A. Pilot",
        "B. Bell",
    ]


@pytest.mark.parametrize(
    ("page", "language"),
    [
        ('<html lang="en-GB"><p>x', "en-GB"),
        ('<html lang="en"><body lang="de"><p>x', "de"),
        ('<html lang="en"><main lang="fr"><p>x</main>', "fr"),
        ('<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="nl"><body/></html>', "nl"),
        (head(meta("Content-Language", "da, en", "http-equiv")), "da"),
        (head(meta("dc.language", "sv")), "sv"),
        (head(), None),
    ],
)
def test_language(make, page, language):
    assert make(page).metadata.language == language


def test_date_rights_and_publisher(make):
    found = make(
        head(meta("dcterms.issued", "1898-04"), meta("DC.rights", "free"), meta("dc.publisher", "Port"))
    ).metadata
    assert (found.publication_date, found.rights, found.publisher) == ("1898-04", "free", "Port")


def test_licence_is_the_rights(make):
    page = head('<link rel="License nofollow" href="/by">')
    assert make(page, uri="https://example.org/a").metadata.rights == "https://example.org/by"


def test_identifiers_by_their_form(make):
    page = head(
        meta("dc.identifier", "urn:isbn:9783161484100"),
        meta("dc.identifier", "https://doi.org/10.1000/1"),
        meta("citation_doi", "10.1000/2"),
        meta("dc.identifier", "x1"),
    )
    assert make(page).metadata.identifiers == {
        "isbn": "9783161484100",
        "doi": "10.1000/1",
        "doi-2": "10.1000/2",
        "id": "x1",
    }


@pytest.mark.parametrize(
    ("uri", "canonical", "url"),
    [
        ("https://example.org/a?x=1", '<link rel=canonical href="/a">', "https://example.org/a"),
        ("https://example.org/a", "", "https://example.org/a"),
        ("a.html", '<link rel=canonical href="https://example.org/a">', "https://example.org/a"),
        ("a.html", '<link rel=canonical href="/a">', None),
        ("a.html", '<link rel=canonical href="javascript:x">', None),
    ],
)
def test_source_url(make, uri, canonical, url):
    assert make(head(canonical), uri=uri).metadata.source_url == url


def test_everything_else_is_kept_as_it_is(make):
    raw = make(head(meta("description", "Low  water"), meta("Keywords", "salt"), meta("keywords", "tide"))).metadata.raw
    assert raw["description"] == "Low water"
    assert raw["meta"] == {"description": ["Low water"], "keywords": ["salt", "tide"]}


def test_masses_of_metadata_are_bounded(make):
    page = head(*(meta(f"m{n}", "x" * 5000) for n in range(500)), *(meta("author", f"A{n}") for n in range(500)))
    found = make(page).metadata
    assert len(found.raw["meta"]) == 200
    assert {len(value) for values in found.raw["meta"].values() for value in values} == {2000}


def test_inspection_tells_the_same_and_counts(inspect):
    page = head(
        "<title>Tides</title>", body="<main><h1>x</h1><a href=y>y</a><img src=z><table><tr><td>1</table></main>"
    )
    result = inspect(page)
    assert (result.valid, result.metadata.title, result.asset.media_type) == (True, "Tides", "text/html")
    assert result.capabilities["content"] == "main"
    assert result.capabilities["counts"] == {"headings": 1, "links": 1, "images": 1, "tables": 1}


def test_inspection_tells_features(inspect):
    page = head("<script>x()</script>", body="<form></form><svg></svg><iframe src=x></iframe><math><mi>x</mi></math>")
    assert set(inspect(page).capabilities["features"].values()) == {True}
