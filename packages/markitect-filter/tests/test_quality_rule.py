"""The rule of docs/quality.md: lossiness and confidence follow from the ledger and the diagnostics alone."""

import re
from pathlib import Path

import pytest
from markitect_filter.documents.quality import LOW, MEDIUM, Fidelity, quality_of
from markitect_filter.markdown.ledger import Ledger
from markitect_tool.diagnostics import CATALOGUE, DiagnosticSink

DOCUMENT = (Path(__file__).parents[3] / "docs/quality.md").read_text(encoding="utf-8")


def judge(*codes, documents=4, unread=0, degraded=0, replaced=0, guessed=0, total=100, emitted=100):
    sink = DiagnosticSink()
    for code in codes:
        sink.report(code, "x")
    fidelity = Fidelity(documents, unread, degraded, replaced, Ledger(total, emitted), guessed=guessed)
    return quality_of(fidelity, sink, 0)


@pytest.mark.parametrize("code", sorted(MEDIUM))
def test_text_that_may_be_wrong_is_medium(code):
    assert judge(code, "source.asset_missing").lossiness == "medium"


@pytest.mark.parametrize("code", sorted(LOW))
def test_links_and_pictures_that_suffered_are_low(code):
    assert judge(code).lossiness == "low"


@pytest.mark.parametrize("code", sorted(set(CATALOGUE) - MEDIUM - LOW))
def test_other_diagnostics_say_nothing_about_loss(code):
    assert judge(code).lossiness == "none"


def test_document_that_was_not_read_is_high():
    assert judge("source.markup_recovered", unread=1).lossiness == "high"


def test_ledger_that_does_not_balance_is_high():
    assert judge(emitted=99).lossiness == "high"


@pytest.mark.parametrize(
    ("facts", "confidence"),
    [
        ({}, 1.0),
        ({"unread": 1}, 0.75),
        ({"degraded": 4}, 0.75),
        ({"degraded": 1}, 0.9375),
        ({"guessed": 4}, 0.5),
        ({"guessed": 1, "degraded": 4}, 0.6562),
        ({"replaced": 1}, 0.9),
        ({"replaced": 50}, 0.0),
        ({"unread": 2, "degraded": 2}, 0.4375),
        ({"documents": 0, "total": 0, "emitted": 0}, 1.0),
    ],
)
def test_confidence_is_the_product_of_four_shares(facts, confidence):
    assert judge(**facts).confidence == confidence


def test_only_warnings_are_counted_as_warnings():
    assert judge("source.asset_missing", "source.asset_remote").warnings == 1


@pytest.mark.parametrize(("name", "codes"), [("Medium", MEDIUM), ("Low", LOW)])
def test_document_lists_the_codes_of_each_level(name, codes):
    stated = re.search(rf"^{name} codes: (.*?)\n\n", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert stated is not None
    assert set(re.findall(r"`(source\.\w+)`", stated[1])) == codes


def test_result_carries_the_ledger(read):
    quality = read("<p>Salt</p><p hidden='hidden'>no</p>").document.quality
    assert quality.metadata["ledger"] == {"total": 6, "emitted": 4, "skipped": {"hidden": 2}}
