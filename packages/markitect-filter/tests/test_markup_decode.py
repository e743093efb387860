"""Bytes to text: byte order mark, declaration, UTF-8, `meta` element, last resort."""

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
    assert (decoded.encoding, decoded.source, decoded.replaced) == ("utf-8", "default", 2)


def test_a_replacement_character_of_the_document_is_not_counted():
    assert decode("<p>\ufffd ž</p>".encode() + b"\xff").replaced == 1


def test_bytes_outside_the_declared_charset_are_counted():
    decoded = decode(b'<?xml version="1.0" encoding="shift_jis"?><p>\x82\xa0 \x82</p>')
    assert "あ" in decoded.text
    assert decoded.replaced == 1


@pytest.mark.parametrize("name", ["utf-16", "rot13", "unicode_escape", "zlib", "idna", "utf-7", "no-such-charset"])
def test_a_declaration_that_cannot_be_true_is_ignored(name):
    assert "crème" in decode(declared(name).encode()).text


SAMPLES = [
    ("windows-1251", "cp1251", "Соль была дорога"),
    ("x-cp1251", "cp1251", "Соль"),
    ("koi8-r", "koi8-r", "Соль"),
    ("koi8-u", "koi8-u", "Сіль"),
    ("iso-8859-2", "iso8859-2", "sůl a žito"),
    ("iso88592", "iso8859-2", "sůl"),
    ("iso-8859-8-i", "iso8859-8", "מלח"),
    ("latin1", "cp1252", "“sel” de mer"),
    ("iso-8859-9", "cp1254", "tuz “ğ”"),
    ("tis-620", "cp874", "เกลือ…"),
    ("windows-874", "cp874", "เกลือ"),
    ("gb2312", "gbk", "盐很貴，朱镕基"),
    ("x-gbk", "gbk", "盐"),
    ("GB18030", "gb18030", "盐𠀀"),
    ("big5", "cp950", "鹽很貴，裏"),
    ("shift_jis", "cp932", "塩①髙い"),
    ("x-sjis", "cp932", "塩"),
    ("windows-31j", "cp932", "塩"),
    ("euc-jp", "euc_jp", "塩は高い"),
    ("euc-kr", "cp949", "소금 똠방"),
    ("ks_c_5601-1987", "cp949", "소금"),
    ("windows-949", "cp949", "소금"),
    ("iso-2022-jp", "iso2022_jp", "塩"),
    ("x-mac-cyrillic", "mac-cyrillic", "Соль"),
]
META = pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="{}"/>',
        "<META CHARSET={}>",
        "<meta name='x' content='y'/><meta\ncharset = '{}' >",
        '<meta http-equiv="Content-Type" content="text/html; charset={}"/>',
        "<meta content='application/xhtml+xml;charset={}; x' http-equiv=content-type>",
    ],
)


def page(meta, text="", declaration=""):
    return f"{declaration}<html><head>{meta}</head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(("label", "codec", "text"), SAMPLES)
def test_a_page_may_name_its_charset_in_a_meta_element(label, codec, text):
    written = page(f'<meta charset="{label}"/>', text)
    decoded = decode(written.encode(codec), html=True)
    assert (decoded.text, decoded.encoding, decoded.source, decoded.replaced) == (written, label.lower(), "meta", 0)


@META
def test_a_meta_element_is_read_in_all_its_forms(meta):
    written = page(meta.format("windows-1251"), "Соль")
    decoded = decode(written.encode("cp1251"), html=True)
    assert (decoded.text, decoded.source) == (written, "meta")


@META
def test_bytes_that_are_utf_8_need_no_meta_element(meta):
    written = page(meta.format("windows-1251"), "Соль")
    decoded = decode(written.encode(), html=True)
    assert (decoded.text, decoded.encoding, decoded.source) == (written, "utf-8", "default")


def test_utf_8_with_some_damage_is_not_read_as_its_meta_element_says():
    data = page('<meta charset="windows-1252"/>', "žluťoučký kůň pěl ďábelské ódy").encode() + b"\xff"
    decoded = decode(data, html=True)
    assert "žluťoučký kůň" in decoded.text
    assert (decoded.encoding, decoded.replaced) == ("utf-8", 1)


def test_an_xml_declaration_comes_before_a_meta_element():
    written = page('<meta charset="koi8-r"/>', "Соль", '<?xml version="1.0" encoding="windows-1251"?>')
    decoded = decode(written.encode("cp1251"), html=True)
    assert (decoded.text, decoded.source) == (written, "declaration")


@pytest.mark.parametrize("declared_as", ["utf-8", "us-ascii"])
def test_a_meta_element_helps_when_the_xml_declaration_is_wrong(declared_as):
    written = page('<meta charset="windows-1251"/>', "Соль", f'<?xml version="1.0" encoding="{declared_as}"?>')
    assert decode(written.encode("cp1251"), html=True).text == written


def test_ascii_is_declared_of_bytes_that_are_utf_8():
    assert decode(declared("us-ascii").encode()).text == declared("us-ascii")


@pytest.mark.parametrize(
    "head",
    [
        '<!-- <meta charset="windows-1251"/> -->',
        '<meta name="note" content="charset=windows-1251"/>',
        '<meta charset="utf-8"/>',
        '<meta charset="utf-16"/>',
        '<meta charset="rot13"/>',
        '<meta charset="no-such-charset"/>',
        '<meta charset=""/>',
        '<metadata charset="windows-1251"/>',
        f'<style>{"x" * 2048}</style><meta charset="windows-1251"/>',
    ],
)
def test_what_names_no_charset_is_left_to_the_last_resort(head):
    decoded = decode(page(head, "café").encode("latin-1"), html=True)
    assert ("café" in decoded.text, decoded.encoding, decoded.source) == (True, "windows-1252", "fallback")


def test_the_second_meta_element_counts_when_the_first_says_nothing():
    written = page('<meta charset="utf-16"/><meta charset="windows-1251"/>', "Соль")
    assert decode(written.encode("cp1251"), html=True).text == written


def test_bytes_outside_of_what_a_meta_element_names_are_counted():
    decoded = decode(page('<meta charset="euc-kr"/>', "소금").encode("cp949") + b"\xff", html=True)
    assert (decoded.source, decoded.replaced) == ("meta", 1)


def test_a_meta_element_is_no_declaration_in_structural_xml():
    assert decode('<package><meta charset="windows-1251"/>café'.encode("latin-1")).source == "fallback"


def test_decoding_hostile_bytes_never_fails():
    for data in (b"", b"\xff\xfe\xff", b"\0\0\0<", b"<\0\0", b"\xef\xbb\xbf\xff", bytes(range(256))):
        decode(data)
        decode(data, html=True)
