"""What of a page is its content, by its landmarks (ARIA 1.2, HTML Accessibility API Mappings 1.0) and nothing else.

1. The one `main` element (or `role="main"`) that is shown and holds something is the content.
2. Else the one `article` is, if it is no part of a section, another article or a landmark, and all headings of the page
   are in it or in landmarks.
3. Else the body is, without the landmarks `navigation`, `banner`, `contentinfo`, `complementary` and `search` that are
   not inside of an article. A banner with the only `h1` of the page stays.

Where two elements would do, or nothing would be left, the next rule holds. Names, classes and the amount of text say
nothing here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from lxml import etree

from markitect_filter.documents.xml_names import OPS, XHTML

Kind = Literal["main", "article", "body"]

OUTSIDE = "outside-main"
"""The reason for what is left out around the content and is no landmark."""

_H = f"{{{XHTML}}}"
_MAIN = etree.XPath("descendant::*[self::h:main[not(@role)] or @role='main']", namespaces={"h": XHTML})
_ARTICLE = etree.XPath("descendant::h:article[not(@role) or @role='article']", namespaces={"h": XHTML})
_TYPE = f"{{{OPS}}}type"
_BY_ROLE = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
_ROLES = {"doc-toc": "navigation", "doc-pagelist": "navigation", "doc-index": ""}
_BY_NAME = {f"{_H}nav": "navigation", f"{_H}search": "search"}
_BY_NAME_OF_PAGE = {f"{_H}header": "banner", f"{_H}footer": "contentinfo", f"{_H}aside": "complementary"}
_SECTIONING = frozenset({f"{_H}article", f"{_H}aside", f"{_H}nav", f"{_H}section", f"{_H}main"})
_OWN = frozenset({f"{_H}article", f"{_H}main"})  # what they hold is the author's text
_SILENT = frozenset(f"{_H}{name}" for name in ("script", "style", "template", "noscript", "head"))
_SHOWN = frozenset(
    f"{_H}{name}" for name in ("img", "object", "embed", "audio", "video", "iframe", "picture")
) | frozenset({"{http://www.w3.org/2000/svg}svg", "{http://www.w3.org/1998/Math/MathML}math"})
_H1 = f"{_H}h1"
_HEADINGS = frozenset(f"{_H}h{level}" for level in range(1, 7))


@dataclass(slots=True)
class Content:
    """What is converted: `root` and below, and with it whatever is not below an element of `left_out` (-> reason)."""

    root: etree._Element
    kind: Kind
    left_out: dict[etree._Element, str] = field(default_factory=dict)

    def holds(self, element: etree._Element) -> bool:
        """Is `element` part of the content?"""
        node: etree._Element | None = element
        while node is not None:
            if node in self.left_out:
                return False
            node = node.getparent()
        return True

    def spare(self, elements: Iterable[etree._Element]) -> None:
        """Take elements in that were left out with what is around them: notes that the content refers to."""
        spared = [element for element in elements if not self.holds(element)]
        tops: dict[etree._Element, list[etree._Element]] = {}
        for element in spared:
            top = next((node for node in (element, *element.iterancestors()) if node in self.left_out), element)
            tops.setdefault(top, []).append(element)
        for top, kept in tops.items():
            reason = self.left_out.pop(top)
            if top not in kept:
                self.left_out.update(split(top, kept, reason))


def find_content(body: etree._Element, *, everything: bool = False) -> Content:
    """The content of a page. Changes the tree: text between elements that is left out gets an element of its own."""
    if everything:
        return Content(body, "body")
    root, kind = _marked(body)
    if root is not None:
        return Content(root, kind, dict(split(body, [root], OUTSIDE)))
    left_out = _landmarks(body)
    if not says_something(body, left_out):
        left_out = {}
    return Content(body, "body", left_out)


def _marked(body: etree._Element) -> tuple[etree._Element | None, Kind]:
    """The element that is marked as the content."""
    if marked := set(_MAIN(body)):
        mains = _outermost(body, marked)
        if len(mains) == 1 and says_something(mains[0]):
            return mains[0], "main"
        if mains:
            return None, "body"
    if marked := set(_ARTICLE(body)):
        articles = _outermost(body, marked)
        if len(articles) == 1 and says_something(articles[0]):
            within = any(
                each.tag in _SECTIONING or _landmark(each, inside=False) for each in articles[0].iterancestors()
            )
            if not within and not _has_heading_of_its_own(body):
                return articles[0], "article"
    return None, "body"


def _outermost(body: etree._Element, wanted: Collection[etree._Element]) -> list[etree._Element]:
    """The elements of `wanted` that are shown and in no other of them, in document order; no more than two."""
    found: list[etree._Element] = []
    waiting = [body]
    while waiting and len(found) < 2:
        element = waiting.pop()
        if is_hidden(element):
            continue
        if element in wanted:
            found.append(element)
        else:
            waiting.extend(element.iterchildren(etree.Element, reversed=True))
    return found


def _has_heading_of_its_own(body: etree._Element) -> bool:
    """Has the page a heading that is in no article and no landmark?"""
    waiting = [body]
    while waiting:
        for child in waiting.pop().iterchildren(etree.Element):
            if child.tag in _HEADINGS:
                return True
            if child.tag not in _OWN and not _landmark(child, inside=False):
                waiting.append(child)
    return False


def is_hidden(element: etree._Element) -> bool:
    """Has it the attribute `hidden`? What is hidden until somebody finds it is content."""
    value = element.get("hidden")
    return value is not None and value.strip().lower() != "until-found"


def _landmark(element: etree._Element, *, inside: bool) -> str:
    """The landmark that an element is, "" for none; `inside` of sectioning content a header is that of a section."""
    role = (element.get("role") or "").split()
    if role:
        return role[0] if role[0] in _BY_ROLE else _ROLES.get(role[0], "")
    tag = element.tag
    if tag in _BY_NAME:
        return _BY_NAME[str(tag)]
    if tag in _BY_NAME_OF_PAGE and not inside and element.get(_TYPE) is None:
        return _BY_NAME_OF_PAGE[str(tag)]
    return ""


def _landmarks(body: etree._Element) -> dict[etree._Element, str]:
    """The landmarks of a page without marked content."""
    found: dict[etree._Element, str] = {}
    banners: list[etree._Element] = []
    titled = False
    waiting: list[tuple[etree._Element, bool]] = [(body, False)]
    while waiting:
        element, inside = waiting.pop()
        for child in element.iterchildren(etree.Element):
            landmark = _landmark(child, inside=inside)
            if landmark:
                found[child] = landmark
                if landmark == "banner":
                    banners.append(child)
            elif child.tag in _OWN:
                titled = titled or next(child.iter(_H1), None) is not None
            else:
                titled = titled or child.tag == _H1
                waiting.append((child, inside or child.tag in _SECTIONING))
    if not titled:
        banner = next((each for each in banners if next(each.iter(_H1), None) is not None), None)
        if banner is not None:
            del found[banner]
            found.update(_inner_landmarks(banner))
    return found


def _inner_landmarks(banner: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    waiting = [banner]
    while waiting:
        for child in waiting.pop().iterchildren(etree.Element):
            landmark = _landmark(child, inside=True)
            if landmark:
                yield child, landmark
            else:
                waiting.append(child)


def split(top: etree._Element, kept: Collection[etree._Element], reason: str) -> Iterator[tuple[etree._Element, str]]:
    """Everything below `top` but `kept` and what is around it, as elements to leave out; landmarks by their name.

    Text that stands bare between them moves into a `span`, so that there is an element to leave out.
    """
    around = {top}
    for element in kept:
        for node in element.iterancestors():
            if node in around:
                break
            around.add(node)
    for parent in around:
        wrapper = _wrapped(parent, None) if (parent.text or "").strip() else None
        if wrapper is not None:
            yield wrapper, reason
        for child in list(parent.iterchildren(etree.Element)):
            if child not in around and child not in kept and child is not wrapper:
                yield child, _landmark(child, inside=parent.tag in _SECTIONING) or reason
            if (child.tail or "").strip():
                yield _wrapped(parent, child), reason


def _wrapped(parent: etree._Element, before: etree._Element | None) -> etree._Element:
    """A new element with the text of `parent`, or with that after its child `before`."""
    span = parent.makeelement(f"{_H}span")
    if before is None:
        span.text, parent.text = parent.text, None
        parent.insert(0, span)
    else:
        span.text, before.tail = before.tail, None
        before.addnext(span)
    return span


def says_something(root: etree._Element, left_out: Collection[etree._Element] = ()) -> bool:
    """Is there anything to see in `root`, apart from what is left out: text, a picture, a formula?"""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element in left_out or element.tag in _SILENT or is_hidden(element):
            continue
        if element.tag in _SHOWN or (element.text or "").strip():
            return True
        for child in element.iterchildren(etree.Element):
            if (child.tail or "").strip():
                return True
            waiting.append(child)
    return False
