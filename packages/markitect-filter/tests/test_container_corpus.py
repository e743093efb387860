"""Every book of the corpus through the archive door and the parsers, with default limits."""

import os
from pathlib import Path

import pytest
from markitect_filter.documents.limits import DEFAULT_LIMITS
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.container import read_container
from markitect_filter.epub3.container.unpack import EncryptedMemberError
from markitect_filter.markup.parse import parse_markup, parse_xml
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError, UnsupportedFormatError

ROOT = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("MARKITECT_CORPUS", ROOT / "../shared/corpus"))
BOOKS = sorted(CORPUS.rglob("*.epub"))
UNREADABLE = {
    "epub3__04-ocf__ocf-container-not-ocf-error",
    "epub3__04-ocf__ocf-package-document-missing-fatal",
    "epub3__04-ocf__ocf-zip-unreadable-image-with-epub-extension-fatal",
    "epub3__04-ocf__ocf-zip-unreadable-no-end-header-fatal",
}
ENCRYPTED = {
    "epub3__04-ocf__ocf-encryption-unknown-valid": ["EPUB/content_001.xhtml"],
    "epub3__04-ocf__ocf-encryption-compression-attributes-invalid-error": ["EPUB/video.mp4"],
}

pytestmark = pytest.mark.skipif(not BOOKS, reason="no corpus: set MARKITECT_CORPUS to its folder")


@pytest.mark.parametrize("path", [book for book in BOOKS if book.stem not in UNREADABLE], ids=lambda path: path.stem)
def test_every_member_of_a_readable_book_is_read_and_parsed(path):
    encrypted = []
    sink = DiagnosticSink()
    with Archive.open(path, limits=DEFAULT_LIMITS, sink=sink) as archive:
        assert read_container(archive, sink).rootfiles
        for name in archive.names:
            try:
                data = archive.read(name)
            except EncryptedMemberError:
                encrypted.append(name)
                continue
            if name.endswith((".xhtml", ".html", ".htm", ".svg")):
                parsed = parse_markup(data, limits=DEFAULT_LIMITS.markup)
            elif name.endswith((".opf", ".ncx", ".xml")):
                parsed = parse_xml(data, limits=DEFAULT_LIMITS.markup)
            else:
                continue
            assert (parsed.replaced, parsed.removed, parsed.flattened) == (0, 0, 0)
    assert encrypted == ENCRYPTED.get(path.stem, [])
    assert not sink.has_errors


@pytest.mark.parametrize("path", [book for book in BOOKS if book.stem in UNREADABLE], ids=lambda path: path.stem)
def test_an_unreadable_book_is_a_named_error(path):
    sink = DiagnosticSink()
    with (
        pytest.raises((MalformedSourceError, UnsupportedFormatError)) as caught,
        Archive.open(path, limits=DEFAULT_LIMITS, sink=sink) as archive,
    ):
        read_container(archive, sink)
    assert caught.value.diagnostic.severity == "error"
