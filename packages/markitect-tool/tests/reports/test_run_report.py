"""The report on a run over many sources."""

from dataclasses import replace

import pytest
from markitect_tool.diagnostics import diagnostic
from markitect_tool.pipeline.summary import CodeCount, DocumentRow, RunSummary
from markitect_tool.reports.run import run_report

HOSTILE = "\"'><script>hit()</script><b onclick=hit()>"


class Rows:
    """Rows that are made each time they are walked over, as a checkpoint's are."""

    def __init__(self, make, count):
        self.make, self.count = make, count

    def __iter__(self):
        return (self.make(number) for number in range(self.count))


def failure(number, code="source.malformed", status="failed"):
    found = diagnostic(code, f"No end in {number}.", severity="error", hint="Fetch it again.")
    return DocumentRow(f"{number:05}.epub", f"file:{number}", status, diagnostics=(found,), attempts=2, size=10)


@pytest.fixture
def summary():
    """A run of 50,000 documents of which none failed."""
    return RunSummary(
        sources=("books",),
        output="out",
        format="jsonl",
        level="segments",
        state="complete",
        started="2026-01-03T10:00:00Z",
        seconds=500.0,
        workers=2,
        engine="local",
        counts={"done": 50_000, "failed": 0, "screened": 0},
        reused=0,
        removed=0,
        bytes_read=10**9,
        peak_bytes=10**8,
        codes=(),
        slowest=(),
        worst=(),
        failures=(),
        documents=Rows(lambda number: DocumentRow(str(number), "file:x", "done"), 50_000),
    )


def test_run_without_failures_says_so(summary):
    html = run_report(summary)
    assert "Every document was converted." in html
    assert "What failed" not in html
    assert "100.0 a second" in html


def test_failures_are_grouped_by_cause_with_hint_and_bounded(summary):
    rows = Rows(lambda number: failure(number, "source.encrypted" if number % 10 == 0 else "source.malformed"), 40_000)
    html = run_report(replace(summary, counts={"done": 10_000, "failed": 40_000, "screened": 0}, failures=rows))
    assert html.index("36\u202f000 documents") < html.index("4\u202f000 documents")
    assert "Fetch it again." in html
    assert "00001.epub" in html
    assert "and 35\u202f975 more documents" in html
    assert len(html) < 200_000


def test_screened_documents_are_apart_from_failed_ones(summary):
    rows = [failure(1), failure(2, status="screened")]
    html = run_report(replace(summary, counts={"done": 8, "failed": 1, "screened": 1}, failures=rows))
    assert "1 document failed and 1 document was screened out" in html
    assert "screened out · 2 tries" in html


def test_slowest_and_worst_documents_are_listed_with_their_figures(summary):
    found = (diagnostic("source.link_target_missing", "x", count=70), diagnostic("source.nav_missing", "y"))
    row = DocumentRow("a.epub", "file:a", "done", "Low water", 12.0, 10**8, 10**6, diagnostics=found)
    html = run_report(replace(summary, slowest=(row,), worst=(row,)))
    assert html.count("Low water") == 2
    assert '<span class="figure">12 s</span>' in html
    assert '<span class="figure">71</span>' in html


def test_codes_are_listed_with_documents_and_findings(summary):
    html = run_report(replace(summary, codes=(CodeCount("source.nav_missing", "warning", 500, 700),)))
    assert "The source has no navigation." in html
    assert '<span class="figure">500</span>' in html
    assert "1.0 %" in html


@pytest.mark.parametrize(
    ("state", "words"), [("interrupted", "was interrupted"), ("stopped", "stopped"), ("running", "still going on")]
)
def test_run_that_is_not_complete_says_so(summary, state, words):
    html = run_report(replace(summary, state=state))
    assert words in html
    assert "Every document was converted" not in html


def test_run_over_nothing_has_a_report(summary):
    assert "–" in run_report(replace(summary, counts={"done": 0, "failed": 0, "screened": 0}, seconds=0.0))


def test_names_are_escaped(summary):
    row = DocumentRow(HOSTILE, HOSTILE, "failed", HOSTILE, diagnostics=(diagnostic("source.malformed", HOSTILE),))
    html = run_report(
        replace(
            summary,
            sources=(HOSTILE,),
            output=HOSTILE,
            slowest=(row,),
            worst=(row,),
            failures=(row,),
            options={HOSTILE: HOSTILE},
        )
    )
    assert html.count("<script") == 1
    assert "<b onclick" not in html
