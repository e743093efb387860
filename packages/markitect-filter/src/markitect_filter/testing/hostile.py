"""Books made to crash, hang, exhaust or deceive a reader. Each is small; none is broken by accident.

`CASES` has every one by name, with the codes that must be among the diagnostics and whether the book is still valid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from markitect_filter.testing.archives import with_zeros
from markitect_filter.testing.books import CONTAINER, Book, nav_page, ncx_page, page

DEEP = 100_000
LONG = 50_000  # repetitions in a text made against patterns
_MIB = 1024 * 1024

BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {name} "{f"&{inner};" * 10}">' for inner, name in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)


@dataclass(frozen=True, slots=True)
class Case:
    """One book and what must come of it. `shows` must be in the text of a valid one; `slow` ones take seconds."""

    build: Callable[[], bytes]
    valid: bool = True
    codes: tuple[str, ...] = ()
    shows: str = ""
    slow: bool = False


def _body(body: Callable[[], str], *, stored: bool = False) -> Callable[[], bytes]:
    """A book of one page, whose body is made when the book is."""
    return lambda: Book({"a.xhtml": body()}).pack(stored=stored)


def _long_path() -> bytes:
    """A page in folders of long names, with masses of pictures beside it."""
    folder = "/".join(["f" * 250] * 60)
    book = Book({f"{folder}/a.xhtml": f"<p>core</p>{'<img src=&quot;x&quot;/>'.replace('&quot;', chr(34)) * 100_000}"})
    book.members[f"OPS/{folder}/x"] = b""
    return book.pack()


def _long_labels() -> bytes:
    """A deep table of contents with long labels, each of its leaves the start of a segment."""
    top = "".join(f"<li><a href='a.xhtml'>{'l' * 100_000}{level}</a><ol>" for level in range(30))
    leaves = _each('<li><a href="a.xhtml#p{n}">{n}</a></li>', 20_000)
    page = f"<p>core</p>{_each('<p id=#p{n}#>x</p>'.replace('#', chr(34)), 20_000)}"
    return Book({"a.xhtml": page}, nav=nav_page(f"{top}{leaves}{'</ol></li>' * 30}")).pack()


def _marks() -> str:
    """20,000 ids that have no character in common with any word."""
    return "".join(
        f'<p id="{mark}">x <a href="#{mark}">y</a></p>' for mark in map("".join, product("()!*+,;=@:", repeat=4))
    )


def _masses(markup: str, count: int) -> Callable[[], bytes]:
    return _body(lambda: f"<p>core</p>{markup * count}")


def _each(markup: str, count: int) -> str:
    """`markup` for every number: `{n}` is the number, `{next}` the one after it, the first again after the last."""
    return "".join(markup.format(n=n, next=(n + 1) % count) for n in range(count))


def _text(text: str) -> Callable[[], bytes]:
    return _body(lambda: f"<p>core</p><p>{text * (2 * LONG // (1 + len(text)))}</p>")


def _nested_path(path: str, inner: str = "core", count: int = DEEP) -> Callable[[], bytes]:
    """`path` is `ul/li`: as many of the whole path inside each other."""
    names = path.split("/")
    start, end = "".join(f"<{n}>" for n in names), "".join(f"</{n}>" for n in reversed(names))
    return lambda: Book({"a.xhtml": start * (count // len(names)) + inner + end * (count // len(names))}).pack()


def _deep_nav(path: str) -> Callable[[], bytes]:
    def build() -> bytes:
        entries = '<li><a href="a.xhtml">x</a><ol>' * DEEP + "</ol></li>" * DEEP
        points = (
            '<navPoint id="n"><navLabel><text>x</text></navLabel><content src="a.xhtml"/>' * DEEP + "</navPoint>" * DEEP
        )
        book = Book({"a.xhtml": "<p>core</p>"}, nav=nav_page(entries))
        if path == "ncx":
            book = Book({"a.xhtml": "<p>core</p>"}, nav=nav_page(""), ncx=ncx_page(points))
        return book.pack()

    return build


def _zeros(name: str, *, shown: str = "") -> Callable[[], bytes]:
    def build() -> bytes:
        book = Book({"a.xhtml": f"<p>core</p>{shown}"}, manifest=(f'<item id="z" href="{name}" media-type="x/y"/>',))
        if name.endswith(".xhtml"):
            book.manifest = (f'<item id="z" href="{name}" media-type="application/xhtml+xml"/>',)
            book.spine = ('<itemref idref="z"/>',)
        return with_zeros(book.pack(), f"OPS/{name}", 400 * _MIB)

    return build


def many_documents(count: int) -> bytes:
    """A book of `count` short documents, each in the contents."""
    return Book({f"{n}.xhtml": f"<h1>Part {n}</h1><p>Text {n}.</p>" for n in range(count)}).pack()


def _many_members() -> bytes:
    return Book({"a.xhtml": "<p>core</p>"}, {f"OPS/m/{n}": b"" for n in range(100_000)}).pack()


def _tag_soup(pages: int) -> Callable[[], bytes]:
    soup = page("<p><b>x</i>" * 33_000)
    return lambda: Book({f"{n}.xhtml": soup for n in range(pages)}).pack()


def _doctype(where: str) -> Callable[[], bytes]:
    def build() -> bytes:
        book = Book({"a.xhtml": "<p>core</p>", "b.xhtml": "<p>second</p>"})
        if where == "page":
            book.members["OPS/a.xhtml"] = BOMB + page("<p>&j;</p>").partition("?>")[2]
        elif where == "package":
            book.doctype, book.metadata = BOMB, "<dc:creator>&j;</dc:creator>"
        elif where == "container":
            book.container = BOMB + str(book.container).partition("?>")[2].replace("<rootfiles>", "&j;<rootfiles>")
        elif where == "ncx":
            book.nav = nav_page("")
            book.ncx = BOMB + ncx_page("<navPoint><navLabel><text>&j;</text></navLabel></navPoint>")
        elif where == "nav":
            book.nav = BOMB + nav_page('<li><a href="a.xhtml">&j;</a></li>').partition("?>")[2]
        elif where == "encryption":
            book.members["META-INF/encryption.xml"] = f"{BOMB}<encryption>&j;</encryption>"
        return book.pack()

    return build


def _wide_table(rows: int, cells: str) -> Callable[[], bytes]:
    return _body(lambda: f"<table>{f'<tr>{cells}</tr>' * rows}</table><p>core</p>")


_SPAN = '<td colspan="100000000" rowspan="100000000">core</td>'

# those of their kind that stand for the others where time is short
_DEEP_AND_QUICK = frozenset({"div", "span", "b", "ul/li", "blockquote", "table/tr/td", "svg"})
_TEXT_AND_QUICK = frozenset(
    {
        "star",
        "bracket",
        "backtick",
        "underscore",
        "lt",
        "amp",
        "dollar",
        "tilde",
        "bar",
        "bang",
        "bang-bracket",
        "close",
    }
)

CASES: dict[str, Case] = {
    **{
        f"entity-expansion-{where}": Case(_doctype(where), valid, ("source.limit_exceeded",), shows)
        for where, valid, shows in (
            ("page", False, ""),
            ("package", False, ""),
            ("container", False, ""),
            ("ncx", True, "core"),
            ("nav", True, "core"),
            ("encryption", False, ""),
        )
    },
    "zeros-page": Case(_zeros("z.xhtml"), False, ("source.limit_exceeded",)),
    "zeros-style": Case(_zeros("z.css"), shows="core"),
    "zeros-image": Case(_zeros("z.png", shown='<p><img src="z.png" alt="zeros"/></p>'), shows="![zeros](OPS/z.png)"),
    "members-100000": Case(_many_members, False, ("source.limit_exceeded",)),
    "spine-20000": Case(lambda: many_documents(20_000), shows="Text 19999."),
    "colspan": Case(_wide_table(1, _SPAN), shows="core"),
    "colspan-rows": Case(_wide_table(2000, _SPAN), shows="core"),
    "colspan-cells": Case(_wide_table(1, _SPAN * 20_000), shows="core", slow=True),
    "rowspan-triangle": Case(_wide_table(3000, '<td rowspan="0">core</td>'), shows="core"),
    "list-start": Case(_body(lambda: f"<ol start='{'9' * 5000}'><li>core</li></ol>"), shows="core"),
    "attribute-20mb": Case(_body(lambda: f"<p title='{'a' * 20 * _MIB}'>core</p>", stored=True), shows="core"),
    "alt-20mb": Case(
        _body(lambda: f"<p>core <img src='a.png' alt='{'a* ' * 5 * _MIB}'/></p>", stored=True), shows="core", slow=True
    ),
    "href-20mb": Case(
        _body(lambda: f"<p><a href='{'a/../' * 4 * _MIB}x'>core</a></p>", stored=True), shows="core", slow=True
    ),
    "id-20mb": Case(
        _body(lambda: f"<p id='{'i' * 20 * _MIB}'>core <a href='#{'i' * 20 * _MIB}'>x</a></p>", stored=True),
        shows="core",
        slow=True,
    ),
    "text-20mb": Case(_body(lambda: f"<p>core {'word ' * 4 * _MIB}</p>", stored=True), shows="core", slow=True),
    "word-20mb": Case(_body(lambda: f"<p>core {'w' * 20 * _MIB}</p>", stored=True), shows="core", slow=True),
    "code-20mb": Case(
        _body(lambda: "<pre>core " + "x = 1\n" * 3 * _MIB + "</pre>", stored=True), shows="core", slow=True
    ),
    "astral-20mb": Case(_body(lambda: f"<p>core {chr(0x1F600) * 5 * _MIB}</p>", stored=True), shows="core", slow=True),
    "astral-80mb": Case(
        lambda: Book({f"{n}.xhtml": f"<p>{chr(0x1F600) * 7 * _MIB}</p>" for n in range(3)}).pack(stored=True),
        False,
        ("source.limit_exceeded", "source.not_reached"),
        slow=True,
    ),
    "base-url": Case(
        lambda: Book(
            {
                "a.xhtml": page(f"<p>core</p>{'<p><a href=#x#>y</a></p>'.replace('#', chr(34)) * LONG}").replace(
                    "<head>", f"<head><base href='http://example.org/{'b' * 100_000}/'/>"
                )
            }
        ).pack(),
        shows="core",
        slow=True,
    ),
    "long-path": Case(_long_path, False, ("source.member_unsafe",)),
    "long-name": Case(
        lambda: Book(
            {f"{'n' * 900}.xhtml": f"<p>core</p>{'<p><a href=_#_>x</a></p>'.replace('_', chr(34)) * LONG}"}
        ).pack(),
        shows="core",
        slow=True,
    ),
    "long-labels": Case(_long_labels, shows="core", slow=True),
    "long-page-label": Case(
        _body(
            lambda: (
                f"<p>core<span epub:type='pagebreak' title='{'t' * _MIB}'/></p>"
                + _each("<p>x<span epub:type='pagebreak' title='{n}'/></p>", 5_000)
            )
        ),
        shows="core",
    ),
    "long-drawing-label": Case(
        _body(
            lambda: (
                f"<p>core</p><svg xmlns='http://www.w3.org/2000/svg' aria-label='{'t' * _MIB}'>"
                + "<image href='x'/>" * 20_000
                + "</svg>"
            )
        ),
        shows="core",
    ),
    "dead-links": Case(
        _body(lambda: f"<p>core</p>{_each('<p><a href=%gone{n}%>x</a></p>'.replace('%', chr(34)), 20_000)}"),
        shows="core",
    ),
    "fallback-chain": Case(
        lambda: Book(
            {"a.xhtml": "<p>core</p>"},
            manifest=(_each('<item id="f{n}" href="{n}.bin" media-type="x/y" fallback="f{next}"/>', 10_000),),
            spine=(_each('<itemref idref="f{n}"/>', 10_000),),
        ).pack(),
        shows="core",
        slow=True,
    ),
    "rootfiles": Case(
        lambda: Book(
            {"a.xhtml": "<p>core</p>"},
            {f"{n}.opf": "<package/>" for n in range(20_000)},
            container=CONTAINER.replace(
                "</rootfiles>",
                _each('<rootfile full-path="{n}.opf" media-type="application/oebps-package+xml"/>', 20_000)
                + "</rootfiles>",
            ),
        ).pack(),
        shows="core",
    ),
    "refinements": Case(
        lambda: Book(
            {"a.xhtml": "<p>core</p>"},
            metadata=_each(
                '<dc:title id="t{n}">x</dc:title><meta refines="#t{next}" property="file-as">y</meta>', 20_000
            ),
        ).pack(),
        shows="core",
        slow=True,
    ),
    "encrypted-members": Case(
        lambda: Book(
            {"a.xhtml": "<p>core</p>"},
            {
                "META-INF/encryption.xml": "<encryption xmlns='http://www.w3.org/2001/04/xmlenc#'>"
                + _each(
                    "<EncryptedData><CipherData><CipherReference URI='OPS/f{n}'/></CipherData></EncryptedData>", 50_000
                )
                + "</encryption>"
            },
        ).pack(),
        shows="core",
        slow=True,
    ),
    "page-list": Case(
        lambda: Book(
            {"a.xhtml": "<p>core</p>" + _each('<p id="p{n}">x</p>', 20_000)},
            nav=page(
                '<nav epub:type="page-list"><ol>'
                + _each('<li><a href="a.xhtml#p{n}">{n}</a></li>', 20_000)
                + "</ol></nav>"
            ),
        ).pack(),
        shows="core",
        slow=True,
    ),
    "spans-many": Case(
        lambda: Book({f"{n}.xhtml": f"<p>core {'<i>x</i>' * 95_000}</p>" for n in range(5)}).pack(),
        False,
        ("source.limit_exceeded", "source.not_reached"),
        slow=True,
    ),
    "anchors-unseen": Case(
        _body(lambda: "".join(f'<p id="a{n}"><a href="#a{n}"></a></p>' for n in range(5_000)) + "<p>core</p>"),
        shows="core",
    ),
    "ids-of-marks": Case(_body(lambda: f"<p>core</p>{_marks()}"), shows="core", slow=True),
    "notes-of-one-label": Case(
        _body(
            lambda: (
                "<p>core</p>"
                + _each('<p>x<a epub:type="noteref" href="#n{n}">***</a></p>', 10_000)
                + _each('<aside epub:type="footnote" id="n{n}">y</aside>', 10_000)
            )
        ),
        shows="core",
        slow=True,
    ),
    "colspan-tables": Case(
        _body(
            lambda: (
                "<p>core</p>"
                + f"<table>{'<tr><td colspan=#1000#>x</td></tr>'.replace('#', chr(34)) * 240}</table>" * 200
            )
        ),
        shows="core",
        slow=True,
    ),
    **{
        f"deep-{tag.split()[0].replace('/', '-')}": Case(
            _nested_path(tag, inner), shows="core", slow=tag not in _DEEP_AND_QUICK
        )
        for tag, inner in (
            ("div", "core"),
            ("span", "core"),
            ("b", "core"),
            ("em", "core"),
            ("b/i", "core"),
            ("ul/li", "core"),
            ("ol/li", "core"),
            ("blockquote", "<p>core</p>"),
            ("table/tr/td", "core"),
            ("dl/dd", "core"),
            ("sup", "core"),
            ("ruby/rt", "core"),
            ("figure", "<p>core</p>"),
            ("code", "core"),
            ("section", "core"),
            ("q", "core"),
            ("pre", "core"),
            ("details", "core"),
            ("h1", "core"),
            ("a", "core"),
            ("svg", "core"),
        )
    },
    "deep-soup": Case(
        lambda: Book({"a.xhtml": page("<div><b>" * (DEEP // 4) + "core")}).pack(), shows="core", slow=True
    ),
    "deep-math": Case(
        _body(
            lambda: (
                '<p>core <math xmlns="http://www.w3.org/1998/Math/MathML">'
                + "<mrow>" * DEEP
                + "<mi>x</mi>"
                + "</mrow>" * DEEP
                + "</math></p>"
            )
        ),
        shows="core",
    ),
    "deep-msup": Case(
        _body(
            lambda: (
                '<p>core <math xmlns="http://www.w3.org/1998/Math/MathML">'
                + "<msup><mi>x</mi>" * (DEEP // 2)
                + "<mi>y</mi>"
                + "</msup>" * (DEEP // 2)
                + "</math></p>"
            )
        ),
        shows="core",
        slow=True,
    ),
    "deep-nav": Case(_deep_nav("nav"), shows="core"),
    "deep-ncx": Case(_deep_nav("ncx"), shows="core"),
    "deep-package": Case(
        lambda: Book({"a.xhtml": "<p>core</p>"}, metadata="<x>" * DEEP + "</x>" * DEEP).pack(), shows="core", slow=True
    ),
    **{
        f"repeat-{name}": Case(_text(text), shows="core", slow=name not in _TEXT_AND_QUICK)
        for name, text in {
            "star": "*",
            "bracket": "[",
            "backtick": "`",
            "underscore": "_a",
            "lt": "&lt;",
            "amp": "&amp;",
            "dollar": "$",
            "tilde": "~",
            "bar": "|",
            "bang": "!",
            "bang-bracket": "![",
            "close": "](",
            "star-a": "*a ",
            "paren": "(",
            "hash": "# ",
            "gt": "> ",
            "backslash": "\\",
            "digit": "1. ",
            "http": "http://",
            "www": "www.a",
            "mail": "a@",
            "colon": ":",
            "dash": "-",
            "plus": "+ ",
            "equals": "=",
            "space": " ",
            "nbsp": "\u00a0",
            "ticks": "`` ` ",
            "foot": "[^1]",
            "entity": "&amp;#",
            "lt-a": "&lt;a ",
            "comment": "&lt;!--",
            "newline": "\n",
            "shy": "\u00ad",
            "zero": "\u200b",
            "star-under": "*_",
            "combining": "\u0301",
            "mark": "\ue000",
        }.items()
    },
    **{
        f"many-{name}": Case(_masses(markup, LONG), shows="core", slow=name not in ("break", "cell", "note", "ref"))
        for name, markup in {
            "emphasis": "<i>a</i><b>b</b>",
            "empty": "<i></i>",
            "anchor": '<a id="x"></a>',
            "sup": "<sup>1</sup>",
            "code": "<code>`</code>",
            "break": "<br/>",
            "image": '<img src="x.png" alt="a"/>',
            "quote": "<q>a</q>",
            "link": '<a href="#x">1</a>',
            "self-link": '<a id="x" href="#x">1</a>',
            "note": '<aside epub:type="footnote"/>',
            "ref": '<a epub:type="noteref" href="#n">1</a>',
            "page": '<span epub:type="pagebreak" title="1"/>',
            "heading": "<h2>x</h2>",
            "rule": "<hr/>",
            "item": "<li>x</li>",
            "cell": "<td>x</td>",
            "svg": "<svg/>",
            "ruby": "<ruby>a<rt>b</rt></ruby>",
            "hidden": "<p hidden=''>x</p>",
            "input": "<input/>",
            "term": "<dt>x</dt>",
        }.items()
    },
    "ids-in-paragraph": Case(
        _body(lambda: "<p>core " + _each('<a id="n{n}" href="#n{next}">{n}</a> ', 9_999) + "</p>"),
        shows="core",
    ),
    "notes-in-paragraph": Case(
        _body(
            lambda: (
                "<p>core "
                + _each('<sup><a id="r{n}" href="#n{n}">{n}</a></sup>', 9_999)
                + "</p><div><p>"
                + _each('<span id="n{n}"><a href="#r{n}">{n}</a></span>', 9_999)
                + "</p></div>"
            )
        ),
        shows="core",
        slow=True,
    ),
    "notes-after-text": Case(
        _body(
            lambda: (
                f"<p>core {'word ' * 4 * _MIB}</p>"
                + _each('<p><a epub:type="noteref" href="#n{n}">{n}</a></p>', 20_000)
                + _each('<aside epub:type="footnote" id="n{n}">y</aside>', 20_000)
            ),
            stored=True,
        ),
        shows="core",
        slow=True,
    ),
    "references-in-instruction": Case(
        lambda: Book(
            {"a.xhtml": "<p>core</p>"},
            nav=nav_page(""),
            ncx=ncx_page(f"<navPoint><navLabel><text><? {'&a;' * 1_000_000}</text></navLabel></navPoint>"),
        ).pack(),
        shows="core",
    ),
    "entities-in-documents": Case(
        lambda: Book(
            {
                f"{n}.xhtml": f"<!DOCTYPE html [<!ENTITY b '{'<b/>' * 1000}'>]>"
                + page(f"<p>core</p>{'&b;' * 250}").partition("?>")[2]
                for n in range(20)
            }
        ).pack(),
        False,
        ("source.limit_exceeded", "source.not_reached"),
        slow=True,
    ),
    "attributes-not-well-formed": Case(
        _body(lambda: f"<p>core</p><b><p {_each('a{n}=## '.replace('#', chr(34)), 500_000)}>x</i>"),
        False,
        ("source.limit_exceeded",),
    ),
    "notes-in-circle": Case(
        _body(
            lambda: (
                "<p>core</p>"
                + _each(
                    '<aside epub:type="footnote" id="n{n}">x<a epub:type="noteref" href="#n{next}">1</a></aside>',
                    5000,
                )
            )
        ),
        shows="core",
        slow=True,
    ),
    "one-anchor-many-targets": Case(
        lambda: Book(
            {"a.xhtml": "<p>core</p>" + _each('<p id="p{n}">x</p>', 20_000)},
            nav=nav_page(_each('<li><a href="a.xhtml#p{n}">{n}</a></li>', 20_000)),
        ).pack(),
        shows="core",
        slow=True,
    ),
    "tag-soup-1": Case(_tag_soup(1), shows="x", slow=True),
    "tag-soup-30": Case(_tag_soup(30), False, ("source.limit_exceeded", "source.not_reached"), slow=True),
    "elements-190000": Case(_body(lambda: "<p>core</p>" + "<p>x</p>" * 190_000), shows="core", slow=True),
    "spans-190000": Case(_body(lambda: "<p>core " + "<i>x</i>" * 190_000 + "</p>"), shows="core", slow=True),
    "attributes-900000": Case(
        _body(lambda: "<p>core</p>" + ("<p " + _each('a{n}="1" ', 90) + ">x</p>") * 10_000, stored=True),
        shows="core",
        slow=True,
    ),
    "pages-many-large": Case(
        lambda: Book({f"{n}.xhtml": "<p>x</p>" * 190_000 for n in range(40)}).pack(),
        False,
        ("source.limit_exceeded", "source.not_reached"),
        slow=True,
    ),
    "text-many-large": Case(
        lambda: Book({f"{n}.xhtml": f"<p>{'word ' * 2 * _MIB}</p>" for n in range(60)}).pack(),
        False,
        ("source.limit_exceeded", "source.not_reached"),
        slow=True,
    ),
}
