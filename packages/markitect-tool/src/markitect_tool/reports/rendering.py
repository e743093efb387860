"""Canonical Markdown as HTML that is safe by construction.

Every tag and attribute is written here; of the Markdown only text gets through, escaped. Raw HTML is text too, but for
the few forms of the dialect (docs/canonical-markdown.md). The words are kept apart from the tags, so that differences
can be marked when they are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from markitect_tool.errors import MissingDependencyError
from markitect_tool.reports.words import FORMULA, NOTE, PICTURE, plain

if TYPE_CHECKING:
    from markdown_it.token import Token

Picture = Callable[[str], str | None]
"""From a picture's destination in the Markdown to a `data:` URL; None where there is nothing to show."""

_ANCHOR = re.compile(r"""<a id=(?:"([^"<>]*)"|'([^'<>]*)')>\Z""")
_TAG = re.compile(r"<(/?)(sup|sub|ruby|rb|rt|rtc)>\Z")
_ANY_TAG = re.compile(r"<[^<>]*>")
_BREAK = re.compile(r"<br ?/?>\Z")
_LINK = re.compile(r"(?:https?://|mailto:)\S*\Z", re.IGNORECASE)
_ALIGN = re.compile(r"text-align:(left|right|center)")

_BLOCK_TAGS = {"blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "p", "hr"}
_INLINE_TAGS = {"em": "em", "strong": "strong", "s": "s"}

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StandIn:
    """What stands in the text as one character."""

    char: str  # `PICTURE`, `FORMULA`, `NOTE`
    text: str  # alternative text, TeX, label


@dataclass(slots=True)
class Block:
    """A paragraph, an item of a list, a table, a footnote: HTML, and between it spans of the text."""

    start: int
    parts: list[str | Span] = field(default_factory=list)
    end: int = 0
    note: str | None = None  # the footnote's label


@dataclass(frozen=True, slots=True)
class Rendered:
    """A segment: its text, as read by a person, and its blocks."""

    text: str
    blocks: Sequence[Block]
    stand_ins: Sequence[StandIn]


class Renderer:
    """Renders segments of one document. Raises `MissingDependencyError` without the libraries of the extra."""

    def __init__(self, picture: Picture = lambda destination: None) -> None:
        try:
            from markdown_it import MarkdownIt
            from mdit_py_plugins.dollarmath import dollarmath_plugin
            from mdit_py_plugins.footnote import footnote_plugin
        except ImportError as error:
            raise MissingDependencyError(
                f"A report needs {error.name}, which cannot be imported.",
                hint="Install it: pip install markitect-tool[report]",
                dependency=error.name,
                install="pip install markitect-tool[report]",
            ) from error

        self._picture = picture
        self._parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        self._parser.use(footnote_plugin).use(
            dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True
        )
        # Definitions stay where they are, used or not.
        self._parser.disable(["footnote_tail", "footnote_inline"])

    def render(self, markdown: str, notes: str) -> Rendered:
        """`notes` begins the ids of this segment's footnotes: their labels are unique in a segment only."""
        return _Rendering(self._picture, notes).render(self._parser.parse(markdown))


@dataclass(slots=True)
class _Wrapper:
    """A quote or list that is written anew around each of its parts."""

    tag: str
    number: int  # of the next item

    def opening(self) -> str:
        if self.tag != "ol":
            return f"<{self.tag}>"
        self.number += 1
        return f'<ol start="{self.number - 1}">'


class _Rendering:
    """One segment."""

    def __init__(self, picture: Picture, notes: str) -> None:
        self._picture = picture
        self._notes = notes
        self._text: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._stand_ins: list[StandIn] = []
        self._around: list[_Wrapper] = []  # the quotes and the list around a block
        self._open: list[str] = []  # inline elements
        self._referred: set[str] = set()

    def render(self, tokens: Sequence[Token]) -> Rendered:
        """Quotes and lists are taken apart: each paragraph and each item can stand beside its own in the source."""
        depth = 0
        block: Block | None = None
        for token in tokens:
            if depth == len(self._around) and self._enter_or_leave(token):
                depth += token.nesting
                continue
            if block is None:
                block = Block(self._length)
                self._blocks.append(block)
                self._parts = block.parts
                self._html("".join(wrapper.opening() for wrapper in self._around))
            depth += token.nesting
            self._block(token, block)
            if depth == len(self._around):
                self._html("".join(f"</{wrapper.tag}>" for wrapper in reversed(self._around)))
                self._say("\n")
                block.end = self._length
                block = None
        return Rendered("".join(self._text), self._blocks, self._stand_ins)

    def _enter_or_leave(self, token: Token) -> bool:
        """Whether `token` begins or ends a quote, or a list that is in none, whose parts are blocks of their own."""
        if token.nesting < 0 and self._around and token.tag == self._around[-1].tag:
            self._around.pop()
            return True
        in_list = any(wrapper.tag != "blockquote" for wrapper in self._around)
        if token.nesting > 0 and not in_list and token.tag in ("blockquote", "ul", "ol"):
            start = token.attrGet("start")
            self._around.append(_Wrapper(token.tag, 1 if start is None else int(start)))
            return True
        return False

    # Blocks

    def _block(self, token: Token, block: Block) -> None:
        name = token.type.removesuffix("_open").removesuffix("_close")
        if token.type == "inline":
            self._inline(token.children or [])
        elif name == "heading":
            # A heading of the book is none of the page: a person who hears the page must not lose the way.
            level = int(token.tag[1:])
            self._html(
                f'<p role="heading" aria-level="{level + 3}" class="h{level}" dir="auto">'
                if token.nesting > 0
                else "</p>"
            )
            self._border(token)
        elif name == "paragraph":
            if not token.hidden:
                self._html('<p dir="auto">' if token.nesting > 0 else "</p>")
            self._border(token)
        elif name in ("fence", "code_block"):
            self._html("<pre><code>")
            self._words(token.content)
            self._html("</code></pre>")
        elif name == "math_block":
            self._formula(token.content.strip("\n"), block=True)
        elif name == "html_block":
            self._html('<p dir="auto">')
            self._raw(token.content)
            self._close_all()
            self._html("</p>")
        elif name == "footnote_reference":
            self._definition(token, block)
        elif token.tag in _BLOCK_TAGS:
            self._tag(token)
            self._border(token)
        else:
            raise AssertionError(f"no rule for {token.type}")  # the parser has no rules but those above

    def _tag(self, token: Token) -> None:
        if token.nesting < 0:
            self._html(f"</{token.tag}>")
            return
        attributes = ""
        if token.tag == "ol" and (start := token.attrGet("start")) is not None:
            attributes = f' start="{int(start)}"'
        elif token.tag in ("td", "th") and (align := _ALIGN.match(str(token.attrGet("style") or ""))):
            attributes = f' class="{align[1]}"'
        self._html(f"<{token.tag}{attributes}>")

    def _border(self, token: Token) -> None:
        """Blocks part words."""
        if token.nesting < 0:
            self._say("\n")

    def _definition(self, token: Token, block: Block) -> None:
        if token.nesting < 0:
            self._html("</div>")
            return
        label = block.note = str(token.meta["label"])
        back = ""
        if label in self._referred:
            back = f' <a href="#{self._note("r", label)}" aria-label="Back to reference {_quoted(label)}">↩</a>'
        self._html(f'<div class="note" id="{self._note("n", label)}">')
        self._html(f'<span class="label"><bdi>{escape(label)}</bdi>{back}</span>')

    # Inside of blocks

    def _inline(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            kind = token.type
            if kind == "text":
                self._words(token.content)
            elif kind == "softbreak":
                self._words("\n")
            elif kind == "hardbreak":
                self._line()
            elif kind == "code_inline":
                self._html("<code>")
                self._words(token.content)
                self._html("</code>")
            elif kind == "html_inline":
                self._raw(token.content)
            elif kind == "image":
                self._image(token)
            elif kind in ("math_inline", "math_inline_double"):
                self._formula(token.content, block=kind != "math_inline")
            elif kind == "footnote_ref":
                self._reference(str(token.meta["label"]))
            elif kind == "link_open":
                self._link(str(token.attrGet("href") or ""))
            elif kind == "link_close":
                self._close("a")
            else:
                tag = _INLINE_TAGS[token.tag]
                if token.nesting > 0:
                    self._start(tag)
                else:
                    self._close(tag)
        self._close_all()

    def _link(self, target: str) -> None:
        if target.startswith("#"):
            self._start("a", f' href="#{_anchor(target[1:])}"')
        elif _LINK.match(target):
            shown = _quoted(target)
            self._start("a", f' href="{shown}" title="{shown}" rel="noopener noreferrer nofollow" target="_blank"')
        else:  # into the source, which does not come along
            self._start("a", f' title="{_quoted(target)}"')

    def _image(self, token: Token) -> None:
        text = "".join(_plain(token.children or []))
        address = self._picture(str(token.attrGet("src") or ""))
        if address is not None:
            self._html(f'<img src="{_quoted(address)}" alt="{_quoted(text)}" loading="lazy" decoding="async">')
        else:
            shown = f"<bdi>{escape(text)}</bdi>" if text.strip() else "no description"
            self._html(f'<span class="picture"><span class="kind">Picture</span> {shown}</span>')
        self._stand(StandIn(PICTURE, text))

    def _formula(self, tex: str, *, block: bool) -> None:
        self._html(f'<code class="{"tex display" if block else "tex"}">{escape(tex)}</code>')
        self._stand(StandIn(FORMULA, tex))

    def _reference(self, label: str) -> None:
        first = "" if label in self._referred else f' id="{self._note("r", label)}"'
        self._referred.add(label)
        self._html(f'<sup class="ref"{first}><a href="#{self._note("n", label)}">{escape(label)}</a></sup>')
        self._stand(StandIn(NOTE, label))

    def _raw(self, markup: str) -> None:
        """Raw HTML: the forms of the dialect, and for the rest its text, so that a person sees what stands there."""
        position = 0
        for found in _ANY_TAG.finditer(markup):
            self._words(markup[position : found.start()])
            position = found.end()
            tag = found[0]
            if anchor := _ANCHOR.match(tag):
                self._html(f'<span id="{_anchor(anchor[1] or anchor[2] or "")}"></span>')
            elif known := _TAG.match(tag):
                if known[1]:
                    self._close(known[2])
                else:
                    self._start(known[2])
            elif _BREAK.match(tag):
                self._line()
            elif tag != "</a>":
                self._words(tag)
        self._words(markup[position:])

    # Writing

    def _start(self, tag: str, attributes: str = "") -> None:
        self._open.append(tag)
        self._html(f"<{tag}{attributes}>")

    def _close(self, tag: str) -> None:
        """Ends the innermost element of this name, and those inside of it; a stray end says nothing."""
        if tag in self._open:
            while (last := self._open.pop()) != tag:
                self._html(f"</{last}>")
            self._html(f"</{tag}>")

    def _close_all(self) -> None:
        while self._open:
            self._html(f"</{self._open.pop()}>")

    def _html(self, markup: str) -> None:
        if markup:
            self._parts.append(markup)

    def _words(self, text: str) -> None:
        if text:
            text = plain(text)
            self._parts.append((self._length, self._length + len(text)))
            self._say(text)

    def _line(self) -> None:
        self._html("<br>")
        self._say("\n")

    def _stand(self, what: StandIn) -> None:
        self._stand_ins.append(what)
        self._say(what.char)

    def _say(self, text: str) -> None:
        self._text.append(text)
        self._length += len(text)

    def _note(self, kind: str, label: str) -> str:
        return _quoted(f"{kind}-{self._notes}-{_fragment(label)}")


def _plain(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        yield from _plain(token.children) if token.children else (" " if "break" in token.type else token.content,)


def _anchor(name: str) -> str:
    """An id of the book as one of the page, where it can't be mistaken for one of the page's own."""
    return _quoted(f"b-{_fragment(name)}")


def _fragment(name: str) -> str:
    from urllib.parse import unquote

    return re.sub(r"\s", "_", unquote(name))


def _quoted(text: str) -> str:
    return escape(text, quote=True)
