"""Stage 4: one member of the reading order -> the element whose content is converted, and what it took to read it."""

from __future__ import annotations

from lxml import etree
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError
from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.budget import Budget
from markitect_filter.documents.limits import from_markup
from markitect_filter.documents.xml_names import XHTML, local_name
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.epub3.navigation.spine import SpineItem
from markitect_filter.epub3.roles.boilerplate import may_hold_boilerplate
from markitect_filter.markup.limits import MarkupError, MarkupLimitError
from markitect_filter.markup.parse import ParsedMarkup, parse_markup

_NOISE = 0.06
_FEW = 4
_HTML, _HEAD, _BASE, _BODY = (f"{{{XHTML}}}{name}" for name in ("html", "head", "base", "body"))


class Content(NamedTuple):
    """A parsed content document. `body` is its body, or the root of a drawing; `base` an absolute base URL."""

    member: str
    body: etree._Element
    base: str | None
    degraded: bool  # the tolerant parser was needed
    replaced: int  # characters that could not be decoded
    guessed: bool  # nothing says which encoding it is in
    may_hold_boilerplate: bool  # a look at the bytes, which saves most documents a walk over the tree


def read_content(archive: Archive, step: SpineItem, sink: DiagnosticSink, budget: Budget) -> Content:
    """Read and parse the member of `step`.

    Raises what `Archive.read` raises, `LimitExceededError`, and `MalformedSourceError` when there is no markup at all.
    """
    member = step.member
    assert member is not None  # gaps never come here
    data = archive.read(member)
    budget.enter(data, member)
    try:
        parsed = parse_markup(data, limits=archive.limits.markup)
    except MarkupLimitError as error:
        raise from_markup(error, member) from error
    except MarkupError as error:
        raise MalformedSourceError(f"{member} holds no markup: {error}", path=member, line=error.line) from error
    budget.expanded(parsed.expanded, member)
    if _is_binary(parsed, data):
        raise MalformedSourceError(f"{member} holds no text: its bytes are binary, or encrypted", path=member)
    if parsed.tolerant:
        budget.repaired(data)
    _report(parsed, member, sink)
    wide = b"\0" in data[:64]  # UTF-16 or UTF-32: not looked at
    return Content(
        member,
        _body(parsed.root),
        _base(parsed.root),
        parsed.tolerant,
        parsed.replaced,
        parsed.guessed,
        may_hold_boilerplate=wide or may_hold_boilerplate(data),
    )


def _body(root: etree._Element) -> etree._Element:
    """The body; for a document without exactly one (a drawing, a fragment, a broken page) the root."""
    bodies = list(root.iterchildren(_BODY))
    return bodies[0] if len(bodies) == 1 and local_name(root) == "html" else root


def _base(root: etree._Element) -> str | None:
    """Where the links of a page start from, if its head says so."""
    if root.tag == _HTML:
        for head in root.iterchildren(_HEAD):
            for base in head.iterchildren(_BASE):
                if (href := base.get("href")) is not None:
                    return href.strip() or None
    return None


def _is_binary(parsed: ParsedMarkup, data: bytes) -> bool:
    """Whether bytes that no text holds are as frequent as in noise (one in eight). Zeros that pad a file do no harm."""
    impossible = parsed.replaced + parsed.removed
    if impossible <= _FEW:
        return False
    impossible -= data.count(0)
    return impossible > _FEW and impossible > len(data) * _NOISE


def _report(parsed: ParsedMarkup, member: str, sink: DiagnosticSink) -> None:
    if parsed.error is not None:
        how = "was read tolerantly" if parsed.tolerant else "could be repaired"
        sink.report(
            "source.markup_recovered",
            f"The page is not well-formed ({parsed.error}); it {how}.",
            path=member,
            line=parsed.line,
        )
    if parsed.encoding_problem is not None:
        sink.report(
            "source.encoding_recovered",
            f"The page {parsed.encoding_problem}.",
            path=member,
            replaced=parsed.replaced or None,
        )
    if parsed.flattened:
        sink.report(
            "source.content_flattened",
            f"{parsed.flattened:,} elements were nested too deeply and only their content is kept.",
            path=member,
        )
