"""The package's statements as the contract's `SourceMetadata`."""

import json

import pytest
from markitect_filter.epub3.package.metadata import source_metadata
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.markup.parse import parse_xml
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.source.model import SourceMetadata


@pytest.fixture
def sink():
    return DiagnosticSink()


@pytest.fixture
def read(sink):
    def read(metadata, attributes="", version="3.0"):
        source = (
            f'<package xmlns="http://www.idpf.org/2007/opf" version="{version}" {attributes}><metadata'
            ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
            f"{metadata}</metadata><manifest/><spine/></package>"
        )
        return source_metadata(parse_package(parse_xml(source.encode()).root, "book.opf", sink), sink)

    return read


def refine(target, name, value, scheme=""):
    scheme = f' scheme="{scheme}"' if scheme else ""
    return f'<meta refines="#{target}" property="{name}"{scheme}>{value}</meta>'


def test_first_title_is_the_title(read):
    assert read("<dc:title>One</dc:title><dc:title>Two</dc:title>").title == "One"


def test_title_of_type_main_is_the_title(read):
    metadata = '<dc:title id="s">Sub</dc:title><dc:title id="m">Main</dc:title>'
    assert read(metadata + refine("s", "title-type", "subtitle") + refine("m", "title-type", "main")).title == "Main"


def test_display_sequence_orders_titles(read):
    found = read(
        '<dc:title id="a">Two</dc:title><dc:title id="b">One</dc:title>'
        + refine("a", "display-seq", "2")
        + refine("b", "display-seq", "1")
    )
    assert found.title == "One"
    assert [title["value"] for title in found.raw["titles"]] == ["One", "Two"]


def test_all_titles_are_in_raw_with_their_type(read):
    raw = read(
        '<dc:title id="a">Salt</dc:title><dc:title>A History</dc:title>' + refine("a", "title-type", "short")
    ).raw
    assert raw["titles"] == [{"value": "Salt", "id": "a", "title_type": "short"}, {"value": "A History"}]


def test_creators_keep_document_order(read):
    assert read("<dc:creator>B</dc:creator><dc:creator>A</dc:creator>").creators == ["B", "A"]


def test_creators_without_a_sequence_fill_the_places_left(read):
    metadata = '<dc:creator>X</dc:creator><dc:creator id="b">B</dc:creator><dc:creator id="a">A</dc:creator>'
    assert read(metadata + refine("a", "display-seq", "1") + refine("b", "display-seq", "3")).creators == [
        "A",
        "X",
        "B",
    ]


def test_unusable_display_sequence_is_kept_as_it_is(read):
    found = read('<dc:creator id="a">A</dc:creator><dc:creator>B</dc:creator>' + refine("a", "display-seq", "last"))
    assert found.creators == ["A", "B"]


def test_creator_roles_and_sort_names_of_epub_3(read):
    raw = read(
        '<dc:creator id="a">Ann Roe</dc:creator>'
        + refine("a", "role", "aut", "marc:relators")
        + refine("a", "role", "ill", "marc:relators")
        + refine("a", "file-as", "Roe, Ann")
    ).raw
    assert raw["creators"] == [{"value": "Ann Roe", "id": "a", "roles": ["aut", "ill"], "file_as": "Roe, Ann"}]


def test_creator_roles_and_sort_names_of_epub_2(read):
    raw = read('<dc:creator opf:role="aut" opf:file-as="Roe, Ann">Ann Roe</dc:creator>', version="2.0").raw
    assert raw["creators"] == [{"value": "Ann Roe", "file_as": "Roe, Ann", "roles": ["aut"]}]


def test_refinement_with_its_own_language_is_kept_in_full(read):
    raw = read(
        '<dc:creator id="a">Ann</dc:creator><meta refines="#a" property="alternate-script" xml:lang="ja">アン</meta>'
    ).raw
    assert raw["creators"][0]["refinements"] == [{"name": "alternate-script", "value": "アン", "language": "ja"}]


def test_contributors_are_in_raw_only(read):
    found = read("<dc:contributor>C</dc:contributor>")
    assert (found.creators, found.raw["contributors"]) == ([], [{"value": "C"}])


def test_first_language_is_the_language(read):
    found = read("<dc:language>en_GB</dc:language><dc:language>fr</dc:language>")
    assert found.language == "en-GB"
    assert [entry["value"] for entry in found.raw["languages"]] == ["en_GB", "fr"]


def test_package_language_stands_in(read):
    assert read("", 'xml:lang="de"').language == "de"


def test_unique_identifier_is_marked_and_filed_under_package(read):
    found = read(
        '<dc:identifier>urn:isbn:9780306406157</dc:identifier><dc:identifier id="u">shop-1</dc:identifier>',
        'unique-identifier="u"',
    )
    assert found.identifiers == {"package": "shop-1", "isbn": "9780306406157", "id": "shop-1"}
    assert [entry.get("unique") for entry in found.raw["identifiers"]] == [None, True]


def test_second_identifier_of_a_scheme_is_numbered(read):
    found = read(
        '<dc:identifier id="u">urn:isbn:9780306406157</dc:identifier>'
        "<dc:identifier>urn:isbn:0306406152</dc:identifier><dc:identifier>isbn:9780306406157</dc:identifier>",
        'unique-identifier="u"',
    )
    assert found.identifiers == {
        "package": "urn:isbn:9780306406157",
        "isbn": "9780306406157",
        "isbn-2": "0306406152",
    }


def test_identifier_type_refinement_names_the_scheme(read):
    found = read(
        '<dc:identifier id="u">0306406152</dc:identifier>' + refine("u", "identifier-type", "02", "onix:codelist5"),
        'unique-identifier="u"',
    )
    assert found.identifiers["isbn"] == "0306406152"


@pytest.mark.parametrize("attributes", ["", 'unique-identifier="gone"'])
def test_package_without_usable_unique_identifier_takes_the_first(read, sink, attributes):
    assert read("<dc:identifier>a</dc:identifier>", attributes).identifiers["package"] == "a"
    assert "source.metadata_irregular" in [entry.code for entry in sink if "identifier" in entry.message]


def test_false_isbn_is_reported(read, sink):
    read('<dc:identifier id="u" opf:scheme="ISBN">123</dc:identifier>', 'unique-identifier="u"')
    assert any(entry.details.get("value") == "123" for entry in sink)


@pytest.mark.parametrize(
    ("dates", "published"),
    [
        ("<dc:date>1901</dc:date>", "1901"),
        ('<dc:date opf:event="modification">2020</dc:date>', None),
        ('<dc:date opf:event="creation">1900</dc:date><dc:date opf:event="publication">1901</dc:date>', "1901"),
        ('<dc:date opf:event="original-publication">1899</dc:date><dc:date>1901</dc:date>', "1901"),
        ("<dc:date>0101-01-01T00:00:00+00:00</dc:date>", None),
        ('<meta property="dcterms:issued">1901</meta>', "1901"),
        ('<meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>', None),
    ],
)
def test_publication_date_is_never_a_modification(read, dates, published):
    assert read(dates).publication_date == published


def test_modification_date_is_in_raw(read):
    assert (
        read('<meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>').raw["modified"] == "2020-01-01T00:00:00Z"
    )


def test_every_rights_statement_counts_once(read):
    assert read("<dc:rights>A</dc:rights><dc:rights>B</dc:rights><dc:rights>A</dc:rights>").rights == "A\nB"


def test_licence_link_stands_in_for_rights(read):
    assert read('<link rel="cc:license" href="https://l.example/"/>').rights == "https://l.example/"


def test_source_that_is_a_url_is_the_source_url(read):
    metadata = "<dc:source>urn:isbn:1</dc:source><dc:source>https://s.example/1</dc:source>"
    found = read(metadata)
    assert found.source_url == "https://s.example/1"
    assert [entry["value"] for entry in found.raw["sources"]] == ["urn:isbn:1", "https://s.example/1"]


def test_first_publisher_is_the_publisher(read):
    assert read("<dc:publisher>P</dc:publisher><dc:publisher>Q</dc:publisher>").publisher == "P"


def test_subject_keeps_authority_and_term(read):
    raw = read(
        '<dc:subject id="s">Salt</dc:subject>' + refine("s", "authority", "LCSH") + refine("s", "term", "sh1")
    ).raw
    assert raw["subjects"] == [{"value": "Salt", "id": "s", "authority": "LCSH", "term": "sh1"}]


def test_series_of_epub_3(read):
    raw = read(
        '<meta id="c" property="belongs-to-collection">Minerals</meta>'
        + refine("c", "collection-type", "series")
        + refine("c", "group-position", "2")
    ).raw
    assert raw["collections"] == [{"name": "Minerals", "id": "c", "type": "series", "position": "2"}]


def test_series_of_a_library_manager(read):
    raw = read('<meta name="calibre:series" content="Minerals"/><meta name="calibre:series_index" content="2.0"/>').raw
    assert raw["collections"] == [{"name": "Minerals", "type": "series", "position": "2.0"}]
    assert "meta" not in raw


def test_accessibility_rendition_and_media_are_grouped(read):
    raw = read(
        '<meta property="schema:accessMode">textual</meta><meta property="schema:accessMode">visual</meta>'
        '<meta property="rendition:layout">pre-paginated</meta><meta property="media:duration">0:10</meta>'
    ).raw
    assert raw["accessibility"] == {"schema:accessMode": ["textual", "visual"]}
    assert raw["rendition"] == {"layout": ["pre-paginated"]}
    assert raw["media"] == {"duration": ["0:10"]}


@pytest.mark.parametrize(
    "metadata",
    [
        '<meta property="pageBreakSource">urn:isbn:1</meta>',
        '<dc:source id="p">urn:isbn:1</dc:source>' + refine("p", "source-of", "pagination"),
    ],
)
def test_page_source_names_the_printed_edition(read, metadata):
    assert read(metadata).raw["page_source"] == "urn:isbn:1"


def test_every_other_statement_is_in_meta(read):
    raw = read(
        '<meta name="cover" content="img"/><meta property="x:y" scheme="x:z">1</meta>'
        + refine("item", "media:duration", "5")
    ).raw
    assert raw["meta"] == [
        {"name": "cover", "value": "img"},
        {"name": "x:y", "value": "1", "scheme": "x:z"},
        {"name": "media:duration", "value": "5", "refines": "item"},
    ]


def test_collections_of_the_package_are_kept():
    source = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest/><collection role="index">'
        '<link href="i.xhtml"/></collection></package>'
    )
    package = parse_package(parse_xml(source.encode()).root, "book.opf", DiagnosticSink())
    assert source_metadata(package, DiagnosticSink()).raw["package_collections"] == [
        {"role": "index", "links": [{"href": "i.xhtml"}]}
    ]


def test_refinements_in_a_circle_end(read):
    raw = read('<meta id="a" refines="#b" property="x">1</meta><meta id="b" refines="#a" property="y">2</meta>').raw
    assert [entry["value"] for entry in raw["meta"]] == ["1", "2"]


def test_dcterms_properties_stand_in_for_missing_elements(read):
    assert read('<meta property="dcterms:title">T</meta>').title == "T"


def test_missing_title_and_language_are_reported(read, sink):
    read("")
    assert {entry.details.get("name") for entry in sink} >= {"dc:title", "dc:language"}


def test_metadata_survives_json(read):
    found = read(
        '<dc:title id="t" dir="rtl">T</dc:title><meta property="a:b">c</meta><link rel="x" href="y"/>',
        'prefix="a: http://a.example/" dir="rtl"',
    )
    assert SourceMetadata.from_dict(json.loads(json.dumps(found.to_dict()))) == found
