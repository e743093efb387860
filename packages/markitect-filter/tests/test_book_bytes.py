"""Files and bytes, end to end: names that differ from what is stored, encodings, markup that is not well-formed."""

import io
import zipfile

import pytest

HTML = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>{}</p></body></html>'
ITEM = '<item id="i1" href="{}" media-type="application/xhtml+xml"/>'


@pytest.mark.parametrize(
    ("href", "member"),
    [
        ("../Text/a.xhtml", "Text/a.xhtml"),
        ("./x/../a.xhtml", "OPS/a.xhtml"),
        ("part%20one/caf%C3%A9.xhtml", "OPS/part one/café.xhtml"),
        ("part one/café.xhtml", "OPS/part one/café.xhtml"),
        ("a%20b.xhtml", "OPS/a%20b.xhtml"),
        ("A.XHTML", "OPS/a.xhtml"),
        ("cafe\u0301.xhtml", "OPS/caf\u00e9.xhtml"),
        ("a.xhtml?v=1#top", "OPS/a.xhtml"),
        ("sub\\a.xhtml", "OPS/sub/a.xhtml"),
    ],
)
def test_chapter_is_found_whatever_the_form_of_its_name(read, wrap, href, member):
    book = read(
        {}, items=ITEM.format(href), spine='<itemref idref="i1"/>', files={member: wrap("<p>Salt.</p>")}, toc=()
    )
    assert book.markdown == "Salt."
    assert book.segments[0].provenance[0].package_path == member


def test_exact_name_wins_over_a_decoded_one(read, wrap):
    files = {"OPS/a%20b.xhtml": wrap("<p>exact</p>"), "OPS/a b.xhtml": wrap("<p>decoded</p>")}
    book = read({}, items=ITEM.format("a%20b.xhtml"), spine='<itemref idref="i1"/>', files=files, toc=())
    assert book.markdown == "exact"


def test_repaired_name_is_reported(read, wrap):
    files = {"OPS/a.xhtml": wrap("<p>Salt.</p>")}
    book = read({}, items=ITEM.format("A.XHTML"), spine='<itemref idref="i1"/>', files=files, toc=())
    assert "source.member_renamed" in book.codes


@pytest.mark.parametrize(("src", "member"), [("img/Map.JPG", "OPS/img/map.jpg"), ("my%20map.png", "OPS/my map.png")])
def test_picture_is_found_whatever_the_form_of_its_name(read, src, member):
    book = read(f'<p><img src="{src}" alt="map"/></p>', files={member: b"x"})
    assert book.markdown == f"![map]({member.replace(' ', '%20')})"
    assert [asset.metadata["member"] for asset in book.document.attachments] == [member]


def test_package_in_the_root_of_the_archive_is_found(read):
    assert read("<p>Salt.</p>", folder="").markdown == "Salt."


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (('<?xml version="1.0" encoding="iso-8859-1"?>' + HTML.format("déjà vu")).encode("latin-1"), "déjà vu"),
        (('<?xml version="1.0" encoding="windows-1252"?>' + HTML.format("“x”")).encode("cp1252"), "“x”"),
        (HTML.format("wide").encode("utf-16"), "wide"),
        (HTML.format("wide").encode("utf-16-le"), "wide"),
        (('\ufeff<?xml version="1.0"?>' + HTML.format("mark")).encode(), "mark"),
        (('<?xml version="1.0" encoding="utf-8"?>' + HTML.format("節")).encode(), "節"),
        (HTML.format("plain déjà").encode(), "plain déjà"),
    ],
)
def test_chapter_in_any_encoding(read, content, text):
    book = read([content])
    assert book.markdown == text
    assert book.codes == []


@pytest.mark.parametrize(
    ("label", "text"), [("windows-1251", "Соль"), ("gb2312", "盐很贵"), ("shift_jis", "塩は高い"), ("euc-kr", "소금")]
)
def test_chapter_in_the_encoding_that_its_meta_element_names(read, label, text):
    head = f'<head><meta http-equiv="Content-Type" content="text/html; charset={label}"/>'
    book = read([HTML.replace("<head>", head).format(text).encode(label)])
    assert (book.markdown, book.codes) == (text, [])
    assert (book.document.quality.lossiness, book.document.quality.confidence) == ("none", 1.0)


def test_encoding_that_is_guessed_is_reported_and_costs_confidence(read):
    book = read([HTML.format("caf\xe9 au lait").encode("latin-1"), "<p>b</p>"])
    found = book.one("source.encoding_recovered")
    assert (found.path, "windows-1252 was assumed" in found.message) == ("OPS/c1.xhtml", True)
    assert book.texts[0] == "café au lait"
    assert (book.document.quality.lossiness, book.document.quality.confidence) == ("medium", 0.75)


def test_bytes_that_mean_nothing_in_the_encoding_are_reported_as_such(read):
    book = read([HTML.format("žluťoučký kůň").encode() + b"\xff"])
    found = book.one("source.encoding_recovered")
    assert ("mean nothing in utf-8" in found.message, found.details["replaced"]) == (True, 1)


def test_package_in_a_one_byte_encoding_is_read(read, epub):
    package = (
        '<?xml version="1.0" encoding="iso-8859-1"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Déjà vu</dc:title></metadata>'
        '<manifest><item id="i1" href="c1.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="i1"/></spine></package>'
    )
    book = read("<p>a</p>", files={"OPS/book.opf": package.encode("latin-1")})
    assert book.document.metadata.title == "Déjà vu"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("10&nbsp;km", "10\xa0km"),
        ("Still here &hellip;", "Still here …"),
        ("&eacute;&#233;&#xe9;", "ééé"),
        ("&amp;", "&"),
    ],
)
def test_named_characters_need_no_dtd(read, source, text):
    book = read(f'<p class="mystyle">{source}</p>')
    assert book.markdown == text
    assert book.document.quality.lossiness == "none"


@pytest.mark.parametrize(
    "head",
    ['<script src="k.js"/>', '<style type="text/css"/>', "<style>p { x: y }</style>", "<script>let a = 1</script>"],
)
def test_script_and_style_neither_swallow_the_page_nor_leak(read, wrap, head):
    assert read(wrap("<p>Visible.</p>", head=head)).markdown == "Visible."


def test_self_closed_script_in_a_page_that_is_not_well_formed_swallows_nothing(read, wrap):
    book = read(wrap("<p>Visible.<br></p><p>More.</p>", head='<script src="k.js"/>'))
    assert book.markdown.startswith("Visible.")
    assert book.markdown.endswith("More.")


def test_text_after_mismatched_tags_is_kept_and_the_page_marked(read):
    book = read(["<p>a <b>b <i>c</b></i> d</p><p>after</p>", "<p>fine</p>"])
    assert book.texts[0].endswith("after")
    assert book.one("source.markup_recovered").line == 1
    assert (book.document.quality.lossiness, book.document.quality.confidence) == ("medium", 0.875)


@pytest.mark.parametrize("media_type", ["Text/HTML; charset=utf-8", "text/html", "", "application/octet-stream"])
def test_type_of_a_chapter_may_be_wrong(read, media_type):
    item = '<item id="i{}" href="c{}.html" media-type="' + media_type + '"/>'
    chapters = {"c1.html": "<p>a</p>", "c2.html": "<p>b</p>"}
    book = read(chapters, items=item.format(1, 1) + item.format(2, 2))
    assert book.texts == ["a", "b"]
    assert len(book.all("source.media_type_irregular")) == 1


def test_package_with_an_end_tag_too_many_keeps_its_spine(read):
    book = read("<p>a</p>", metadata="<dc:creator>Ada</dc:creator></dc:creator></dc:creator>")
    assert (book.texts, book.document.metadata.title) == (["a"], "Salt")
    assert "source.package_irregular" in book.codes


def test_package_with_a_prefix_of_its_own_is_read(read):
    package = (
        '<o:package xmlns:o="http://www.idpf.org/2007/opf" version="3.0"><o:metadata/><o:manifest>'
        '<o:item id="a" href="c1.xhtml" media-type="application/xhtml+xml"/></o:manifest>'
        '<o:spine><o:itemref idref="a"/></o:spine></o:package>'
    )
    assert read("<p>a</p>", package=package).texts == ["a"]


def test_drawing_with_a_fallback_is_read_as_text(read):
    items = (
        '<item id="v" href="p.svg" media-type="image/svg+xml" fallback="x"/>'
        '<item id="x" href="p.xhtml" media-type="application/xhtml+xml"/>'
    )
    chapters = {"p.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>', "p.xhtml": "<p>As text.</p>"}
    book = read(chapters, items=items, spine='<itemref idref="v"/>')
    assert book.markdown == "As text."
    provenance = book.segments[0].provenance[0]
    assert (provenance.source_href, provenance.package_path) == ("p.svg", "OPS/p.xhtml")
    assert provenance.metadata["fallback"] == {"spine_item": "v", "used_item": "x"}


def test_drawing_in_the_spine_gives_its_text(read):
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><title>Map</title><text>North</text><text>South</text></svg>'
    book = read({"p.svg": svg})
    assert book.markdown == "Map North South"


@pytest.mark.parametrize("name", ["defs", "symbol"])
def test_what_a_drawing_only_defines_is_left_out(read, name):
    inside = f"<{name}><text id='n'>North</text></{name}><text>South</text>"
    book = read(f"<p>a <svg xmlns='http://www.w3.org/2000/svg'>{inside}</svg></p>")
    assert (book.markdown, book.ledger["skipped"]) == ("a South", {"drawing-definition": 5})


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><defs><text id='n'>North</text></defs></svg><svg><use href='#n'/></svg>",
        "<svg><symbol id='n'><text>North</text></symbol><use xlink:href='#n'/></svg>",
        "<svg><defs><clipPath id='n'><text>North</text></clipPath></defs><rect clip-path='url(#n)'/></svg>",
    ],
)
def test_what_a_drawing_defines_and_shows_is_kept(read, svg):
    book = read("<p>a " + svg.replace("<svg>", '<svg xmlns="http://www.w3.org/2000/svg">') + "</p>")
    assert (book.markdown, book.ledger["skipped"]) == ("a North", {})


def test_what_styles_hide_is_kept(read):
    assert read('<p>a<span style="display:none">b</span></p>').markdown == "ab"


def test_cover_page_with_only_a_drawn_picture_is_not_empty(read):
    svg = (
        '<div><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 4"><title>Front</title>'
        '<image xlink:href="img/front.png" width="3" height="4"/></svg></div>'
    )
    book = read(svg, files={"OPS/img/front.png": b"x"})
    assert book.markdown == "![Front](OPS/img/front.png)"


def test_equal_picture_names_in_two_folders_stay_apart(read):
    markup = '<p><img src="a/x.png" alt="A"/><img src="b/x.png" alt="B"/></p>'
    book = read(markup, files={"OPS/a/x.png": b"1", "OPS/b/x.png": b"2"})
    assert [asset.metadata["member"] for asset in book.document.attachments] == ["OPS/a/x.png", "OPS/b/x.png"]


def test_ruby_keeps_each_reading_with_its_base(read):
    book = read("<p><ruby>火<rt>か</rt>山<rt>ざん</rt></ruby>が鳴る</p>")
    assert book.markdown == "<ruby>火<rt>か</rt>山<rt>ざん</rt></ruby>が鳴る"


def test_chapter_without_paragraphs_is_read_whole(read):
    book = read("bare <div>in div</div> tail <span>span</span>")
    assert book.markdown == "bare\n\nin div\n\ntail span"
    assert book.ledger["skipped"] == {}


def test_compressed_mimetype_is_accepted(read, epub):
    source = zipfile.ZipFile(io.BytesIO(epub("<p>a</p>")))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as book:
        for name in source.namelist():
            book.writestr(name, source.read(name))
    found = read(buffer.getvalue())
    assert found.markdown == "a"
    assert found.one("source.mimetype_irregular").severity == "info"


def test_backslashes_in_member_names_are_slashes(read, epub):
    source = zipfile.ZipFile(io.BytesIO(epub("<p>a</p>")))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as book:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name)
            entry.filename = name.replace("/", "\\")
            book.writestr(entry, source.read(name))
    found = read(buffer.getvalue())
    assert found.markdown == "a"
    assert "source.member_renamed" in found.codes


def test_first_of_two_renditions_is_read_and_the_other_is_offered(read):
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>'
        '<rootfile full-path="OPS/two.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    second = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
        '<manifest><item id="a" href="c2.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    files = {"META-INF/container.xml": container, "OPS/two.opf": second}
    overlay = {"files": files, "spine": '<itemref idref="i1"/>'}
    first = read(["<p>pictures</p>", "<p>text</p>"], **overlay)
    assert first.markdown == "pictures"
    assert first.all("source.rendition_available")
    assert read(["<p>pictures</p>", "<p>text</p>"], {"rendition": "2"}, **overlay).markdown == "text"
    assert read(["<p>pictures</p>", "<p>text</p>"], {"rendition": "OPS/two.opf"}, **overlay).markdown == "text"
