"""Small books made in memory, sound unless told otherwise."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    "</container>"
)
_PAGE = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:epub="http://www.idpf.org/2007/ops" xmlns:xlink="http://www.w3.org/1999/xlink">'
    "<head><title>t</title></head><body>{}</body></html>"
)
_NCX = (
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head/><docTitle><text>t</text></docTitle>'
    "<navMap>{}</navMap></ncx>"
)
Content = str | bytes


def page(body: str) -> str:
    """An XHTML page with this body."""
    return _PAGE.format(body)


def nav_page(entries: str) -> str:
    """A navigation document whose contents list holds these `li` elements."""
    return page(f'<nav epub:type="toc"><ol>{entries}</ol></nav>')


def ncx_page(points: str) -> str:
    """An NCX with these `navPoint` elements."""
    return _NCX.format(points)


@dataclass(slots=True)
class Book:
    """A book to be packed. `pages` are the documents of the reading order by file name, or bodies for `page`."""

    pages: Mapping[str, Content]
    members: dict[str, Content] = field(default_factory=dict)  # more members, by full path; they win
    manifest: Sequence[str] = ()  # more `item` elements
    spine: Sequence[str] = ()  # more `itemref` elements
    metadata: str = ""
    nav: Content | None = None  # the whole document; made of `pages` when None
    ncx: Content | None = None
    package: Content | None = None  # the whole package document
    container: Content = CONTAINER
    doctype: str = ""  # before the package element

    def package_document(self) -> str:
        """The package document."""
        items = [
            f'<item id="p{n}" href={quoteattr(name)} media-type="application/xhtml+xml"/>'
            for n, name in enumerate(self.pages)
        ]
        items.append('<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>')
        toc = ""
        if self.ncx is not None:
            items.append('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>')
            toc = ' toc="ncx"'
        refs = [f'<itemref idref="p{n}"/>' for n in range(len(self.pages))]
        return (
            f'<?xml version="1.0"?>{self.doctype}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
            'unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            '<dc:identifier id="id">urn:example:book</dc:identifier><dc:title>Book</dc:title>'
            f"<dc:language>en</dc:language>{self.metadata}</metadata>"
            f"<manifest>{''.join([*items, *self.manifest])}</manifest>"
            f"<spine{toc}>{''.join([*refs, *self.spine])}</spine></package>"
        )

    def contents(self) -> dict[str, Content]:
        """Every member by its path."""
        entries = "".join(f'<li><a href="{escape(name)}">{n}</a></li>' for n, name in enumerate(self.pages, 1))
        found: dict[str, Content] = {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": self.container,
            "OPS/package.opf": self.package if self.package is not None else self.package_document(),
            "OPS/nav.xhtml": self.nav if self.nav is not None else nav_page(entries),
        }
        if self.ncx is not None:
            found["OPS/toc.ncx"] = self.ncx
        for name, text in self.pages.items():
            whole = isinstance(text, bytes) or text.lstrip().startswith(("<?xml", "<!DOCTYPE", "<html"))
            found[f"OPS/{name}"] = text if whole else page(str(text))
        return found | self.members

    def pack(self, *, stored: bool = False) -> bytes:
        """The book's file."""
        return pack(self.contents().items(), stored=stored)


def pack(members: Iterable[tuple[str, Content]], *, stored: bool = False) -> bytes:
    """A ZIP archive of these members in this order, always the same bytes.

    `mimetype` is stored, the rest deflated unless `stored`: what repeats itself is then no bomb.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            entry = zipfile.ZipInfo("placeholder", (1980, 1, 1, 0, 0, 0))
            entry.filename = name  # set afterwards, so that no character of it is changed
            entry.compress_type = zipfile.ZIP_STORED if stored or name == "mimetype" else zipfile.ZIP_DEFLATED
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # two members of one name
                archive.writestr(entry, content)
    return file.getvalue()
