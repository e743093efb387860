"""What cannot be read: a marked gap, lower quality, and the rest of the book."""

import io
import zipfile

import pytest

AES = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
FONT = "http://www.idpf.org/2008/embedding"
GAP = "*\\[Missing from this copy of the book: OPS/c2.xhtml\\]*"
THREE = ["<p>a</p>", "<p>b</p>", "<p>c</p>"]


def encryption(algorithm, *members):
    entries = "".join(
        f'<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="{algorithm}"/>'
        f'<CipherData><CipherReference URI="{member}"/></CipherData></EncryptedData>'
        for member in members
    )
    return f'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{entries}</encryption>'


def damaged(content, member):
    """The book with the packed bytes of one member overwritten."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        entry = book.getinfo(member)
    start = entry.header_offset + 30 + len(member)
    return content[:start] + b"\xff" * entry.compress_size + content[start + entry.compress_size :]


@pytest.fixture
def broken(epub):
    """Three chapters of which the second cannot be read, for each reason."""
    return {
        "missing": epub(THREE, files={"OPS/c2.xhtml": None}),
        "empty": epub(THREE, files={"OPS/c2.xhtml": b""}),
        "zeros": epub(THREE, files={"OPS/c2.xhtml": b"\0" * 100}),
        "corrupt": damaged(epub(THREE), "OPS/c2.xhtml"),
        "encrypted": epub(THREE, files={"META-INF/encryption.xml": encryption(AES, "OPS/c2.xhtml")}),
    }


CODES = {
    "missing": "source.spine_item_missing",
    "empty": "source.spine_item_unreadable",
    "zeros": "source.spine_item_unreadable",
    "corrupt": "source.spine_item_unreadable",
    "encrypted": "source.encrypted",
}


@pytest.mark.parametrize("reason", CODES)
def test_unreadable_chapter_leaves_a_marked_gap_and_the_rest_is_read(read, broken, reason):
    book = read(broken[reason])
    assert book.texts == ["a", GAP, "c"]
    assert book.segments[1].metadata["missing"] is True


@pytest.mark.parametrize("reason", CODES)
def test_unreadable_chapter_is_reported_once(read, broken, reason):
    book = read(broken[reason])
    assert [code for code in book.codes if code != "source.member_corrupt"] == [CODES[reason]]
    assert book.one(CODES[reason]).severity == "warning"
    assert book.one(CODES[reason]).source == "book:salt"


@pytest.mark.parametrize("reason", CODES)
def test_unreadable_chapter_lowers_the_quality(read, broken, reason):
    quality = read(broken[reason]).document.quality
    assert quality.lossiness == "high"
    assert quality.confidence == pytest.approx(2 / 3, abs=0.001)


@pytest.mark.parametrize("reason", CODES)
def test_contents_entry_of_an_unreadable_chapter_leads_to_the_gap(read, broken, reason):
    book = read(broken[reason])
    assert [entry["segment"] for entry in book.document.metadata.raw["toc"]] == book.ids


def test_missing_chapter_names_item_href_and_resolved_path(read, epub):
    content = epub(THREE, folder="OPS", items='<item id="x" href="../Text/a.xhtml" media-type="application/xhtml+xml"/>'
                   '<item id="i1" href="c1.xhtml" media-type="application/xhtml+xml"/>',
                   spine='<itemref idref="x"/><itemref idref="i1"/>')  # fmt: skip
    details = read(content).one("source.spine_item_missing").details
    assert details == {"idref": "x", "href": "../Text/a.xhtml", "resolved": "Text/a.xhtml"}


def test_spine_that_names_no_item_leaves_a_gap(read):
    book = read(["<p>a</p>"], spine='<itemref idref="ghost"/><itemref idref="i1"/>')
    assert book.texts == ["*\\[Missing from this copy of the book: ghost\\]*", "a"]


def test_chapter_that_climbs_out_of_the_book_is_refused_alone(read):
    items = (
        '<item id="bad" href="../../../etc/x.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="ok" href="c1.xhtml" media-type="application/xhtml+xml"/>'
    )
    book = read("<p>a</p>", items=items, spine='<itemref idref="bad"/><itemref idref="ok"/>')
    assert book.texts == ["*\\[Missing from this copy of the book: etc/x.xhtml\\]*", "a"]
    assert "source.member_unsafe" in book.codes


def test_book_without_one_readable_chapter_is_invalid(read):
    book = read("<p>a</p>", files={"OPS/c1.xhtml": None})
    assert not book.valid
    assert book.result.document is None
    assert book.all("source.malformed")[-1].severity == "error"


def test_book_with_every_chapter_encrypted_says_so(read):
    book = read(THREE, files={"META-INF/encryption.xml": encryption(AES, *(f"OPS/c{n}.xhtml" for n in (1, 2, 3)))})
    assert not book.valid
    (error,) = [entry for entry in book.result.diagnostics if entry.severity == "error"]
    assert (error.code, error.details["scheme"]) == ("source.encrypted", "unknown")


def test_obfuscated_fonts_protect_nothing(read):
    book = read(THREE, files={"META-INF/encryption.xml": encryption(FONT, "OPS/f/serif.otf")})
    assert book.texts == ["a", "b", "c"]
    assert book.codes == []


def test_empty_spine_is_an_error(read):
    book = read("<p>a</p>", spine="<spine/>")
    assert not book.valid
    assert book.codes == ["source.malformed"]


def test_book_without_text_or_pictures_warns(read):
    book = read("<p> </p>")
    assert book.markdown == ""
    assert [(entry.severity) for entry in book.all("source.text_empty")] == ["info", "warning"]


def test_book_that_is_only_a_cover_keeps_it(read):
    book = read('<section epub:type="cover"><img src="c.png" alt="Front"/></section>', files={"OPS/c.png": b"x"})
    assert book.markdown == "![Front](OPS/c.png)"
    assert book.codes == []


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({"max_output_bytes": 300}, "output_bytes"),
        ({"max_member_bytes": 1000}, "member_bytes"),
        ({"max_tags": 100}, "tags"),
    ],
)
def test_limit_names_itself_and_every_document_that_was_not_reached(read, options, limit):
    book = read(["<p>a</p>", "<p>" + "<b>bb</b> " * 500 + "</p>", "<p>c</p>"], options)
    assert not book.valid
    error = book.one("source.limit_exceeded")
    assert (error.details["limit"], error.details["option"]) == (limit, f"max_{limit}")
    assert book.one("source.not_reached").details["documents"] == ["OPS/c2.xhtml", "OPS/c3.xhtml"]


def test_output_limit_holds_for_the_last_document_too(read):
    assert read("<p>" + "b" * 500 + "</p>", {"max_output_bytes": 300}).codes[-1] == "source.limit_exceeded"


@pytest.mark.parametrize("member", ["META-INF/container.xml", "OPS/book.opf"])
def test_structural_file_over_its_limit_stops_the_book(read, epub, member):
    with zipfile.ZipFile(io.BytesIO(epub("<p>a</p>"))) as source:
        padded = {member: source.read(member) + b"<!--" + b"x" * 5000 + b"-->"}
    book = read("<p>a</p>", {"max_structural_bytes": 4000}, files=padded)
    assert not book.valid
    assert book.all("source.limit_exceeded")[-1].details["limit"] == "structural_bytes"


def test_deep_nesting_keeps_the_text_and_says_so(read):
    book = read("<div>" * 40_000 + "core" + "</div>" * 40_000)
    assert book.markdown == "core"
    assert "source.content_flattened" in book.codes
    assert book.document.quality.lossiness == "medium"


def test_blank_member_that_packs_well_is_no_bomb(read):
    book = read("<p>a</p>", files={"OPS/blank.css": " " * 300_000})
    assert book.markdown == "a"


def test_bomb_among_the_chapters_is_refused(read):
    book = read(["<p>a</p>", b"\0" * 64_000_000])
    assert book.codes[-1] == "source.limit_exceeded"


def test_missing_stylesheet_matters_little(read):
    book = read("<p>a</p>", manifest='<item id="css" href="gone.css" media-type="text/css"/>')
    assert book.markdown == "a"
    assert {entry.severity for entry in book.result.diagnostics} <= {"info"}


def test_missing_picture_leaves_its_alternative_text(read):
    book = read('<p>See <img src="gone.png" alt="the map"/></p>')
    assert "the map" in book.markdown
    assert book.one("source.asset_missing").details["href"] == "gone.png"
    assert book.document.quality.lossiness == "low"


@pytest.mark.parametrize("share", [0.3, 0.66, 0.95])
def test_archive_cut_short_is_one_clear_error(read, epub, share):
    content = epub(["<p>" + "salt " * 200 + "</p>"])
    book = read(content[: int(len(content) * share)])
    assert not book.valid
    assert book.codes[-1] == "source.archive_truncated"
