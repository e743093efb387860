"""The folders that programs read: files, tables of contents, settings."""

import tomllib

import pytest
import yaml
from markdown_it import MarkdownIt
from markitect_tool.outputs.layouts import literal
from markitect_tool.outputs.split import Split
from markitect_tool.source.model import SourceProvenance


def at(*path):
    return {"metadata": {"section_path": list(path)}, "heading": path[-1]}


def files(document, **how):
    split = Split(document, **how)
    return dict(split.texts(split.pictures))


@pytest.fixture(scope="module")
def book(make):
    return make(
        ("# Part", at("Part")),
        ("![map](a.png)", at("Part", "One [1]")),
        ("c", at("Other", "Two")),
        title="Ebb *and* flow",
        creators=["Ada", "Jo"],
        language="en",
        attachments=("a.png",),
    )


def test_plain_folder_has_chapters_and_an_index(book):
    assert files(book) == {
        "index.md": "# Ebb \\*and\\* flow\n\nAda, Jo\n\n"
        "- [Part](01-Part.md)\n    - [One \\[1\\]](02-One-1.md)\n- Other\n    - [Two](03-Two.md)\n",
        "01-Part.md": "# Part\n",
        "02-One-1.md": "![map](assets/a.png)\n",
        "03-Two.md": "c\n",
    }


def test_chapters_below_a_heading_without_text_are_below_it(make):
    document = make(("a", at("P", "Q", "A")), ("b", at("P", "Q", "B")), ("c", at("P", "R", "C")))
    assert files(document)["index.md"].splitlines()[2:] == [
        "- P", "    - Q", "        - [A](01-A.md)", "        - [B](02-B.md)", "    - R", "        - [C](03-C.md)",
    ]  # fmt: skip


def test_mdbook_wants_a_link_in_every_line_of_its_summary(book):
    assert files(book, layout="mdbook")["src/SUMMARY.md"] == (
        "# Summary\n\n[Ebb \\*and\\* flow](index.md)\n\n"
        "- [Part](01-Part.md)\n    - [One \\[1\\]](02-One-1.md)\n- [Other]()\n    - [Two](03-Two.md)\n"
    )


def test_mdbook_takes_no_orders_from_a_book(book):
    settings = tomllib.loads(files(book, layout="mdbook")["book.toml"])
    assert settings["build"] == {"use-default-preprocessors": False}
    assert settings["book"] == {"title": "Ebb *and* flow", "authors": ["Ada", "Jo"], "language": "en", "src": "src"}


@pytest.mark.parametrize("title", ['a"b\\c', "a\nb", "\x7f\x80", "'''", "# x", "${HOME}", "!ENV HOME"])
@pytest.mark.parametrize("layout", ["mdbook", "mkdocs"])
def test_settings_hold_any_title(make, title, layout):
    found = files(make(("a", at(title)), title=title), layout=layout)
    shown = " ".join(title.split())
    if layout == "mdbook":
        assert tomllib.loads(found["book.toml"])["book"]["title"] == shown
    else:
        settings = yaml.safe_load(found["mkdocs.yml"])
        assert settings["site_name"] == shown
        assert list(settings["nav"][1]) == [shown]


def test_mkdocs_names_a_section_and_its_page(book):
    settings = yaml.safe_load(files(book, layout="mkdocs")["mkdocs.yml"])
    assert settings["nav"] == [
        {"Ebb *and* flow": "index.md"},
        {"Part": [{"Part": "01-Part.md"}, {"One [1]": "02-One-1.md"}]},
        {"Other": [{"Two": "03-Two.md"}]},
    ]


@pytest.mark.parametrize(
    ("layout", "folder"), [("plain", ""), ("obsidian", ""), ("mkdocs", "docs/"), ("mdbook", "src/")]
)
def test_pictures_lie_beside_the_chapters(book, layout, folder):
    split = Split(book, layout=layout, picture_folder="pics")
    texts = dict(split.texts(split.pictures))
    assert split.picture_path("a.png") == f"{folder}pics/a.png"
    assert texts[f"{folder}02-One-1.md"] == "![map](pics/a.png)\n"


def test_picture_that_cannot_be_had_keeps_its_link(book):
    split = Split(book)
    assert dict(split.texts(split.pictures.without({"a.png"})))["02-One-1.md"] == "![map](a.png)\n"


def test_chapters_say_where_they_belong(make):
    spans = [SourceProvenance("book:1", page=page) for page in ("12", "14")]
    document = make(
        ("a", at("P", "C") | {"provenance": spans}), ("b", at("Q")), title="T", creators=["A"], language="en"
    )
    found = files(document, front_matter=True)
    head = yaml.safe_load(found["01-C.md"].split("---\n")[1])
    assert head == {
        "title": "C",
        "book": "T",
        "author": ["A"],
        "lang": "en",
        "source": "book:1",
        "weight": 1,
        "heading_path": ["P", "C"],
        "pages": "12-14",
    }
    assert "pages" not in found["02-Q.md"]
    assert yaml.safe_load(found["index.md"].split("---\n")[1])["title"] == "T"


def test_book_without_a_title_has_the_name_of_its_file(make):
    assert files(make("a"))["index.md"].startswith("# book.epub\n")


@pytest.mark.parametrize(
    "text", ["a_b*c", "[x](y)", "<b>", "`c`", "a\nb", "# h", "{{#include x}}", "$x$", "1. x", "~~x~~"]
)
def test_literal_text_is_read_as_it_is(text):
    (_, inline, _) = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse("- " + literal(text))[2:5]
    assert "".join(token.content for token in inline.children) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "fragment", "target"),
    [
        ('<a id="x"></a>start', "", '<a id="x"></a>start'),
        ('text\n\n# <a id="x"></a>A *log*: one', "#A%20log%20one", None),
        ('text\n\nPart <a id="x"></a>of it.\n\nmore', "#^x", 'text\n\nPart <a id="x"></a>of it. ^x\n\nmore'),
        ('text\n\n- <a id="x"></a>one\n- two', "#^x", 'text\n\n- <a id="x"></a>one ^x\n- two'),
        ('text\n\n<a id="x_1"></a>a', "#^x-1", 'text\n\n<a id="x_1"></a>a ^x-1'),
        ('# A\n\nb[^1]\n\n[^1]: <a id="x"></a>note', "#A", None),
        ('# A\n\n| <a id="x"></a>b |\n| --- |', "#A", None),
        ('b\n\n# A\n\n# <a id="x"></a>A', "", None),
    ],
)
def test_obsidian_is_led_to_what_it_can_find(make, text, fragment, target):
    name = "x_1" if "x_1" in text else "x"
    found = files(make((f"[a](#{name})", at("S")), (text, at("T"))), layout="obsidian")
    assert found["01-S.md"] == f"[a](02-T.md{fragment})\n"
    assert found["02-T.md"] == f"{target or text}\n"


def test_obsidian_gets_no_identifier_where_no_link_leads(make):
    assert files(make(('a\n\n<a id="x"></a>b', at("T"))), layout="obsidian")["01-T.md"] == 'a\n\n<a id="x"></a>b\n'
