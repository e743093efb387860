"""Attachments: what a book holds besides its text, as metadata; nothing is fetched and nothing is unpacked unasked."""

import hashlib

import pytest
from markitect_tool.errors import SourceError
from markitect_tool.source.attachments import open_attachments


def members(book):
    return [asset.metadata.get("member", asset.uri) for asset in book.document.attachments]


def test_picture_is_an_attachment_with_type_and_size(read):
    book = read('<p><img src="img/my%20map.png" alt="Map"/></p>', files={"OPS/img/my map.png": b"x" * 1000})
    (asset,) = book.document.attachments
    assert asset.to_dict() == {
        "uri": "book:salt#OPS/img/my%20map.png",
        "name": "my map.png",
        "media_type": "image/png",
        "size": 1000,
        "metadata": {"member": "OPS/img/my map.png", "referenced": True},
    }


def test_what_only_the_manifest_lists_is_an_attachment_too(read):
    manifest = '<item id="f" href="f.otf" media-type="font/otf"/><item id="s" href="s.css" media-type="text/css"/>'
    book = read("<p>a</p>", manifest=manifest, files={"OPS/f.otf": b"f", "OPS/s.css": "p{}"})
    assert members(book) == ["OPS/f.otf", "OPS/s.css"]
    assert {asset.metadata["referenced"] for asset in book.document.attachments} == {False}


def test_declared_type_counts_before_the_suffix(read):
    manifest = '<item id="f" href="f.bin" media-type="image/webp"/>'
    book = read("<p>a</p>", manifest=manifest, files={"OPS/f.bin": b"f"})
    assert book.document.attachments[0].media_type == "image/webp"


@pytest.mark.parametrize(
    "markup",
    [
        '<audio src="m.mp3"/>',
        '<video src="m.mp3"/>',
        '<audio><source src="m.mp3"/></audio>',
        '<object data="m.mp3">text</object>',
        '<iframe src="m.mp3"/>',
        '<p><a href="m.mp3">listen</a></p>',
        '<svg xmlns="http://www.w3.org/2000/svg"><image xlink:href="m.mp3"/></svg>',
        '<p><img srcset="m.mp3 2x" alt="x"/></p>',
    ],
)
def test_every_reference_to_a_member_is_found(read, markup):
    book = read(markup + "<p>a</p>", files={"OPS/m.mp3": b"x"})
    assert [(a.metadata["member"], a.metadata["referenced"]) for a in book.document.attachments] == [
        ("OPS/m.mp3", True)
    ]


def test_resource_on_the_network_is_marked_and_never_fetched(read, monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was used")

    monkeypatch.setattr("socket.socket.connect", refuse)
    manifest = '<item id="r" href="https://example.org/a.mp3" media-type="audio/mpeg"/>'
    book = read('<p><img src="https://example.org/r.png" alt="B"/></p>', manifest=manifest)
    assert [asset.to_dict() for asset in book.document.attachments] == [
        {
            "uri": "https://example.org/a.mp3",
            "media_type": "audio/mpeg",
            "metadata": {"referenced": False, "remote": True},
        },
        {"uri": "https://example.org/r.png", "metadata": {"referenced": True, "remote": True}},
    ]
    assert book.one("source.asset_remote").details["count"] == 2


def test_text_navigation_and_package_are_no_attachments(read):
    ncx = '<navMap><navPoint id="n"><navLabel><text>A</text></navLabel><content src="c1.xhtml"/></navPoint></navMap>'
    assert members(read("<p>a</p>", toc=[("A", "c1.xhtml")], ncx=ncx)) == []


def test_member_that_nothing_names_is_no_attachment(read):
    assert members(read("<p>a</p>", files={"OPS/stray.png": b"x"})) == []


def test_digests_are_given_on_request(read):
    markup, files = '<p><img src="p.png" alt="p"/></p>', {"OPS/p.png": b"pixels"}
    assert read(markup, files=files).document.attachments[0].digest is None
    book = read(markup, {"attachment_digests": True}, files=files)
    assert book.document.attachments[0].digest == f"sha256:{hashlib.sha256(b'pixels').hexdigest()}"


def test_pictures_are_not_unpacked_unasked(read, epub, monkeypatch):
    from markitect_filter.epub3.container.archive import Archive

    unpacked = []
    real = Archive.read

    def counting(self, name, **options):
        unpacked.append(name)
        return real(self, name, **options)

    monkeypatch.setattr(Archive, "read", counting)
    read(epub('<p><img src="p.png" alt="p"/></p>', files={"OPS/p.png": b"pixels"}))
    assert "OPS/c1.xhtml" in unpacked
    assert "OPS/p.png" not in unpacked


def test_picture_that_cannot_be_unpacked_still_is_an_attachment_with_digests(read, epub):
    content = epub('<p><img src="p.png" alt="p"/></p>', files={"OPS/p.png": b"pixels" * 100})
    at = content.index(b"OPS/p.png") + len(b"OPS/p.png")
    book = read(content[:at] + b"\xff" * 8 + content[at + 8 :], {"attachment_digests": True})
    (asset,) = book.document.attachments
    assert (asset.digest, asset.size) == (None, 600)
    assert (book.one("source.member_corrupt").path, book.document.quality.lossiness) == ("OPS/p.png", "medium")


def test_bytes_of_a_picture_are_those_of_its_member(epub, read, registry):
    content = epub('<p><img src="map.png" alt="Map"/></p>', files={"OPS/map.png": b"Salt pans"})
    document = read(content).document
    with open_attachments(content, document, registry=registry) as picture:
        assert picture(document.attachments[0]) == b"Salt pans"


def test_damaged_picture_is_not_handed_out(epub, read, registry):
    content = bytearray(epub('<p><img src="map.png" alt="Map"/></p>', files={"OPS/map.png": b"Salt pans"}))
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(b"OPS/map.png"))  # its line in the archive's directory
    content[entry + 16] ^= 1  # its checksum
    document = read(bytes(content)).document
    with (
        open_attachments(bytes(content), document, registry=registry) as picture,
        pytest.raises(SourceError, match=r"OPS/map\.png is damaged: its checksum is wrong"),
    ):
        picture(document.attachments[0])
