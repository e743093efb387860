"""What the adapter's tests share: the smallest book for a test, what the adapter makes of it, and what must hold for
every document whatever the book.

A book is one sound base plus what a test lays over it: other chapters, navigation, manifest lines, members.
"""

import os
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_filter.testing.books import pack
from markitect_tool import SourceAdapterRegistry, inspect_source, normalize_source
from markitect_tool.source.model import NormalizedMarkdownDocument
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

ROOT = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or ROOT.parent / "shared/corpus")
XHTML = "application/xhtml+xml"
TYPES = {
    ".xhtml": XHTML,
    ".html": "text/html",
    ".ncx": "application/x-dtbncx+xml",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".css": "text/css",
    ".otf": "font/otf",
    ".mp3": "audio/mpeg",
}
PAGE = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink"><head><title>t</title>{head}</head><body>{body}</body></html>'
)
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="{}" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="u">'
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="u">urn:x:salt</dc:identifier>'
    "<dc:title>Salt</dc:title><dc:language>en</dc:language>{metadata}</metadata>"
    "<manifest>{manifest}</manifest>{spine}{guide}</package>"
)


def page(body, head=""):
    """An XHTML document with the given body."""
    return PAGE.format(body=body, head=head)


def chapters_of(chapters):
    """Documents by file name. A list is `c1.xhtml`, `c2.xhtml`, ...; what is no whole document is put in a page."""
    if isinstance(chapters, str | bytes):
        chapters = [chapters]
    if not isinstance(chapters, dict):
        chapters = {f"c{number}.xhtml": chapter for number, chapter in enumerate(chapters, start=1)}
    whole = re.compile(r"\s*<(\?xml|!DOCTYPE|html|svg)")
    return {n: c if c is None or isinstance(c, bytes) or whole.match(c) else page(c) for n, c in chapters.items()}


def toc_list(entries):
    """Nested `(label, href, [children])` as the list of a nav element."""
    items = []
    for label, href, *children in entries:
        inner = toc_list(children[0]) if children else ""
        link = f'<a href="{escape(href)}">{escape(label)}</a>' if href else f"<span>{escape(label)}</span>"
        items.append(f"<li>{link}{inner}</li>")
    return f"<ol>{''.join(items)}</ol>"


def build_epub(
    chapters,
    *,
    toc=None,
    pages=None,
    nav=None,
    ncx=None,
    files=None,
    manifest="",
    items=None,
    spine=None,
    metadata="",
    guide="",
    version="3.0",
    package=None,
    folder="OPS",
):
    """A book as bytes.

    `chapters` see `chapters_of`; `toc` and `pages` are entries of the navigation document, which has one for each
    chapter unless told otherwise (`toc=()` for no navigation at all), `nav` its body instead; `ncx` the body of an NCX;
    `files` are members by path in the archive, over what is there already (None takes one away); `manifest` more
    items; `items` and `spine` the items of chapters and the spine instead of the usual; `package` the whole package.
    """
    chapters = chapters_of(chapters)
    if toc is None and ncx is None:
        toc = [(Path(name).stem, name) for name in chapters]
    if nav is None and (toc or pages):
        nav = f'<nav epub:type="toc">{toc_list(toc)}</nav>' if toc else ""
        nav += f'<nav epub:type="page-list">{toc_list(pages)}</nav>' if pages else ""
    if items is None:
        items = "".join(
            f'<item id="i{number}" href="{escape(name)}" media-type="{TYPES.get(Path(name).suffix, XHTML)}"/>'
            for number, name in enumerate(chapters, start=1)
        )
    if nav is not None:
        items += f'<item id="nav" href="nav.xhtml" properties="nav" media-type="{XHTML}"/>'
    if spine is None:
        spine = "".join(f'<itemref idref="i{number}"/>' for number in range(1, len(chapters) + 1))
    if ncx is not None:
        items += f'<item id="ncx" href="toc.ncx" media-type="{TYPES[".ncx"]}"/>'
    if not spine.startswith("<spine"):
        spine = f'<spine toc="ncx">{spine}</spine>' if ncx is not None else f"<spine>{spine}</spine>"
    prefix = f"{folder}/" if folder else ""
    members = {
        "META-INF/container.xml": CONTAINER.format(f"{prefix}book.opf"),
        f"{prefix}book.opf": package
        or PACKAGE.format(version=version, metadata=metadata, manifest=items + manifest, spine=spine, guide=guide),
        **{f"{prefix}{name}": content for name, content in chapters.items()},
    }
    if nav is not None:
        members[f"{prefix}nav.xhtml"] = page(nav)
    if ncx is not None:
        members[f"{prefix}toc.ncx"] = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/">{ncx}</ncx>'
    members.update(files or {})
    return pack([("mimetype", "application/epub+zip"), *((n, c) for n, c in members.items() if c is not None)])


@dataclass(frozen=True)
class Reading:
    """What came of reading a book."""

    result: object

    @property
    def valid(self):
        return self.result.valid

    @property
    def document(self) -> NormalizedMarkdownDocument:
        assert self.result.valid, [entry.message for entry in self.result.diagnostics]
        return self.result.document

    @property
    def markdown(self):
        return self.document.markdown

    @property
    def segments(self):
        return self.document.segments

    @property
    def texts(self):
        return [segment.markdown for segment in self.segments]

    @property
    def ids(self):
        return [segment.segment_id for segment in self.segments]

    @property
    def ledger(self):
        return self.document.quality.metadata["ledger"]

    @property
    def codes(self):
        return [entry.code for entry in self.result.diagnostics]

    def all(self, code):
        """The diagnostics of that code."""
        return [entry for entry in self.result.diagnostics if entry.code == code]

    def one(self, code):
        """The only diagnostic of that code."""
        (found,) = self.all(code)
        return found


@pytest.fixture(scope="session")
def registry():
    return SourceAdapterRegistry([epub3_adapter_descriptor()])


@pytest.fixture(scope="session")
def epub():
    """Builds a book: `build_epub`."""
    return build_epub


@pytest.fixture(scope="session")
def wrap():
    """Puts a body into a page: `page`."""
    return page


@pytest.fixture(scope="session")
def read(registry, sound):
    """Builds a book and normalizes it (bytes are taken as they are). What must always hold is checked each time."""

    def read(chapters, options=None, *, check=True, **overlay):
        content = chapters if isinstance(chapters, bytes) and not overlay else build_epub(chapters, **overlay)
        result = normalize_source(content, uri="book:salt", options=options or {}, registry=registry)
        if result.valid and check:
            sound(result.document)
        return Reading(result)

    return read


@pytest.fixture(scope="session")
def inspect(registry):
    """Builds a book and inspects it."""

    def inspect(chapters, options=None, **overlay):
        content = chapters if isinstance(chapters, bytes) and not overlay else build_epub(chapters, **overlay)
        return inspect_source(content, uri="book:salt", options=options or {}, registry=registry)

    return inspect


@pytest.fixture(scope="session")
def corpus():
    """The folder of real books."""
    return CORPUS


@pytest.fixture(scope="session")
def html():
    """Markdown as HTML, by a parser that is not ours."""
    return _parser().render


def _parser():
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return parser.use(footnote_plugin).use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)


_ANCHOR = re.compile(r'<a id="([^"]+)">')
_REFERENCE = re.compile(r"\[\^([^\]\s]+)\]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True)
class Outline:
    """What a parser finds in a segment."""

    anchors: list
    links: list
    references: set
    definitions: set
    dangling: list


def outline_of(markdown):
    """Parse one segment by itself."""
    parser = _parser().disable(["text_join", "footnote_tail"])
    env: dict = {}
    anchors, links, dangling, references = [], [], [], set()
    waiting = parser.parse(markdown, env)
    while waiting:
        token = waiting.pop()
        waiting.extend(token.children or ())
        if token.type in ("html_inline", "html_block"):
            anchors += _ANCHOR.findall(token.content)
        elif token.type == "link_open" and str(token.attrs["href"]).startswith("#"):
            links.append(str(token.attrs["href"])[1:])
        elif token.type == "text":
            dangling += _REFERENCE.findall(token.content)
        elif token.type == "footnote_ref":
            references.add(token.meta["label"])
    definitions = {label.removeprefix(":") for label in env.get("footnotes", {}).get("refs", {})}
    return Outline(anchors, links, references, definitions, dangling)


@pytest.fixture(scope="session")
def outline():
    """Parses a segment: `outline_of`."""
    return outline_of


@pytest.fixture(scope="session")
def sound():
    """Checks what must hold for every document."""

    def sound(document):
        segments, ledger = document.segments, document.quality.metadata["ledger"]
        assert document.markdown == "\n\n".join(segment.markdown for segment in segments)
        assert [segment.order for segment in segments] == list(range(len(segments)))
        assert len({segment.segment_id for segment in segments}) == len(segments)
        assert ledger["emitted"] + sum(ledger["skipped"].values()) == ledger["total"]
        assert all(count > 0 for count in ledger["skipped"].values()), ledger
        assert not (found := _CONTROL.findall(document.markdown)), found[:5]
        outlines = [outline_of(segment.markdown) for segment in segments]
        anchors = [anchor for found in outlines for anchor in found.anchors]
        assert len(set(anchors)) == len(anchors), sorted(a for a in set(anchors) if anchors.count(a) > 1)
        links = {link for found in outlines for link in found.links}
        # a parser encodes what URLs do not allow
        reachable = {MarkdownIt().normalizeLink(f"#{anchor}")[1:] for anchor in anchors}
        assert links <= reachable, sorted(links - reachable)
        for segment, found in zip(segments, outlines, strict=True):
            assert found.dangling == [], segment.segment_id
            assert found.references <= found.definitions, segment.segment_id
            for span in segment.provenance:
                assert 0 <= span.start_offset <= span.end_offset <= len(segment.markdown)

    return sound
