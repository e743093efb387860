"""The container file, `mimetype`, and choosing a rendition."""

import io
import zipfile

import pytest
from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.container import read_container, select_rootfile
from markitect_filter.epub3.container.sniff import epub_evidence
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import InvalidOptionError, LimitExceededError, MalformedSourceError

TYPE = "application/oebps-package+xml"


def container(*rootfiles):
    inner = "".join(f"<rootfile {attributes}/>" for attributes in rootfiles)
    return (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
        f' xmlns:rendition="http://www.idpf.org/2013/rendition"><rootfiles>{inner}</rootfiles></container>'
    ).encode()


def rootfile(path, media_type=TYPE, more=""):
    return f'full-path="{path}" media-type="{media_type}" {more}'


def book(*members, mimetype=b"application/epub+zip", method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        if mimetype is not None:
            archive.writestr("mimetype", mimetype, method)
        for name, data in members:
            info = zipfile.ZipInfo("x")
            info.filename = name
            archive.writestr(info, data)
    return buffer.getvalue()


def read(data, **limits):
    sink = DiagnosticSink()
    with Archive.open(data, limits=Limits(**limits), sink=sink) as archive:
        found = read_container(archive, sink)
    return found, list(sink)


def simple(xml, *packages):
    return book(("META-INF/container.xml", xml), *((name, b"<package/>") for name in packages))


def paths(found):
    return [entry.path for entry in found.rootfiles]


def test_the_package_document_is_found_without_a_word():
    found, diagnostics = read(simple(container(rootfile("OPS/book.opf")), "OPS/book.opf"))
    assert (paths(found), diagnostics) == (["OPS/book.opf"], [])


def test_renditions_keep_their_order_and_attributes():
    xml = container(
        rootfile("b.opf", more='rendition:layout="pre-paginated" rendition:label="Page"'), rootfile("a.opf")
    )
    found, _ = read(simple(xml, "a.opf", "b.opf"))
    assert paths(found) == ["b.opf", "a.opf"]
    assert found.rootfiles[0].attributes == {"layout": "pre-paginated", "label": "Page"}


def test_a_container_with_backslashes_in_the_archive_is_found():
    found, diagnostics = read(
        book(("META-INF\\container.xml", container(rootfile("OPS/book.opf"))), ("OPS\\book.opf", b"<package/>"))
    )
    assert paths(found) == ["OPS/book.opf"]
    assert [entry.code for entry in diagnostics] == ["source.member_renamed"]


@pytest.mark.parametrize("name", ["meta-inf/container.xml", "META-INF/Container.xml"])
def test_a_container_in_another_letter_case_is_found(name):
    found, _ = read(book((name, container(rootfile("a.opf"))), ("a.opf", b"<package/>")))
    assert paths(found) == ["a.opf"]


@pytest.mark.parametrize(
    "full_path", ["ops/BOOK.opf", "/OPS/book.opf", "OPS\\book.opf", " OPS/book.opf ", "OPS/book%2Eopf"]
)
def test_a_path_that_needs_repair_is_repaired(full_path):
    found, _ = read(simple(container(rootfile(full_path)), "OPS/book.opf"))
    assert paths(found) == ["OPS/book.opf"]


@pytest.mark.parametrize(
    "xml", [None, b"", b"no markup", container(), container('media-type="x"'), container(rootfile("gone.opf"))]
)
def test_the_only_package_document_stands_in_for_an_unusable_container(xml):
    members = [("OPS/book.opf", b"<package/>")] + ([("META-INF/container.xml", xml)] if xml is not None else [])
    found, diagnostics = read(book(*members))
    assert paths(found) == ["OPS/book.opf"]
    assert diagnostics[-1].code == "source.archive_irregular"


@pytest.mark.parametrize("packages", [[], ["a.opf", "b.opf"]])
def test_no_or_several_package_documents_cannot_stand_in(packages):
    with pytest.raises(MalformedSourceError):
        read(book(("x", b""), *((name, b"<package/>") for name in packages)))


def test_a_broken_container_is_recovered_and_reported():
    xml = container(rootfile("a.opf")).replace(b"</rootfiles>", b"")
    found, diagnostics = read(simple(xml, "a.opf", "b.opf"))
    assert paths(found) == ["a.opf"]
    assert [entry.code for entry in diagnostics] == ["source.markup_recovered"]


def test_a_container_in_utf_16_is_read():
    found, _ = read(simple(container(rootfile("a.opf")).decode().encode("utf-16"), "a.opf", "b.opf"))
    assert paths(found) == ["a.opf"]


def test_other_forms_of_the_book_are_reported_and_left():
    xml = container(rootfile("book.pdf", "application/pdf"), rootfile("a.opf"))
    found, diagnostics = read(simple(xml, "a.opf", "book.pdf"))
    assert paths(found) == ["a.opf"]
    assert [entry.code for entry in diagnostics] == ["source.rendition_available"]


def test_a_package_document_of_a_wrong_type_is_used_and_reported():
    found, diagnostics = read(simple(container(rootfile("a.opf", "application/oepbs-package+xml")), "a.opf"))
    assert paths(found) == ["a.opf"]
    assert [entry.code for entry in diagnostics] == ["source.media_type_irregular"]


def test_a_container_over_the_structural_limit_is_refused():
    xml = container(rootfile("a.opf")) + b" " * 5_000
    with pytest.raises(LimitExceededError, match="structural_bytes"):
        read(simple(xml, "a.opf"), structural_bytes=4_000)


def test_an_entity_bomb_in_the_container_is_refused():
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE container [<!ENTITY e0 "x">{levels}]><container>&e11;</container>'
    with pytest.raises(LimitExceededError, match="entity_chars"):
        read(simple(bomb.encode(), "a.opf"))


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"mimetype": None}, "missing"),
        ({"method": zipfile.ZIP_DEFLATED}, "compressed"),
        ({"mimetype": b" application/epub+zip\r\n"}, "blanks"),
        ({"mimetype": b"application/zip"}, "application/zip"),
    ],
)
def test_an_irregular_mimetype_is_noted_and_no_obstacle(settings, word):
    found, diagnostics = read(
        book(("META-INF/container.xml", container(rootfile("a.opf"))), ("a.opf", b"<package/>"), **settings)
    )
    assert paths(found) == ["a.opf"]
    assert [(entry.code, entry.severity) for entry in diagnostics] == [("source.mimetype_irregular", "info")]
    assert word in diagnostics[0].message


def test_a_mimetype_that_is_not_first_is_noted():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("META-INF/container.xml", container(rootfile("a.opf")))
        archive.writestr("a.opf", b"<package/>")
        archive.writestr("mimetype", b"application/epub+zip")
    _, diagnostics = read(buffer.getvalue())
    assert [entry.code for entry in diagnostics] == ["source.mimetype_irregular"]


def test_other_files_of_meta_inf_are_listed():
    members = [("META-INF/metadata.xml", b""), ("META-INF/odd.txt", b""), ("a.opf", b"<package/>")]
    found, _ = read(book(("META-INF/container.xml", container(rootfile("a.opf"))), *members))
    assert found.meta_inf == ("META-INF/container.xml", "META-INF/metadata.xml", "META-INF/odd.txt")


@pytest.mark.parametrize(("choice", "path"), [(None, "a.opf"), (2, "b.opf"), ("2", "b.opf"), ("b.opf", "b.opf")])
def test_a_rendition_is_chosen_by_number_or_path_and_the_others_reported(choice, path):
    found, _ = read(simple(container(rootfile("a.opf"), rootfile("b.opf")), "a.opf", "b.opf"))
    sink = DiagnosticSink()
    assert select_rootfile(found, choice, sink).path == path
    assert [entry.code for entry in sink] == ["source.rendition_available"]
    assert "rendition=" in next(iter(sink)).hint


@pytest.mark.parametrize("choice", [0, 3, "c.opf", ""])
def test_a_rendition_that_is_not_there_is_refused(choice):
    found, _ = read(simple(container(rootfile("a.opf"), rootfile("b.opf")), "a.opf", "b.opf"))
    with pytest.raises(InvalidOptionError):
        select_rootfile(found, choice, DiagnosticSink())


@pytest.mark.parametrize(
    ("data", "epub"),
    [
        (book(), True),
        (book(("META-INF/container.xml", b""), mimetype=None), True),
        (book(("x.opf", b""), mimetype=None), True),
        (book(("word/document.xml", b""), mimetype=b"application/vnd.oasis.opendocument.text"), False),
    ],
)
def test_an_epub_is_told_by_its_content(data, epub):
    with Archive.open(data, limits=Limits(), sink=DiagnosticSink()) as archive:
        assert (epub_evidence(archive) is not None) == epub
