"""Encryption, judged member by member."""

import io
import zipfile

import pytest
from markitect_filter.documents.limits import Limits
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.container.unpack import EncryptedMemberError
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import LimitExceededError

IDPF = "http://www.idpf.org/2008/embedding"
ADOBE = "http://ns.adobe.com/pdf/enc#RC"
AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
ADEPT_KEY = '<ds:KeyInfo><resource xmlns="http://ns.adobe.com/adept">urn:uuid:1</resource></ds:KeyInfo>'
LCP_KEY = '<ds:KeyInfo><ds:RetrievalMethod URI="license.lcpl#/k" Type="http://readium.org/2014/01/lcp#EncryptedContentKey"/></ds:KeyInfo>'


def encrypted(uri, algorithm, key=""):
    return (
        f'<enc:EncryptedData><enc:EncryptionMethod Algorithm="{algorithm}"/>{key}'
        f'<enc:CipherData><enc:CipherReference URI="{uri}"/></enc:CipherData></enc:EncryptedData>'
    )


def encryption(*data):
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
        ' xmlns:enc="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'
        + "".join(data)
        + "</encryption>"
    ).encode()


def opened(xml, *more, sink=None):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("OPS/a.xhtml", b"cipher")
        archive.writestr("OPS/b c.xhtml", b"plain")
        archive.writestr("OPS/f.otf", b"font")
        if xml is not None:
            archive.writestr("META-INF/encryption.xml", xml)
        for name, data in more:
            archive.writestr(name, data)
    return Archive.open(buffer.getvalue(), limits=Limits(), sink=DiagnosticSink() if sink is None else sink)


def test_a_book_without_an_encryption_file_is_not_protected():
    with opened(None) as archive:
        assert (archive.encryption.scheme, archive.encryption.rights) == (None, False)
        assert archive.read("OPS/a.xhtml") == b"cipher"


@pytest.mark.parametrize("algorithm", [IDPF, ADOBE])
def test_obfuscated_fonts_are_harmless(algorithm):
    with opened(encryption(encrypted("OPS/f.otf", algorithm))) as archive:
        assert archive.encryption.obfuscated == {"OPS/f.otf": algorithm}
        assert archive.encryption.scheme is None
        assert archive.read("OPS/f.otf") == b"font"
        assert archive.read("OPS/a.xhtml") == b"cipher"


def test_text_under_a_font_algorithm_is_not_readable():
    with opened(encryption(encrypted("OPS/a.xhtml", IDPF))) as archive, pytest.raises(EncryptedMemberError):
        archive.read("OPS/a.xhtml")


@pytest.mark.parametrize(
    ("algorithm", "key", "more", "scheme"),
    [
        (AES, ADEPT_KEY, [], "adobe-adept"),
        (AES, "", [("META-INF/rights.xml", b'<rights xmlns="http://ns.adobe.com/adept"/>')], "adobe-adept"),
        (AES, LCP_KEY, [], "readium-lcp"),
        (AES, "", [("META-INF/license.lcpl", b"{}")], "readium-lcp"),
        ("http://itunes.apple.com/dataenc", "", [], "apple-fairplay"),
        (AES, "", [("META-INF/sinf.xml", b"<sinf/>")], "apple-fairplay"),
        (AES, "", [], "unknown"),
        (AES, "", [("META-INF/rights.xml", b"<rights/>")], "unknown"),
    ],
)
def test_the_scheme_of_an_encrypted_member_is_named(algorithm, key, more, scheme):
    with opened(encryption(encrypted("OPS/a.xhtml", algorithm, key)), *more) as archive:
        assert archive.encryption.scheme == scheme
        with pytest.raises(EncryptedMemberError) as caught:
            archive.read("OPS/a.xhtml")
    details = caught.value.diagnostic.details
    assert (caught.value.diagnostic.code, caught.value.diagnostic.path) == ("source.encrypted", "OPS/a.xhtml")
    assert (details["scheme"], details["algorithm"]) == (scheme, algorithm)


def test_the_other_members_of_a_partly_encrypted_book_are_read():
    data = encryption(encrypted("OPS/a.xhtml", AES), encrypted("OPS/f.otf", IDPF))
    with opened(data) as archive:
        assert set(archive.encryption.protected) == {"OPS/a.xhtml"}
        assert archive.read("OPS/b c.xhtml") == b"plain"


@pytest.mark.parametrize("uri", ["OPS/b%20c.xhtml", "/OPS/b%20c.xhtml", "OPS/B%20C.xhtml", "OPS/x/../b%20c.xhtml"])
def test_references_are_resolved_like_any_other(uri):
    with opened(encryption(encrypted(uri, AES))) as archive:
        assert set(archive.encryption.protected) == {"OPS/b c.xhtml"}


def test_a_reference_to_nothing_protects_nothing():
    data = encryption(encrypted("OPS/gone.xhtml", AES), encrypted("https://example.org/x", AES))
    with opened(data) as archive:
        assert archive.encryption.protected == {}


def test_an_encrypted_member_has_a_digest_of_the_bytes_that_are_there():
    with opened(encryption(encrypted("OPS/a.xhtml", AES))) as archive:
        assert archive.digest("OPS/a.xhtml").startswith("sha256:")


def test_the_method_of_a_wrapped_key_is_not_that_of_the_data():
    key = f'<ds:KeyInfo><enc:EncryptedKey><enc:EncryptionMethod Algorithm="{IDPF}"/></enc:EncryptedKey></ds:KeyInfo>'
    data = encrypted("OPS/a.xhtml", AES, key)
    with opened(encryption(data)) as archive:
        assert archive.encryption.protected["OPS/a.xhtml"].algorithm == AES


def test_a_rights_file_alone_protects_nothing():
    with opened(None, ("META-INF/rights.xml", b"<rights/>")) as archive:
        assert (archive.encryption.rights, archive.encryption.scheme) == (True, None)


@pytest.mark.parametrize("xml", [b"", b"no markup"])
def test_an_unreadable_encryption_file_is_reported(xml):
    sink = DiagnosticSink()
    with opened(xml, sink=sink) as archive:
        assert archive.read("OPS/a.xhtml") == b"cipher"
    assert [entry.code for entry in sink] == ["source.archive_irregular"]


def test_an_entity_bomb_in_the_encryption_file_is_refused():
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE encryption [<!ENTITY e0 "x">{levels}]><encryption>&e11;</encryption>'
    with opened(bomb.encode()) as archive, pytest.raises(LimitExceededError):
        archive.read("OPS/a.xhtml")
