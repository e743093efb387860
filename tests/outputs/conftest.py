"""`mkt source normalize` into files, on books made here."""

import pytest
from click.testing import CliRunner
from markitect_filter.testing.books import Book
from markitect_tool.cli.main import cli

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


@pytest.fixture
def png():
    """The bytes of a picture, as far as anybody looks."""
    return PNG


@pytest.fixture
def book():
    """Make a book with pictures: `members` by their path in the package's folder."""

    def made(pages, members=(), items=(), **more):
        manifest = [
            f'<item id="m{number}" href="{name}" media-type="image/png"/>' for number, name in enumerate(members)
        ]
        content = {f"OPS/{name}": data for name, data in dict(members).items()}
        return Book(pages, members=content, manifest=[*manifest, *items], **more).pack()

    return made


@pytest.fixture
def harbour(here, book):
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


@pytest.fixture
def files():
    """The files in a folder, by their path in it."""
    return lambda folder: {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
