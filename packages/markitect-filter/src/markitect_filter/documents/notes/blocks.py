"""Stage 5: the block that a note's anchor stands for, and what the markup calls notes."""

from __future__ import annotations

from lxml import etree

from markitect_filter.documents.notes.labels import bare, plain
from markitect_filter.documents.semantics import values_of
from markitect_filter.documents.xml_names import OPS, local_name
from markitect_filter.patterns import compiled

NOTE = frozenset({"footnote", "endnote", "rearnote", "note", "doc-footnote", "doc-endnote", "annotation"})
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
BLOCKS = frozenset(["p", "li", "div", "aside", "dt", "dd", "section", "article", "blockquote", "td", "th"])

_TYPE = f"{{{OPS}}}type"
_NO_TYPES: frozenset[str] = frozenset()
_NOTES = frozenset({"footnotes", "endnotes", "rearnotes", "notes", "doc-endnotes", "doc-footnotes"})
_NOTE_CLASS = r"(?i)(?:foot|end|rear)[-_]?note"
_NOTE_ID = r"(?i)_?(?:(?:sd)?(?:foot|end|rear)?note|s?fn|ftn|en|edn|endn)[-_.]?[0-9]+"
_NOTES_NAME = r"(?i)(?:(?:foot|end|rear)[-_]?)?notes(?:[-_]?(?:section|block|list|area))?"
_NOTES_TITLE = (
    r"(?i)(?:(?:foot|end)?notes?|notes? (?:to|on|for) .{1,60}|anmerkungen|(?:fuß|fuss|end)noten|noten|notities|notas"
    r"|notas (?:al pie|a pie de página|de rodapé)|notes de (?:bas de page|fin)|note a piè di pagina"
    r"|fotnoter|noter|przypisy|poznámky|примечания|сноски|注|注释|註釋|註|脚注|注記|訳注)[\s.:：—-]*"
)
_LONGEST_LABEL = 40  # characters, with all that may stand around it
_WRAPPERS = frozenset(["li", "aside", "dd", "div"])
_HAS_TEXT_OF_ITS_OWN = frozenset(
    ["img", "image", "svg", "math", "object", "embed", "audio", "video", "iframe", "table"]
)


def types_of(element: etree._Element) -> frozenset[str]:
    """The element's `epub:type` values and ARIA roles."""
    kinds = element.get(_TYPE)
    role = element.get("role")
    if kinds and role:
        return frozenset((*values_of(kinds), *values_of(role)))
    return frozenset(values_of(kinds or role)) if kinds or role else _NO_TYPES


def is_element(node: etree._Element) -> bool:
    """Is it an element, not a comment or processing instruction?"""
    return isinstance(node.tag, str)


def is_called_notes(element: etree._Element) -> bool:
    """Does it say that it holds notes, by its type, class or id?"""
    if types_of(element) & _NOTES:
        return True
    names = [*(element.get("class") or "").split(), element.get("id") or ""]
    return any(compiled(_NOTES_NAME).fullmatch(name) for name in names)


def is_notes_title(heading: etree._Element) -> bool:
    """Is it a heading such as "Notes"?"""
    return compiled(_NOTES_TITLE).fullmatch(plain("".join(heading.itertext()))) is not None


def is_marked(element: etree._Element) -> bool:
    """Is it marked as a note, or an item of a section that is marked as one of notes?"""
    if types_of(element) & NOTE:
        return True
    parent = element.getparent()
    depth = 0
    while parent is not None and depth < 3:
        if types_of(parent) & _NOTES:
            return local_name(element) in ("li", "aside", "dd", "p", "div")
        parent = parent.getparent()
        depth += 1
    return False


def is_named(element: etree._Element) -> bool:
    """Does its class call it a note, one and not several?"""
    return any(compiled(_NOTE_CLASS).fullmatch(name) for name in (element.get("class") or "").split())


def has_id_of_note(element: etree._Element) -> bool:
    """Is its id that of a single note, such as `ftn1`?"""
    return compiled(_NOTE_ID).fullmatch(element.get("id") or "") is not None


def has_content(element: etree._Element) -> bool:
    """Is there anything to see in it: text, a picture, a formula?"""
    if any(text.strip() for text in element.itertext()):
        return True
    return any(local_name(inner) in _HAS_TEXT_OF_ITS_OWN for inner in element.iter(etree.Element))


def _text(element: etree._Element) -> str:
    return str(etree.tostring(element, method="text", encoding="unicode", with_tail=False))


def _shows_long_text(block: etree._Element, without: set[etree._Element]) -> bool:
    """Is one piece of text in a block or its children, but for the links `without`, longer than any label?"""
    for child in block.iterchildren(etree.Element):
        text, tail = child.text, child.tail
        if text and len(text.strip()) > _LONGEST_LABEL and child not in without:
            return True
        if tail and len(tail.strip()) > _LONGEST_LABEL:
            return True
    text = block.text
    return text is not None and len(text.strip()) > _LONGEST_LABEL


def is_only_label(block: etree._Element, labels: set[str], without: list[etree._Element]) -> bool:
    """Does a block hold nothing but one of `labels` (as `bare` gives them) and the links `without`?"""
    left_out = set(without)
    if _shows_long_text(block, left_out):
        return False  # as most notes
    most = _LONGEST_LABEL + sum(len(_text(link)) for link in without)
    if len("".join(_text(block)[: 4 * most].split())) > most:
        return False
    found = ""
    for event, node in etree.iterwalk(block, events=("start", "end")):
        if event == "start":
            if node in left_out:
                found += "\0"  # its text is not the note's
            elif "\0" not in found:
                if local_name(node) in _HAS_TEXT_OF_ITS_OWN:
                    return False
                found += node.text or ""
        else:
            if node in left_out:
                found = found.replace("\0", "", 1)
            if node is not block and "\0" not in found:
                found += node.tail or ""
        if len(found.strip()) > _LONGEST_LABEL:
            return False
    rest = bare(found)
    return not rest or rest in labels


def block_of(element: etree._Element) -> etree._Element | None:
    """The block around a note's anchor, where that can be a note: for the term of a definition list its definition."""
    block: etree._Element | None = element
    while block is not None and local_name(block) not in BLOCKS:
        block = block.getparent()
    if block is None or local_name(block) in ("td", "th"):
        return None
    if local_name(block) == "dt":
        following = next(block.itersiblings(etree.Element), None)
        return following if following is not None and local_name(following) == "dd" else None
    if local_name(block) in ("section", "article", "blockquote"):
        # a whole section only when the anchor is its own, and it is no chapter
        has_heading = any(local_name(e) in HEADINGS for e in block.iterdescendants(etree.Element))
        return block if block is element and not has_heading else None
    return block


def wrapper_of(block: etree._Element) -> etree._Element | None:
    """The element that starts with `block`, if it may be the whole note."""
    parent = block.getparent()
    if parent is None or (parent.text or "").strip() or block.getprevious() is not None:
        return None
    return parent if local_name(parent) in _WRAPPERS else None
