"""The metadata section as statements: names, prefixes, white space, refinements."""

import pytest
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.epub3.package.package_metadata import canonical_name, parse_prefixes
from markitect_filter.markup.parse import parse_xml
from markitect_tool.diagnostics import DiagnosticSink


@pytest.fixture
def sink():
    return DiagnosticSink()


@pytest.fixture
def read(sink):
    def read(metadata, attributes=""):
        source = (
            f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0" {attributes}><metadata'
            ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
            f"{metadata}</metadata><manifest/></package>"
        )
        return parse_package(parse_xml(source.encode()).root, "book.opf", sink)

    return read


def test_statements_keep_document_order(read):
    package = read('<meta property="a:b">1</meta><dc:title>T</dc:title><meta name="c" content="2"/>')
    assert [(entry.name, entry.value, entry.origin) for entry in package.metadata] == [
        ("a:b", "1", "property"),
        ("dc:title", "T", "dc"),
        ("c", "2", "name"),
    ]


def test_white_space_is_collapsed_but_a_no_break_space_stays(read):
    package = read("<dc:title>\n  The\tSalt \u00a0Road  \n</dc:title>")
    assert package.metadata[0].value == "The Salt \u00a0Road"


def test_comment_inside_a_value_is_no_text(read):
    assert read("<dc:title>Sa<!-- no -->lt</dc:title>").metadata[0].value == "Salt"


def test_statement_without_value_is_reported_and_left_out(read, sink):
    assert read("<dc:creator> </dc:creator>").metadata == ()
    assert [entry.code for entry in sink] == ["source.metadata_irregular"]


def test_opf_2_attributes_are_kept_by_local_name(read):
    entry = read('<dc:creator opf:role="aut" opf:file-as="Roe, Ann" opf:scheme="x">Ann Roe</dc:creator>').metadata[0]
    assert (entry.attributes, entry.scheme) == ((("role", "aut"), ("file-as", "Roe, Ann")), "x")


@pytest.mark.parametrize("reference", ["#t", "book.opf#t", " #t "])
def test_refinement_finds_what_it_refines(read, reference):
    package = read(f'<dc:title id="t">T</dc:title><meta refines="{reference}" property="title-type">main</meta>')
    assert [entry.value for entry in package.refinements(package.metadata[0])] == ["main"]
    assert package.statements("title-type") == ()


def test_refinement_of_an_id_that_is_used_twice_belongs_to_the_first(read):
    package = read(
        '<dc:title id="t">A</dc:title><dc:title id="t">B</dc:title><meta refines="#t" property="title-type">main</meta>'
    )
    assert [len(package.refinements(entry)) for entry in package.metadata[:2]] == [1, 0]


def test_meta_with_both_forms_takes_the_missing_value_from_content(read):
    assert read('<meta property="dcterms:modified" content="2020-01-01"/>').metadata[0].value == "2020-01-01"


def test_dublin_core_element_without_its_namespace_is_still_one(read):
    assert read("<title>T</title>").metadata[0].name == "dc:title"


def test_element_of_another_vocabulary_is_kept_under_its_prefix(read):
    assert read('<x:shelf xmlns:x="urn:x">A3</x:shelf>').metadata[0].name == "x:shelf"


def test_links_are_not_statements(read):
    package = read('<link rel="record onix-record" href="r.xml" media-type="application/xml" refines="#a"/>')
    link = package.links[0]
    assert (link.relations, link.href, link.refines) == (("record", "onix-record"), "r.xml", "a")
    assert package.metadata == ()


def test_prefix_declarations_are_pairs():
    assert parse_prefixes("a: http://a.example/ \n b:\thttp://b.example/#") == {
        "a": "http://a.example/",
        "b": "http://b.example/#",
    }


@pytest.mark.parametrize(
    ("name", "prefixes", "canonical"),
    [
        ("rendition:layout", {}, "rendition:layout"),
        ("r:layout", {"r": "http://www.idpf.org/vocab/rendition/#"}, "rendition:layout"),
        ("s:accessMode", {"s": "https://schema.org/"}, "schema:accessMode"),
        ("schema:name", {"schema": "http://other.example/"}, "http://other.example/name"),
        ("mine:x", {"mine": "http://mine.example/"}, "mine:x"),
        ("title-type", {"title-type": "http://x.example/"}, "title-type"),
    ],
)
def test_property_is_named_by_its_vocabulary(name, prefixes, canonical):
    assert canonical_name(name, prefixes) == canonical


def test_prefixes_without_a_colon_are_read_in_linear_time():
    assert parse_prefixes("a" * 2_000_000) == {}  # minutes, if every character began an attempt
    assert parse_prefixes("x:a: b") == {"a": "b"}
