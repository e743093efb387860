"""The HTML adapter keeps the contract of source adapters, for HTML and for XHTML."""

from markitect_tool.testing import AdapterContract, Sample

#: In the parts of `large` every tag is closed: of a page that is XML the parser costs little, so that the difference
#: between inspecting and reading is what converting costs.
PART = (
    '<h2 id="n{0}">Night {0}</h2><p>Low water at nine<sup><a href="#f{0}" id="r{0}">{0}</a></sup>, <i>salt</i> at ten.'
    '</p><p><img src="boat.png" alt="A boat" /> See <a href="#n1">the first</a>, <a href="log.html">the log</a>.</p>'
    '<aside role="doc-footnote" id="f{0}"><a href="#r{0}">{0}</a> Per barrel – worn.</aside>'
)
PAGE = '<html lang="en"><head><title>Tides</title></head><body><main>{}</main><footer>Port</footer></body></html>'


def page(count):
    return PAGE.format("".join(PART.format(number) for number in range(1, count + 1))).encode()


def as_people_write(markup):
    """The same page as HTML that is no XML."""
    for end in (b"</p>", b"</body></html>", b"<head>", b"</head>", b"<body>", b" /"):
        markup = markup.replace(end, b"")
    return b"<!doctype html>" + markup.replace(b'id="', b'ID="').replace(b'lang="en"', b"lang=en")


class Html(AdapterContract):
    entry_point = "markitect_filter.adapters:html_adapter_descriptor"
    options = {"segment_by": "page", "notes": "keep", "content": "all", "encoding": "utf-8", "max_seconds": 30}
    invalid_options = {"segment_depth": "deep"}


class TestHtml(Html):
    good = Sample("tides.html", as_people_write(page(3)))
    malformed = Sample("tides.html", bytes(range(256)) * 4)
    large = Sample("long.html", page(150))


class TestXhtml(Html):
    good = Sample(
        "tides.xhtml",
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Tides</title></head>'
        b"<body><h1>One</h1><p>a</p><h1>Two</h1><p>b</p></body></html>",
    )
    malformed = Sample("tides.xhtml", b"\n \n")
