"""The EPUB 2 navigation control file."""

import pytest
from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.navigation.navigation_model import MAX_DEPTH
from markitect_filter.epub3.navigation.ncx import parse_ncx
from markitect_filter.markup.parse import parse_xml
from markitect_tool.diagnostics import DiagnosticSink


@pytest.fixture
def sink():
    return DiagnosticSink()


@pytest.fixture
def read(sink):
    def read(inner, namespace='xmlns="http://www.daisy.org/z3986/2005/ncx/"', limits=None):
        root = parse_xml(f"<ncx {namespace}>{inner}</ncx>".encode()).root
        return parse_ncx(root, "OPS/toc.ncx", sink, limits or Limits())

    return read


def point(label, src, inner=""):
    return f'<navPoint><navLabel><text>{label}</text></navLabel><content src="{src}"/>{inner}</navPoint>'


def shape(entries):
    return [(entry.level, entry.label, entry.href) for entry in entries]


def test_points_nest_in_document_order(read):
    found = read(f"<navMap>{point('A', 'a.html', point('A1', 'a.html#s'))}{point('B', 'b.html')}</navMap>")
    assert shape(found.toc) == [(1, "A", "a.html"), (2, "A1", "a.html#s"), (1, "B", "b.html")]


def test_target_is_resolved_against_the_ncx(read):
    target = read(f"<navMap>{point('A', 'text/a.html#s')}</navMap>").toc[0].target
    assert (target.path, target.fragment) == ("OPS/text/a.html", "s")


def test_play_order_does_not_reorder(read):
    one = point("A", "a").replace("<navPoint", '<navPoint playOrder="2"')
    two = point("B", "b").replace("<navPoint", '<navPoint playOrder="1"')
    assert [entry.label for entry in read(f"<navMap>{one}{two}</navMap>").toc] == ["A", "B"]


@pytest.mark.parametrize("namespace", ["", 'xmlns="http://www.idpf.org/2007/opf"'])
def test_namespace_does_not_matter(read, namespace):
    assert len(read(f"<navMap>{point('A', 'a')}</navMap>", namespace).toc) == 1


def test_several_entries_into_one_file_stay_several(read):
    found = read(f"<navMap>{point('I', 'm.xhtml#i')}{point('II', 'm.xhtml#ii')}</navMap>")
    assert [entry.target.fragment for entry in found.toc] == ["i", "ii"]


def test_first_label_with_text_counts(read):
    found = read(
        "<navMap><navPoint><navLabel><text> </text></navLabel><navLabel><text>Zwei</text></navLabel>"
        '<content src="a"/></navPoint></navMap>'
    )
    assert found.toc[0].label == "Zwei"


def test_page_list_labels_come_from_the_text_then_the_value(read):
    found = read(
        '<pageList><pageTarget value="4"><navLabel><text>iv</text></navLabel><content src="a#4"/></pageTarget>'
        '<pageTarget value="5"><content src="a#5"/></pageTarget></pageList>'
    )
    assert [(page.label, page.target.fragment) for page in found.pages] == [("iv", "4"), ("5", "5")]


def test_further_lists_keep_class_and_heading(read):
    found = read(
        '<navList class="figures"><navLabel><text>Figures</text></navLabel><navTarget><navLabel><text>F</text>'
        '</navLabel><content src="a#f"/></navTarget></navList>'
    )
    assert [(extra.types, extra.heading, len(extra.entries)) for extra in found.lists] == [(("figures",), "Figures", 1)]


def test_document_title_is_the_heading(read):
    assert read("<docTitle><text>Salt</text></docTitle><navMap/>").heading == "Salt"


def test_point_without_content_is_kept_as_a_heading_and_reported(read, sink):
    found = read("<navMap><navPoint><navLabel><text>Part</text></navLabel></navPoint></navMap>")
    assert shape(found.toc) == [(1, "Part", None)]
    assert [entry.code for entry in sink] == ["source.nav_irregular"]


def test_levels_beyond_the_bound_are_raised_and_reported_once(read, sink):
    inner = ""
    for _ in range(MAX_DEPTH + 4):
        inner = point("A", "a", inner)
    assert [entry.level for entry in read(f"<navMap>{inner}</navMap>").toc[-5:]] == [MAX_DEPTH] * 5
    assert [entry.code for entry in sink] == ["source.nav_irregular"]


def test_list_beyond_the_limit_is_cut_and_reported(read, sink):
    found = read(f"<navMap>{point('A', 'a') * 5}</navMap>", limits=Limits(toc_entries=3))
    assert len(found.toc) == 3
    assert [(entry.code, entry.severity) for entry in sink] == [("source.limit_exceeded", "warning")]
