"""Every page of every book of the corpus, as a page that stands alone."""

import zipfile

import pytest
from markitect_filter.testing.invariants import violations
from markitect_tool import normalize_source


def pages(book):
    """Names and bytes of the pages that an archive can give."""
    try:
        with zipfile.ZipFile(book) as archive:
            for entry in archive.infolist():
                if entry.filename.lower().endswith((".xhtml", ".html", ".htm")) and not entry.flag_bits & 1:
                    yield entry.filename, archive.read(entry)
    except (zipfile.BadZipFile, NotImplementedError, EOFError):
        return


@pytest.mark.parametrize("shelf", range(8))
def test_every_page_of_the_corpus_keeps_its_text(corpus, registry, shelf):
    """Each is read or refused with an error, and of what is read every character is accounted for."""
    wrong = {}
    count = 0
    for book in corpus[shelf::8]:
        for name, data in pages(book):
            count += 1
            result = normalize_source(data, uri=name, registry=registry)
            if found := violations(result):
                wrong[f"{book.name}:{name}"] = found
    assert wrong == {}
    assert count > 0


def test_sound_pages_of_real_books_are_of_full_quality(corpus, registry):
    lossy = {}
    for book in [book for book in corpus if book.parent.name == "se"][:3]:
        for name, data in pages(book):
            quality = normalize_source(data, uri=name, registry=registry).document.quality
            if quality.confidence != 1.0 or quality.lossiness not in ("none", "low"):
                lossy[f"{book.name}:{name}"] = quality.lossiness
    assert lossy == {}
