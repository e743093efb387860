"""The package document as its own shapes: what is mirrored, what is repaired, what is reported."""

import pytest
from markitect_filter.epub3.package.package import fallback_problem, parse_package
from markitect_filter.markup.parse import parse_xml
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError

OPF = "http://www.idpf.org/2007/opf"
ONE_ITEM = '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
ONE_STEP = '<spine><itemref idref="a"/></spine>'


@pytest.fixture
def sink():
    return DiagnosticSink()


@pytest.fixture
def read(sink):
    def read(inner, attributes=f'xmlns="{OPF}" version="3.0"'):
        source = f"<package {attributes}><metadata/>{inner}</package>"
        return parse_package(parse_xml(source.encode()).root, "OPS/book.opf", sink)

    return read


@pytest.fixture
def codes(sink):
    return lambda: [entry.code for entry in sink]


def test_manifest_item_keeps_every_attribute(read):
    item = read(
        '<manifest><item id="v" href="v.xhtml" media-type="application/xhtml+xml" properties="svg scripted"'
        ' fallback="w" media-overlay="o"/></manifest>'
    ).manifest[0]
    assert (item.id, item.href, item.media_type) == ("v", "v.xhtml", "application/xhtml+xml")
    assert (item.properties, item.fallback, item.media_overlay) == (("svg", "scripted"), "w", "o")


def test_spine_keeps_order_linearity_and_direction(read):
    spine = read(
        '<spine page-progression-direction="rtl" toc="ncx"><itemref idref="b"'
        ' linear="no" properties="page-spread-left"/><itemref idref="a"/></spine>'
    ).spine
    assert [(ref.idref, ref.linear, ref.properties) for ref in spine.itemrefs] == [
        ("b", False, ("page-spread-left",)),
        ("a", True, ()),
    ]
    assert (spine.direction, spine.toc) == ("rtl", "ncx")


def test_missing_spine_is_not_an_empty_one(read):
    assert read("").spine is None
    assert read("<spine/>").spine.itemrefs == ()


def test_prefix_bound_package_reads_like_any_other(sink, codes):
    source = (
        f'<o:package xmlns:o="{OPF}" version="3.0"><o:metadata/><o:manifest><o:item id="a" href="a.xhtml"'
        ' media-type="application/xhtml+xml"/></o:manifest><o:spine><o:itemref idref="a"/></o:spine></o:package>'
    )
    package = parse_package(parse_xml(source.encode()).root, "book.opf", sink)
    assert package.spine.itemrefs[0].idref == package.manifest[0].id == "a"
    assert codes() == []


@pytest.mark.parametrize("namespace", ["", 'xmlns="http://example.org/not-opf"'])
def test_package_in_wrong_namespace_is_read_and_reported(read, codes, namespace):
    package = read(ONE_ITEM + ONE_STEP, f'{namespace} version="2.0"')
    assert package.item("a").href == "a.xhtml"
    assert codes() == ["source.package_irregular"]


def test_section_without_namespace_is_read_and_reported(read, codes):
    package = read(f'<manifest xmlns="">{ONE_ITEM[10:-11]}</manifest>' + ONE_STEP)
    assert package.item("a") is not None
    assert codes() == ["source.package_irregular"]


def test_foreign_elements_in_the_manifest_are_no_items(read):
    package = read(f'<manifest><x:item xmlns:x="urn:x" id="x" href="x.html"/>{ONE_ITEM[10:-11]}</manifest>')
    assert [item.id for item in package.manifest] == ["a"]


def test_oebps_package_is_read_as_epub_2(read):
    package = read(ONE_ITEM, 'xmlns="http://openebook.org/namespaces/oeb-package/1.0/"')
    assert (package.version, package.major_version) == ("1.2", 2)
    assert package.item("a") is not None


def test_oebps_metadata_groups_are_looked_into(sink):
    source = (
        '<package xmlns="http://openebook.org/namespaces/oeb-package/1.0/"><metadata><dc-metadata'
        ' xmlns:dc="http://purl.org/dc/elements/1.0/"><dc:Title>Salt</dc:Title></dc-metadata><x-metadata>'
        '<meta name="price" content="1"/></x-metadata></metadata><manifest/></package>'
    )
    package = parse_package(parse_xml(source.encode()).root, "book.opf", sink)
    assert [(entry.name, entry.value) for entry in package.metadata] == [("dc:title", "Salt"), ("price", "1")]


def test_root_that_is_no_package_is_malformed(sink):
    with pytest.raises(MalformedSourceError) as caught:
        parse_package(parse_xml(b"<html><body/></html>").root, "OPS/book.opf", sink)
    assert (caught.value.diagnostic.code, caught.value.diagnostic.path) == ("source.malformed", "OPS/book.opf")


@pytest.mark.parametrize(
    ("inner", "assumed"),
    [
        ("", "2.0"),
        (
            '<manifest><item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>',
            "3.0",
        ),
    ],
)
def test_missing_version_is_inferred_and_reported(read, codes, inner, assumed):
    assert read(inner, f'xmlns="{OPF}"').version == assumed
    assert "source.package_irregular" in codes()


def test_ids_and_references_lose_surrounding_space(read):
    package = read(
        '<manifest><item id=" a " href=" a.xhtml " media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a&#10;"/></spine>',
        f'xmlns="{OPF}" version="2.0" unique-identifier=" uid "',
    )
    assert package.unique_identifier == "uid"
    assert package.item(package.spine.itemrefs[0].idref).href == "a.xhtml"


@pytest.mark.parametrize(
    ("declared", "normalised"),
    [
        ("Text/HTML; charset=utf-8", "text/html"),
        (" application/XHTML+xml ", "application/xhtml+xml"),
        ("text/x-oeb1-document", "text/html"),
        ("image/jpg", "image/jpeg"),
        ("application/x-demo", "application/x-demo"),
    ],
)
def test_media_type_is_normalised_and_the_declared_one_kept(read, declared, normalised):
    item = read(f'<manifest><item id="a" href="a.b" media-type="{declared}"/></manifest>').manifest[0]
    assert (item.media_type, item.declared_media_type) == (normalised, declared.strip())


def test_blank_media_type_is_guessed_from_the_name_and_reported(read, codes):
    item = read('<manifest><item id="a" href="a.XHTML?v=1" media-type=""/></manifest>').manifest[0]
    assert item.media_type == "application/xhtml+xml"
    assert codes() == ["source.media_type_irregular"]


def test_first_of_two_items_with_one_id_keeps_it(read, codes):
    package = read(
        '<manifest><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="two.xhtml" media-type="application/xhtml+xml"/></manifest>'
    )
    assert package.item("a").href == "one.xhtml"
    assert len(package.manifest) == 2
    assert codes() == ["source.package_irregular"]


@pytest.mark.parametrize(
    "inner",
    [
        '<manifest><item id="a" media-type="text/css"/></manifest>',
        "<manifest/><spine><itemref/></spine>",
        "<manifest/><manifest/>",
        '<manifest/><spine page-progression-direction="up"/>',
        "",
    ],
    ids=["item without href", "itemref without idref", "second manifest", "unknown direction", "no manifest"],
)
def test_broken_part_is_reported_with_member_and_line(read, sink, inner):
    read(inner)
    entry = next(iter(sink))
    assert (entry.code, entry.path, entry.line) == ("source.package_irregular", "OPS/book.opf", 1)


def test_fallback_chain_is_walked_in_order(read):
    package = read(
        '<manifest><item id="a" href="a.x" media-type="x/x" fallback="b"/><item id="b" href="b.x" media-type="x/x"'
        ' fallback="c"/><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
    )
    assert [item.id for item in package.fallback_chain(package.item("a"))] == ["a", "b", "c"]


@pytest.mark.parametrize("fallback", ["a", "b", "nowhere"], ids=["self", "circle", "unknown"])
def test_fallback_chain_without_end_stops_and_is_reported_once(read, sink, fallback):
    package = read(
        f'<manifest><item id="a" href="a.x" media-type="x/x" fallback="{fallback}"/>'
        '<item id="b" href="b.x" media-type="x/x" fallback="a"/></manifest>'
    )
    assert package.fallback_chain(package.item("a"))[0].id == "a"
    fallback_problem(package, package.item("a"), sink)
    fallback_problem(package, package.item("a"), sink)
    assert [entry.code for entry in sink] == ["source.fallback_missing"]


def test_fallback_chain_is_followed_so_far_only(read):
    items = "".join(f'<item id="i{n}" href="{n}" media-type="x/x" fallback="i{n + 1}"/>' for n in range(500))
    package = read(f"<manifest>{items}</manifest>")
    assert len(package.fallback_chain(package.item("i0"))) < 50


def test_many_irregular_items_are_one_report(read, sink):
    read("<manifest>" + '<item id="a" media-type="text/css"/>' * 50 + "</manifest>")
    assert [entry.details["count"] for entry in sink] == [50]


def test_guide_types_are_lower_case(read):
    guide = read('<manifest/><guide><reference type="TOC" title="Contents" href="c.html"/></guide>').guide
    assert [(entry.type, entry.title, entry.href) for entry in guide] == [("toc", "Contents", "c.html")]


def test_nested_collections_follow_their_parent(read):
    collections = read(
        '<manifest/><collection role="index"><metadata/><collection role="index-group"><link href="i.xhtml"/>'
        '</collection></collection><collection role="preview"/>'
    ).collections
    assert [(c.role, c.parent, [link.href for link in c.links]) for c in collections] == [
        ("index", None, []),
        ("index-group", 0, ["i.xhtml"]),
        ("preview", None, []),
    ]


def test_bindings_map_media_type_to_handler(read):
    package = read('<manifest/><bindings><mediaType media-type="X/Y" handler="h"/></bindings>')
    assert package.bindings == (("x/y", "h"),)


def test_recovered_document_with_undeclared_prefix_keeps_its_metadata(sink):
    source = f'<package xmlns="{OPF}" version="2.0"><metadata><dc:title>Salt</dc:title></metadata><manifest/></package>'
    package = parse_package(parse_xml(source.encode()).root, "book.opf", sink)
    assert [(entry.name, entry.value) for entry in package.metadata] == [("dc:title", "Salt")]


@pytest.mark.parametrize(
    "source",
    [
        "<metadata><dc:title>Salt</metadata>{}",
        "<metadata><dc:title>Salt</dc:title>{}",
        "<metadata><dc:title>Salt<dc:creator>Roe</dc:creator></metadata>{}",
    ],
    ids=["end tag of a statement", "end tag of the section", "end tag before a sibling"],
)
def test_missing_end_tag_loses_no_section(sink, source):
    data = f'<package xmlns="{OPF}" xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">{source}</package>'
    package = parse_package(parse_xml(data.format(ONE_ITEM + ONE_STEP).encode()).root, "book.opf", sink)
    assert package.metadata[0].value == "Salt"
    assert package.item(package.spine.itemrefs[0].idref).href == "a.xhtml"


def test_missing_end_tag_loses_no_section_behind_an_undeclared_prefix(sink):
    source = ONE_ITEM + ONE_STEP
    for name in ("manifest", "item", "spine", "itemref"):
        source = source.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    data = f"<o:package version='2.0'><o:metadata><title>Salt</title>{source}</o:package>"
    package = parse_package(parse_xml(data.encode()).root, "book.opf", sink)
    assert package.item(package.spine.itemrefs[0].idref).href == "a.xhtml"


def test_item_without_end_tag_loses_no_item(sink):
    data = (
        f'<package xmlns="{OPF}" version="2.0"><metadata/><manifest><item id="a" href="a" media-type="x/x">'
        '<item id="b" href="b" media-type="x/x"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    package = parse_package(parse_xml(data.encode()).root, "book.opf", sink)
    assert [item.id for item in package.manifest] == ["a", "b"]
    assert package.spine.itemrefs[0].idref == "a"


def test_metadata_of_a_collection_is_not_the_books(sink):
    data = (
        f'<package xmlns="{OPF}" version="3.0"><manifest/><collection role="x"><metadata><meta name="a" content="b"/>'
        "</metadata></collection></package>"
    )
    assert parse_package(parse_xml(data.encode()).root, "book.opf", sink).metadata == ()
