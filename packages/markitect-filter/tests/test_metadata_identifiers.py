"""What scheme an identifier belongs to, by its form and by what the book states."""

import pytest
from markitect_filter.documents.identifiers import identify, valid_isbn


@pytest.mark.parametrize(
    ("value", "stated", "scheme", "canonical"),
    [
        ("urn:isbn:978-0-306-40615-7", None, "isbn", "9780306406157"),
        ("9780306406157", None, "isbn", "9780306406157"),
        ("ISBN 0-306-40615-2", None, "isbn", "0306406152"),
        ("0306406152", "ISBN", "isbn", "0306406152"),
        ("080442957x", "isbn", "isbn", "080442957X"),
        ("0306406152", None, "id", "0306406152"),
        ("https://doi.org/10.1000/182", None, "doi", "10.1000/182"),
        ("doi:10.1000/182", None, "doi", "10.1000/182"),
        ("10.1000/182", "DOI", "doi", "10.1000/182"),
        ("urn:uuid:A1B0D67E-2E81-4DF5-9E67-A64CBE366809", None, "uuid", "a1b0d67e-2e81-4df5-9e67-a64cbe366809"),
        ("A1B0D67E-2E81-4DF5-9E67-A64CBE366809", "calibre", "uuid", "a1b0d67e-2e81-4df5-9e67-a64cbe366809"),
        ("urn:issn:0317-8471", None, "issn", "0317-8471"),
        ("urn:x-mine:7", None, "urn", "urn:x-mine:7"),
        ("https://example.org/book/7", None, "url", "https://example.org/book/7"),
        ("https://example.org/book/7", "URI", "url", "https://example.org/book/7"),
        ("B000123", "MOBI-ASIN", "asin", "B000123"),
        ("7", "My Library", "my-library", "7"),
        ("code.google.com.x", None, "id", "code.google.com.x"),
    ],
)
def test_scheme_and_canonical_value(value, stated, scheme, canonical):
    found = identify(value, stated)
    assert (found.scheme, found.value, found.sound) == (scheme, canonical, True)


@pytest.mark.parametrize(
    ("code", "value", "scheme"),
    [("15", "9780306406157", "isbn"), ("06", "10.1000/182", "doi"), ("2", "0306406152", "isbn"), ("99", "x", "id")],
)
def test_onix_code_names_the_scheme(code, value, scheme):
    assert identify(value, code, "onix:codelist5").scheme == scheme


@pytest.mark.parametrize(("value", "stated"), [("9780306406158", "ISBN"), ("urn:isbn:123", None)])
def test_isbn_that_fails_its_check_is_no_isbn(value, stated):
    found = identify(value, stated)
    assert (found.scheme, found.value, found.sound) == ("id", value, False)


def test_isbn_of_digits_from_another_script_is_none():
    assert valid_isbn("\u0669\u0667\u06680306406157") is None
