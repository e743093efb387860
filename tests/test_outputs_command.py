"""`mkt source normalize` with pictures, chapters, front matter and records, on books made here."""

import errno
import json
import os
from typing import Protocol, runtime_checkable
from urllib.parse import unquote

import pytest
import yaml
from click.testing import CliRunner
from markitect_filter.testing.books import Book
from markitect_tool.cli.main import cli
from markitect_tool.outputs import folder as folder_module
from markitect_tool.source import api, attachments

PNG = b"\x89PNG\r\n\x1a\n picture"
NOTE = '<aside epub:type="footnote" id="n"><p>Per barrel.</p></aside>'


@pytest.fixture
def mkt():
    """Run the command in this process."""
    return lambda *arguments, **more: CliRunner().invoke(cli, ["source", "normalize", *map(str, arguments)], **more)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of its own as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def book(pages, members=(), items=(), **more):
    """A book with pictures: `members` by their path in the package's folder."""
    manifest = [f'<item id="m{number}" href="{name}" media-type="image/png"/>' for number, name in enumerate(members)]
    content = {f"OPS/{name}": data for name, data in dict(members).items()}
    return Book(pages, members=content, manifest=[*manifest, *items], **more).pack()


@pytest.fixture
def harbour(here):
    """A book of two chapters with a picture, a link and a note across them."""
    path = here / "harbour.epub"
    path.write_bytes(
        book(
            {
                "one.xhtml": '<h1 id="one">One</h1><p>Salt<a epub:type="noteref" href="#n">1</a>, see '
                f'<a href="two.xhtml#two">two</a>.</p><p><img src="img/map.png" alt="Map"/></p>{NOTE}',
                "two.xhtml": '<h1 id="two">Two</h1><p>Back to <a href="one.xhtml#one">one</a>. '
                '<code>![](OPS/img/map.png)</code></p><p><img src="img/map.png" alt="Map"/></p>',
            },
            {"img/map.png": PNG},
        )
    )
    return path


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_pictures_lie_beside_the_text(mkt, harbour, here):
    result = mkt(harbour, "--output", "out.md", "--assets", "pics/harbour")
    assert (result.exit_code, result.output) == (0, "")
    assert (here / "pics/harbour/map.png").read_bytes() == PNG
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
def test_links_hold_where_a_symbolic_link_leads(mkt, harbour, here, assets):
    (here / "elsewhere/far").mkdir(parents=True)
    (here / "link").symlink_to("elsewhere/far", target_is_directory=True)
    assert mkt(harbour, "--output", "link/out.md", "--assets", assets).exit_code == 0
    text = (here / "link/out.md").read_text(encoding="utf-8")
    destination = text.partition("![Map](")[2].partition(")")[0]
    assert (here / "link" / destination).read_bytes() == PNG


def test_folder_of_pictures_keeps_the_name_of_a_symbolic_link(mkt, harbour, here):
    (here / "elsewhere").mkdir()
    (here / "pics").symlink_to("elsewhere", target_is_directory=True)
    assert mkt(harbour, "--output", "out.md", "--assets", "pics").exit_code == 0
    assert "![Map](pics/map.png)" in (here / "out.md").read_text(encoding="utf-8")


def test_book_without_pictures_makes_no_folder(mkt, here):
    (here / "a.epub").write_bytes(book({"a.xhtml": "<p>a</p>"}))
    assert mkt("a.epub", "--output", "a.md", "--assets", "pics").exit_code == 0
    assert not (here / "pics").exists()


def test_only_pictures_that_the_text_shows_are_copied(mkt, here):
    page = {"a.xhtml": '<p><img src="a.png" alt=""/></p>'}
    (here / "a.epub").write_bytes(book(page, {"a.png": PNG, "unused.png": PNG}))
    mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert list(files(here / "pics")) == ["a.png"]


def test_pictures_of_one_name_get_numbers(mkt, here):
    names = ["a/map.png", "b/MAP.png", "c/map.PNG"]
    page = {"a.xhtml": "".join(f'<p><img src="{name}" alt=""/></p>' for name in names)}
    (here / "a.epub").write_bytes(book(page, {name: name.encode() for name in names}))
    mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert files(here / "pics") == {"map.png": b"a/map.png", "MAP-2.png": b"b/MAP.png", "map-3.png": b"c/map.PNG"}
    assert (here / "a.md").read_text() == "![](pics/map.png)\n\n![](pics/MAP-2.png)\n\n![](pics/map-3.png)\n"


@pytest.mark.parametrize(
    "name", ["CON.png", "a b.png", "100%25.png", "..%2Fup.png", "%E7%81%AB.png", "-x.png", "a?b.png"]
)
def test_odd_names_become_safe_ones(mkt, here, name):
    members = {f"OPS/{unquote(name)}": PNG}
    page = {"a.xhtml": f'<p><img src="{name.replace("?", "%3F")}" alt="x"/></p>'}
    (here / "a.epub").write_bytes(Book(page, members=members).pack())
    assert mkt("a.epub", "--output", "a.md", "--assets", "pics").exit_code == 0
    for found in files(here / "pics"):
        assert "/" not in found
        assert found not in ("CON.png", ".png")
    assert files(here).keys() == {"a.epub", "a.md", *(f"pics/{found}" for found in files(here / "pics"))}


def test_picture_that_the_book_does_not_hold_is_its_text(mkt, here):
    (here / "a.epub").write_bytes(book({"a.xhtml": '<p>a <img src="gone.png" alt="Map"/></p>'}))
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert result.exit_code == 0
    assert "source.asset_missing" in result.stderr
    assert (here / "a.md").read_text() == "a Map\n"


def test_pictures_on_the_network_stay_there(mkt, here):
    (here / "a.epub").write_bytes(book({"a.xhtml": '<p><img src="https://example.org/a.png" alt="A"/></p>'}))
    assert mkt("a.epub", "--output", "a.md", "--assets", "pics").exit_code == 0
    assert (here / "a.md").read_text() == "![A](https://example.org/a.png)\n"


def test_encrypted_picture_keeps_its_link_and_is_told(mkt, here):
    encryption = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
        '<enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><enc:CipherData>'
        '<enc:CipherReference URI="OPS/a.png"/></enc:CipherData></enc:EncryptedData></encryption>'
    )
    members = {"OPS/a.png": PNG, "OPS/b.png": PNG, "META-INF/encryption.xml": encryption}
    page = {"a.xhtml": '<p><img src="a.png" alt="A"/> <img src="b.png" alt="B"/></p>'}
    (here / "a.epub").write_bytes(Book(page, members=members).pack())
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert result.exit_code == 0
    assert "warning[output.attachment_unreadable]" in result.stderr
    assert (here / "a.md").read_text() == "![A](OPS/a.png) ![B](pics/b.png)\n"


def test_picture_over_the_limit_keeps_its_link(mkt, here):
    (here / "a.epub").write_bytes(book({"a.xhtml": '<p><img src="a.png" alt="A"/></p>'}, {"a.png": bytes(100_000)}))
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics", "--option", "max_member_bytes=50000")
    assert result.exit_code == 0
    assert "max_member_bytes" in result.stderr
    assert (here / "a.md").read_text() == "![A](OPS/a.png)\n"


def test_adapter_without_attachments_is_told(mkt, here, monkeypatch):
    class Other(Protocol):
        def something_else(self): ...

    (here / "a.epub").write_bytes(book({"a.xhtml": '<p><img src="a.png" alt="A"/></p>'}, {"a.png": PNG}))
    monkeypatch.setattr(attachments, "SourceAttachmentReader", runtime_checkable(Other))
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert result.exit_code == 0
    assert "warning[output.attachments_unavailable]" in result.stderr
    assert (here / "a.md").read_text() == "![A](OPS/a.png)\n"


def test_book_from_standard_input_has_its_pictures_too(mkt, harbour, here):
    result = mkt("-", "--output", "out.md", "--assets", "pics", "--uri", "book:1", input=harbour.read_bytes())
    assert result.exit_code == 0
    assert list(files(here / "pics")) == ["map.png"]


def test_picture_of_the_same_name_is_not_overwritten(mkt, harbour, here):
    (here / "pics").mkdir()
    (here / "pics/map.png").write_bytes(b"mine")
    result = mkt(harbour, "--output", "out.md", "--assets", "pics")
    assert result.exit_code == 1
    assert "--force" in result.stderr
    assert files(here / "pics") == {"map.png": b"mine"}
    assert not (here / "out.md").exists()
    assert mkt(harbour, "--output", "out.md", "--assets", "pics", "--force").exit_code == 0
    assert files(here / "pics") == {"map.png": PNG}


@pytest.mark.parametrize("output", ["pics/map.png", "pics/MAP.PNG"])
def test_text_in_the_place_of_a_picture_is_refused(mkt, harbour, here, output):
    result = mkt(harbour, "--output", output, "--assets", "pics", "--force")
    assert (result.exit_code, "where the picture" in result.stderr) == (1, True)
    assert list(files(here)) == ["harbour.epub"]


@pytest.mark.parametrize("name", ["page.html", "Script.JS", "notes.md"])
def test_what_a_site_would_run_or_take_for_a_chapter_is_text(mkt, here, name):
    (here / "a.epub").write_bytes(book({"a.xhtml": f'<p><a href="{name}">x</a></p>'}, {name: b"x"}))
    assert mkt("a.epub", "--split", "out", "--layout", "mkdocs").exit_code == 0
    stem, suffix = name.split(".")
    assert (here / f"out/docs/assets/{stem}-{suffix}.txt").read_bytes() == b"x"


def test_same_command_twice_is_no_conflict(mkt, harbour):
    for _ in range(2):
        assert mkt(harbour, "--output", "out.md", "--assets", "pics").exit_code == 0


def test_pictures_go_when_the_text_cannot_be_written(mkt, harbour, here):
    (here / "out.md").mkdir()
    result = mkt(harbour, "--output", "out.md", "--assets", "pics")
    assert result.exit_code == 1
    assert not (here / "pics").exists()


def test_full_disk_leaves_nothing(mkt, harbour, here, monkeypatch):
    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(folder_module, "write_file", full)
    for arguments in (["--output", "out.md", "--assets", "pics"], ["--split", "out"]):
        result = mkt(harbour, *arguments)
        assert (result.exit_code, "No space left" in result.stderr) == (1, True)
        assert list(files(here)) == ["harbour.epub"]


def test_source_that_changes_meanwhile_is_refused(mkt, harbour, here, monkeypatch):
    read = api.normalize_source

    def and_change(source, **how):
        result = read(source, **how)
        harbour.write_bytes(harbour.read_bytes() + b"\0")
        return result

    monkeypatch.setattr(api, "normalize_source", and_change)
    result = mkt(harbour, "--output", "out.md", "--assets", "pics")
    assert (result.exit_code, "changed" in result.stderr) == (1, True)
    assert list(files(here)) == ["harbour.epub"]


def test_chapters_are_files_with_an_index(mkt, harbour, here):
    result = mkt(harbour, "--split", "out")
    assert (result.exit_code, result.output) == (0, "")
    found = files(here / "out")
    assert found["index.md"].decode() == "# Book\n\n- [1](01-1.md)\n- [2](02-2.md)\n"
    assert found["assets/map.png"] == PNG
    assert found["01-1.md"].decode() == (
        '# <a id="one"></a>One\n\nSalt[^1], see [two](02-2.md#two).\n\n![Map](assets/map.png)\n\n[^1]: Per barrel.\n'
    )
    assert found["02-2.md"].decode() == (
        '# <a id="two"></a>Two\n\nBack to [one](01-1.md#one). `![](OPS/img/map.png)`\n\n![Map](assets/map.png)\n'
    )


@pytest.mark.parametrize("assets", ["pics", "out/pics", "out/deep/pics"])
def test_folder_for_pictures_among_the_chapters_has_another_name(mkt, harbour, here, assets):
    assert mkt(harbour, "--split", "out", "--assets", assets).exit_code == 0
    assert (here / "out" / assets.removeprefix("out/") / "map.png").exists()
    assert f"({assets.removeprefix('out/')}/map.png)" in (here / "out/01-1.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("assets", ["..", "other/pics", ".", ".hidden", "/pics"])
def test_folder_for_pictures_elsewhere_is_refused(mkt, harbour, here, assets):
    result = mkt(harbour, "--split", "out", "--assets", assets)
    assert (result.exit_code, "among the chapters" in result.stderr) == (2, True)
    assert list(files(here)) == ["harbour.epub"]


def test_folder_with_other_files_is_refused_without_force(mkt, harbour, here):
    (here / "out").mkdir()
    (here / "out/mine.md").write_bytes(b"mine")
    result = mkt(harbour, "--split", "out")
    assert (result.exit_code, "--force" in result.stderr) == (1, True)
    assert files(here / "out") == {"mine.md": b"mine"}
    assert mkt(harbour, "--split", "out", "--force").exit_code == 0
    assert files(here / "out")["mine.md"] == b"mine"


def test_invalid_source_makes_no_folder(mkt, here):
    (here / "a.epub").write_bytes(b"nothing")
    assert mkt("a.epub", "--split", "out").exit_code == 1
    assert list(files(here)) == ["a.epub"]


def test_chapter_says_what_it_is(mkt, harbour, here):
    assert mkt(harbour, "--split", "out", "--front-matter", "yaml").exit_code == 0
    _, head, text = (here / "out/02-2.md").read_text(encoding="utf-8").split("---\n")
    assert yaml.safe_load(head)["heading_path"] == ["2"]
    assert text.startswith('\n# <a id="two"></a>Two')


def test_front_matter_stands_before_the_text(mkt, harbour):
    plain, headed = mkt(harbour).stdout, mkt(harbour, "--front-matter", "yaml").stdout
    _, head, text = headed.split("---\n", 2)
    assert text == f"\n{plain}"
    assert yaml.safe_load(head)["title"] == "Book"


def test_each_line_is_a_segment(mkt, harbour, here):
    lines = mkt(harbour, "--format", "jsonl").stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["heading"] for record in records] == ["One", "Two"]
    text = mkt(harbour).stdout.encode()
    assert [text[record["byte_start"] : record["byte_end"]].decode() for record in records] == [
        record["text"] for record in records
    ]


def test_line_ends_of_unicode_do_not_end_a_record(mkt, here):
    (here / "a.md").write_text("a\u2028b\u0085c", encoding="utf-8")
    (line,) = mkt("a.md", "--format", "jsonl").stdout.splitlines()
    assert json.loads(line)["text"] == "a\u2028b\u0085c"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--assets", "pics"],
        ["--assets", "pics", "--output", "-"],
        ["--assets", "pics", "--output", "a.json", "--format", "json"],
        ["--split", "out", "--output", "a.md"],
        ["--split", "out", "--format", "jsonl"],
        ["--front-matter", "yaml", "--format", "json"],
        ["--layout", "mkdocs"],
        ["--split-depth", "1"],
        ["--force"],
        ["--split", "out", "--layout", "mdbook", "--front-matter", "yaml"],
        ["--split", ""],
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together_are_misuse(mkt, harbour, here, arguments):
    result = mkt(harbour, *arguments)
    assert result.exit_code == 2
    assert list(files(here)) == ["harbour.epub"]
