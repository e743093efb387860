"""The W3C reading-system tests that concern package, spine, navigation and URLs, with our result for each.

Each row says in our words what the book's own text asks of a reader, and checks what we make of it. Tests of layout,
fonts, scripts, media playback and rendering are not a text reader's and have no row.
Needs the books of `MARKITECT_CORPUS` (default `../shared/corpus` beside the repository).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from markitect_filter.documents.limits import DEFAULT_LIMITS
from markitect_filter.documents.xml_names import text_of
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.container import read_container, select_rootfile
from markitect_filter.epub3.href import resolve_href
from markitect_filter.epub3.navigation.navigation import read_navigation
from markitect_filter.epub3.navigation.navigation_model import Navigation
from markitect_filter.epub3.navigation.spine import SpineItem, reading_order
from markitect_filter.epub3.package.metadata import source_metadata
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.epub3.package.package_model import Package
from markitect_filter.epub3.roles.roles import package_roles
from markitect_filter.markup.parse import parse_markup, parse_xml
from markitect_tool.diagnostics import Diagnostic, DiagnosticSink
from markitect_tool.source.model import SourceMetadata

CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or Path(__file__).parents[3].parent / "shared/corpus")
BOOKS = CORPUS / "w3c"

pytestmark = pytest.mark.skipif(not BOOKS.is_dir(), reason="no W3C books: set MARKITECT_CORPUS")


@dataclass(frozen=True)
class Book:
    """One test book, read up to its reading order."""

    archive: Archive
    package: Package
    metadata: SourceMetadata
    navigation: Navigation
    order: tuple[SpineItem, ...]
    diagnostics: tuple[Diagnostic, ...]

    def members(self) -> list[str | None]:
        return [step.member for step in self.order]

    def direction(self) -> str:
        return self.package.spine.direction if self.package.spine else ""

    def text(self, index: int) -> str:
        member = self.order[index].member
        assert member is not None
        return text_of(parse_markup(self.archive.read(member)).root)

    def codes(self) -> list[str]:
        return [entry.code for entry in self.diagnostics]


def in_folder(*names: str, folder: str = "EPUB") -> list[str]:
    return [f"{folder}/{name}.xhtml" for name in names]


def four_pages(book: Book) -> bool:
    return book.members() == in_folder("content_001", "content_002", "content_003", "content_004")


def opens(book: Book) -> bool:
    """The book opens without a remark and its page says so."""
    return book.diagnostics == () and len(book.order) == 1 and book.text(0).endswith((".", "!"))


Check = Callable[[Book], bool]
ROWS: list[tuple[str, str, Check]] = [
    # Package
    (
        "pkg-title-order",
        "the first of six titles is the title",
        lambda book: book.metadata.title == "pkg-title-order" and len(book.metadata.raw["titles"]) == 6,
    ),
    ("pkg-meta-unknown", "an unknown meta property does no harm and is kept", opens),
    ("pkg-manifest-unknown", "an unknown manifest property does no harm", opens),
    ("pkg-spine-unknown", "an unknown spine property does no harm", opens),
    (
        "pkg-unique-id_duplicate",
        "two books may share an identifier: nothing is looked up by it",
        lambda book: book.metadata.identifiers["package"] == "pkg-unique-id" and opens(book),
    ),
    (
        "pkg-dir_unset-root-rtl",
        "the title inherits its direction from the package element",
        lambda book: book.metadata.raw["direction"] == "rtl" and "direction" not in book.metadata.raw["titles"][0],
    ),
    (
        "pkg-dir-auto_root-rtl",
        "the title's own direction is kept beside the package's",
        lambda book: (book.metadata.raw["direction"], book.metadata.raw["titles"][0]["direction"]) == ("rtl", "auto"),
    ),
    ("pkg-dir_unset-root-unset", "no direction is made up", lambda book: "direction" not in book.metadata.raw),
    (
        "pkg-manifest-unlisted-resource",
        "an image that the manifest does not list is no item of the book",
        lambda book: all(not item.href.endswith("red.png") for item in book.package.manifest),
    ),
    # Spine
    (
        "pkg-spine-progression_ltr",
        "four pages in spine order, direction ltr",
        lambda book: four_pages(book) and book.direction() == "ltr",
    ),
    (
        "pkg-spine-progression-default",
        "four pages in spine order, direction left open",
        lambda book: four_pages(book) and book.direction() == "default",
    ),
    (
        "pkg-spine-nonlinear-activation",
        "a non-linear page that only a link reaches is kept in its place and flagged",
        lambda book: (
            [step.linear for step in book.order] == [True, False] and book.codes() == ["source.spine_item_nonlinear"]
        ),
    ),
    (
        "lay-pp-spine-overrides_image-spine-reflow",
        "an image in the spine is read through its fallback",
        lambda book: book.order[1].is_fallback and book.members()[1] == "EPUB/page_002.xhtml",
    ),
    (
        "lay-pp-svg-icb_multi",
        "SVG documents in the spine are pages",
        lambda book: [step.media_type for step in book.order[1:]] == ["image/svg+xml"] * 2,
    ),
    (
        "lay-pkg-flow-paginated",
        "layout properties are kept and change no order",
        lambda book: four_pages(book) and book.metadata.raw["rendition"]["flow"] == ["paginated"],
    ),
    # Navigation
    (
        "nav-spine_in-spine",
        "a navigation document in the spine is a step of the reading order, and its two links are the contents",
        lambda book: book.members()[0] == "EPUB/nav.xhtml" and len(book.navigation.toc) == 2,
    ),
    (
        "nav-spine_in-spine-hidden-toc-css",
        "style sheets that hide an entry do not hide it from the contents",
        lambda book: [entry.hidden for entry in book.navigation.toc] == [False, False],
    ),
    # Container and URLs
    (
        "ocf-package_multiple",
        "of three package documents the first is read, the others are named",
        lambda book: (
            book.package.member == "FOO/BAR/package.opf"
            and book.members() == in_folder("content_001", folder="FOO/BAR")
            and book.codes().count("source.rendition_available") == 2
        ),
    ),
    ("ocf-metainf-inc", "an unknown file in META-INF is ignored", opens),
    ("ocf-metainf-manifest", "a manifest in META-INF adds nothing to the spine", opens),
    (
        "ocf-url_manifest",
        "a page in a folder below the package is found",
        lambda book: book.members() == in_folder("content_001", folder="EPUB/foo"),
    ),
    (
        "ocf-url_relative",
        "hrefs are relative to the package's own folder",
        lambda book: book.members() == in_folder("content_001", folder="foo/BAR/qux"),
    ),
    (
        "ocf-url_parse-leaking-relative",
        "dot segments beyond the root end at the root",
        lambda book: (
            getattr(resolve_href(book.order[0].member or "", "../../../../../media/imgs/m.jpg"), "path", "")
            == "media/imgs/m.jpg"
        ),
    ),
    (
        "ocf-url_parse-path-absolute",
        "a leading slash starts at the root of the container",
        lambda book: (
            getattr(resolve_href(book.order[0].member or "", "/media/imgs/m.jpg"), "path", "") == "media/imgs/m.jpg"
        ),
    ),
    # Content, as far as the reading order needs it
    (
        "pub-xml-external-id",
        "an external entity is never fetched",
        lambda book: (
            "fail"
            not in text_of(parse_markup(book.archive.read("EPUB/content_001.xhtml")).root).replace(
                "unless a failure", ""
            )
        ),
    ),
    (
        "pub-xml-names",
        "a malformed element name is an error that is said, and the text is kept",
        lambda book: (
            parse_markup(book.archive.read("EPUB/content_001.xhtml")).error is not None
            and "reports an error" in book.text(0)
        ),
    ),
]


@pytest.fixture
def book(request):
    sink = DiagnosticSink()
    with Archive.open(BOOKS / f"{request.param}.epub", limits=DEFAULT_LIMITS, sink=sink) as archive:
        rootfile = select_rootfile(read_container(archive, sink), None, sink)
        package = parse_package(parse_xml(archive.read(rootfile.path)).root, rootfile.path, sink)
        metadata = source_metadata(package, sink)
        navigation = read_navigation(package, archive, sink)
        order = reading_order(package, archive, sink)
        yield Book(archive, package, metadata, navigation, order, tuple(sink))


@pytest.mark.parametrize(("book", "expectation", "check"), ROWS, ids=[name for name, _, _ in ROWS], indirect=["book"])
def test_reading_system_test_passes(book, expectation, check):
    assert check(book), f"{expectation}: {book.members()}, {book.codes()}"


@pytest.mark.parametrize("book", ["nav-spine_in-spine"], indirect=True)
def test_navigation_document_in_the_spine_has_its_role(book):
    settled = package_roles(book.package, book.navigation.landmarks, book.archive.member)
    assert settled["EPUB/nav.xhtml"].role == "navigation"
