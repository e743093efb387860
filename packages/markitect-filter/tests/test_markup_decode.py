"""Bytes to text: byte order mark, declaration, UTF-8, last resort."""

import codecs

import pytest
from markitect_filter.markup.decode import decode


def declared(name: str) -> str:
    return f'<?xml version="1.0" encoding="{name}"?><p>crème brûlée</p>'


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_leads_and_is_no_text(mark, codec):
    decoded = decode(mark + "<p>wide ☂</p>".encode(codec))
    assert (decoded.text, decoded.encoding, decoded.source) == ("<p>wide ☂</p>", codec, "bom")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_told_without_a_mark(codec):
    decoded = decode("<p>quay</p>".encode(codec))
    assert (decoded.text, decoded.encoding, decoded.source) == ("<p>quay</p>", codec, "default")


@pytest.mark.parametrize("name", ["iso-8859-1", "ISO-8859-15", "windows-1250", "macintosh", "cp850"])
def test_a_declared_one_byte_charset_is_used(name):
    codec = "mac_roman" if name == "macintosh" else name
    text = declared(name).replace("è", "é").replace("û", "ô")
    decoded = decode(text.encode(codec))
    assert (decoded.text, decoded.encoding, decoded.source) == (text, name.lower(), "declaration")


@pytest.mark.parametrize("name", ["shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "koi8-r"])
def test_declared_national_charsets_are_used(name):
    text = declared(name).replace("crème brûlée", "дом" if name == "koi8-r" else "山" if name != "euc-kr" else "산")
    assert decode(text.encode(name)).text == text


def test_latin_1_means_windows_1252():
    data = b'<?xml version="1.0" encoding="iso-8859-1"?><p>\x93quoted\x94</p>'
    assert "“quoted”" in decode(data).text


def test_undeclared_bytes_are_utf_8():
    decoded = decode("<p>Øresund</p>".encode())
    assert (decoded.text, decoded.encoding, decoded.source) == ("<p>Øresund</p>", "utf-8", "default")


def test_a_false_utf_8_declaration_falls_back_to_windows_1252():
    decoded = decode(declared("utf-8").encode("cp1252"))
    assert "crème brûlée" in decoded.text
    assert (decoded.encoding, decoded.source, decoded.replaced) == ("windows-1252", "fallback", 0)


def test_utf_8_with_some_damage_stays_utf_8_and_is_counted():
    decoded = decode("<p>žluťoučký kůň</p>".encode() + b"\xff\xfe")
    assert "žluťoučký kůň" in decoded.text
    assert (decoded.encoding, decoded.source, decoded.replaced) == ("utf-8", "fallback", 2)


def test_a_replacement_character_of_the_document_is_not_counted():
    assert decode("<p>\ufffd ž</p>".encode() + b"\xff").replaced == 1


def test_bytes_outside_the_declared_charset_are_counted():
    decoded = decode(b'<?xml version="1.0" encoding="shift_jis"?><p>\x82\xa0 \xff</p>')
    assert "あ" in decoded.text
    assert decoded.replaced == 1


@pytest.mark.parametrize("name", ["utf-16", "rot13", "unicode_escape", "zlib", "idna", "utf-7", "no-such-charset"])
def test_a_declaration_that_cannot_be_true_is_ignored(name):
    assert "crème" in decode(declared(name).encode()).text


def test_an_html_page_may_declare_its_charset_in_a_meta_element():
    page = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"></head>да'
    assert decode(page.encode("cp1251"), html=True).text == page


def test_a_meta_element_is_no_declaration_in_xml():
    page = '<html><head><meta charset="windows-1251"/></head>да</html>'
    assert decode(page.encode()).text == page


def test_decoding_hostile_bytes_never_fails():
    for data in (b"", b"\xff\xfe\xff", b"\0\0\0<", b"<\0\0", b"\xef\xbb\xbf\xff", bytes(range(256))):
        decode(data)
        decode(data, html=True)
