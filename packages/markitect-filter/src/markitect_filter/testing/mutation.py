"""Changes to books that respect their structure: elements, attributes, references, members, archive headers.

A `Mutation` is four small numbers, so that whatever drives them (a random generator, hypothesis) can also make them
smaller. Every mutation applies to every book; one that finds nothing to change leaves the book as it is.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lxml import etree

from markitect_filter.testing.books import pack

Members = list[tuple[str, bytes]]

_MARKUP = (".xhtml", ".html", ".htm", ".opf", ".ncx", ".xml", ".svg")
_XHTML = "{http://www.w3.org/1999/xhtml}"
_OPS = "{http://www.idpf.org/2007/ops}"
_HTML_NAMES = """
div p span a b i em table tr td th tbody thead caption ul ol li dl dt dd pre code br img h1 h6 section aside nav figure
figcaption blockquote sup sub ruby rt rp q hr svg math script style title head body html object video input button
select textarea details template center bdo small u s del ins kbd var wbr iframe canvas"""
_MATH_NAMES = """
math mrow mi mo mn msup msub msubsup mfrac msqrt mroot mtable mtr mtd mtext semantics annotation munder mover munderover
mfenced mmultiscripts mprescripts none mspace menclose mstyle mpadded mphantom maction apply ci cn"""
_PLAIN_NAMES = "item itemref spine manifest metadata meta navPoint navMap content navLabel rootfile"
_NAMES = [
    *(f"{_XHTML}{name}" for name in _HTML_NAMES.split()),
    *(f"{{http://www.w3.org/2000/svg}}{name}" for name in ("svg", "image", "text", "title", "foreignObject")),
    *(f"{{http://www.w3.org/1998/Math/MathML}}{name}" for name in _MATH_NAMES.split()),
    *_PLAIN_NAMES.split(),
]
_REFERENCES = (
    "",
    "#",
    "#x",
    "##",
    "../../../../etc/passwd",
    "..\\..\\x",
    "/",
    "//host/x",
    "file:///etc/passwd",
    "javascript:x",
    "data:,x",
    "%2e%2e/%2e%2e/x",
    "%00",
    "%",
    "%ff",
    "nav.xhtml",
    ".",
    "..",
    "a b",
    "?q",
    "http://[",
    "C:\\x",
    "\u202ex",
    "#" + "a" * 300,
    "x" * 3000,
    "mailto:a@b",
    "urn:x",
    "HTTP://h/\"'<>`*_[]()|\\ x",
)
_TEXTS = (
    "*",
    "**a",
    "_a_b_",
    "`",
    "``` ```",
    "[",
    "](",
    "![x](y)",
    "<b>",
    "&amp;",
    "|",
    "\\",
    "# h",
    "1. x",
    "- x",
    "> q",
    "$x$",
    "$$",
    "~~~",
    "\n\n",
    "\n    code",
    "\t",
    " ",
    "\u00a0",
    "\u200b",
    "\u00ad",
    "\u2028",
    "\u0301",
    "\ue000",
    "\ufffd",
    "\U0001f600",
    "[^1]",
    "[^1]: x",
    "http://a.b",
    "a@b.c",
    ":",
    "---",
    "===",
    "+",
    "~",
    "!",
    "<!--",
    "]]>",
    "  \nx",
    "x" * 500,
    "| a | b |\n| - | - |",
    "0",
    "-1",
    "\u0627\u0644",
    "{.x}",
    "\u3000",
    '<a id="x"></a>',
    "* * *",
)
_ATTRIBUTES = (
    "id",
    "href",
    "src",
    "class",
    "title",
    "alt",
    "hidden",
    "role",
    "lang",
    "dir",
    "colspan",
    "rowspan",
    "start",
    "type",
    "value",
    "name",
    "media-type",
    "properties",
    "idref",
    "linear",
    "fallback",
    "toc",
    "full-path",
    "version",
    "style",
    f"{_OPS}type",
    "{http://www.w3.org/1999/xlink}href",
    "{http://www.w3.org/XML/1998/namespace}space",
    "display",
    "aria-label",
    "aria-hidden",
    "align",
    "headers",
    "cite",
    "datetime",
    "encoding",
    "playOrder",
    "alttext",
    "open",
    "close",
)
_VALUES = (
    *_REFERENCES,
    "noteref",
    "footnote",
    "pagebreak",
    "toc",
    "landmarks",
    "page-list",
    "cover",
    "footnotes",
    "doc-noteref",
    "doc-footnote",
    "endnote",
    "no",
    "yes",
    "nav",
    "0",
    "-1",
    "99999999999",
    "1e9",
    "a",
    "preserve",
    "block",
    "text/html",
    "image/svg+xml",
    "application/xhtml+xml",
    "right",
    "checkbox",
    "i",
    "A",
    "backlink",
    *_TEXTS[:20],
)
_RAW = (
    b"<",
    b">",
    b"&",
    b'"',
    b"&bogus;",
    b"&#0;",
    b"&#x110000;",
    b"&nbsp;",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<?x",
    b"<!DOCTYPE html [<!ENTITY a 'b'>]>",
    b"</p>",
    b"<p>",
    b"<b><i></b>",
    b"<script/>",
    b"<br>",
    b"\x00",
    b"\xff\xfe",
    b"\x01",
    b"\xc3",
    b"<table>",
    b"<svg>",
    b"</body>",
    b"<a id=x id=x>",
    b"<x:y/>",
    b"<?xml version='1.0'?>",
    b"\xef\xbb\xbf",
    b"<math>",
    b"<!",
    b"</",
    b"<a href=",
    b"<style>",
    b"<title>",
    b"<textarea>",
    b"<ul><ul>",
)
_ENCODINGS = (b"utf-16", b"latin-1", b"x", b"ascii", b"utf-7", b"shift_jis", b"koi8-r", b"idna", b"hex", b"utf-32")
_MEMBER_NAMES = (
    "META-INF/encryption.xml",
    "META-INF/container.xml",
    "mimetype",
    "../x",
    "/x",
    "x\\y",
    "META-INF/rights.xml",
    "x" * 300,
    "\u00e9",
    "e\u0301",
    "a b",
    "%41",
    "OPS/",
    "..",
    "nav.xhtml",
    "\u202e",
)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change. Each number is taken modulo what there is to choose from."""

    kind: int
    member: int
    place: int
    value: int

    @property
    def name(self) -> str:
        """What kind of change it is."""
        return _KINDS[self.kind % len(_KINDS)].__name__.strip("_")


def mutated(members: Sequence[tuple[str, bytes]], mutations: Sequence[Mutation]) -> bytes:
    """The book's file after the changes to its members, then those to the archive itself."""
    changed = list(members)
    late = []
    for mutation in mutations:
        change = _KINDS[mutation.kind % len(_KINDS)]
        if change in _ARCHIVE_KINDS:
            late.append(mutation)
        elif changed:
            change(changed, mutation)
    data = pack(changed)
    for mutation in late:
        data = _archive(data, mutation)
    return data


def _pick(members: Members, mutation: Mutation) -> int | None:
    """The number of a member that holds markup."""
    fit = [number for number, (name, _) in enumerate(members) if name.lower().endswith(_MARKUP)]
    return fit[mutation.member % len(fit)] if fit else None


def _tree(members: Members, mutation: Mutation, change: Callable[[etree._Element, int], None]) -> None:
    """Change one element of one member, if that is well-formed."""
    number = _pick(members, mutation)
    if number is None:
        return
    name, data = members[number]
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))
    except etree.XMLSyntaxError:
        return
    elements = list(root.iter(etree.Element))
    change(elements[mutation.place % len(elements)], mutation.value)
    members[number] = (name, etree.tostring(root.getroottree(), encoding="utf-8", xml_declaration=True))


def _remove_element(members: Members, mutation: Mutation) -> None:
    def change(element: etree._Element, _: int) -> None:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)

    _tree(members, mutation, change)


def _repeat_element(members: Members, mutation: Mutation) -> None:
    def change(element: etree._Element, value: int) -> None:
        if element.getparent() is not None:
            for _ in range(1 + value % 4):
                element.addnext(copy.deepcopy(element))

    _tree(members, mutation, change)


def _nest_element(members: Members, mutation: Mutation) -> None:
    """Put copies of an element inside of itself, ever deeper."""

    def change(element: etree._Element, value: int) -> None:
        if sum(1 for _ in element.iter()) > 50:
            return
        at = element
        for _ in range(1 + value % 40):
            inner = copy.deepcopy(element)
            del inner[:]
            at.append(inner)
            at = inner

    _tree(members, mutation, change)


def _move_element(members: Members, mutation: Mutation) -> None:
    def change(element: etree._Element, value: int) -> None:
        others = list(element.getroottree().iter(etree.Element))
        target = others[value % len(others)]
        if target is not element and element not in target.iterancestors() and element.getparent() is not None:
            target.insert(value % (len(target) + 1), element)

    _tree(members, mutation, change)


def _rename_element(members: Members, mutation: Mutation) -> None:
    def change(element: etree._Element, value: int) -> None:
        element.tag = _NAMES[value % len(_NAMES)]

    _tree(members, mutation, change)


def _set_attribute(members: Members, mutation: Mutation) -> None:
    def change(element: etree._Element, value: int) -> None:
        element.set(_ATTRIBUTES[value % len(_ATTRIBUTES)], _VALUES[value // len(_ATTRIBUTES) % len(_VALUES)])

    _tree(members, mutation, change)


def _change_attribute(members: Members, mutation: Mutation) -> None:
    """Give one of the attributes that there are another value, or that of another element, or none."""

    def change(element: etree._Element, value: int) -> None:
        names = sorted(map(str, element.attrib))
        if not names:
            return
        name = names[value % len(names)]
        others = [other.get(name) for other in element.getroottree().iter(etree.Element)]
        known = [other for other in others if other is not None]
        choice = value // len(names)
        if choice % 5 == 0:
            del element.attrib[name]
        elif choice % 2:
            element.set(name, known[choice % len(known)])
        else:
            element.set(name, _VALUES[choice % len(_VALUES)])

    _tree(members, mutation, change)


def _set_text(members: Members, mutation: Mutation) -> None:
    def change(element: etree._Element, value: int) -> None:
        text = _TEXTS[value % len(_TEXTS)] * (1 + value // len(_TEXTS) % 3)
        if value % 2:
            element.text = text + (element.text or "")
        elif element.getparent() is not None:
            element.tail = (element.tail or "") + text

    _tree(members, mutation, change)


def _raw(members: Members, mutation: Mutation, piece: Callable[[bytes, int], tuple[int, int, bytes]]) -> None:
    number = _pick(members, mutation)
    if number is None:
        return
    name, data = members[number]
    borders = [match.start() for match in re.finditer(rb"[<>&\"]", data)] or [0]
    start, end, new = piece(data, borders[mutation.place % len(borders)])
    members[number] = (name, data[:start] + new + data[end:])


def _insert_markup(members: Members, mutation: Mutation) -> None:
    new = _RAW[mutation.value % len(_RAW)]
    _raw(members, mutation, lambda data, at: (at, at, new))


def _cut_markup(members: Members, mutation: Mutation) -> None:
    _raw(members, mutation, lambda data, at: (at, at + 1 + mutation.value % 30, b""))


def _truncate_member(members: Members, mutation: Mutation) -> None:
    _raw(members, mutation, lambda data, at: (at, len(data), b""))


def _declare_encoding(members: Members, mutation: Mutation) -> None:
    declaration = b'<?xml version="1.0" encoding="' + _ENCODINGS[mutation.value % len(_ENCODINGS)] + b'"?>'

    def piece(data: bytes, at: int) -> tuple[int, int, bytes]:
        end = data.find(b"?>") + 2 if data.startswith(b"<?xml") else 0
        return 0, end, declaration

    _raw(members, mutation, piece)


def _remove_member(members: Members, mutation: Mutation) -> None:
    del members[mutation.member % len(members)]


def _repeat_member(members: Members, mutation: Mutation) -> None:
    name, _ = members[mutation.member % len(members)]
    members.append((name, members[mutation.value % len(members)][1]))


def _rename_member(members: Members, mutation: Mutation) -> None:
    number = mutation.member % len(members)
    name, data = members[number]
    others = [*_MEMBER_NAMES, name.upper(), name.replace("/", "\\"), *(other for other, _ in members)]
    members[number] = (others[mutation.value % len(others)], data)


def _swap_members(members: Members, mutation: Mutation) -> None:
    one, other = mutation.member % len(members), mutation.value % len(members)
    (first, a), (second, b) = members[one], members[other]
    members[one], members[other] = (first, b), (second, a)


def _change_header(members: Members, mutation: Mutation) -> None:
    """A byte of the directory, of a local header or of the end record; done by `_archive`."""


def _cut_archive(members: Members, mutation: Mutation) -> None:
    """Bytes taken out of or put into the file; done by `_archive`."""


def _archive(data: bytes, mutation: Mutation) -> bytes:
    headers = [match.start() for match in re.finditer(rb"PK(\x01\x02|\x03\x04|\x05\x06)", data)] or [0]
    at = headers[mutation.member % len(headers)]
    if _KINDS[mutation.kind % len(_KINDS)] is _change_header:
        at = min(at + mutation.place % 50, len(data) - 1)
        return data[:at] + bytes([mutation.value % 256]) + data[at + 1 :]
    if mutation.value % 3 == 0:
        return data[: mutation.place % (len(data) + 1)]
    if mutation.value % 3 == 1:
        return data[:at] + b"junk" * (1 + mutation.place % 9) + data[at:]
    return data[:at] + data[at + 1 + mutation.place % 60 :]


_KINDS: tuple[Callable[[Members, Mutation], None], ...] = (
    _set_text,
    _set_attribute,
    _rename_element,
    _remove_element,
    _repeat_element,
    _nest_element,
    _move_element,
    _change_attribute,
    _insert_markup,
    _cut_markup,
    _truncate_member,
    _declare_encoding,
    _remove_member,
    _repeat_member,
    _rename_member,
    _swap_members,
    _change_header,
    _cut_archive,
)
_ARCHIVE_KINDS = (_change_header, _cut_archive)
KINDS = len(_KINDS)
