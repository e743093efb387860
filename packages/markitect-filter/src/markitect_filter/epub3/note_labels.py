"""Stage 5: a note's own label, at its start: where it is, and taking it out, since Markdown writes one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from markitect_filter.epub3.xml_names import local_name

_OPENING = " \t\r\n[("


def bare(label: str) -> str:
    """A label without brackets and punctuation, in lower case."""
    return label.strip(" \t\r\n[](){}.:").lower()


def at_start(link: etree._Element, block: etree._Element) -> bool:
    """Is there no text in `block` before `link`?"""
    node = link
    while node is not block:
        if any(text.strip(_OPENING) for text in _text_before(node)):
            return False
        parent = node.getparent()
        if parent is None:
            return False
        if (parent.text or "").strip(_OPENING):
            return False
        node = parent
    return True


def _text_before(node: etree._Element) -> Iterator[str]:
    for sibling in node.itersiblings(preceding=True):
        yield sibling.tail or ""
        if isinstance(sibling.tag, str):
            yield from (str(text) for text in sibling.itertext())


def take_label(block: etree._Element, labels: set[str], backlinks: list[etree._Element]) -> int:
    """Take the note's own label out of its first text: Markdown writes it. Returns the characters taken."""
    for link in backlinks:
        if at_start(link, block):
            taken = 0
            parent = link.getparent()
            tail = link.tail or ""
            rest = re.sub(r"^\s*[.):\]]+(?=\s|$)|^\s+", "", tail, count=1)
            if parent is not None and parent.text and parent.text.strip() and link.getprevious() is None:
                taken += len("".join(parent.text.split()))  # the opening bracket of "[1]"
                parent.text = None
            link.tail = rest
            return taken + len("".join(tail.split())) - len("".join(rest.split()))
    first, attribute = _first_text(block)
    if first is None:
        return 0
    text = str(getattr(first, attribute))
    for label in sorted(labels, key=len, reverse=True):
        end = _label_end(text, bare(label), alone=local_name(first) in ("sup", "span", "b"))
        if end:
            setattr(first, attribute, text[end:])
            return len("".join(text[:end].split()))
    return 0


def _label_end(text: str, label: str, *, alone: bool) -> int:
    """Where a note's own label at the start of `text` ends, 0 if there is none. A number needs punctuation after it,
    or an element that holds nothing else (`alone`): a note may well start with a number."""
    start = len(text) - len(text.lstrip(_OPENING))
    end = start + len(label)
    if not label or text[start:end].lower() != label:
        return 0
    rest = text[end:].lstrip(".):]")
    punctuated = len(rest) < len(text) - end
    if not rest.strip():
        return len(text) if alone or punctuated else 0
    if label.isalnum() and not punctuated:
        return 0
    return len(text) - len(rest.lstrip()) if rest[0].isspace() or not label.isalnum() else 0


def _first_text(block: etree._Element) -> tuple[etree._Element | None, str]:
    """Where the first text of `block` is kept."""
    for event, node in etree.iterwalk(block, events=("start", "end")):
        if event == "start":
            if node.text and node.text.strip():
                return node, "text"
        elif node is not block and node.tail and node.tail.strip():
            return node, "tail"
    return None, ""
