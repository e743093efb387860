"""The EPUB adapter keeps the contract of source adapters."""

import io
import zipfile

from markitect_tool.testing import AdapterContract, Sample

CONTAINER = """<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:example:tides</dc:identifier>
<dc:title>Tides</dc:title><dc:language>en</dc:language>
<meta property="dcterms:modified">2024-01-01T00:00:00Z</meta></metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}</manifest>
<spine>{itemrefs}</spine></package>"""
DOCUMENT = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<head><title>{title}</title></head><body>{body}</body></html>"""


def book(chapters: int, paragraphs: int) -> bytes:
    """A sound book whose chapters have a heading and as many paragraphs."""
    names = [f"chapter{number}" for number in range(1, chapters + 1)]
    links = "".join(f'<li><a href="{name}.xhtml">{name}</a></li>' for name in names)
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "book.opf": PACKAGE.format(
            items="".join(
                f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names
            ),
            itemrefs="".join(f'<itemref idref="{name}"/>' for name in names),
        ),
        "nav.xhtml": DOCUMENT.format(title="Contents", body=f'<nav epub:type="toc"><ol>{links}</ol></nav>'),
    }
    for name in names:
        text = "".join(f"<p>Low water, <em>reading</em> {number}.</p>" for number in range(paragraphs))
        members[f"{name}.xhtml"] = DOCUMENT.format(title=name, body=f"<h1>{name}</h1>{text}")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as container:
        for name, text in members.items():
            container.writestr(zipfile.ZipInfo(name), text)
    return archive.getvalue()


def without_package() -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as container:
        container.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        container.writestr(zipfile.ZipInfo("META-INF/container.xml"), CONTAINER)
    return archive.getvalue()


class TestEpub3Adapter(AdapterContract):
    entry_point = "markitect_filter.adapters:epub3_adapter_descriptor"
    good = Sample("tides.epub", book(chapters=3, paragraphs=2))
    malformed = Sample("tides.epub", without_package())
    large = Sample("almanac.epub", book(chapters=40, paragraphs=40))
    options = {"segment_by": "spine"}
    invalid_options = {"max_members": "many"}
