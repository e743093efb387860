"""The table of elements: what each means. Read it first.

A block element ends the paragraph before and after it. Without a handler an element only has its content; one that
isn't listed at all is treated as a span without meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import blocks, cells, definitions, media, phrases, preformatted, verse
from .writer import Handler

Entry = tuple[bool, Handler | None]
_SPAN: Final[Entry] = (False, None)
_SILENT: Final[Entry] = (False, phrases.nothing)

_PLAIN_BLOCKS = """html body article aside header footer main nav search figure figcaption address hgroup
fieldset legend form details summary center noframes noscript tbody tfoot caption dialog menuitem"""

_PLAIN_SPANS = "span abbr acronym small big u ins mark font time data label bdi bdo wbr"
_SHAPES = "g path line polyline polygon rect circle ellipse use"

_XHTML: Final[dict[str, Entry]] = {
    **dict.fromkeys(_PLAIN_SPANS.split(), _SPAN),
    **dict.fromkeys(_PLAIN_BLOCKS.split(), (True, None)),
    "p": (True, blocks.paragraph),
    "div": (True, verse.group),
    "section": (True, verse.group),
    "h1": (True, blocks.heading(1)),
    "h2": (True, blocks.heading(2)),
    "h3": (True, blocks.heading(3)),
    "h4": (True, blocks.heading(4)),
    "h5": (True, blocks.heading(5)),
    "h6": (True, blocks.heading(6)),
    "blockquote": (True, blocks.quote),
    "ul": (True, blocks.listing(ordered=False)),
    "menu": (True, blocks.listing(ordered=False)),
    "dir": (True, blocks.listing(ordered=False)),
    "ol": (True, blocks.listing(ordered=True)),
    "li": (True, blocks.item),
    "dl": (True, definitions.definitions),
    "dt": (True, definitions.term),
    "dd": (True, definitions.definition),
    "pre": (True, preformatted.preformatted),
    "listing": (True, preformatted.preformatted),
    "xmp": (True, preformatted.preformatted),
    "hr": (True, blocks.rule),
    "table": (True, cells.table),
    "thead": (True, cells.head),
    "tr": (True, cells.row),
    "td": (True, cells.cell(header=False)),
    "th": (True, cells.cell(header=True)),
    "em": (False, phrases.emphasis),
    "i": (False, phrases.emphasis),
    "cite": (False, phrases.emphasis),
    "dfn": (False, phrases.emphasis),
    "var": (False, phrases.emphasis),
    "strong": (False, phrases.strong),
    "b": (False, phrases.strong),
    "del": (False, phrases.strike),
    "s": (False, phrases.strike),
    "strike": (False, phrases.strike),
    "code": (False, phrases.code),
    "kbd": (False, phrases.code),
    "samp": (False, phrases.code),
    "tt": (False, phrases.code),
    "sup": (False, phrases.kept_tag("sup")),
    "sub": (False, phrases.kept_tag("sub")),
    "ruby": (False, phrases.kept_tag("ruby")),
    "rt": (False, phrases.kept_tag("rt")),
    "rb": (False, phrases.kept_tag("rb")),
    "rtc": (False, phrases.kept_tag("rtc")),
    "rp": (False, phrases.left_out("ruby-parenthesis")),
    "q": (False, phrases.quotation),
    "a": (False, phrases.anchor),
    "br": (False, phrases.line_break),
    "option": (False, phrases.separate_words),
    "optgroup": (False, phrases.separate_words),
    "select": (False, phrases.separate_words),
    "textarea": (False, phrases.separate_words),
    "button": (False, phrases.separate_words),
    "img": (False, media.image),
    "image": (False, media.image),
    "object": (False, media.embedded),
    "embed": (False, media.embedded),
    "audio": (False, media.embedded),
    "video": (False, media.embedded),
    "iframe": (False, media.embedded),
    "source": (False, media.medium_source),
    "track": (False, media.medium_source),
    "area": (False, media.area),
    "input": (False, media.control),
    "math": (False, media.formula),
    "script": (False, phrases.left_out("script")),
    "style": (False, phrases.left_out("style")),
    "template": (False, phrases.left_out("template")),
    "head": (False, phrases.left_out("head")),
    "title": (False, phrases.left_out("head")),
    "colgroup": (False, phrases.left_out("column-group")),
}

_SVG: Final[dict[str, Entry]] = {
    **dict.fromkeys(_SHAPES.split(), _SPAN),
    "svg": (False, media.drawing),
    "image": (False, media.drawing_image),
    "title": (False, media.drawing_label),
    "desc": (False, media.drawing_label),
    "text": (False, phrases.separate_words),
    "tspan": (False, media.drawing_span),
    "a": (False, phrases.anchor),
    "foreignObject": (True, None),
    "foreignobject": (True, None),
    "script": (False, phrases.left_out("script")),
    "style": (False, phrases.left_out("style")),
    "defs": (False, media.drawing_definitions),
    "symbol": (False, media.drawing_definitions),
    "metadata": (False, phrases.left_out("drawing-metadata")),
}

_OPS: Final[dict[str, Entry]] = {
    "switch": (False, media.switch),
    "trigger": (False, phrases.left_out("trigger")),
}


class _Elements(dict[object, Entry]):
    """Knows upper-case names too. Anything else is a span without meaning; comments and instructions say nothing."""

    def __missing__(self, tag: object) -> Entry:
        return self.get(tag.lower(), _SPAN) if isinstance(tag, str) else _SILENT


ELEMENTS: Final[Mapping[object, Entry]] = _Elements(
    (name, entry)
    for namespace, table in (
        ("", _XHTML),
        ("{http://www.w3.org/1999/xhtml}", _XHTML),
        ("{http://www.w3.org/2000/svg}", _SVG),
        ("{http://www.idpf.org/2007/ops}", _OPS),
        ("{http://www.w3.org/1998/Math/MathML}", {"math": (False, media.formula)}),
    )
    for name, entry in ((f"{namespace}{local}", entry) for local, entry in table.items())
)
