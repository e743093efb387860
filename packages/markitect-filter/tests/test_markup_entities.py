"""Entities without a DTD: HTML's names, the document's own, and everything that must not be read."""

import pytest
from lxml import etree
from markitect_filter.markup.limits import MarkupLimitError, MarkupLimits
from markitect_filter.markup.parse import parse_markup, parse_xml
from markitect_filter.markup.recovery import _write_out_references

UNRESOLVED = etree.XMLParser(resolve_entities=False)
XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
PUBLIC = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'


def text_of(parsed):
    return "".join(parsed.root.itertext())


@pytest.mark.parametrize("prolog", ["", PUBLIC, '<?xml version="1.0" encoding="utf-8"?>\n' + PUBLIC])
def test_html_names_work_with_and_without_a_document_type(prolog):
    parsed = parse_markup((prolog + XHTML.format("<p>10&nbsp;km &hellip; &Eacute;t&eacute;</p>")).encode())
    assert text_of(parsed) == "10\u00a0km … Été"
    assert (parsed.tolerant, parsed.error) == (False, None)


def test_names_of_markup_characters_stay_text():
    parsed = parse_markup(XHTML.format("<p>&LT;b&GT; &AMP;lt; &nvlt;</p>").encode())
    assert text_of(parsed) == "<b> &lt; <⃒"


def test_predefined_and_numeric_references_are_the_parsers_business():
    assert text_of(parse_markup(XHTML.format("<p>&amp;nbsp; &#8211; &#x2014; &lt;</p>").encode())) == "&nbsp; – — <"


def test_a_bare_ampersand_stays_and_is_reported_with_its_line():
    parsed = parse_markup(XHTML.format("\n<p>Salt & Tin, R&D</p>").encode())
    assert text_of(parsed).strip() == "Salt & Tin, R&D"
    assert (parsed.tolerant, parsed.line) == (False, 2)
    assert parsed.error


def test_an_undeclared_name_stays_visible_and_is_reported():
    parsed = parse_markup(XHTML.format("<p>&harbour; wall</p>").encode())
    assert text_of(parsed) == "&harbour; wall"
    assert "&harbour;" in parsed.error


def test_a_name_without_semicolon_is_read_as_html_does():
    assert text_of(parse_markup(XHTML.format("<p>&copy 1999</p>").encode())) == "© 1999"


def test_a_query_in_a_link_keeps_its_parameters():
    parsed = parse_markup(XHTML.format('<p><a href="x?a=1&copy=2&b=3">x</a></p>').encode())
    assert next(parsed.root.iter("{*}a")).get("href") == "x?a=1&copy=2&b=3"


def test_comments_and_cdata_sections_are_left_alone():
    parsed = parse_markup(XHTML.format("<p><!-- &nbsp; & --><![CDATA[&nbsp;]]>&nbsp;</p>").encode())
    assert text_of(parsed) == "&nbsp;\u00a0"
    assert parsed.error is None


def test_entities_of_the_internal_subset_work():
    subset = (
        '<!DOCTYPE html [ <!-- > --> <!ENTITY ship "the <i>Anne</i>"> <!ENTITY both "&ship; &amp; &#34;crew&#34;"> ]>'
    )
    parsed = parse_markup((subset + XHTML.format("<p>&both;</p>")).encode())
    assert text_of(parsed) == 'the Anne & "crew"'
    assert next(parsed.root.iter("{*}i")).text == "Anne"
    assert parsed.error is None


def test_the_first_declaration_of_an_entity_counts():
    subset = '<!DOCTYPE html [<!ENTITY a "first"><!ENTITY a "second"><!ENTITY nbsp "own">]>'
    assert text_of(parse_markup((subset + XHTML.format("&a; &nbsp;")).encode())) == "first own"


def test_structural_xml_knows_the_entities_too():
    data = b'<!DOCTYPE p [<!ENTITY t "Title">]><package><title>&t; &mdash; &eacute;</title></package>'
    assert text_of(parse_xml(data)) == "Title — é"


@pytest.mark.parametrize("parse", [parse_xml, parse_markup])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_exponential_expansion_is_refused(parse, encoding):
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE html [<!ENTITY e0 "boom">{levels}]>' + XHTML.format("&e11;")
    with pytest.raises(MarkupLimitError) as caught:
        parse(bomb.encode(encoding))
    assert (caught.value.limit, caught.value.value) == ("entity_chars", MarkupLimits().entity_chars)


@pytest.mark.parametrize("before", ["<!-- > -->", "<?x > ?>", "\ufeff", "\n\n"])
@pytest.mark.parametrize("name", ["html", 'html SYSTEM "a>b"', "html PUBLIC 'a>b' \"[>\""])
def test_no_disguise_of_the_document_type_lets_its_entities_through(before, name):
    subset = f'{before}<!DOCTYPE {name} [<!ATTLIST p title CDATA "default"><!ENTITY a "declared">]>'
    parsed = parse_markup((subset + XHTML.format("<p>&a;</p>")).encode())
    assert text_of(parsed) == "declared"
    assert next(parsed.root.iter("{*}p")).get("title") is None


def test_a_quadratic_expansion_is_refused():
    bomb = f'<!DOCTYPE html [<!ENTITY long "{"x" * 50_000}">]>' + XHTML.format("&long;" * 50_000)
    with pytest.raises(MarkupLimitError):
        parse_markup(bomb.encode())


@pytest.mark.parametrize("count", [2, 5_000])
def test_entities_that_refer_in_a_circle_or_a_long_chain_are_refused(count):
    chain = "".join(f'<!ENTITY e{n} "&e{(n + 1) % count};">' for n in range(count))
    with pytest.raises(MarkupLimitError):
        parse_markup((f"<!DOCTYPE html [{chain}]>" + XHTML.format("&e0;")).encode())


@pytest.mark.parametrize("parse", [parse_xml, parse_markup])
@pytest.mark.parametrize("kind", ['SYSTEM "{}"', 'PUBLIC "-//X" "{}"'])
def test_an_external_entity_is_not_read(parse, kind, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("harbour master's key")
    declaration = f"<!ENTITY secret {kind.format(secret.as_uri())}>"
    parsed = parse((f"<!DOCTYPE html [{declaration}]>" + XHTML.format("<p>&secret;</p>")).encode())
    assert text_of(parsed) == "&secret;"
    assert "&secret;" in parsed.error


def test_a_parameter_entity_is_not_expanded():
    subset = "<!DOCTYPE html [<!ENTITY % decl \"<!ENTITY inner 'grown'>\"> %decl;]>"
    assert text_of(parse_markup((subset + XHTML.format("&inner;")).encode())) == "&inner;"


def test_default_attributes_of_the_internal_subset_do_not_multiply():
    subset = f'<!DOCTYPE html [<!ATTLIST p title CDATA "{"t" * 1000}">]>'
    parsed = parse_markup((subset + XHTML.format("<p>a</p>" * 3)).encode())
    assert [element.get("title") for element in parsed.root.iter("{*}p")] == [None] * 3


def test_an_xinclude_is_an_element_like_any_other(tmp_path):
    (tmp_path / "other.txt").write_text("included")
    include = f'<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="{tmp_path / "other.txt"}" parse="text"/>'
    assert "included" not in etree.tostring(parse_markup(XHTML.format(include).encode()).root, encoding="unicode")


@pytest.mark.parametrize("hostile", ["<!-- ", "<![CDATA[ ", "<?x ", '<!ENTITY a "'])
def test_unclosed_constructs_in_masses_are_scanned_once(hostile):
    with pytest.raises(MarkupLimitError):  # reached at once: scanning each to the end would take minutes
        parse_markup((XHTML.format(hostile * 200_000)).encode(), limits=MarkupLimits(tolerant_tags=10))


@pytest.mark.parametrize("hostile", ["&", "&#", "&a", "&#x", "&amp"])
def test_ampersands_in_masses_stay_text(hostile):
    parsed = parse_markup(XHTML.format(hostile * 100_000).encode())
    assert text_of(parsed) == (hostile if hostile != "&amp" else "&") * 100_000


def test_a_processing_instruction_without_a_name_holds_no_references_for_the_parser(monkeypatch):
    seen = []
    monkeypatch.setattr("markitect_filter.markup.recovery._write_out_references", seen.append)
    parsed = parse_xml(b"<r><t>one <? &a;&b; ?> two</t></r>")
    assert text_of(parsed) == "one  &a;&b; ?> two"
    assert not list(seen[0].iter(etree.Entity))


def test_references_that_recovery_left_are_written_where_they_stood():
    root = etree.fromstring("<!DOCTYPE r [<!ENTITY a 'x'>]><r>1&a;2&a;<t>3&a;</t>&a;4<u/>&a;</r>", parser=UNRESOLVED)
    _write_out_references(root)
    assert etree.tostring(root) == b"<r>1&amp;a;2&amp;a;<t>3&amp;a;</t>&amp;a;4<u/>&amp;a;</r>"


def test_predefined_references_survive_damage_before_them():
    parsed = parse_xml(b"<r><x></y><t a='&lt;&quot;'>Salt &amp; Tin &lt;i&gt; <![CDATA[&amp;]]></t></r>")
    assert parsed.tolerant
    assert text_of(parsed) == "Salt & Tin <i> &amp;"
    assert parsed.root.find(".//t").get("a") == '<"'
