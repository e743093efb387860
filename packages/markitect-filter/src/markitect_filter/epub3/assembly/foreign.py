"""Stage 6 for `renderer=markdownify`: the same documents, written by another library in its own dialect.

It is given the body without what is left out, its links and pictures resolved to member paths. What it does with the
text is its own affair: there is no ledger, no footnotes, and segments are whole documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from lxml import etree
from markitect_tool.errors import InvalidOptionError, MalformedSourceError

from markitect_filter.documents.anchors import Place
from markitect_filter.documents.xml_names import XHTML, local_name
from markitect_filter.epub3.content.links import DocumentReferences, member_url
from markitect_filter.markdown.layout import PARAGRAPH
from markitect_filter.markdown.ledger import Ledger
from markitect_filter.markdown.markdownify_renderer import DEFAULT_CONVERTER, Converter, load_converter, render
from markitect_filter.markdown.references import Directive
from markitect_filter.markdown.tree import count_text
from markitect_filter.markdown.writer import Heading, Written

_LINKS = etree.XPath("descendant::h:a[@href]", namespaces={"h": XHTML})
_PICTURES = etree.XPath("descendant::h:img[@src]", namespaces={"h": XHTML})
_HEADING = etree.XPath(
    "descendant::*[self::h:h1|self::h:h2|self::h:h3|self::h:h4|self::h:h5|self::h:h6][1]", namespaces={"h": XHTML}
)


def converter_named(path: str | None) -> Converter:
    """The converter that the options ask for.

    Raises `ImportError` when markdownify itself is not installed, `InvalidOptionError` for a class that can't be used.
    """
    try:
        return load_converter(path or DEFAULT_CONVERTER)
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "markdownify":
            raise
        raise _unusable(path, error) from error
    except (AttributeError, TypeError, ValueError) as error:
        raise _unusable(path, error) from error


def _unusable(path: str | None, error: Exception) -> InvalidOptionError:
    return InvalidOptionError(
        f"renderer_class={path} names no converter that can be used: {error}",
        hint="Give package.module:Class, a subclass of markdownify.MarkdownConverter that needs no arguments.",
        option="renderer_class",
    )


def write_with(
    converter: Converter,
    body: etree._Element,
    directives: Mapping[etree._Element, Directive],
    references: DocumentReferences,
) -> Written:
    """`body` as one block in the converter's dialect. Changes the tree."""
    ledger = Ledger(total=count_text(body))
    for element, directive in directives.items():
        if directive.skip is not None and element is not body and body in element.iterancestors():
            ledger.skip(directive.skip, count_text(element))
            _take_out(element)
    for link in _LINKS(body):
        target = references.link(link, link.get("href") or "")
        if target is None:
            del link.attrib["href"]
        else:
            link.set("href", target.url if target.url is not None else member_url(*cast(Place, target.key)))
    for picture in _PICTURES(body):
        picture.set("src", references.resource(picture, picture.get("src") or "") or "")
    headings = []
    for found in _HEADING(body):
        headings.append(Heading(0, int(local_name(found)[1]), " ".join("".join(found.itertext()).split())))
    try:
        text = render(body, converter)
    except RecursionError as error:  # markdownify calls itself for every level of the markup
        raise MalformedSourceError("the markup is nested too deeply for markdownify") from error
    ledger.emitted = ledger.total - sum(ledger.skipped.values())  # the converter is taken at its word
    blocks = [text] if text else []
    return Written(blocks, [PARAGRAPH] * len(blocks), [], headings, {}, ledger, {})


def _take_out(element: etree._Element) -> None:
    """Remove an element; the text after it stays."""
    parent = element.getparent()
    assert parent is not None  # below the body
    tail = element.tail or ""
    previous = element.getprevious()
    if previous is not None:
        previous.tail = (previous.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)
