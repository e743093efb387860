"""Whatever the Markdown is, its HTML has only elements and attributes of ours, each closed where it was opened."""

import os
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st
from markitect_tool.reports.rendering import Renderer
from markitect_tool.reports.segments import visible

EXAMPLES = int(os.environ.get("MARKITECT_EXAMPLES", "250"))
PIECES = [
    *(
        "*",
        "**",
        "_",
        "~~",
        "`",
        "```\n",
        "[",
        "]",
        "(",
        ")",
        "](#a)",
        "](https://e.org/)",
        "](javascript:x)",
        "![",
        "[^1]",
    ),
    *(
        "[^1]: ",
        "\n",
        "\n\n",
        "    ",
        "> ",
        "- ",
        "1. ",
        "# ",
        "| ",
        "| --- |\n",
        "$",
        "$$",
        "\\",
        "&lt;",
        "&#60;",
        "<",
        ">",
    ),
    *(
        '<a id="x">',
        "</a>",
        "<sup>",
        "</sup>",
        "<ruby>",
        "<rt>",
        "</ruby>",
        "<br>",
        "<script>",
        "</script>",
        "<b onclick=x>",
    ),
    *(
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "</p>",
        "</div>",
        "</details>",
        '"',
        "'",
        "=",
        "\0",
        "\ufdd0",
        "\u202e",
        "a",
        "é",
    ),
]
ELEMENTS = {
    *(
        "p",
        "blockquote",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "hr",
        "pre",
        "code",
        "div",
        "span",
    ),
    *("em", "strong", "s", "a", "br", "sup", "sub", "ruby", "rb", "rt", "rtc", "bdi"),
}
ATTRIBUTES = {"role", "aria-level", "aria-label", "class", "dir", "id", "href", "title", "rel", "target", "start"}
EMPTY = {"br", "hr"}


class Strict(HTMLParser):
    """Fails for anything that is not ours."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []

    def handle_starttag(self, tag, attributes):
        assert tag in ELEMENTS
        assert {name for name, _ in attributes} <= ATTRIBUTES
        href = dict(attributes).get("href") or "#"
        assert href.startswith(("#", "https://"))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


@settings(max_examples=EXAMPLES)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_html_is_well_formed_and_ours(markdown):
    rendered = Renderer().render(markdown, "1")
    parser = Strict()
    for block in rendered.blocks:
        for part in block.parts:
            parser.feed(part if isinstance(part, str) else visible(rendered.text[slice(*part)]))
    parser.close()
    assert parser.open == []


@settings(max_examples=EXAMPLES)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_spans_of_blocks_are_the_text_in_order(markdown):
    rendered = Renderer().render(markdown, "1")
    at = 0
    for block in rendered.blocks:
        assert at <= block.start <= block.end
        for part in block.parts:
            if not isinstance(part, str):
                assert max(at, block.start) <= part[0] < part[1] <= block.end
                at = part[1]
        at = block.end
    assert sum(char in "\ufdd0\ufdd1\ufdd2" for char in rendered.text) == len(rendered.stand_ins)
