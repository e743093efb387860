"""The words of a page as a reader sees them, without the writer: to compare the Markdown with."""

from __future__ import annotations

import re

from lxml import etree

_UNSEEN = {"script", "style", "template", "head", "rp", "annotation", "annotation-xml", "metadata", "defs"}
_BLOCKS = {
    *(
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
    ),
    *("fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup"),
    *("hr", "legend", "main", "menu", "nav", "noscript", "ol", "optgroup", "option", "p", "pre", "search", "section"),
    *("summary", "table", "tbody", "tfoot", "thead", "ul"),
}
_LINES = {"br", "dd", "dt", "li", "tr"}
_CELLS = {"td", "th"}
_BREAKS = ("", " ", "\t", "\n", "\n\n")  # the stronger one wins where several meet
_SPACE, _CELL, _LINE, _BLOCK = range(1, 5)
_FOLDED = re.compile("[ \t\r\n\f]+")  # what XHTML folds: other spaces are text


class PageText:
    """The text of a tree; `anchors` says where in it each id is, `formulas` which spans of it are formulas."""

    def __init__(self, root: etree._Element) -> None:
        self.anchors: dict[str, int] = {}
        self.formulas: list[tuple[int, int]] = []
        self._parts: list[str] = []
        self._length = 0
        self._break = 0  # what stands before the next word, an index into `_BREAKS`
        self._waiting: list[str] = []  # ids in front of the next word
        self._verbatim = 0  # how many `pre` are open
        self._walk(root)
        self._arrive()
        self.text = "".join(self._parts)

    def _walk(self, root: etree._Element) -> None:
        """Without recursion: a page may be as deep as the limits allow."""
        formula = (0, 0)  # parts and characters before it
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event in ("comment", "pi"):
                self._add(element.tail)
            elif event == "start":
                name = _name(element)
                if name in _UNSEEN:
                    walker.skip_subtree()
                    continue
                self._part(name)
                self._verbatim += name == "pre"
                if name == "math":
                    formula = len(self._parts), self._length
                identifier = element.get("id") or (element.get("name") if name == "a" else None)
                if identifier:
                    self._waiting.append(identifier)
                self._add(element.text)
            else:
                name = _name(element)
                if name not in _UNSEEN:
                    self._part(name)
                    self._verbatim -= name == "pre"
                    if name == "math" and len(self._parts) > formula[0]:
                        gap = len(self._parts[formula[0]])
                        self.formulas.append((formula[1] + gap, self._length))
                if element is not root:
                    self._add(element.tail)

    def _part(self, name: str) -> None:
        """The break that an element makes before and after itself."""
        kind = _BLOCK if name in _BLOCKS else _LINE if name in _LINES else _CELL if name in _CELLS else 0
        self._break = max(self._break, kind)

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if self._verbatim:
            if not text.strip():
                self._break = max(self._break, _LINE if "\n" in text else _SPACE)
                return
            self._write(text.strip("\n") if self._break >= _LINE else text)
            return
        folded = _FOLDED.sub(" ", text)
        if folded.startswith(" "):
            self._break = max(self._break, _SPACE)
        if words := folded.strip(" "):
            self._write(words)
            if folded.endswith(" "):
                self._break = _SPACE

    def _write(self, words: str) -> None:
        gap = _BREAKS[self._break] if self._parts else ""
        self._parts += (gap, words)
        self._length += len(gap)
        self._arrive()
        self._length += len(words)
        self._break = 0

    def _arrive(self) -> None:
        for identifier in self._waiting:
            self.anchors.setdefault(identifier, self._length)
        self._waiting.clear()


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname.lower()
