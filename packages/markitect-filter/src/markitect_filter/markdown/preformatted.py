"""The handler of preformatted text: a fence, and after it what a fence can't hold."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from markitect_filter.patterns import compiled

from .inline import longest_run
from .layout import FENCE
from .ledger import nonblank
from .marks import CODE, CODE_END, NOTE, SOFT_BREAK, NoteReference
from .media import image
from .tree import count_text, local_name, text_of
from .writer import End, Writer, done

_WORD = r"\s*([^\s`;]+)"
_LANGUAGE = r"(?:^|\s)(?:lang(?:uage)?-|sourceCode\s+|brush:\s*)([^\s`;]+)"


def preformatted(writer: Writer, element: etree._Element) -> End:
    """pre: a fence around its text, untouched. In a cell its lines are code spans."""
    text = _text(writer, element).replace("\r\n", "\n").replace("\r", "\n")
    if writer.soft:
        for line in text.split("\n"):
            if line.strip():
                writer.pieces += [SOFT_BREAK, CODE, line, CODE_END]
        writer.note_flattened("code in a cell")
        _follow_up(writer, element)
        return done
    writer.inner_marks(element)
    writer.flush()
    writer.ledger.emitted += nonblank(text)
    if text.strip():
        fence = "`" * max(3, longest_run(text, "`") + 1)
        end = "" if text.endswith("\n") else "\n"
        writer.add_block(FENCE, f"{fence}{_language(element)}\n{text}{end}{fence}")
    _follow_up(writer, element)
    return done


def _text(writer: Writer, element: etree._Element) -> str:
    """The text with its line breaks; one right after the start tag is not text (HTML, the pre element)."""
    first = (element.text or "").removeprefix("\r").removeprefix("\n")
    if not len(element):
        return first
    parts = [first] if first else []
    links = 0
    stack: list[tuple[Iterator[etree._Element], etree._Element]] = []
    children = iter(element)
    while True:
        for node in children:
            directive = writer.directives.get(node)
            if directive is not None and directive.skip is not None:
                writer.ledger.skip(directive.skip, count_text(node))
                _append(parts, node.tail)
                continue
            name = local_name(node)
            links += name == "a" and node.get("href") is not None
            if name:  # else a comment or processing instruction
                _start_line(parts, node, br=name == "br")
                _append(parts, node.text)
            if len(node):
                stack.append((children, node))
                children = iter(node)
                break
            _start_line(parts, node)
            _append(parts, node.tail)
        else:
            if not stack:
                break
            children, node = stack.pop()
            _start_line(parts, node)
            _append(parts, node.tail)
    if links:
        writer.note_flattened("link in code", links)
    return "".join(parts)


def _append(parts: list[str], text: str | None) -> None:
    if text:
        parts.append(text)


def _start_line(parts: list[str], node: etree._Element, *, br: bool = False) -> None:
    """A line break where `node` makes one: a br, or the border of a block inside of a line."""
    from .elements import ELEMENTS

    if br or (ELEMENTS[node.tag][0] and parts and parts[-1][-1] != "\n"):
        parts.append("\n")


def _follow_up(writer: Writer, element: etree._Element) -> None:
    """What a fence can't hold comes after it: pictures, and references to notes (their labels stay in the code)."""
    if not len(element):
        return
    for node in list(element.iter(etree.Element)):  # all at once: letting one go costs its depth
        directive = writer.directives.get(node)
        if directive is not None and directive.noteref is not None:
            label = " ".join(text_of(node).split())
            writer.pieces.append(writer.late.add(NOTE, NoteReference(directive.noteref, label, directive.superscript)))
        elif local_name(node) == "img":
            image(writer, node)


def _language(element: etree._Element) -> str:
    for candidate in (element, *element.iterchildren("{*}code")):
        match = compiled(_WORD).match(candidate.get("data-code-language") or "")  # HTMLBook
        match = match or compiled(_LANGUAGE).search(candidate.get("class") or "")
        if match:
            return match[1]
    return ""
