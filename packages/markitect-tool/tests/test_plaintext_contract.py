"""The plain-text adapter keeps the contract, for text and for Markdown."""

from markitect_tool.testing import AdapterContract, Sample

HARBOUR = "# Harbour\n\nTwo boats.\n\n## Steps\n\nThe first one is worn – in the middle.\n"


class PlainText(AdapterContract):
    entry_point = "markitect_tool.source.plaintext:plaintext_adapter_descriptor"
    malformed = Sample("harbour.txt", b"\x00\x01\x02\x03" * 64)
    options = {"segment_level": 0}
    invalid_options = {"segment_level": "deep"}


class TestMarkdown(PlainText):
    good = Sample("harbour.md", HARBOUR.encode())
    large = Sample("long.md", b"".join(b"## Night %d\n\nLow water.\n\n" % night for night in range(400)))


class TestText(PlainText):
    good = Sample("harbour.txt", HARBOUR.encode("utf-16"))
