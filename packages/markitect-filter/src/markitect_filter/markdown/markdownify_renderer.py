"""Markdown in markdownify's dialect, for people whose downstream expects it or who bring a converter of their own.

The dialect of this project is written by `writer`; this renderer only hands the markup on. Needs the extra
`markitect-filter[markdownify]`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from lxml import etree

DEFAULT_CONVERTER = "markdownify:MarkdownConverter"


class Converter(Protocol):
    """What this renderer needs of a `markdownify.MarkdownConverter`."""

    def convert(self, html: str) -> str:
        """The Markdown of a piece of HTML."""


def load_converter(path: str = DEFAULT_CONVERTER, **options: object) -> Converter:
    """An instance of the converter class at `path` (`package.module:Class`), made with markdownify's `options`.

    Raises `ImportError` when the module or markdownify is missing, `AttributeError` when the module has no such
    name, `TypeError` when it names no subclass of `markdownify.MarkdownConverter` that can be made with `options`,
    `ValueError` when `path` has another form.
    """
    module, colon, name = path.partition(":")
    if not (module and colon and name):
        raise ValueError(f"not of the form package.module:Class: {path!r}")
    base = import_module("markdownify").MarkdownConverter
    named = getattr(import_module(module), name)
    if not (isinstance(named, type) and issubclass(named, base)):  # whatever else it is, it must not be called
        raise TypeError("it is no subclass of markdownify.MarkdownConverter")
    return cast(Converter, named(**options))


def render(body: etree._Element, converter: Converter) -> str:
    """The Markdown that `converter` makes of `body` and everything below it, without blank lines around."""
    copy = etree.fromstring(
        etree.tostring(body, with_tail=False), etree.XMLParser(huge_tree=True, resolve_entities=False)
    )
    for element in copy.iter(etree.Element):
        element.tag = etree.QName(element).localname
    etree.cleanup_namespaces(copy)
    return converter.convert(etree.tostring(copy, encoding="unicode", method="html")).strip()
