"""Encrypted books, whole and in part, by scheme: what can be read is read, and what cannot never looks like text."""

import hashlib

import pytest
from markitect_filter.testing.books import Book, pack

AES = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
KEYS = {
    "adobe-adept": '<ds:KeyInfo><resource xmlns="http://ns.adobe.com/adept">urn:uuid:1</resource></ds:KeyInfo>',
    "readium-lcp": (
        '<ds:KeyInfo><ds:RetrievalMethod URI="license.lcpl#/encryption/content_key" '
        'Type="http://readium.org/2014/01/lcp#EncryptedContentKey"/></ds:KeyInfo>'
    ),
    "apple-fairplay": '<ds:KeyInfo><fairplay xmlns="http://itunes.apple.com/dataenc"/></ds:KeyInfo>',
    "unknown": "",
}
LICENCES = {"readium-lcp": "META-INF/license.lcpl", "apple-fairplay": "META-INF/sinf.xml"}
SCHEMES = pytest.mark.parametrize("scheme", KEYS)


def cipher(name, size=4096):
    """Bytes that look encrypted, the same each time."""
    return b"".join(hashlib.sha256(f"{name}{n}".encode()).digest() for n in range(size // 32))


CIPHER = cipher("a")


def encryption_xml(scheme, members, key=True):
    data = "".join(
        f'<enc:EncryptedData><enc:EncryptionMethod Algorithm="{AES}"/>{KEYS[scheme] if key else ""}'
        f'<enc:CipherData><enc:CipherReference URI="{member}"/></enc:CipherData></enc:EncryptedData>'
        for member in members
    )
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:enc="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'
        f"{data}</encryption>"
    )


def book(scheme, encrypted, *, key=True):
    """Three pages, those named in `encrypted` as ciphertext."""
    made = Book({name: CIPHER if name in encrypted else f"<p>plain {name}</p>" for name in ("a", "b", "c")})
    made.members["META-INF/encryption.xml"] = encryption_xml(scheme, [f"OPS/{name}" for name in encrypted], key)
    if scheme in LICENCES:
        made.members[LICENCES[scheme]] = "{}"
    return made


def assert_no_ciphertext(reading):
    text = str(reading.result.to_dict())
    for encoding in ("utf-8", "latin-1", "cp1252"):
        for start in range(0, len(CIPHER), 500):
            assert CIPHER[start : start + 12].decode(encoding, "replace") not in text


@SCHEMES
def test_a_book_encrypted_as_a_whole_is_an_error_that_names_the_scheme(scheme, read):
    reading = read(book(scheme, "abc").pack())
    assert not reading.valid
    errors = [entry for entry in reading.all("source.encrypted") if entry.severity == "error"]
    assert [entry.details["scheme"] for entry in errors] == [scheme]
    assert_no_ciphertext(reading)


@SCHEMES
def test_the_readable_part_of_a_book_is_read_with_lower_quality(scheme, read):
    reading = read(book(scheme, "b").pack())
    assert (reading.texts[0], reading.texts[2]) == ("plain a", "plain c")
    assert "Missing from this copy" in reading.texts[1]
    assert reading.document.quality.lossiness == "high"
    assert reading.document.quality.confidence < 0.7
    assert [(entry.path, entry.severity) for entry in reading.all("source.encrypted")] == [("OPS/b", "warning")]
    assert_no_ciphertext(reading)


@SCHEMES
def test_inspection_tells_how_much_is_encrypted_and_with_what(scheme, inspect):
    whole, part = inspect(book(scheme, "abc").pack()), inspect(book(scheme, "b").pack())
    assert (whole.valid, part.valid) == (False, True)
    assert whole.capabilities["features"]["encryption"] == part.capabilities["features"]["encryption"] == scheme


@pytest.mark.parametrize("scheme", LICENCES)
def test_a_licence_beside_the_book_names_the_scheme_that_the_members_do_not(scheme, read):
    reading = read(book(scheme, "b", key=False).pack())
    assert reading.one("source.encrypted").details["scheme"] == scheme


def test_an_encrypted_navigation_document_costs_only_the_contents(read):
    made = book("adobe-adept", "")
    made.nav = CIPHER
    made.members["META-INF/encryption.xml"] = encryption_xml("adobe-adept", ["OPS/nav.xhtml"])
    reading = read(made.pack())
    assert reading.markdown == "plain a\n\nplain b\n\nplain c"
    assert "source.encrypted" in reading.codes


def test_an_encrypted_picture_keeps_its_place(read):
    made = Book({"a": '<p>plain <img src="p.png" alt="p"/></p>'}, {"OPS/p.png": CIPHER})
    made.members["META-INF/encryption.xml"] = encryption_xml("readium-lcp", ["OPS/p.png"])
    reading = read(made.pack())
    assert reading.markdown == "plain ![p](OPS/p.png)"
    assert_no_ciphertext(reading)


@pytest.mark.parametrize(
    "description", [None, "no markup at all", "<encryption/>"], ids=["none", "unreadable", "empty"]
)
def test_ciphertext_that_nothing_announces_is_a_gap_too(description, read):
    made = Book({"a": "<p>plain a</p>", "b": CIPHER})
    if description is not None:
        made.members["META-INF/encryption.xml"] = description
    reading = read(made.pack())
    assert reading.texts[0] == "plain a"
    assert "Missing from this copy" in reading.texts[1]
    assert_no_ciphertext(reading)


@pytest.mark.parametrize("size", [128, 512, 4096, 65536])
@pytest.mark.parametrize("seed", range(12))
def test_noise_is_never_taken_for_text(size, seed, read):
    reading = read(pack(Book({"a": "<p>plain</p>", "b": cipher(seed, size)}).contents().items()))
    assert "Missing from this copy" in reading.texts[1]


def test_zeros_that_pad_a_page_do_no_harm(read):
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>plain</p></body></html>'
    assert read(Book({"a": page.encode() + bytes(5000)}).pack()).markdown == "plain"
