"""The EPUB 3 navigation document: what its lists say, well-formed or not."""

import pytest
from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.navigation.nav import parse_nav
from markitect_filter.epub3.navigation.navigation_model import MAX_DEPTH, label_paths, to_tree
from markitect_filter.markup.parse import parse_markup
from markitect_tool.diagnostics import DiagnosticSink


@pytest.fixture
def sink():
    return DiagnosticSink()


@pytest.fixture
def read(sink):
    def read(body, limits=None):
        source = (
            '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
            f"<body>{body}</body></html>"
        )
        root = parse_markup(source.encode()).root
        return parse_nav(root, "OPS/nav/nav.xhtml", sink, limits or Limits())

    return read


@pytest.fixture
def toc(read):
    def toc(inner):
        return read(f'<nav epub:type="toc">{inner}</nav>').toc

    return toc


@pytest.fixture
def messages(sink):
    return lambda: [entry.message for entry in sink if entry.code == "source.nav_irregular"]


def shape(entries):
    return [(entry.level, entry.label, entry.href) for entry in entries]


def test_nested_lists_give_levels(toc, messages):
    entries = toc(
        '<ol><li><a href="a.xhtml">A</a><ol><li><a href="a.xhtml#s">A1</a></li></ol></li>'
        '<li><a href="b.xhtml">B</a></li></ol>'
    )
    assert shape(entries) == [(1, "A", "a.xhtml"), (2, "A1", "a.xhtml#s"), (1, "B", "b.xhtml")]
    assert messages() == []


def test_target_is_resolved_against_the_navigation_document(toc):
    target = toc('<ol><li><a href="../text/a%20b.xhtml#s">A</a></li></ol>')[0].target
    assert (target.path, target.fragment) == ("OPS/text/a b.xhtml", "s")


def test_remote_entry_has_an_href_but_no_target(toc):
    entry = toc('<ol><li><a href="https://example.org/">A</a></li></ol>')[0]
    assert (entry.href, entry.target) == ("https://example.org/", None)


def test_span_is_a_heading_without_a_link(toc):
    assert shape(toc('<ol><li><span>Part</span><ol><li><a href="a">A</a></li></ol></li></ol>')) == [
        (1, "Part", None),
        (2, "A", "a"),
    ]


def test_heading_of_the_list_is_kept_apart(read):
    found = read('<nav epub:type="toc"><h2>Con<i>tents</i></h2><ol><li><a href="a">A</a></li></ol></nav>')
    assert (found.heading, len(found.toc)) == ("Contents", 1)


@pytest.mark.parametrize(
    ("link", "label"),
    [
        ("One <b>two</b>\n three", "One two three"),
        ('<img src="x.png" alt="Chart"/>', "Chart"),
        ("<ruby>火<rt>か</rt></ruby>山", "火山"),
        ("One<br/>two", "One two"),
        ('<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="x squared"><mi>x</mi></math>', "x squared"),
    ],
)
def test_label_reads_on_one_line(toc, link, label):
    assert toc(f'<ol><li><a href="a">{link}</a></li></ol>')[0].label == label


def test_label_of_an_empty_link_is_its_title(toc):
    assert toc('<ol><li><a href="a" title="One"></a></li></ol>')[0].label == "One"


def test_link_without_any_label_is_kept_and_reported(toc, messages):
    assert shape(toc('<ol><li><a href="a"/></li></ol>')) == [(1, "", "a")]
    assert messages() == ["a navigation link has no label"]


@pytest.mark.parametrize(
    "body",
    [
        '<nav epub:type="toc" hidden=""><ol><li><a href="a">A</a></li></ol></nav>',
        '<nav epub:type="toc"><ol hidden="hidden"><li><a href="a">A</a></li></ol></nav>',
        '<nav epub:type="toc"><ol><li hidden=""><a href="a">A</a></li></ol></nav>',
    ],
)
def test_hidden_parts_are_read_and_flagged(read, body):
    assert [entry.hidden for entry in read(body).toc] == [True]


def test_page_list_gives_page_targets(read):
    found = read('<nav epub:type="page-list"><ol><li><a href="a.xhtml#p1">1</a></li></ol></nav>')
    assert [(page.label, page.target.path, page.target.fragment) for page in found.pages] == [
        ("1", "OPS/nav/a.xhtml", "p1")
    ]


def test_landmarks_keep_their_types(read):
    found = read('<nav epub:type="landmarks"><ol><li><a epub:type="BodyMatter" href="a">Begin</a></li></ol></nav>')
    assert [(mark.types, mark.label, mark.href) for mark in found.landmarks] == [(("bodymatter",), "Begin", "a")]


def test_other_lists_keep_type_and_heading(read):
    found = read('<nav epub:type="loi"><h2>Figures</h2><ol><li><a href="a#f">F</a></li></ol></nav>')
    assert [(extra.types, extra.heading, len(extra.entries)) for extra in found.lists] == [(("loi",), "Figures", 1)]
    assert found.toc == ()


def test_aria_role_names_the_list_where_epub_type_does_not(read):
    assert len(read('<nav role="doc-toc"><ol><li><a href="a">A</a></li></ol></nav>').toc) == 1


def test_only_nav_without_a_type_is_the_table_of_contents(read, messages):
    assert len(read('<nav><ol><li><a href="a">A</a></li></ol></nav>').toc) == 1
    assert len(messages()) == 1


def test_second_table_of_contents_is_kept_as_a_list_and_reported(read, messages):
    one = '<nav epub:type="toc"><ol><li><a href="a">A</a></li></ol></nav>'
    found = read(one + one)
    assert (len(found.toc), len(found.lists), len(messages())) == (1, 1, 1)


def test_nav_inside_a_typed_nav_is_part_of_it(read, messages):
    inner = '<nav epub:type="landmarks"><ol><li><a href="a">A</a></li></ol></nav>'
    found = read(f'<nav epub:type="toc">{inner}</nav>')
    assert (len(found.toc), found.landmarks, messages()) == (1, (), [])


def test_nav_around_other_navs_is_no_list(read, messages):
    found = read('<nav><nav epub:type="toc"><ol><li><a href="a">A</a></li></ol></nav></nav>')
    assert (len(found.toc), found.lists, messages()) == (1, (), [])


def test_list_directly_inside_a_list_belongs_to_the_item_before(toc):
    entries = toc('<ol><li><a href="a">A</a></li><ol><li><a href="b">B</a></li></ol></ol>')
    assert shape(entries) == [(1, "A", "a"), (2, "B", "b")]


def test_unordered_list_and_wrapped_links_are_read(toc):
    assert shape(toc('<div><ul><li><p><a href="a">A</a></p></li></ul></div>')) == [(1, "A", "a")]


def test_links_without_a_list_are_read_and_reported(toc, messages):
    assert shape(toc('<h1>C</h1><p><a href="a">A</a></p><p><a href="b">B</a></p>')) == [(1, "A", "a"), (1, "B", "b")]
    assert messages() == ["a nav element holds links without a list"]


def test_item_with_several_links_gives_several_entries(toc, messages):
    assert shape(toc('<ol><li><a href="a">A</a>, <a href="b">B</a></li></ol>')) == [(1, "A", "a"), (1, "B", "b")]
    assert len(messages()) == 1


def test_item_with_text_before_its_link_is_one_entry(toc):
    assert shape(toc('<ol><li><span>Chapter</span> <a href="a">One</a></li></ol>')) == [(1, "Chapter One", "a")]


def test_document_without_nav_elements_has_no_entries(read):
    assert read('<ol><li><a href="a">A</a></li></ol>').toc == ()


def test_levels_beyond_the_bound_are_raised_and_reported_once(toc, messages):
    depth = MAX_DEPTH + 5
    entries = toc('<ol><li><a href="a">A</a>' * depth + "</li></ol>" * depth)
    assert [entry.level for entry in entries[-6:]] == [MAX_DEPTH] * 6
    assert len(messages()) == 1


def test_list_beyond_the_limit_is_cut_and_the_book_stays_valid(read, sink):
    items = '<li><a href="a">A</a></li>' * 5
    assert len(read(f'<nav epub:type="toc"><ol>{items}</ol></nav>', Limits(toc_entries=3)).toc) == 3
    assert [(entry.code, entry.severity) for entry in sink] == [("source.limit_exceeded", "warning")]


def test_label_paths_lead_from_the_top(toc):
    entries = toc('<ol><li><span>P</span><ol><li><a href="a">A</a></li></ol></li><li><a href="b">B</a></li></ol>')
    assert label_paths(entries) == (("P",), ("P", "A"), ("B",))


def test_tree_nests_by_level_and_leaves_out_what_is_empty(toc):
    entries = toc('<ol><li><span>P</span><ol><li hidden=""><a href="a#x">A</a></li></ol></li></ol>')
    assert to_tree(entries, lambda entry: {"segment": entry.label.lower()}) == [
        {
            "label": "P",
            "segment": "p",
            "children": [
                {
                    "label": "A",
                    "href": "a#x",
                    "hidden": True,
                    "path": "OPS/nav/a",
                    "fragment": "x",
                    "segment": "a",
                }
            ],
        }
    ]
