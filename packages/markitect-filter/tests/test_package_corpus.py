"""Agreement with ebooklib, an independent reader, on real books: metadata, manifest and spine.

Needs the books of `MARKITECT_CORPUS` (default `../shared/corpus` beside the repository).
"""

import os
from pathlib import Path
from urllib.parse import unquote

import pytest
from markitect_filter.documents.limits import DEFAULT_LIMITS
from markitect_filter.documents.xml_names import collapse
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.container import read_container, select_rootfile
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.markup.parse import parse_xml
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import SourceError

ebooklib_epub = pytest.importorskip("ebooklib.epub")

CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or Path(__file__).parents[3].parent / "shared/corpus")
BOOKS = sorted(CORPUS.glob("*/*.epub"))
DC = "http://purl.org/dc/elements/1.1/"

#: Where the two readers differ, and why ours is right.
SEVERAL_PACKAGES = "of several package documents ebooklib reads the last, the specification the first"
SPACES_IN_IDS = "XML removes the spaces around an id; ebooklib keeps them"
DIFFERENCES = {
    "epub-edupub__epub__edupub-multiple-renditions-dctype-missing-for-publication-error.epub": SEVERAL_PACKAGES,
    "epub3__03-resources__conformance-xml-id-leading-trailing-spaces-valid.epub": SPACES_IN_IDS,
    "ocf-package_multiple.epub": SEVERAL_PACKAGES,
}
#: What ebooklib raises for books that it cannot read: no package found, a missing or remote manifest item, bad XML.
UNREADABLE = (ebooklib_epub.EpubException, KeyError, AttributeError, TypeError)

#: Books without a package document, or whose archive is none: nobody can read them.
REFUSED = {
    "epub3__04-ocf__ocf-container-not-ocf-error.epub",
    "epub3__04-ocf__ocf-package-document-missing-fatal.epub",
    "epub3__04-ocf__ocf-zip-unreadable-image-with-epub-extension-fatal.epub",
    "epub3__04-ocf__ocf-zip-unreadable-no-end-header-fatal.epub",
}

pytestmark = [
    pytest.mark.skipif(not BOOKS, reason=f"no books in {CORPUS.name}: set MARKITECT_CORPUS"),
    pytest.mark.filterwarnings("ignore"),
]


def ours(path):
    sink = DiagnosticSink()
    with Archive.open(path, limits=DEFAULT_LIMITS, sink=sink) as archive:
        rootfile = select_rootfile(read_container(archive, sink), None, sink)
        package = parse_package(parse_xml(archive.read(rootfile.path)).root, rootfile.path, sink)
    metadata: dict[str, list[str]] = {}
    for entry in package.metadata:
        if entry.origin == "dc":
            metadata.setdefault(entry.name.removeprefix("dc:"), []).append(entry.value)
    manifest = [(item.id, unquote(item.href), item.declared_media_type) for item in package.manifest]
    spine = [(ref.idref, "yes" if ref.linear else "no") for ref in package.spine.itemrefs]
    return {"metadata": metadata, "manifest": manifest, "spine": spine}


def theirs(path):
    book = ebooklib_epub.read_epub(str(path), {"ignore_ncx": False})
    metadata = {}
    for name, values in book.metadata.get(DC, {}).items():
        texts = [text for value, _ in values if (text := collapse(value or ""))]
        if texts:
            metadata[name] = texts
    manifest = [(item.id, item.file_name, item.media_type) for item in book.get_items()]
    return {"metadata": metadata, "manifest": manifest, "spine": list(book.spine)}


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_package_agrees_with_ebooklib_where_that_can_read_it(path):
    try:
        expected = theirs(path)
    except UNREADABLE:
        assert path.name in REFUSED or ours(path)["spine"]
        return
    if path.name in DIFFERENCES:
        assert ours(path) != expected, f"no longer different: {DIFFERENCES[path.name]}"
    else:
        assert ours(path) == expected


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_book_that_nobody_can_read_is_refused_by_name(name):
    with pytest.raises(SourceError):
        ours(CORPUS / "epubcheck" / name)


def test_most_books_are_compared():
    compared = 0
    for path in BOOKS:
        try:
            theirs(path)
        except UNREADABLE:
            continue
        compared += 1
    assert compared > len(BOOKS) * 0.8
