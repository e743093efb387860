"""What the bytes of a page are in."""

import codecs

import pytest

PAGE = "<!doctype html>{}<p>café – low"


def encoded(codec, label=None, mark=b"", form="<meta charset={}>"):
    return mark + PAGE.format(form.format(label) if label else "").encode(codec)


@pytest.mark.parametrize(
    ("data", "encoding", "source"),
    [
        (encoded("utf-8"), "utf-8", "default"),
        (encoded("utf-8", mark=codecs.BOM_UTF8), "utf-8", "bom"),
        (encoded("utf-16-le", mark=codecs.BOM_UTF16_LE), "utf-16-le", "bom"),
        (encoded("utf-16-be", mark=codecs.BOM_UTF16_BE), "utf-16-be", "bom"),
        (encoded("utf-16-le"), "utf-16-le", "default"),
        (encoded("cp1252", "windows-1252"), "windows-1252", "meta"),
        (encoded("cp1252", "ISO-8859-1"), "iso-8859-1", "meta"),
        (
            encoded("cp1252", "latin1", form='<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset={}">'),
            "latin1",
            "meta",
        ),
        (encoded("utf-8", "iso-8859-1"), "utf-8", "default"),  # it was converted and keeps the old one
    ],
)
def test_page_says_what_it_is_in(make, data, encoding, source):
    made = make(data)
    assert made.markdown == "café – low"
    assert (made.metadata.raw["encoding"], made.metadata.raw["encoding_source"]) == (encoding, source)
    assert made.codes == []


def test_xml_declaration_says_what_it_is_in(make):
    page = (
        '<?xml version="1.0" encoding="windows-1252"?><html xmlns="http://www.w3.org/1999/xhtml"><body>é</body></html>'
    )
    assert make(page.encode("cp1252")).markdown == "é"


def test_declaration_does_not_contradict_what_was_asked_for(make):
    page = '<?xml version="1.0" encoding="utf-16"?><html xmlns="http://www.w3.org/1999/xhtml"><body>é</body></html>'
    assert make(page.encode("cp1252"), encoding="cp1252").markdown == "é"


@pytest.mark.parametrize("charset", ["charset=windows-1252", 'Charset="windows-1252"', "version=1; charset=ISO-8859-1"])
def test_server_says_what_it_is_in(make, charset):
    made = make(encoded("cp1252"), media_type=f"text/html; {charset}")
    assert made.markdown == "café – low"
    assert made.metadata.raw["encoding_source"] == "server"
    assert made.codes == []


def test_server_counts_more_than_the_page(make):
    made = make(encoded("cp1252", "koi8-r"), media_type="text/html; charset=windows-1252")
    assert made.markdown == "café – low"


def test_byte_order_mark_counts_more_than_the_server(make):
    data = encoded("utf-8", mark=codecs.BOM_UTF8)
    assert make(data, media_type="text/html; charset=koi8-r").markdown == "café – low"


def test_server_that_says_utf_16_is_heard(make):
    assert make(encoded("utf-16-be"), media_type="text/html; charset=utf-16be").markdown == "café – low"


def test_server_that_is_wrong_is_reported_and_the_page_asked(make):
    made = make(encoded("cp1252", "windows-1252"), media_type="text/html; charset=utf-8")
    assert made.markdown == "café – low"
    assert made.codes == ["source.encoding_recovered"]


@pytest.mark.parametrize("charset", ["no-such", "rot13", "utf-7", "", "é"])
def test_charset_that_is_none_is_no_matter(make, charset):
    assert make(encoded("utf-8"), media_type=f"text/html; charset={charset}").markdown == "café – low"


def test_option_counts_more_than_anything(make):
    data = "<meta charset=utf-8><p>潮".encode("shift_jis")
    made = make(data, media_type="text/html; charset=utf-8", encoding="Shift_JIS")
    assert (made.markdown, made.codes, made.metadata.raw["encoding_source"]) == ("潮", [], "option")


def test_bytes_that_do_not_fit_the_option_are_replaced_and_reported(make):
    made = make(b"<p>ab\xffc", encoding="utf-8")
    (told,) = made.details("source.encoding_recovered")
    assert (made.markdown, told.details["replaced"]) == ("ab\ufffdc", 1)


def test_encoding_that_does_not_exist_is_an_invalid_option(refuse):
    assert refuse(b"<p>x", encoding="utf-4").code == "source.invalid_option"


def test_guess_is_a_warning_and_costs_confidence(make):
    made = make(encoded("cp1252"))
    assert made.markdown == "café – low"
    assert made.codes == ["source.encoding_recovered"]
    assert (made.document.quality.lossiness, made.document.quality.confidence) == ("medium", 0.5)


def test_bad_bytes_in_utf_8_are_replaced_and_reported(make):
    made = make("<p>ééééé \N{HIRAGANA LETTER A}".encode() + b"\xff")
    (told,) = made.details("source.encoding_recovered")
    assert (made.markdown, told.details["replaced"]) == ("ééééé あ\ufffd", 1)


def test_form_feed_is_a_blank(make):
    assert make("<p>low\fwater").markdown == "low water"


def test_control_characters_are_left_out_with_a_warning(make):
    made = make("<p>lo\x01w")
    assert (made.markdown, made.codes) == ("low", ["source.markup_recovered"])
