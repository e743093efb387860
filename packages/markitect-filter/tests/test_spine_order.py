"""The reading order: what is read at each step, and what is said where nothing can be."""

import io
import zipfile

import pytest
from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.navigation.spine import reading_order
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.markup.parse import parse_xml
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import LimitExceededError, MalformedSourceError

XHTML = "application/xhtml+xml"
PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>text</p></body></html>'


@pytest.fixture
def sink():
    return DiagnosticSink()


@pytest.fixture
def order(sink):
    """Reads the order of a book whose package document is at OPS/pkg/book.opf."""

    def order(manifest, spine, files=(), limits=None):
        source = (
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
            f"<manifest>{manifest}</manifest>{spine}</package>"
        )
        package = parse_package(parse_xml(source.encode()).root, "OPS/pkg/book.opf", sink)
        buffer = io.BytesIO()
        contents = files if isinstance(files, dict) else dict.fromkeys(files, PAGE)
        with zipfile.ZipFile(buffer, "w") as book:
            book.writestr("mimetype", "application/epub+zip")
            for name, content in contents.items():
                book.writestr(name, content)
        with Archive.open(buffer.getvalue(), limits=limits or Limits(), sink=sink) as archive:
            return reading_order(package, archive, sink)

    return order


@pytest.fixture
def codes(sink):
    return lambda: [entry.code for entry in sink]


def item(name, href, media_type=XHTML, more=""):
    return f'<item id="{name}" href="{href}" media-type="{media_type}" {more}/>'


def refs(*names):
    return "<spine>" + "".join(f'<itemref idref="{name}"/>' for name in names) + "</spine>"


def test_order_is_that_of_the_spine_not_of_the_manifest(order):
    manifest = item("c2", "2.xhtml") + item("n", "n.xhtml", more='properties="nav"') + item("c1", "1.xhtml")
    steps = order(manifest, refs("c1", "c2"), ["OPS/pkg/1.xhtml", "OPS/pkg/2.xhtml", "OPS/pkg/n.xhtml"])
    assert [step.member for step in steps] == ["OPS/pkg/1.xhtml", "OPS/pkg/2.xhtml"]


@pytest.mark.parametrize(
    ("href", "member"),
    [
        ("../Text/a.xhtml", "OPS/Text/a.xhtml"),
        ("./a.xhtml", "OPS/pkg/a.xhtml"),
        ("/OPS/a.xhtml", "OPS/a.xhtml"),
        ("part%20one/caf%C3%A9.xhtml", "OPS/pkg/part one/café.xhtml"),
        ("a.xhtml?x=1#top", "OPS/pkg/a.xhtml"),
        ("a%20b.xhtml", "OPS/pkg/a%20b.xhtml"),
        ("A.XHTML", "OPS/pkg/a.xhtml"),
    ],
)
def test_href_finds_its_member(order, href, member):
    assert [step.member for step in order(item("a", href), refs("a"), [member])] == [member]


def test_missing_file_keeps_its_place_as_a_gap_and_names_everything(order, sink):
    steps = order(item("a", "../gone.xhtml") + item("b", "b.xhtml"), refs("a", "b"), ["OPS/pkg/b.xhtml"])
    assert [step.member for step in steps] == [None, "OPS/pkg/b.xhtml"]
    assert "gone.xhtml" in steps[0].problem
    (entry,) = sink
    assert (entry.code, entry.path) == ("source.spine_item_missing", "OPS/pkg/book.opf")
    assert entry.details == {"idref": "a", "href": "../gone.xhtml", "resolved": "OPS/gone.xhtml"}


def test_unknown_idref_is_a_gap(order, codes):
    steps = order(item("b", "b.xhtml"), refs("nobody", "b"), ["OPS/pkg/b.xhtml"])
    assert [step.member for step in steps] == [None, "OPS/pkg/b.xhtml"]
    assert codes() == ["source.spine_item_missing"]


def test_href_that_climbs_out_is_refused_and_the_rest_read(order, codes):
    steps = order(item("bad", "../../../etc/x.xhtml") + item("ok", "ok.xhtml"), refs("bad", "ok"), ["OPS/pkg/ok.xhtml"])
    assert [step.member for step in steps] == [None, "OPS/pkg/ok.xhtml"]
    assert codes() == ["source.member_unsafe", "source.spine_item_missing"]


@pytest.mark.parametrize(
    "href", ["https://example.org/a.xhtml", "//example.org/a.xhtml", "data:text/html,x", "file:///etc/x"]
)
def test_remote_item_is_a_gap(order, codes, href):
    assert [step.member for step in order(item("a", href), refs("a"), ["x"])] == [None]
    assert codes() == ["source.spine_item_missing"]


def test_non_linear_item_keeps_its_place_and_is_flagged(order, codes):
    spine = '<spine><itemref idref="a"/><itemref idref="n" linear="no"/><itemref idref="b"/></spine>'
    manifest = item("a", "a.xhtml") + item("n", "n.xhtml") + item("b", "b.xhtml")
    steps = order(manifest, spine, ["OPS/pkg/a.xhtml", "OPS/pkg/n.xhtml", "OPS/pkg/b.xhtml"])
    assert [step.linear for step in steps] == [True, False, True]
    assert codes() == ["source.spine_item_nonlinear"]


@pytest.mark.parametrize("second", ["a", "same"], ids=["same item", "another item of the same file"])
def test_document_named_twice_is_read_once(order, codes, second):
    manifest = item("a", "a.xhtml") + item("same", "./a.xhtml") + item("b", "b.xhtml")
    steps = order(manifest, refs("a", "b", second), ["OPS/pkg/a.xhtml", "OPS/pkg/b.xhtml"])
    assert [(step.position, step.member) for step in steps] == [(0, "OPS/pkg/a.xhtml"), (1, "OPS/pkg/b.xhtml")]
    assert codes() == ["source.package_irregular"]


def test_html_items_are_read_with_one_report_a_book(order, sink):
    manifest = "".join(item(f"p{n}", f"{n}.html", "Text/HTML; charset=utf-8") for n in range(3))
    steps = order(manifest, refs("p0", "p1", "p2"), [f"OPS/pkg/{n}.html" for n in range(3)])
    assert [step.media_type for step in steps] == ["text/html"] * 3
    assert [(entry.code, entry.details["count"]) for entry in sink] == [("source.media_type_irregular", 3)]


@pytest.mark.parametrize("declared", ["application/octet-stream", "text/xml", "application/x-dtbook+xml"])
def test_wrong_type_is_settled_by_the_content(order, codes, declared):
    (step,) = order(item("a", "a.xyz", declared), refs("a"), ["OPS/pkg/a.xyz"])
    assert (step.member, step.media_type) == ("OPS/pkg/a.xyz", XHTML)
    assert codes() == ["source.media_type_irregular"]


def test_blank_type_is_settled_by_the_content(order):
    (step,) = order(item("a", "a.xyz", ""), refs("a"), ["OPS/pkg/a.xyz"])
    assert step.media_type == XHTML


def test_drawn_page_with_a_text_alternative_is_read_as_text(order, codes):
    manifest = item("v", "p.svg", "image/svg+xml", 'fallback="x"') + item("x", "p.xhtml")
    (step,) = order(manifest, refs("v"), {"OPS/pkg/p.svg": "<svg/>", "OPS/pkg/p.xhtml": PAGE})
    assert (step.item.id, step.used.id, step.member) == ("v", "x", "OPS/pkg/p.xhtml")
    assert step.is_fallback
    assert codes() == ["source.fallback_used"]


def test_drawn_page_without_an_alternative_is_read_itself(order, codes):
    (step,) = order(item("v", "p.svg", "image/svg+xml"), refs("v"), {"OPS/pkg/p.svg": "<svg/>"})
    assert (step.media_type, step.is_fallback, codes()) == ("image/svg+xml", False, [])


def test_foreign_item_is_read_through_its_chain(order):
    manifest = (
        item("a", "a.bin", "x/x", 'fallback="b"') + item("b", "b.bin", "y/y", 'fallback="c"') + item("c", "c.xhtml")
    )
    (step,) = order(manifest, refs("a"), ["OPS/pkg/c.xhtml"])
    assert (step.item.id, step.used.id) == ("a", "c")


def test_fallback_is_read_for_a_missing_document(order):
    manifest = item("a", "a.xhtml", more='fallback="b"') + item("b", "b.xhtml")
    (step,) = order(manifest, refs("a"), ["OPS/pkg/b.xhtml"])
    assert step.member == "OPS/pkg/b.xhtml"


@pytest.mark.parametrize("fallback", ["b", "gone"], ids=["circle", "unknown"])
def test_foreign_item_whose_fallback_leads_nowhere_is_a_gap(order, codes, fallback):
    manifest = item("a", "a.bin", "x/x", f'fallback="{fallback}"') + item("b", "b.bin", "x/x", 'fallback="a"')
    (step,) = order(manifest, refs("a"), {"OPS/pkg/a.bin": b"\x01", "OPS/pkg/b.bin": b"\x02"})
    assert step.member is None
    assert codes() == ["source.fallback_missing", "source.media_type_unsupported"]


def test_foreign_item_without_fallback_is_a_gap(order, codes):
    (step,) = order(item("a", "a.png", "image/png"), refs("a"), {"OPS/pkg/a.png": b"\x89PNG"})
    assert step.member is None
    assert codes() == ["source.media_type_unsupported"]


def test_empty_spine_is_an_error(order):
    with pytest.raises(MalformedSourceError, match="spine is empty"):
        order(item("a", "a.xhtml"), "<spine/>", ["OPS/pkg/a.xhtml"])


def test_package_without_a_spine_is_read_in_manifest_order(order, codes):
    manifest = item("n", "n.xhtml", more='properties="nav"') + item("b", "b.xhtml") + item("a", "a.xhtml")
    steps = order(manifest, "", ["OPS/pkg/a.xhtml", "OPS/pkg/b.xhtml", "OPS/pkg/n.xhtml"])
    assert [step.member for step in steps] == ["OPS/pkg/b.xhtml", "OPS/pkg/a.xhtml"]
    assert codes() == ["source.package_irregular"]


def test_package_without_spine_and_documents_is_an_error(order):
    with pytest.raises(MalformedSourceError, match="no documents"):
        order(item("c", "c.css", "text/css"), "", ["OPS/pkg/c.css"])


def test_spine_beyond_the_limit_is_refused(order):
    with pytest.raises(LimitExceededError) as caught:
        order(item("a", "a.xhtml"), refs("a", "a", "a"), ["OPS/pkg/a.xhtml"], Limits(spine_items=2))
    assert caught.value.diagnostic.details["limit"] == "spine_items"
