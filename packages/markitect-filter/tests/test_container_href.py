"""References between members: RFC 3986 inside the container, and what leads out of it."""

import pytest
from markitect_filter.epub3.href import ExternalUrl, Target, UnsafeUrl, percent_decode, resolve_href


@pytest.mark.parametrize(
    ("base", "href", "path", "fragment"),
    [
        ("OPS/book.opf", "a.xhtml", "OPS/a.xhtml", None),
        ("OPS/pkg/book.opf", "../Text/a.xhtml", "OPS/Text/a.xhtml", None),
        ("book.opf", "./a.xhtml", "a.xhtml", None),
        ("OPS/a.xhtml", "b/../c.xhtml#x", "OPS/c.xhtml", "x"),
        ("OPS/a.xhtml", "#x", "OPS/a.xhtml", "x"),
        ("OPS/a.xhtml", "", "OPS/a.xhtml", None),
        ("OPS/a.xhtml", "?q=1#x", "OPS/a.xhtml", "x"),
        ("OPS/a.xhtml", "b.xhtml?q=../..#f%C3%A9", "OPS/b.xhtml", "fé"),
        ("OPS/a.xhtml", "b.xhtml#", "OPS/b.xhtml", None),
        ("OPS/a.xhtml", "/img/b.png", "img/b.png", None),
        ("OPS/a.xhtml", "part%20one/caf%C3%A9.xhtml", "OPS/part one/café.xhtml", None),
        ("OPS/a.xhtml", "caf%E9.xhtml", "OPS/café.xhtml", None),
        ("OPS/a.xhtml", "100%.xhtml", "OPS/100%.xhtml", None),
        ("OPS/a.xhtml", "a%2520b", "OPS/a%20b", None),
        ("OPS/a.xhtml", " \n b.xh\ntml ", "OPS/b.xhtml", None),
        ("OPS/a.xhtml", "sub/", "OPS/sub/", None),
        ("OPS/a.xhtml", "b.xhtml#a:b", "OPS/b.xhtml", "a:b"),
        ("", "OPS/a.otf", "OPS/a.otf", None),
    ],
)
def test_a_reference_is_resolved_against_its_document(base, href, path, fragment):
    target = resolve_href(base, href)
    assert isinstance(target, Target)
    assert (target.path, target.fragment, target.leaked) == (path, fragment, False)


@pytest.mark.parametrize(
    "href",
    [
        "../../../etc/x.xhtml",
        "/../etc/x.xhtml",
        "..\\..\\etc\\x.xhtml",
        "%2e%2e/%2E%2E/etc/x.xhtml",
        "..%2f..%2fetc/x.xhtml",
    ],
)
def test_a_reference_above_the_root_is_clamped_there_and_marked(href):
    target = resolve_href("OPS/book.opf", href)
    assert isinstance(target, Target)
    assert (target.path, target.leaked) == ("etc/x.xhtml", True)


def test_the_undecoded_path_is_kept_for_members_of_that_very_name():
    assert resolve_href("OPS/a", "b%20c").raw_path == "OPS/b%20c"


@pytest.mark.parametrize(
    ("href", "scheme"),
    [
        ("https://example.org/a", "https"),
        ("HTTP://example.org", "http"),
        ("mailto:a@example.org", "mailto"),
        ("data:image/png;base64,AA==", "data"),
        ("urn:isbn:9780000000000", "urn"),
        ("//example.org/a", ""),
    ],
)
def test_an_absolute_url_is_external(href, scheme):
    assert resolve_href("OPS/a.xhtml", href) == ExternalUrl(href, scheme)


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        " JavaScript:x",
        "java\nscript:x",
        "\x01javascript:x",
        "vbscript:x",
        "file:///etc/passwd",
        "C:\\x",
    ],
)
def test_a_url_that_runs_a_script_or_names_a_local_file_is_unsafe(href):
    assert isinstance(resolve_href("OPS/a.xhtml", href), UnsafeUrl)


def test_a_colon_behind_a_slash_is_no_scheme():
    assert resolve_href("OPS/a.xhtml", "./b:c.xhtml").path == "OPS/b:c.xhtml"


def test_percent_decoding_happens_once():
    assert percent_decode("%2541 %zz %") == "%41 %zz %"
