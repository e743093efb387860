"""Pictures that cannot be copied: what refers to them stays, and a person is told."""

from typing import Protocol, runtime_checkable

import pytest
from markitect_filter.testing.books import Book
from markitect_tool.source import attachments


def test_picture_that_the_book_does_not_hold_is_its_text(mkt, here, book):
    (here / "a.epub").write_bytes(book({"a.xhtml": '<p>a <img src="gone.png" alt="Map"/></p>'}))
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert result.exit_code == 0
    assert "source.asset_missing" in result.stderr
    assert (here / "a.md").read_text() == "a Map\n"


def test_pictures_on_the_network_stay_there(mkt, here, book):
    (here / "a.epub").write_bytes(book({"a.xhtml": '<p><img src="https://example.org/a.png" alt="A"/></p>'}))
    assert mkt("a.epub", "--output", "a.md", "--assets", "pics").exit_code == 0
    assert (here / "a.md").read_text() == "![A](https://example.org/a.png)\n"


def test_encrypted_picture_keeps_its_link_and_is_told(mkt, here, png):
    encryption = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
        '<enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><enc:CipherData>'
        '<enc:CipherReference URI="OPS/a.png"/></enc:CipherData></enc:EncryptedData></encryption>'
    )
    members = {"OPS/a.png": png, "OPS/b.png": png, "META-INF/encryption.xml": encryption}
    page = {"a.xhtml": '<p><img src="a.png" alt="A"/> <img src="b.png" alt="B"/></p>'}
    (here / "a.epub").write_bytes(Book(page, members=members).pack())
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert result.exit_code == 0
    assert "warning[output.attachment_unreadable]" in result.stderr
    assert (here / "a.md").read_text() == "![A](OPS/a.png) ![B](pics/b.png)\n"


def test_picture_over_the_limit_keeps_its_link(mkt, here, book):
    (here / "a.epub").write_bytes(book({"a.xhtml": '<p><img src="a.png" alt="A"/></p>'}, {"a.png": bytes(100_000)}))
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics", "--option", "max_member_bytes=50000")
    assert result.exit_code == 0
    assert "max_member_bytes" in result.stderr
    assert (here / "a.md").read_text() == "![A](OPS/a.png)\n"


def test_adapter_without_attachments_is_told(mkt, here, monkeypatch, book, png):
    class Other(Protocol):
        def something_else(self): ...

    (here / "a.epub").write_bytes(book({"a.xhtml": '<p><img src="a.png" alt="A"/></p>'}, {"a.png": png}))
    monkeypatch.setattr(attachments, "SourceAttachmentReader", runtime_checkable(Other))
    result = mkt("a.epub", "--output", "a.md", "--assets", "pics")
    assert result.exit_code == 0
    assert "warning[output.attachments_unavailable]" in result.stderr
    assert (here / "a.md").read_text() == "![A](OPS/a.png)\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<p><img src="b.png" alt=""><img src="c.png" alt=""><img src="b.png" alt=""></p>'),
        ("a.md", "![](b.png) ![](c/c.png) ![](https://example.org/d.png) [e](e.png) ![](data:image/png;base64,AA==)"),
    ],
)
@pytest.mark.parametrize("arguments", [["--output", "out.md", "--assets", "pics"], ["--split", "out"]])
def test_local_pictures_that_the_adapter_does_not_list_are_told(mkt, here, name, text, arguments):
    (here / name).write_text(text)
    result = mkt(name, *arguments)
    assert result.exit_code == 0
    assert "warning[output.attachments_unavailable]" in result.stderr
    assert "2 pictures" in result.stderr
    assert not (here / "pics").exists()


def test_page_without_local_pictures_gives_no_warning(mkt, here):
    (here / "a.html").write_text('<p><img src="https://example.org/a.png" alt="A"></p>')
    assert "output." not in mkt("a.html", "--output", "out.md", "--assets", "pics").stderr
