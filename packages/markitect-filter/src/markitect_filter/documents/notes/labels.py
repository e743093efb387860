"""Stage 5: labels of notes: what looks like one, and taking a note's own label out of its start.

Labels are compared in their compatibility form (Unicode NFKC) with ASCII digits, so that `（１）`, `①` and `(١)` are
numbers like `(1)`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from lxml import etree

from markitect_filter.documents.xml_names import local_name
from markitect_filter.patterns import compiled

_OPENING = " \t\r\n\xa0\u3000[(（［〔【"
_CLOSING = ".):]）］〕】．：、"
_CLOSED = frozenset(")]）］〕】")
_SIGNS = "*†‡§¶‖#⁎∗※"
_LABEL = rf"[\[({{〔【]?(?:[0-9]{{1,4}}|[{_SIGNS}]{{1,4}}[0-9]{{0,4}}|[A-Za-z]|[ivxlIVXL]{{1,7}})[\])}}〕】.]?"
_STARTS = (
    rf"(?i)[\[({{〔【]?(?:[0-9]{{1,3}}(?=[\])}}〕】.:、\s]|$)|[0-9]{{4}}[\])}}〕】.:]|[{_SIGNS}])"
    r"|[\[({〔【](?:[a-z]|[ivxl]{1,7})[\])}〕】]"
)
_WORD = r"[^\W\d_]{3}"
_CALLS_A_NOTE = r"(?i)[\W\d_]*(?:(?:foot|end|rear|side)?notes?|nota|anm(?:erkung)?|fn|ref)?[\W\d_]*[a-z]?\W*"
_BACK = r"(?i)[\s\[({]*(?:[↩↑↵⏎←⤴⬆^▲↥]\ufe0e?\ufe0f?(?:\s*[0-9a-z]{1,3})?|back|return|zurück|retour|volver)[\s\])}.]*"
_LONGEST = 12  # characters that a label may take
_LONGEST_LABEL = 64  # with what compatibility forms expand to


def plain(text: str) -> str:
    """Text as labels are compared: compatibility characters and digits of all scripts replaced, blanks collapsed."""
    if text.isascii():
        return " ".join(text.split())
    folded = unicodedata.normalize("NFKC", text)
    if any(map(str.isdigit, folded)):
        folded = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in folded)
    return " ".join(folded.split())


def bare(label: str) -> str:
    """A label without brackets and punctuation, in lower case."""
    return _short_bare(label) if len(label) <= _LONGEST else _bare(label)


def _bare(label: str) -> str:
    return plain(label).strip(" []{}()〔〕【】.:、").lower()


_short_bare = lru_cache(maxsize=2048)(_bare)  # a book has its numbers many times


def is_label(text: str) -> bool:
    """Does a link with this text look like a reference to a note?"""
    return len(text) <= _LONGEST_LABEL and compiled(_LABEL).fullmatch(plain(text)) is not None


def is_words(label: str) -> bool:
    """Is what a reference says part of the sentence, and not a sign for the note?"""
    return compiled(_WORD).search(label) is not None and not (
        is_label(label) or compiled(_CALLS_A_NOTE).fullmatch(label)
    )


def says_back(text: str) -> bool:
    """Does a link say that it leads back to where it was referred to?"""
    return compiled(_BACK).fullmatch(text) is not None


def is_number(label: str) -> bool:
    """Is it a number or letter without anything that sets it apart, as a page or chapter may be called? Circled and
    small raised numbers are set apart."""
    return label.strip().isalnum() and not is_circled(label)


def is_circled(label: str) -> bool:
    """Is it a number in one character that sets it apart, circled or small and raised?"""
    text = label.strip()
    return not text.isascii() and text.isnumeric() and not text.isdecimal() and plain(text).isdecimal()


def starts_labelled(block: etree._Element) -> bool:
    """Does a block start with what may be the label of a note?"""
    return compiled(_STARTS).match(plain(text_start(block))) is not None


def text_start(block: etree._Element, length: int = _LONGEST) -> str:
    """The first characters of a block's text, so many of them at least, without blanks in front."""
    found = ""
    for text in block.itertext():
        found = (found + str(text)).lstrip()
        if len(found) >= length:
            break
    return found


def repeats(block: etree._Element, label: str) -> bool:
    """Does a block start with `label`, with or without brackets?"""
    text = text_start(block)[:_LONGEST]
    wanted = bare(label)
    if bare(text.partition(" ")[0]) == wanted:
        return True
    return _label_end(text, wanted, alone=False) > 0


def follows_text(link: etree._Element) -> bool:
    """Does text stand right before `link`? A look that spares most of them `at_start`."""
    previous, parent = link.getprevious(), link.getparent()
    before = previous.tail if previous is not None else parent.text if parent is not None else None
    return bool(before and before.strip(_OPENING))


def at_start(link: etree._Element, block: etree._Element) -> bool:
    """Is there no text in `block` before `link`?"""
    node = link
    while node is not block:
        sibling = node.getprevious()
        while sibling is not None:
            if (sibling.tail or "").strip(_OPENING):
                return False
            if isinstance(sibling.tag, str) and "".join(sibling.itertext()).strip(_OPENING):
                return False
            sibling = sibling.getprevious()
        parent = node.getparent()
        if parent is None:
            return False
        if (parent.text or "").strip(_OPENING):
            return False
        node = parent
    return True


def take_label(block: etree._Element, labels: set[str], backlinks: list[etree._Element]) -> int:
    """Take the note's own label out of its first text: Markdown writes it. Returns the characters taken."""
    for link in backlinks:
        if at_start(link, block):
            taken = 0
            parent = link.getparent()
            tail = link.tail or ""
            rest = re.sub(r"^\s*[.):\]）］〕】．：、]+(?=\s|$)|^\s*[)\]）］〕】]+|^\s+", "", tail, count=1)
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
    or an element that holds nothing else (`alone`): a note may well start with a number. After a closing bracket, a
    sign or a circled number no blank is needed."""
    start = len(text) - len(text.lstrip(_OPENING))
    end = _end_of(text, start, label)
    if not end:
        return 0
    rest = text[end:].lstrip(_CLOSING)
    marks = text[end : len(text) - len(rest)]
    apart = not is_number(text[start:end])
    if not rest.strip():
        return len(text) if alone or marks else 0
    if not apart and not marks:
        return 0
    free = rest[0].isspace() or apart or (start > 0 and not _CLOSED.isdisjoint(marks))
    return len(text) - len(rest.lstrip()) if free else 0


def _end_of(text: str, start: int, label: str) -> int:
    """Where `label` ends that starts at `start`, 0 if it doesn't stand there. Written out it may be shorter."""
    if not label:
        return 0
    for end in range(start + 1, min(len(text), start + len(label)) + 1):
        if bare(text[start:end]) == label:
            return end
    return 0


def _first_text(block: etree._Element) -> tuple[etree._Element | None, str]:
    """Where the first text of `block` is kept."""
    node = block
    while True:
        if (node.text or "").strip():
            return node, "text"
        if len(node):
            node = node[0]
            continue
        while node is not block:
            if (node.tail or "").strip():
                return node, "tail"
            following, parent = node.getnext(), node.getparent()
            if following is not None:
                node = following
                break
            assert parent is not None  # `block` is above
            node = parent
        else:
            return None, ""
