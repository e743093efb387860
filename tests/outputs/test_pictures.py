"""Pictures beside the text: which, called what, and where links to them lead."""

from urllib.parse import unquote

import pytest
from markitect_filter.testing.books import Book


def test_pictures_lie_beside_the_text(mkt, harbour, here, png):
    result = mkt(harbour, "--output", "out.md", "--assets", "pics/harbour")
    assert (result.exit_code, result.output) == (0, "")
    assert (here / "pics/harbour/map.png").read_bytes() == png
    text = (here / "out.md").read_text(encoding="utf-8")
    assert text.count("![Map](pics/harbour/map.png)") == 2
    assert "`![](OPS/img/map.png)`" in text


def test_pictures_change_nothing_but_links(mkt, harbour, here):
    mkt(harbour, "--output", "plain.md")
    mkt(harbour, "--output", "out.md", "--assets", "pics")
    plain = (here / "plain.md").read_text(encoding="utf-8")
    assert (here / "out.md").read_text(encoding="utf-8") == plain.replace("Map](OPS/img/map.png)", "Map](pics/map.png)")


@pytest.mark.parametrize(
    ("output", "assets", "link"),
    [
        ("a/out.md", "pics", "../pics/map.png"),
        ("out.md", ".", "map.png"),
        ("out.md", "my pics (1)", "my%20pics%20%281%29/map.png"),
    ],
)
def test_links_to_pictures_are_relative_to_the_text(mkt, harbour, here, output, assets, link):
    (here / "a").mkdir()
    assert mkt(harbour, "--output", output, "--assets", assets).exit_code == 0
    assert f"![Map]({link})" in (here / output).read_text(encoding="utf-8")


@pytest.mark.parametrize("assets", ["pics", "link/pics", "link", "elsewhere/far"])
def test_links_hold_where_a_symbolic_link_leads(mkt, harbour, here, assets, png):
    (here / "elsewhere/far").mkdir(parents=True)
    (here / "link").symlink_to("elsewhere/far", target_is_directory=True)
    assert mkt(harbour, "--output", "link/out.md", "--assets", assets).exit_code == 0
    text = (here / "link/out.md").read_text(encoding="utf-8")
    destination = text.partition("![Map](")[2].partition(")")[0]
    assert (here / "link" / destination).read_bytes() == png


def test_folder_of_pictures_keeps_the_name_of_a_symbolic_link(mkt, harbour, here):
    (here / "elsewhere").mkdir()
    (here / "pics").symlink_to("elsewhere", target_is_directory=True)
    assert mkt(harbour, "--output", "out.md", "--assets", "pics").exit_code == 0
    assert "![Map](pics/map.png)" in (here / "out.md").read_text(encoding="utf-8")


def test_book_without_pictures_makes_no_folder(mkt, here, book):
    (here / "a.epub").write_bytes(book({"a.xhtml": "<p>a</p>"}))
    assert mkt("a.epub", "--output", "a.md", "--assets", "pics").exit_code == 0
    assert not (here / "pics").exists()


def test_only_pictures_that_the_text_shows_are_copied(mkt, here, book, files, png):
    page = {"a.xhtml": '<p><img src="a.png" alt=""/></p>'}
    (here / "a.epub").write_bytes(book(page, {"a.png": png, "unused.png": png}))
    mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert list(files(here / "pics")) == ["a.png"]


def test_pictures_of_one_name_get_numbers(mkt, here, book, files, png):
    names = ["a/map.png", "b/MAP.png", "c/map.png"]
    page = {"a.xhtml": "".join(f'<p><img src="{name}" alt=""/></p>' for name in names)}
    (here / "a.epub").write_bytes(book(page, {name: name.encode() for name in names}))
    mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert files(here / "pics") == {"map.png": b"a/map.png", "MAP-2.png": b"b/MAP.png", "map-3.png": b"c/map.png"}
    assert (here / "a.md").read_text() == "![](pics/map.png)\n\n![](pics/MAP-2.png)\n\n![](pics/map-3.png)\n"


@pytest.mark.parametrize(
    "name", ["CON.png", "a b.png", "100%25.png", "..%2Fup.png", "%E7%81%AB.png", "-x.png", "a?b.png"]
)
def test_odd_names_become_safe_ones(mkt, here, name, files, png):
    members = {f"OPS/{unquote(name)}": png}
    page = {"a.xhtml": f'<p><img src="{name.replace("?", "%3F")}" alt="x"/></p>'}
    (here / "a.epub").write_bytes(Book(page, members=members).pack())
    assert mkt("a.epub", "--output", "a.md", "--assets", "pics").exit_code == 0
    for found in files(here / "pics"):
        assert "/" not in found
        assert found not in ("CON.png", ".png")
    assert files(here).keys() == {"a.epub", "a.md", *(f"pics/{found}" for found in files(here / "pics"))}


@pytest.mark.parametrize("name", ["page.html", "Script.JS", "notes.md"])
def test_what_a_site_would_run_or_take_for_a_chapter_is_text(mkt, here, name, book):
    (here / "a.epub").write_bytes(book({"a.xhtml": f'<p><a href="{name}">x</a></p>'}, {name: b"x"}))
    assert mkt("a.epub", "--split", "out", "--layout", "mkdocs").exit_code == 0
    stem, suffix = name.split(".")
    assert (here / f"out/docs/assets/{stem}-{suffix}.txt").read_bytes() == b"x"


def test_book_from_standard_input_has_its_pictures_too(mkt, harbour, here, files):
    result = mkt("-", "--output", "out.md", "--assets", "pics", "--uri", "book:1", input=harbour.read_bytes())
    assert result.exit_code == 0
    assert list(files(here / "pics")) == ["map.png"]
