"""What the tests of the writer share: markup in, Markdown out, and back again through a parser that isn't ours."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markitect_filter.markdown import to_markdown
from markitect_filter.markup.parse import parse_markup
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

ROOT = Path(__file__).parents[4]
CASE_FILES = (ROOT / "docs/canonical-markdown.md", *sorted((Path(__file__).parents[1] / "cases").glob("*.md")))
_PAGE = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
    'xmlns:svg="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:m="http://www.w3.org/1998/Math/MathML"><head><title>t</title></head><body>%s</body></html>'
)


@dataclass(frozen=True)
class Case:
    """An example of a case file: the nearest heading, XHTML, and the Markdown that it becomes."""

    title: str
    markup: str
    markdown: str


_CASE = re.compile(r"^(#+ [^\n]*)$|^(`{3,})xhtml\n(.*?)\n\2\n+(`{3,})markdown\n(.*?)\n?\4$", re.M | re.S)


def load_cases(path):
    """Every `xhtml` block of `path` that a `markdown` block follows."""
    title, seen = path.stem, 0
    for match in _CASE.finditer(path.read_text(encoding="utf-8")):
        if match[1]:
            title, seen = match[1].lstrip("# "), 0
        else:
            seen += 1
            yield Case(f"{path.stem}: {title} ({seen})", match[3], match[5])


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        cases = [case for path in CASE_FILES for case in load_cases(path)]
        metafunc.parametrize("case", cases, ids=[case.title for case in cases])


@pytest.fixture(scope="session")
def parse():
    """The body of a page with the given content; HTML is taken too."""

    def parse(content):
        return parse_markup((_PAGE % content).encode()).root.find("{*}body")

    return parse


@pytest.fixture(scope="session")
def write(parse):
    """The Markdown of a body with the given content."""
    return lambda content: to_markdown(parse(content))


@pytest.fixture(scope="session")
def render():
    """Markdown to HTML, with the dialect's constructs and nothing else."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    return parser.render


@pytest.fixture(scope="session")
def text_of():
    """The text that a person reads in a piece of HTML, with single blanks, blocks apart."""

    def text_of(html):
        words = []
        for event in normalised(html):
            if isinstance(event, str):
                words.append(event)
            elif event[0].lstrip("/") in _BLOCKS | {"br"}:
                words.append(" ")
        return " ".join("".join(words).split())

    return text_of


@pytest.fixture(scope="session")
def same():
    """HTML in a form where equal means the same to a reader."""
    return normalised


_BLOCKS = {
    *("html", "body", "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "hr"),
    *("table", "thead", "tbody", "tr", "th", "td", "section"),
}
_SAME_NAME = {"s": "del", "i": "em", "b": "strong"}


class _Events(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.events = []
        self.verbatim = 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if align := re.search(r"text-align:\s*(\w+)", attributes.pop("style", "") or ""):
            attributes["align"] = align[1]
        self.verbatim += tag == "pre"
        self.events.append((_SAME_NAME.get(tag, tag), *sorted(attributes.items())))

    def handle_endtag(self, tag):
        self.verbatim -= tag == "pre"
        if tag not in ("br", "hr", "img"):
            self.events.append((f"/{_SAME_NAME.get(tag, tag)}",))

    def handle_data(self, data):
        if not self.verbatim:
            data = re.sub("[ \t\r\n]+", " ", data)
        if self.events and isinstance(self.events[-1], str):
            data = self.events.pop() + data
            data = data if self.verbatim else data.replace("  ", " ")
        self.events.append(data)


def normalised(html):
    """Tags with sorted attributes, and text with single blanks and none at the edges of blocks."""
    parser = _Events()
    parser.feed(html)
    parser.close()
    events, result, verbatim = parser.events, [], 0
    for n, event in enumerate(events):
        if isinstance(event, tuple):
            verbatim += (event[0] == "pre") - (event[0] == "/pre")
        elif not verbatim:
            if n == 0 or _is_edge(events[n - 1]):
                event = event.lstrip(" ")
            if n + 1 == len(events) or _is_edge(events[n + 1]):
                event = event.rstrip(" ")
        if event:
            result.append(event)
    return result


def _is_edge(event):
    return isinstance(event, tuple) and event[0].lstrip("/") in _BLOCKS | {"br"}
