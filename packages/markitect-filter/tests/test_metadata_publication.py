"""`META-INF/metadata.xml`: metadata of the publication as a whole."""

import pytest
from markitect_filter.testing.books import Book
from markitect_filter.testing.hostile import BOMB

MEMBER = "META-INF/metadata.xml"
METADATA = (
    '<metadata xmlns="http://www.idpf.org/2013/metadata" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'unique-identifier="p"><dc:identifier id="p">urn:example:all</dc:identifier><dc:title id="t">Both</dc:title>'
    '<meta property="dcterms:modified">2024-05-01T00:00:00Z</meta><meta refines="#t" property="file-as">B</meta>'
    "</metadata>"
)


@pytest.fixture
def raw(read):
    """The raw metadata and the codes of a book with this file."""

    def raw(content):
        reading = read(Book({"a.xhtml": "<p>core</p>"}, {MEMBER: content}).pack())
        return reading.document.metadata, reading.codes

    return raw


def test_its_statements_are_kept_apart_from_those_of_the_rendition(raw):
    metadata, codes = raw(METADATA)
    assert metadata.title == "Book"
    publication = metadata.raw["publication"]
    assert publication["titles"] == [{"value": "Both", "id": "t", "file_as": "B"}]
    assert publication["identifiers"][0]["value"] == "urn:example:all"
    assert publication["modified"] == "2024-05-01T00:00:00Z"
    assert codes == []


def test_a_book_without_it_says_nothing_about_it(read):
    assert "publication" not in read(Book({"a.xhtml": "<p>core</p>"}).pack()).document.metadata.raw


@pytest.mark.parametrize("content", ["", "no markup", "<other/>", "<metadata/>"])
def test_one_that_says_nothing_costs_nothing(content, raw):
    assert "publication" not in raw(content)[0].raw


def test_an_entity_bomb_in_it_is_a_warning(raw):
    metadata, codes = raw(f"{BOMB}<metadata>&j;</metadata>")
    assert "publication" not in metadata.raw
    assert codes == ["source.limit_exceeded"]
