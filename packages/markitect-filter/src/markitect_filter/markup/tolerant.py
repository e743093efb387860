"""Text that is no well-formed XML to an element tree, keeping every character that a browser would show.

Three steps, each linear and none recursive:

1. `tidy` settles what HTML tokenizers disagree about: comments, CDATA, self-closing tags, stray `<`
2. Beautiful Soup pairs the tags
3. `_TreeWriter` walks its tree once and writes well-formed XML: implied end tags (a new `p` ends the open
   one), one root, namespaces for `epub:`, `xlink:`, SVG and MathML, a bound on depth

libxml2's own HTML parser is not used: past its depth ceiling it drops the rest of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PreformattedString, Tag
from lxml import etree

from .repair import XHTML, remove_illegal_characters
from .tidy import tidy

_SVG = "http://www.w3.org/2000/svg"
_MATHML = "http://www.w3.org/1998/Math/MathML"
_PREFIXES = {
    "epub": "http://www.idpf.org/2007/ops",
    "xlink": "http://www.w3.org/1999/xlink",
    "ssml": "http://www.w3.org/2001/10/synthesis",
    "m": _MATHML,
    "mml": _MATHML,
    "svg": _SVG,
    "xhtml": XHTML,
}
_ISLANDS = {"svg": _SVG, "math": _MATHML}  # elements that open another vocabulary
_CAMEL_CASE = {"foreignobject": "foreignObject", "textpath": "textPath"}  # SVG names that carry text

_HEAD_ONLY = frozenset({"title", "meta", "link", "style", "script", "base", "noscript", "template"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "center", "details", "dir", "div", "dl", "fieldset"}
    | {"figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main"}
    | {"menu", "nav", "ol", "p", "pre", "section", "table", "ul"}
)
_CLOSED_BY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # start tag: (elements that it ends, elements that shield what is outside them)
    "li": (frozenset({"li"}), frozenset({"ol", "ul", "menu", "dir"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"table"})),
    "th": (frozenset({"td", "th"}), frozenset({"table"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    "thead": (frozenset({"thead", "tbody", "tfoot"}), frozenset({"table"})),
    "tbody": (frozenset({"thead", "tbody", "tfoot"}), frozenset({"table"})),
    "tfoot": (frozenset({"thead", "tbody", "tfoot"}), frozenset({"table"})),
    "option": (frozenset({"option"}), frozenset({"select", "datalist"})),
    "body": (frozenset({"head"}), frozenset()),
    "rt": (frozenset({"rt", "rp", "rb"}), frozenset({"ruby"})),
    "rp": (frozenset({"rt", "rp", "rb"}), frozenset({"ruby"})),
    "rb": (frozenset({"rt", "rp", "rb"}), frozenset({"ruby"})),
} | dict.fromkeys(
    _BLOCKS,
    (frozenset({"p"}), frozenset({"table", "td", "th", "caption", "button", "object", "foreignObject"})),
)


_RESERVED = frozenset({"http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"})
# XML forbids these characters, so they are free to stand for references; the parser passes them on as text
_HIDDEN = {"\x0e": "&amp;", "\x0f": "&lt;", "\x10": "&gt;", "\x11": "&quot;", "\x12": "&#39;"}
_NAMES = {reference: hidden for hidden, reference in _HIDDEN.items()} | {"&apos;": "\x12"}
_CHARACTERS = dict(zip("&<>\"'", _HIDDEN, strict=True))
_NUMERIC = re.compile(r"&#(?:[0-9]++|[xX][0-9a-fA-F]++);")
_XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_DECLARED_PREFIX = re.compile(r"\sxmlns:([A-Za-z_][\w.-]*+)\s*+=\s*+[\"']\s*+([^\s\"'<>]++)")
_PARSER = etree.XMLParser(huge_tree=True, recover=True, resolve_entities=False, no_network=True, collect_ids=False)


class _Soup(BeautifulSoup):
    """Pairs tags and no more: only `contents` may be followed in its tree.

    Beautiful Soup also links each node to the one after it, for which it climbs up all elements that are open: HTML
    leaves every paragraph open, and the time would grow with the square of their number.
    """

    def _linkage_fixer(self, el: Tag) -> None:
        """Not needed."""


def parse_tolerantly(text: str, depth: int) -> tuple[etree._Element, int]:
    """An XHTML tree (`html` with `head` and `body`) from any text, and how many elements it unwrapped.

    `text` has no entity references but the predefined and numeric ones. Elements deeper than `depth` are
    unwrapped: their text stays.
    """
    if "<" not in text:  # Beautiful Soup warns about text that looks like a file name
        text = f"<p>{text}</p>"
    text, declaring = _hide_references(tidy(text)), text
    soup = _Soup(text, "html.parser", multi_valued_attributes=None, on_duplicate_attribute="ignore")
    writer = _TreeWriter(_prefixes(declaring), depth)
    writer.write(soup)
    xml = "".join(writer.parts)
    for hidden, reference in _HIDDEN.items():
        xml = xml.replace(hidden, reference)
    xml, _ = remove_illegal_characters(xml)  # character references may have made some
    return etree.fromstring(xml.encode(), _PARSER), writer.flattened


def _hide_references(text: str) -> str:
    """`text` without an ampersand: Beautiful Soup takes microseconds for each, and a page may have millions."""
    for name, hidden in _NAMES.items():
        text = text.replace(name, hidden)
    return _NUMERIC.sub(lambda match: _CHARACTERS.get(char := unescape(match[0]), char), text)


def _prefixes(text: str) -> dict[str, str]:
    """The namespace prefixes in use: the customary ones and those that the document declares."""
    prefixes = dict(_PREFIXES)
    for prefix, uri in _DECLARED_PREFIX.findall(text):
        prefix = prefix.lower()  # as the parser makes every name
        uri = uri.replace("&amp;", "&")
        if not prefix.startswith("xml") and uri not in _RESERVED:
            prefixes[prefix] = uri
    return prefixes


def _first_html(soup: BeautifulSoup) -> Tag | None:
    """The first `html` element in document order, whatever is around it."""
    waiting: list[Tag] = [soup]
    while waiting:
        tag = waiting.pop()
        if tag.name == "html":
            return tag
        waiting.extend(child for child in reversed(tag.contents) if isinstance(child, Tag))
    return None


@dataclass(slots=True, eq=False)
class _Open:
    """An element that has been written and not ended."""

    name: str
    namespace: str
    closed: bool = False


class _TreeWriter:
    """Writes a Beautiful Soup tree as well-formed XML with one root, in `parts`."""

    def __init__(self, prefixes: dict[str, str], depth: int) -> None:
        self.parts: list[str] = []
        self.flattened = 0
        self._prefixes = prefixes
        self._depth = depth
        self._open: list[_Open] = []
        self._body: _Open | None = None
        self._seen_head = False

    def write(self, soup: BeautifulSoup) -> None:
        root = _first_html(soup)
        declarations = "".join(f' xmlns:{prefix}="{escape(uri)}"' for prefix, uri in sorted(self._prefixes.items()))
        attributes = self._attributes(root) if root is not None else ""
        self.parts.append(f'<html xmlns="{XHTML}"{declarations}{attributes}>')
        self._open.append(_Open("html", XHTML))
        waiting: list[tuple[Iterator[object], _Open | None]] = [(iter(soup.contents), None)]
        while waiting:
            children, element = waiting[-1]
            node = next(children, None)
            if node is None:
                waiting.pop()
                if element is not None and not element.closed and element is not self._body:
                    self._close_through(element)
            elif isinstance(node, Tag):
                waiting.append((iter(node.contents), self._start(node)))
            elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
                self._text(str(node))
        self._close_through(self._open[0])

    def _text(self, text: str) -> None:
        if text.strip() or len(self._open) > 2:
            self._leave_head_for_body(text if text.strip() else None)
        self.parts.append(escape(text, quote=False))

    def _start(self, tag: Tag) -> _Open | None:
        """Writes a start tag; None when the element is not written (a second body, or too deep)."""
        name, namespace = self._name(tag)
        if namespace == XHTML:
            if name == "html":
                return None
            if name in ("head", "body"):
                return self._start_section(name, tag)
            if name not in _HEAD_ONLY or not self._in_head():
                self._leave_head_for_body(name)
            self._imply_ends(name)
        else:
            self._leave_head_for_body(name)
        if len(self._open) >= self._depth:
            self.flattened += 1
            return None
        return self._push(name, namespace, self._attributes(tag))

    def _start_section(self, name: str, tag: Tag) -> _Open | None:
        if self._body is not None or (name == "head" and self._seen_head):
            return None
        if name == "body":
            self._end_head()
            self._body = self._push(name, XHTML, self._attributes(tag))
            return self._body
        self._seen_head = True
        return self._push(name, XHTML, "")

    def _in_head(self) -> bool:
        return self._body is None and len(self._open) > 1

    def _end_head(self) -> None:
        if self._body is None and len(self._open) > 1:
            self._close_through(self._open[1])
        self._seen_head = True

    def _leave_head_for_body(self, content: str | None) -> None:
        """Opens the body that content outside of any body implies, unless it is inside a head's title."""
        if content is None or self._body is not None:
            return
        if len(self._open) > 2 and self._open[-1].name in _HEAD_ONLY:
            return
        self._end_head()
        self._body = self._push("body", XHTML, "")

    def _imply_ends(self, name: str) -> None:
        rule = _CLOSED_BY.get(name)
        if rule is None:
            return
        ended, shields = rule
        for element in reversed(self._open):
            if element.name in ended:
                self._close_through(element)
                return
            if element.name in shields or element is self._body:
                return

    def _push(self, name: str, namespace: str, attributes: str) -> _Open:
        declaration = "" if namespace == self._open[-1].namespace else f' xmlns="{escape(namespace)}"'
        self.parts.append(f"<{name}{declaration}{attributes}>")
        element = _Open(name, namespace)
        self._open.append(element)
        return element

    def _close_through(self, element: _Open) -> None:
        while True:
            last = self._open.pop()
            last.closed = True
            self.parts.append(f"</{last.name}>")
            if last is element:
                return

    def _name(self, tag: Tag) -> tuple[str, str]:
        """Local name and namespace; what has no usable name or an unknown prefix becomes a `span`."""
        prefix, colon, local = tag.name.rpartition(":")
        namespace = self._prefixes.get(prefix) if colon else None
        if _XML_NAME.fullmatch(local) is None or (colon and namespace is None):
            return "span", XHTML
        if namespace is None:
            around = self._open[-1]
            inherited = XHTML if around.name == "foreignObject" else around.namespace
            namespace = _ISLANDS.get(local, inherited)
        if namespace == _SVG:
            local = _CAMEL_CASE.get(local, local)
        return local, namespace

    def _attributes(self, tag: Tag) -> str:
        written: dict[tuple[str | None, str], str] = {}  # two prefixes may stand for one namespace
        for name, value in tag.attrs.items():
            prefix, colon, local = name.rpartition(":")
            if name == "xmlns" or prefix == "xmlns" or _XML_NAME.fullmatch(local) is None:
                continue
            if colon and prefix != "xml" and prefix not in self._prefixes:
                continue
            key = (self._prefixes.get(prefix, prefix), local)
            written.setdefault(key, f' {name}="{escape(str(value or ""))}"')
        return "".join(written.values())
