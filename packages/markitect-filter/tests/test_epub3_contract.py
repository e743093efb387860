"""The EPUB adapter keeps the contract of source adapters, for EPUB 3 and for EPUB 2."""

from markitect_filter.testing.books import Book, ncx_page
from markitect_tool.testing import AdapterContract, Sample

CHAPTER = (
    '<h1 id="c{0}">Night {0}</h1><p>Low water at nine, <i>salt</i> at ten<a epub:type="noteref" href="#n">1</a>.</p>'
    '<p><span epub:type="pagebreak" title="{0}"/>See <a href="c1.xhtml#c1">the first</a>.</p>'
    '<aside epub:type="footnote" id="n"><p>Per barrel – worn.</p></aside>'
)


def chapters(count):
    return {f"c{number}.xhtml": CHAPTER.format(number) for number in range(1, count + 1)}


class Epub(AdapterContract):
    entry_point = "markitect_filter.adapters:epub3_adapter_descriptor"
    malformed = Sample("harbour.epub", Book({"c1.xhtml": "<p>a</p>"}, package="no package").pack())
    large = Sample("long.epub", Book(chapters(120)).pack())
    options = {"segment_by": "spine", "notes": "keep", "attachment_digests": True, "keep": "toc", "max_seconds": 30}
    invalid_options = {"segment_depth": "deep"}


class TestEpub3(Epub):
    good = Sample(
        "harbour.epub",
        Book(
            {**chapters(3), "map.xhtml": '<p><img src="map%201.png" alt="Map"/><img src="gone.png" alt="Gone"/></p>'},
            members={"OPS/map 1.png": b"\x89PNG", "OPS/tide.mp3": bytes(1000)},
            manifest=[
                '<item id="m" href="map%201.png" media-type="image/png"/>',
                '<item id="t" href="tide.mp3" media-type="audio/mpeg"/>',
                '<item id="r" href="https://example.org/far.png" media-type="image/png"/>',
            ],
        ).pack(),
    )


class TestEpub2(Epub):
    good = Sample(
        "old.epub",
        Book(
            {"a.xhtml": "<h1>One</h1><p>a</p>", "b.xhtml": "<h1>Two</h1><p>b</p>"},
            package='<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata/><manifest>'
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="x" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
            '<spine toc="x"><itemref idref="a"/><itemref idref="b"/></spine></package>',
            ncx=ncx_page('<navPoint id="n"><navLabel><text>One</text></navLabel><content src="a.xhtml"/></navPoint>'),
        ).pack(),
    )
