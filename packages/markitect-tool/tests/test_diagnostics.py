"""The catalogue, single diagnostics and the sink."""

from __future__ import annotations

import pickle

import pytest
from markitect_tool import errors
from markitect_tool.diagnostics import CATALOGUE, Diagnostic, DiagnosticSink, diagnostic, has_errors
from markitect_tool.errors import ModelError


def test_severity_and_hint_come_from_the_catalogue():
    found = diagnostic("source.not_found", "No such file: x.")
    assert found.severity == "error"
    assert found.hint == CATALOGUE["source.not_found"].remedy


def test_severity_and_hint_can_be_given():
    found = diagnostic("source.not_found", "gone", severity="info", hint="look elsewhere")
    assert (found.severity, found.hint) == ("info", "look elsewhere")


def test_severity_is_one_of_three():
    with pytest.raises(ModelError, match="severity"):
        Diagnostic("source.malformed", "x", "fatal")  # type: ignore[arg-type]


def test_unknown_code_is_a_key_error():
    with pytest.raises(KeyError):
        diagnostic("source.invented", "no")


def test_details_of_none_are_left_out():
    assert diagnostic("source.malformed", "x", name="a", size=None).details == {"name": "a"}


# The adapter document gives these names.
BARE_CODES = {"source-unavailable", "unknown-scheme", "path-traversal", "digest-mismatch", "missing-digest"}


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_has_a_namespace_and_a_summary(code: str):
    info = CATALOGUE[code]
    assert code.startswith(("source.", "context.", "output.", "pipeline.", "storage.")) or code in BARE_CODES
    assert info.severity in ("info", "warning", "error")
    assert info.summary.endswith(".")


def test_catalogue_is_closed():
    with pytest.raises(TypeError):
        CATALOGUE["source.more"] = CATALOGUE["source.malformed"]  # type: ignore[index]


def test_only_errors_make_a_result_invalid():
    assert not has_errors([Diagnostic("a", "b", "warning"), Diagnostic("a", "b", "info")])
    assert has_errors([Diagnostic("a", "b", "warning"), Diagnostic("a", "b", "error")])


def test_sink_keeps_the_order():
    sink = DiagnosticSink()
    sink.report("source.text_empty", "one")
    sink.add(diagnostic("source.malformed", "two"))
    sink.extend([diagnostic("source.text_empty", "three")])
    assert [entry.message for entry in sink] == ["one", "two", "three"]
    assert len(sink) == 3


def test_sink_names_its_source_where_an_entry_names_none():
    sink = DiagnosticSink("book.epub")
    sink.report("source.text_empty", "one")
    sink.add(diagnostic("source.malformed", "two"))
    sink.add(diagnostic("source.malformed", "three", source="other.epub"))
    sink.report("source.text_empty", "four", source="other.epub")
    assert [entry.source for entry in sink] == ["book.epub", "book.epub", "other.epub", "other.epub"]


def test_sink_counts_repetitions_under_one_key():
    sink = DiagnosticSink()
    for number in range(5):
        sink.report("source.link_target_missing", f"link {number}", once="links", path="a.xhtml")
    sink.report("source.link_target_missing", "elsewhere", once="other")
    first, second = sink
    assert (first.message, first.details) == ("link 0", {"count": 5})
    assert (second.message, second.details) == ("elsewhere", {})


def test_sink_knows_whether_it_holds_an_error():
    sink = DiagnosticSink()
    sink.report("source.text_empty", "one")
    assert not sink.has_errors
    sink.report("source.malformed", "two")
    assert sink.has_errors


SOURCE_ERRORS = [
    error for error in vars(errors).values() if isinstance(error, type) and issubclass(error, errors.SourceError)
]


@pytest.mark.parametrize("error", SOURCE_ERRORS)
def test_every_source_error_carries_a_diagnostic_of_the_catalogue(error: type[errors.SourceError]):
    found = error("what is wrong", source="u", path="member", line=3, limit=7).diagnostic
    assert found.code in CATALOGUE
    assert (found.message, found.source, found.path, found.line) == ("what is wrong", "u", "member", 3)
    assert found.details == {"limit": 7}


@pytest.mark.parametrize("error", SOURCE_ERRORS)
def test_source_errors_cross_process_borders(error: type[errors.SourceError]):
    raised = error("what is wrong", hint="do this")
    assert pickle.loads(pickle.dumps(raised)).diagnostic == raised.diagnostic


def test_the_tree_in_the_docstring_names_every_exception():
    assert errors.__doc__ is not None
    drawn = [line.strip("│├└─ ").split()[0] for line in errors.__doc__.splitlines() if "Error" in line]
    defined = [
        error.__name__
        for error in vars(errors).values()
        if isinstance(error, type) and issubclass(error, errors.MarkitectError)
    ]
    assert set(defined) <= set(drawn)
