"""The page around a report: its head, ledger, findings, contents; numbers for a person."""

import base64
import hashlib
import re

import pytest
from markitect_tool.diagnostics import diagnostic
from markitect_tool.errors import MissingDependencyError
from markitect_tool.reports.ledger import Ledger
from markitect_tool.reports.rendering import Renderer
from markitect_tool.reports.shell import count, duration, language_of, page, share, size
from markitect_tool.reports.source_report import source_report
from markitect_tool.source.messages import SourceReadResult
from markitect_tool.source.model import NormalizationQuality, SourceMetadata

HOSTILE = "\"'><script>hit()</script><b onclick=hit()>"


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 9, "0 %"), (9, 9, "100 %"), (99_999, 100_000, "99.99 %"), (1, 10**9, "0.01 %"), (1, 3, "33.3 %"), (0, 0, "–")],
)
def test_share_is_never_rounded_to_all_or_none(part, whole, shown):
    assert share(part, whole) == shown


def test_numbers_are_for_a_person():
    assert (count(1, "page"), count(1200, "page")) == ("1 page", "1\u202f200 pages")
    assert (size(999), size(1_500), size(91_000_000_000)) == ("999 bytes", "1.5 kB", "91.0 GB")
    assert (duration(0.5), duration(42), duration(200), duration(18_234)) == (
        "0.50 s",
        "42 s",
        "3 min 20 s",
        "5 h 3 min",
    )


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        (None, ""),
        ("en-GB", ' lang="en-GB"'),
        ("ar", ' lang="ar" dir="rtl"'),
        ("az-Arab", ' lang="az-Arab" dir="rtl"'),
        ("he-Latn", ' lang="he-Latn"'),
        ('x" onclick="hit()', ""),
        ("en" * 9_000, ""),
    ],
)
def test_language_gives_the_direction(tag, attributes):
    assert language_of(tag) == attributes


def test_policy_allows_only_the_style_and_script_of_the_page():
    html = page("t", ["body"])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1].replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; img-src data:;")
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_report_is_the_same_every_time(report):
    made = [report([("a", "Low water.")], metadata=SourceMetadata("Log")) for _ in range(2)]
    assert made[0] == made[1]


def test_everything_that_a_source_says_is_escaped(report):
    html = report(
        [("a", "Low water.")],
        metadata=SourceMetadata(HOSTILE, [HOSTILE], HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, {HOSTILE: HOSTILE}),
        quality=NormalizationQuality("low", metadata={"ledger": {"total": 3, "emitted": 2, "skipped": {HOSTILE: 1}}}),
        diagnostics=[diagnostic("source.item_skipped", HOSTILE, path=HOSTILE, hint=HOSTILE)],
    )
    assert html.count("<script") == 1
    assert "<b onclick" not in html


def test_report_of_a_source_with_errors_says_what_they_are():
    found = diagnostic("source.malformed", "It has <no> end.", hint="Fetch it again.")
    html = source_report(SourceReadResult(False, None, [found]), b"", name="<book>.epub")
    assert "It has &lt;no&gt; end." in html
    assert "Fetch it again." in html
    assert "&lt;book&gt;.epub" in html


def test_findings_are_grouped_gravest_first_and_bounded(report):
    found = [diagnostic("source.toc_unreached", "note")]
    found += [diagnostic("source.link_target_missing", f"link {number}", path="a") for number in range(500)]
    html = report([("a", "x")], diagnostics=found)
    assert html.index("source.link_target_missing") < html.index("source.toc_unreached")
    assert "500 times" in html
    assert "and 440 more" in html
    assert html.count('href="#s-1"') == 61  # of 60 findings, and the contents


def test_ledger_shows_every_reason_with_its_share(report):
    ledger = {"total": 1000, "emitted": 900, "skipped": {"toc": 90, "page-label": 10}}
    html = report([("a", "x")], quality=NormalizationQuality("none", metadata={"ledger": ledger}))
    rows = re.findall(r'</span>([^<]+)<span.*?</th><td class="n">(\d+)</td><td class="n">([^<]+)</td>', html)
    assert rows == [("in the Markdown", "900", "90.0 %"), ("toc", "90", "9.0 %"), ("page-label", "10", "1.0 %")]


def test_ledger_that_does_not_balance_is_the_first_thing_said(report):
    html = report([("a", "x")], quality=NormalizationQuality("high", metadata={"ledger": {"total": 10, "emitted": 7}}))
    assert "The ledger does not balance: 3 characters are not accounted for." in html


@pytest.mark.parametrize("metadata", [{}, {"ledger": 7}, {"ledger": {"total": "x"}}, {"ledger": {"skipped": []}}])
def test_ledger_of_another_shape_is_none(metadata):
    assert Ledger.of(metadata) is None


def test_contents_lead_to_every_segment(report):
    html = report([("a", "# One"), ("b", "Nothing but text.")])
    assert re.findall(r'<a href="#(s-\d)"><bdi>(.*?)</bdi>', html) == [("s-1", "“One”"), ("s-2", "“Nothing but text.”")]
    assert all(f'id="s-{number}"' in html for number in (1, 2))


def test_without_the_libraries_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "markdown_it", None)
    with pytest.raises(MissingDependencyError) as caught:
        Renderer()
    assert "pip install markitect-tool[report]" in caught.value.diagnostic.hint
