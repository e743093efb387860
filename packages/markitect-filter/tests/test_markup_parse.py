"""The strict path: namespaces, prologs, illegal characters, size and depth."""

import pytest
from markitect_filter.markup.limits import MarkupError, MarkupLimitError, MarkupLimits
from markitect_filter.markup.parse import parse_markup, parse_xml

XHTML = "http://www.w3.org/1999/xhtml"
PAGE = f'<html xmlns="{XHTML}"><body>{{}}</body></html>'
PARSERS = pytest.mark.parametrize("parse", [parse_xml, parse_markup])


def text_of(parsed):
    return "".join(parsed.root.itertext())


def depth_of(root):
    deepest = level = 0
    from lxml import etree

    for event, _ in etree.iterwalk(root, events=("start", "end")):
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    return deepest


def test_a_well_formed_page_has_nothing_to_report():
    parsed = parse_markup(PAGE.format("<p>Plain.</p>").encode())
    assert (parsed.tolerant, parsed.error, parsed.replaced, parsed.removed, parsed.flattened) == (False, None, 0, 0, 0)
    assert (parsed.encoding, parsed.encoding_source) == ("utf-8", "default")


def test_comments_and_processing_instructions_are_left_out():
    parsed = parse_markup(PAGE.format("<p>a<!-- c -->b<?page 3?>c</p>").encode())
    paragraph = next(parsed.root.iter(f"{{{XHTML}}}p"))
    assert (paragraph.text, len(paragraph)) == ("abc", 0)


@PARSERS
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_and_prolog_do_not_leak_into_the_text(parse, encoding):
    page = '<?xml version="1.0"?>\n' + PAGE.format("<p>só texto</p>")
    assert text_of(parse(page.encode(encoding))) == "só texto"


@PARSERS
def test_one_byte_charsets_are_read(parse):
    page = '<?xml version="1.0" encoding="iso-8859-1"?>' + PAGE.format("<p>déjà lu</p>")
    parsed = parse(page.encode("latin-1"))
    assert (text_of(parsed), parsed.encoding, parsed.error) == ("déjà lu", "iso-8859-1", None)


@PARSERS
def test_bytes_that_belie_the_declaration_are_read_by_the_last_resort(parse):
    parsed = parse(b'<?xml version="1.0" encoding="utf-8"?>' + PAGE.format("<p>caf\u00e9</p>").encode("latin-1"))
    assert (text_of(parsed), parsed.encoding, parsed.encoding_source) == ("café", "windows-1252", "fallback")


@PARSERS
def test_blanks_before_the_xml_declaration_do_no_harm(parse):
    parsed = parse(b'\n\n  <?xml version="1.0" encoding="utf-8"?>' + PAGE.format("<p>late</p>").encode())
    assert (text_of(parsed), parsed.tolerant) == ("late", False)


@pytest.mark.parametrize(
    "illegal",
    [
        "\x00",
        "\x0b",
        "\x1f",
        "\ufffe",
        "&#0;",
        "&#x1;",
        "&#31;",
        "&#xFFFF;",
        "&#xD800;",
        "&#x110000;",
        "&#99999999999;",
    ],
)
def test_characters_that_xml_forbids_are_removed_and_counted(illegal):
    parsed = parse_markup(PAGE.format(f"<p>be{illegal}fore</p>").encode())
    assert (text_of(parsed), parsed.removed, parsed.tolerant) == ("before", 1, False)


@pytest.mark.parametrize("legal", ["&#9;", "&#10;", "&#13;", "&#32;", "&#x20;", "&#133;", "&#x1F4D6;", "&#310;"])
def test_references_to_characters_that_xml_allows_stay(legal):
    parsed = parse_markup(PAGE.format(f"<p>a{legal}b\x01</p>").encode())
    assert (len(text_of(parsed)), parsed.removed) == (3, 1)


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><p>x</p></body></html>",
        '<html xmlns=""><body><p>x</p></body></html>',
        '<html xmlns="http://www.w3.org/1999/html"><body><p>x</p></body></html>',
        f'<h:html xmlns:h="{XHTML}"><h:body><h:p>x</h:p></h:body></h:html>',
        "<!-- by hand --><body><p>x</p></body>",
        "<p>x</p>",
        '<!DOCTYPE html [<!ATTLIST html xmlns CDATA #FIXED "http://www.w3.org/1999/xhtml">]><html><p>x</p></html>',
    ],
)
def test_html_elements_are_in_the_namespace_of_xhtml(page):
    parsed = parse_markup(page.encode())
    assert [element.text for element in parsed.root.iter(f"{{{XHTML}}}p")] == ["x"]
    assert not parsed.tolerant


def test_other_vocabularies_keep_their_namespace():
    section = '<section xmlns="http://docbook.org/ns/docbook"><para>x</para></section>'
    assert parse_markup(section.encode()).root.tag == "{http://docbook.org/ns/docbook}section"
    assert parse_markup(b'<svg xmlns="http://www.w3.org/2000/svg"/>').root.tag == "{http://www.w3.org/2000/svg}svg"
    assert parse_markup(b"<dtbook><p>x</p></dtbook>").root.tag == "dtbook"


def test_svg_and_math_in_a_page_without_namespaces_get_theirs():
    parsed = parse_markup(b"<html><body><svg><text>a</text></svg><math><mi>x</mi></math><mathx/></body></html>")
    tags = [element.tag for element in parsed.root.iter() if element.text]
    assert tags == ["{http://www.w3.org/2000/svg}text", "{http://www.w3.org/1998/Math/MathML}mi"]


def test_structural_xml_is_not_given_a_namespace():
    assert parse_xml(b"<html><p/></html>").root.tag == "html"


@PARSERS
@pytest.mark.parametrize("data", [b"", b"  \n", b"\xef\xbb\xbf", b"\xff\xfe", b"\0\0\0"])
def test_a_document_without_content_is_an_error(parse, data):
    with pytest.raises(MarkupError):
        parse(data)


@PARSERS
@pytest.mark.parametrize("data", [b'<?xml version="1.0"?>', b"<!DOCTYPE html>", b"\x01\x02"])
def test_a_document_of_declarations_only_is_an_error(parse, data):
    with pytest.raises(MarkupError):
        parse(data)


def test_an_impossible_character_in_a_namespace_leaves_readable_names():
    parsed = parse_xml(b'<package xmlns="http://example.org/&#xD800;opf"><item></package>')
    assert [element.tag for element in parsed.root.iter()] == [
        "{http://example.org/opf}package",
        "{http://example.org/opf}item",
    ]


def test_recovered_xml_has_elements_only():
    parsed = parse_xml(b'<package><a title="x<!-- b">&nbsp;&own; text</a></package>')
    assert all(isinstance(element.tag, str) for element in parsed.root.iter())
    assert "text" in "".join(parsed.root.itertext())


def test_structural_xml_without_an_element_is_an_error_with_a_line():
    with pytest.raises(MarkupError) as caught:
        parse_xml(b"\nno markup here")
    assert caught.value.line is not None


def test_broken_structural_xml_is_recovered_and_reported():
    parsed = parse_xml(b'<package>\n<item id="a"><item id="b"/>\n</package>')
    assert [item.get("id") for item in parsed.root.iter("item")] == ["a", "b"]
    assert parsed.tolerant
    assert parsed.error
    assert parsed.line == 3


@PARSERS
@pytest.mark.parametrize("tag", ["div", "span", "blockquote", "ul", "table"])
def test_100_000_nested_elements_keep_their_text(parse, tag):
    count = 100_000
    parsed = parse(PAGE.format(f"<{tag}>" * count + "core" + f"</{tag}>" * count + "<p>tail</p>").encode())
    assert text_of(parsed) == "coretail"
    assert not parsed.tolerant
    assert parsed.flattened == count + 2 - MarkupLimits().depth
    assert parsed.error


def test_flattening_leaves_no_tree_deeper_than_the_limit():
    parsed = parse_markup(PAGE.format("<i>a<b/>" * 500 + "</i>z" * 500).encode(), limits=MarkupLimits(depth=50))
    assert depth_of(parsed.root) == 50
    assert text_of(parsed) == "a" * 500 + "z" * 500


def test_a_document_as_deep_as_the_limit_is_not_touched():
    depth = MarkupLimits().depth
    parsed = parse_markup(PAGE.format("<i>" * (depth - 2) + "x" + "</i>" * (depth - 2)).encode())
    assert (parsed.flattened, parsed.error, depth_of(parsed.root)) == (0, None, depth)


def test_a_text_of_more_than_ten_megabytes_is_read():
    parsed = parse_markup(PAGE.format("<p>" + "word " * 2_500_000 + "</p>").encode())
    assert len(text_of(parsed)) == 12_500_000
    assert parsed.error is None


def test_an_attribute_of_twenty_megabytes_is_read():
    parsed = parse_markup(PAGE.format(f'<p title="{"t" * 20_000_000}">x</p>').encode())
    assert len(next(parsed.root.iter("{*}p")).get("title")) == 20_000_000


@PARSERS
@pytest.mark.parametrize(("limit", "body"), [("tags", "<i/>" * 60), ("attributes", '<i a="1" b="2"/>' * 30)])
def test_a_document_over_a_limit_is_refused_by_name(parse, limit, body):
    with pytest.raises(MarkupLimitError) as caught:
        parse(PAGE.format(body).encode(), limits=MarkupLimits(**{limit: 50}))
    assert (caught.value.limit, caught.value.value) == (limit, 50)


def test_line_numbers_survive_a_document_type_that_is_taken_out():
    page = '<?xml version="1.0"?>\n<!DOCTYPE html [\n<!ENTITY a "b">\n]>\n' + PAGE.format("\n<p>&a;")
    assert parse_markup(page.encode()).line == 6


def test_the_position_is_not_part_of_the_message():
    parsed = parse_markup(PAGE.format("<p><b>x</p>").encode())
    assert "line 1" in parsed.error  # of the opening tag, which is another place
    assert "column" not in parsed.error


@pytest.mark.parametrize("depth", [20, 300])
def test_depth_is_bounded_whatever_the_parser_itself_allows(depth):
    page = f'<html xmlns="{XHTML}"><body>{"<div>" * 400}core{"</div>" * 400}</body></html>'
    parsed = parse_markup(page.encode(), limits=MarkupLimits(depth=depth))
    assert max(len(list(element.iterancestors())) + 1 for element in parsed.root.iter()) == depth
    assert parsed.flattened == 402 - depth
    assert "".join(parsed.root.itertext()) == "core"


def test_a_page_that_is_not_well_formed_may_have_a_quarter_of_the_attributes():
    sound, broken = '<p a="1" b="2" c="3">core</p>', '<p a="1" b="2" c="3">core</b>'
    limits = MarkupLimits(attributes=8)
    assert not parse_markup(sound.encode(), limits=limits).tolerant
    with pytest.raises(MarkupLimitError, match="over 2 attributes") as raised:
        parse_markup(broken.encode(), limits=limits)
    assert (raised.value.limit, raised.value.value) == ("attributes", 8)
