"""The MathML tree to one fragment, without recursion and in linear time.

Document order read backwards meets every element after its children, whose fragments then are the last on a stack.
So one loop over the nodes is enough, and the depth of the input is no depth of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lxml import etree

from . import content, presentation
from .fragment import COMMENT, EMPTY, Fragment, Kind
from .names import NAMESPACE, local_name, resolved, shown_name, text_of
from .presentation import Handler
from .rows import row
from .tables import row_of
from .tokens import text, token

#: Deeper nesting makes no readable formula. Such a formula keeps its text only, which also keeps the work linear:
#: every level that adds TeX copies what is inside it. Groups of one child add none and don't count.
MAX_DEPTH = 256

#: Names for nodes that are no element of MathML.
_ANNOTATION, _FOREIGN, _UNKNOWN, _ENTITY, _COMMENT = (
    "#annotation",
    "#foreign",
    "#unknown",
    "#entity",
    "#comment",
)


def _skipped(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    return COMMENT


def _foreign(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """An element of XHTML or SVG among MathML: its words."""
    words = text(text_of(element))
    if words.tex:
        problems.append(shown_name(element))
    return words


def _unknown(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    inside = row(children)
    if inside.tex or (element.text and not element.text.isspace()):
        problems.append(shown_name(element))
    return inside


def _entity(element: etree._Element, children: Sequence[Fragment], problems: list[str]) -> Fragment:
    """A reference that the parser left alone, where an element belongs."""
    reference = element.text or ""
    words = resolved(reference)
    if words == reference:
        problems.append(reference)
    return token("mo", words)


_OTHERS: dict[str, Handler] = {
    _ANNOTATION: _skipped,
    _COMMENT: _skipped,
    _FOREIGN: _foreign,
    _UNKNOWN: _unknown,
    _ENTITY: _entity,
}
_NAMES: dict[str, Handler] = {**presentation.HANDLERS, **content.HANDLERS}
_HANDLERS = {**_NAMES, **{NAMESPACE + name: handler for name, handler in _NAMES.items()}, **_OTHERS}
_TOKENS = {prefix + name: name for prefix in ("", NAMESPACE) for name in ("mi", "mn", "mo", "mtext")}
_KNOWN = frozenset(_HANDLERS) | frozenset(_TOKENS)
#: Their handlers read the text themselves; anywhere else text outside a token is stray, and kept.
_READ_TEXT = frozenset(
    (*_OTHERS, *(prefix + name for prefix in ("", NAMESPACE) for name in ("ms", *content.TOKENS)))
) - {_UNKNOWN}


def convert(root: etree._Element, problems: list[str]) -> Fragment:
    """The fragment of a MathML element. Names of what has no TeX are added to `problems`."""
    nodes = list(root.iter())
    names = cast("list[str]", [node.tag for node in nodes])  # also functions, the tags of comments
    irregular = not _KNOWN.issuperset(names)
    if irregular:
        nodes, names = _named(root)
        counts = [0 if name in _OPAQUE else len(node) for node, name in zip(nodes, names, strict=True)]
    else:
        counts = [len(node) for node in nodes]
    if len(nodes) > MAX_DEPTH and _depth(names, counts) > MAX_DEPTH:
        problems.append("depth")
        return text(text_of(root))
    stack: list[Fragment] = []
    for node, name, count in zip(reversed(nodes), reversed(names), reversed(counts), strict=True):
        children: list[Fragment] = []
        if count:
            children = stack[: -count - 1 : -1]
            del stack[-count:]
            if irregular:
                children = [child for child in children if child is not COMMENT]
        if name in _TOKENS:
            words = text_of(node) if len(node) else node.text or ""
            fragment = token(_TOKENS[name], words, node.get("mathvariant"), node.get("form"))
        else:
            fragment = _HANDLERS[name](node, children, problems)
            stray = node.text
            if stray and not stray.isspace() and name not in _READ_TEXT:
                fragment = _with_text(text(stray), fragment, EMPTY)
        tail = node.tail
        if tail and not tail.isspace() and node is not root:
            fragment = _with_text(EMPTY, fragment, text(tail))
        stack.append(fragment)
    return stack[0]


_OPAQUE = frozenset((*_TOKENS, _ANNOTATION, _FOREIGN, _COMMENT, _ENTITY))


def _named(root: etree._Element) -> tuple[list[etree._Element], list[str]]:
    """Nodes in document order with the names of their handlers; not those inside tokens and annotations."""
    nodes: list[etree._Element] = []
    names: list[str] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        name = _name(node)
        nodes.append(node)
        names.append(name)
        if name not in _OPAQUE:
            waiting.extend(reversed(node))
    return nodes, names


def _name(node: etree._Element) -> str:
    if not isinstance(node.tag, str):
        return _ENTITY if isinstance(node, etree._Entity) else _COMMENT
    name = local_name(node)
    if name is None:
        return _FOREIGN
    if name in ("annotation", "annotation-xml"):
        return _ANNOTATION
    return name if name in _KNOWN else _UNKNOWN


_GROUPS = frozenset(
    prefix + name for prefix in ("", NAMESPACE) for name in ("math", "mrow", "mpadded", "mstyle", "merror", "semantics")
)


def _depth(names: Sequence[str], counts: Sequence[int]) -> int:
    """Levels of nesting, without groups of one child."""
    stack: list[int] = []
    for name, count in zip(reversed(names), reversed(counts), strict=True):
        height = 0
        if count:
            height = max(stack[-count:])
            del stack[-count:]
        stack.append(height if count == 1 and name in _GROUPS else height + 1)
    return stack[0]


def _with_text(before: Fragment, fragment: Fragment, after: Fragment) -> Fragment:
    """Stray words beside a fragment; in a row of a table they go to its first or last cell."""
    if fragment.kind is not Kind.TABLE_ROW:
        return row([before, fragment, after])
    parts = list(fragment.parts) or [EMPTY]
    parts[0] = row([before, parts[0]])
    parts[-1] = row([parts[-1], after])
    return row_of(parts, fragment.core)
