"""What the tests of the HTML adapter share: the smallest page, what the adapter makes of it, what must always hold."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from markitect_filter.adapters import html_adapter_descriptor
from markitect_filter.testing.invariants import violations
from markitect_tool import SourceAdapterRegistry, inspect_source, normalize_source
from markitect_tool.source.model import NormalizedMarkdownDocument

ROOT = Path(__file__).parents[4]
CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or ROOT.parent / "shared/corpus")
URI = "harbour/tides.html"
CASE = re.compile(r"^(#+ [^\n]*)$|^(`{3,})html\n(.*?)\n\2\n+(`{3,})markdown\n(.*?)\n?\4$", re.M | re.S)


@dataclass(frozen=True)
class Case:
    """An example of the guide: the nearest heading, a page, and the Markdown that it becomes."""

    title: str
    page: str
    markdown: str


def load_cases(path):
    """Every `html` block of `path` that a `markdown` block follows."""
    title, seen = path.stem, 0
    for match in CASE.finditer(path.read_text(encoding="utf-8")):
        if match[1]:
            title, seen = match[1].lstrip("# "), 0
        else:
            seen += 1
            yield Case(f"{title} ({seen})", match[3], match[5])


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        cases = list(load_cases(ROOT / "docs/html.md"))
        metafunc.parametrize("case", cases, ids=[case.title for case in cases])


@dataclass(frozen=True)
class Made:
    """A document, with what tests ask of it most."""

    document: NormalizedMarkdownDocument

    @property
    def markdown(self):
        return self.document.markdown

    @property
    def metadata(self):
        return self.document.metadata

    @property
    def segments(self):
        return self.document.segments

    @property
    def skipped(self):
        return self.document.quality.metadata["ledger"].get("skipped", {})

    @property
    def codes(self):
        return [entry.code for entry in self.document.diagnostics]

    def details(self, code):
        return [entry for entry in self.document.diagnostics if entry.code == code]


@pytest.fixture(scope="session")
def registry():
    return SourceAdapterRegistry([html_adapter_descriptor()])


@pytest.fixture(scope="session")
def read(registry):
    """The result for a page, which may be text or bytes."""

    def read(page, *, uri=URI, media_type=None, **options):
        data = page.encode() if isinstance(page, str) else page
        result = normalize_source(data, uri=uri, media_type=media_type, registry=registry, options=options)
        assert violations(result) == []
        return result

    return read


@pytest.fixture(scope="session")
def make(read):
    """What a page becomes that must be readable."""

    def make(page, **arguments):
        result = read(page, **arguments)
        assert result.valid, [entry.message for entry in result.diagnostics]
        return Made(result.document)

    return make


@pytest.fixture(scope="session")
def refuse(read):
    """The error of a page that must be refused."""

    def refuse(page, **arguments):
        result = read(page, **arguments)
        assert not result.valid
        return next(entry for entry in result.diagnostics if entry.severity == "error")

    return refuse


@pytest.fixture(scope="session")
def inspect(registry):
    def inspect(page, *, uri=URI, **options):
        return inspect_source(page.encode(), uri=uri, registry=registry, options=options)

    return inspect


@pytest.fixture(scope="session")
def corpus():
    """The books of the corpus."""
    books = sorted(CORPUS.rglob("*.epub"))
    if not books:
        pytest.skip("no corpus")
    return books
