"""Which navigation leads: the nav document, the NCX in its place, the guide for landmarks."""

import io
import zipfile

import pytest
from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.navigation.navigation import read_navigation
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.markup.parse import parse_xml
from markitect_tool.diagnostics import DiagnosticSink

NAV_ITEM = '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
NCX_ITEM = '<item id="x" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
    '<nav epub:type="toc"><ol><li><a href="a.xhtml">From nav</a></li></ol></nav>{}</body></html>'
)
NCX = (
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>From NCX</text></navLabel>'
    '<content src="a.xhtml"/></navPoint></navMap><pageList><pageTarget><navLabel><text>7</text></navLabel>'
    '<content src="a.xhtml#p7"/></pageTarget></pageList></ncx>'
)
EMPTY_NAV = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>No list.</p></body></html>'


@pytest.fixture
def sink():
    return DiagnosticSink()


@pytest.fixture
def read(sink):
    def read(manifest, files, *, spine="<spine/>", guide="", version="3.0", limits=None):
        source = (
            f'<package xmlns="http://www.idpf.org/2007/opf" version="{version}"><metadata/>'
            f"<manifest>{manifest}</manifest>{spine}{guide}</package>"
        )
        package = parse_package(parse_xml(source.encode()).root, "OPS/book.opf", sink)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as book:
            book.writestr("mimetype", "application/epub+zip")
            for name, content in files.items():
                book.writestr(f"OPS/{name}", content)
        with Archive.open(buffer.getvalue(), limits=limits or Limits(), sink=sink) as archive:
            return read_navigation(package, archive, sink)

    return read


@pytest.fixture
def codes(sink):
    return lambda: [entry.code for entry in sink]


def test_nav_document_wins_over_a_different_ncx(read, codes):
    found = read(NAV_ITEM + NCX_ITEM, {"nav.xhtml": NAV.format(""), "toc.ncx": NCX}, spine='<spine toc="x"/>')
    assert ([entry.label for entry in found.toc], found.toc_source) == (["From nav"], "nav")
    assert codes() == []


def test_page_list_of_the_ncx_fills_in_for_a_missing_one(read):
    found = read(NAV_ITEM + NCX_ITEM, {"nav.xhtml": NAV.format(""), "toc.ncx": NCX})
    assert ([page.label for page in found.pages], found.pages_source) == (["7"], "ncx")


def test_page_list_of_the_nav_document_wins(read):
    pages = '<nav epub:type="page-list"><ol><li><a href="a.xhtml#p1">1</a></li></ol></nav>'
    found = read(NAV_ITEM + NCX_ITEM, {"nav.xhtml": NAV.format(pages), "toc.ncx": NCX})
    assert ([page.label for page in found.pages], found.pages_source) == (["1"], "nav")


def test_ncx_serves_an_epub_2_without_remark(read, codes):
    found = read(NCX_ITEM, {"toc.ncx": NCX}, spine='<spine toc="x"/>', version="2.0")
    assert (found.toc_source, found.toc_member, codes()) == ("ncx", "OPS/toc.ncx", [])


@pytest.mark.parametrize(
    "files",
    [{}, {"nav.xhtml": EMPTY_NAV}, {"nav.xhtml": ""}],
    ids=["file missing", "no list in it", "empty file"],
)
def test_ncx_stands_in_for_an_unusable_nav_document(read, codes, files):
    found = read(NAV_ITEM + NCX_ITEM, {**files, "toc.ncx": NCX})
    assert found.toc_source == "ncx"
    assert "source.nav_irregular" in codes()


def test_navigation_over_a_limit_is_left_aside_and_the_book_stays_valid(read, sink):
    big = NAV.format("<p>" + "x" * 5000 + "</p>")
    found = read(NAV_ITEM + NCX_ITEM, {"nav.xhtml": big, "toc.ncx": NCX}, limits=Limits(structural_bytes=2000))
    assert found.toc_source == "ncx"
    assert ("source.limit_exceeded", "warning") in [(entry.code, entry.severity) for entry in sink]


def test_broken_nav_document_is_read_tolerantly_and_reported(read, sink):
    found = read(NAV_ITEM, {"nav.xhtml": NAV.format("<p>open")})
    assert found.toc_source == "nav"
    assert [(entry.code, entry.path) for entry in sink] == [("source.markup_recovered", "OPS/nav.xhtml")]


def test_page_that_looks_like_navigation_is_none(read, codes):
    item = '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml"/>'
    assert read(item, {"nav.xhtml": NAV.format("")}).toc_source == "none"
    assert codes() == ["source.nav_missing"]


def test_spine_toc_that_names_nothing_is_reported_and_the_ncx_found_by_type(read, sink):
    found = read(NCX_ITEM, {"toc.ncx": NCX}, spine='<spine toc="gone"/>', version="2.0")
    assert found.toc_source == "ncx"
    assert [(entry.code, entry.details["toc"]) for entry in sink] == [("source.nav_irregular", "gone")]


def test_spine_toc_that_names_nothing_in_a_book_without_ncx_is_no_crash(read, codes):
    assert read("", {}, spine='<spine toc="gone"/>', version="2.0").toc == ()
    assert codes() == ["source.nav_irregular", "source.nav_missing"]


def test_ncx_of_another_declared_type_is_known_by_its_name(read):
    item = NCX_ITEM.replace("application/x-dtbncx+xml", "text/xml")
    assert read(item, {"toc.ncx": NCX}, spine='<spine toc="x"/>', version="2.0").toc_source == "ncx"


def test_second_nav_document_is_reported(read, codes):
    read(NAV_ITEM + NAV_ITEM.replace('"n"', '"m"'), {"nav.xhtml": NAV.format("")})
    assert "source.nav_irregular" in codes()


def test_guide_stands_in_for_landmarks(read):
    guide = '<guide><reference type="toc" title="Contents" href="c.html"/></guide>'
    found = read(NCX_ITEM, {"toc.ncx": NCX}, guide=guide, version="2.0")
    assert [(mark.types, mark.label, mark.target.path) for mark in found.landmarks] == [
        (("toc",), "Contents", "OPS/c.html")
    ]
    assert found.landmarks_source == "guide"


def test_landmarks_of_the_nav_document_win_over_the_guide(read):
    marks = '<nav epub:type="landmarks"><ol><li><a epub:type="toc" href="n.xhtml">T</a></li></ol></nav>'
    guide = '<guide><reference type="cover" href="c.html"/></guide>'
    found = read(NAV_ITEM, {"nav.xhtml": NAV.format(marks)}, guide=guide)
    assert [mark.types for mark in found.landmarks] == [("toc",)]


def test_nav_document_in_utf_16_is_read(read):
    data = ("\ufeff" + NAV.format("")).encode("utf-16-le")
    assert read(NAV_ITEM, {"nav.xhtml": data}).toc_source == "nav"
