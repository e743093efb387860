"""A reference that climbs out of the book, in every place where one can stand."""

import pytest
from markitect_filter.testing.books import Book, nav_page, ncx_page

SECRET = "the combination is 4711"
CLIMBS = (
    "../../../../../../etc/passwd",
    "..\\..\\..\\..\\etc\\passwd",
    "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd",
)
PLACES = (
    "manifest", "spine", "fallback", "nav", "page-list", "landmarks", "ncx", "guide", "a", "img", "srcset", "link",
    "object", "audio", "source", "svg-image", "svg-a", "noteref", "area", "base", "cite",
)  # fmt: skip
BODIES = {
    "a": '<a href="{}">x</a>',
    "img": '<img src="{}" alt="x"/>',
    "srcset": '<img srcset="{} 2x" alt="x"/>',
    "object": '<object data="{}" type="image/png">x</object>',
    "audio": '<audio src="{}">x</audio>',
    "source": '<video><source src="{}"/></video>',
    "svg-image": '<svg xmlns="http://www.w3.org/2000/svg"><image xlink:href="{}"/></svg>',
    "svg-a": '<svg xmlns="http://www.w3.org/2000/svg"><a xlink:href="{}"><text>x</text></a></svg>',
    "noteref": '<a epub:type="noteref" href="{}#n">1</a>',
    "area": '<map><area href="{}" alt="x"/></map>',
}
IGNORED = {"link", "cite", "base"}  # no reader of text follows them, so they are not even resolved


def climbing_book(place, href, secret):
    """A book with a sound page and `href` in one place; a member has the name that the reference seems to mean."""
    book = Book({"a.xhtml": f"<p>core</p>{BODIES.get(place, '').format(href)}"}, {"x/etc/passwd": secret})
    item = f'<item id="bad" href="{href}" media-type="application/xhtml+xml"/>'
    listed = f'<li><a href="{href}">x</a></li>'
    match place:
        case "manifest":
            book.manifest = (item,)
        case "spine":
            book.manifest, book.spine = (item,), ('<itemref idref="bad"/>',)
        case "fallback":
            book.manifest = (item, '<item id="v" href="v.png" media-type="image/png" fallback="bad"/>')
            book.spine = ('<itemref idref="v"/>',)
        case "nav":
            book.nav = nav_page(listed)
        case "page-list" | "landmarks":
            book.nav = nav_page("").replace("</body>", f'<nav epub:type="{place}"><ol>{listed}</ol></nav></body>')
        case "ncx":
            point = f'<navPoint><navLabel><text>x</text></navLabel><content src="{href}"/></navPoint>'
            book.nav, book.ncx = nav_page(""), ncx_page(point)
        case "guide":
            guide = f'<guide><reference type="text" href="{href}"/></guide></package>'
            book.package = book.package_document().replace("</package>", guide)
        case "link" | "base":
            head = f'<head><{place} rel="stylesheet" href="{href}"/>'
            book.members["OPS/a.xhtml"] = str(book.contents()["OPS/a.xhtml"]).replace("<head>", head)
        case "cite":
            book.pages = {"a.xhtml": f'<blockquote cite="{href}"><p>core</p></blockquote>'}
    return book.pack()


@pytest.mark.parametrize("href", CLIMBS)
@pytest.mark.parametrize("place", PLACES)
def test_a_reference_that_climbs_out_reads_nothing_and_is_reported(place, href, read):
    reading = read(climbing_book(place, href, SECRET))
    assert "core" in reading.markdown
    assert SECRET not in reading.markdown
    assert "etc/passwd](" not in reading.markdown
    assert ("source.member_unsafe" in reading.codes) == (place not in IGNORED)


def test_one_reference_is_reported_once_in_each_document(read):
    body = '<p>core <a href="../../x">y</a> <a href="../../x">z</a></p>'
    reading = read(Book({"a.xhtml": body, "b.xhtml": body}).pack())
    assert [entry.path for entry in reading.all("source.member_unsafe")] == ["OPS/a.xhtml", "OPS/b.xhtml"]


@pytest.mark.parametrize(
    "name", ["../../evil.xhtml", "/evil.xhtml", "C:\\evil.xhtml", "..\\evil.xhtml", "a/../../evil"]
)
def test_a_member_whose_name_climbs_out_does_no_harm(name, read):
    reading = read(Book({"a.xhtml": "<p>core</p>"}, {name: SECRET}).pack())
    assert reading.markdown == "core"
