"""Options against their schema, and options from a command line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool import SourceAdapterDescriptor
from markitect_tool.source.options import describe_schema, parse_assignments, resolve_options
from markitect_tool.testing import fake_descriptor

PROPERTIES: dict[str, Any] = {
    "mode": {"type": "string", "enum": ["fast", "full"], "default": "full"},
    "depth": {"type": "integer", "minimum": 1, "maximum": 6},
    "ratio": {"type": "number", "minimum": 0},
    "keep": {"type": "boolean", "default": False},
    "skip": {"type": "array", "items": {"type": "string", "enum": ["cover", "toc"]}},
    "label": {"type": "string", "pattern": "^[a-z]+$"},
    "extra": {"type": "object"},
    "limit": {"type": ["integer", "null"]},
    "anything": {},
}


def _descriptor(**schema: Any) -> SourceAdapterDescriptor:
    return replace(fake_descriptor(), option_schema={"properties": PROPERTIES, **schema})


def test_defaults_are_filled_in_and_sorted():
    assert resolve_options(_descriptor(), {"depth": 2}) == ({"depth": 2, "keep": False, "mode": "full"}, [])


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "fast"},
        {"depth": 1},
        {"depth": 6},
        {"ratio": 0},
        {"ratio": 0.5},
        {"keep": True},
        {"skip": []},
        {"skip": ["cover", "toc"]},
        {"label": "abc"},
        {"extra": {"a": 1}},
        {"limit": None},
        {"limit": 5},
        {"anything": [{"a": None}]},
    ],
)
def test_fitting_values_are_accepted(options: dict[str, Any]):
    resolved, problems = resolve_options(_descriptor(), options)
    assert problems == []
    assert options.items() <= resolved.items()


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "slow"},
        {"mode": 1},
        {"depth": 0},
        {"depth": 7},
        {"depth": "2"},
        {"depth": 2.5},
        {"depth": True},
        {"ratio": -1},
        {"ratio": "1"},
        {"keep": 1},
        {"keep": "true"},
        {"skip": "cover"},
        {"skip": ["cover", "index"]},
        {"label": "ABC"},
        {"extra": []},
        {"limit": "none"},
        {"anything": {1, 2}},
    ],
)
def test_unfitting_values_are_invalid(options: dict[str, Any]):
    _, problems = resolve_options(_descriptor(), options)
    assert [(found.code, found.severity) for found in problems] == [("source.invalid_option", "error")]
    assert next(iter(options)) in problems[0].message


def test_invalid_value_says_what_would_fit():
    _, (found,) = resolve_options(_descriptor(), {"depth": 9})
    assert found.message == "The option depth of source.fake does not take 9."
    assert found.hint == "Give an integer from 1 up to 6."


def test_unknown_option_names_the_near_miss_and_the_known_ones():
    _, (found,) = resolve_options(_descriptor(), {"dephth": 2})
    assert found.code == "source.unknown_option"
    assert found.hint == (
        "Did you mean depth? Known options: anything, depth, extra, keep, label, limit, mode, ratio, skip."
    )


def test_unknown_option_of_an_adapter_without_options():
    _, (found,) = resolve_options(replace(fake_descriptor(), option_schema={}), {"x": 1})
    assert found.hint == "This adapter has no options."


def test_free_form_options_are_permitted_by_the_schema():
    resolved, problems = resolve_options(_descriptor(additionalProperties=True), {"own": [1]})
    assert problems == []
    assert resolved["own"] == [1]


def test_every_problem_is_reported():
    _, problems = resolve_options(_descriptor(), {"depth": 0, "nope": 1, "keep": 3})
    assert [found.code for found in problems] == [
        "source.invalid_option",
        "source.invalid_option",
        "source.unknown_option",
    ]


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "mode": st.sampled_from(["fast", "full"]),
            "depth": st.integers(1, 6),
            "keep": st.booleans(),
            "skip": st.lists(st.sampled_from(["cover", "toc"])),
        },
    )
)
def test_resolving_twice_changes_nothing(options: dict[str, Any]):
    resolved, problems = resolve_options(_descriptor(), options)
    assert problems == []
    assert resolve_options(_descriptor(), resolved) == (resolved, [])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("mode", "fast", "fast"),
        ("depth", "3", 3),
        ("ratio", "0.25", 0.25),
        ("keep", "true", True),
        ("keep", "No", False),
        ("keep", "1", True),
        ("skip", "cover,toc", ["cover", "toc"]),
        ("skip", '["cover"]', ["cover"]),
        ("skip", "", []),
        ("extra", '{"a": 1}', {"a": 1}),
        ("limit", "null", None),
        ("limit", "12", 12),
        ("anything", "12", "12"),
        ("undeclared", "12", "12"),
    ],
)
def test_text_is_read_as_the_schema_says(name: str, text: str, value: Any):
    assert parse_assignments(_descriptor(), [(name, text)]) == ({name: value}, [])


@pytest.mark.parametrize(
    ("name", "text"), [("depth", "two"), ("keep", "maybe"), ("extra", "{"), ("ratio", "x"), ("depth", "1.5")]
)
def test_text_of_the_wrong_type_is_invalid(name: str, text: str):
    options, (found,) = parse_assignments(_descriptor(), [(name, text)])
    assert options == {}
    assert found.code == "source.invalid_option"
    assert found.details["option"] == name


def test_repeated_list_options_add_up():
    options, _ = parse_assignments(_descriptor(), [("skip", "cover"), ("skip", "toc")])
    assert options == {"skip": ["cover", "toc"]}


def test_of_other_repeated_options_the_last_counts():
    assert parse_assignments(_descriptor(), [("depth", "1"), ("depth", "2")])[0] == {"depth": 2}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"enum": ["a", 1]}, 'one of "a", 1'),
        ({"type": "integer", "minimum": 0}, "an integer from 0"),
        ({"type": "string", "pattern": "^x"}, "a text matching ^x"),
        ({"type": "array", "items": {"enum": ["a"]}}, 'a list, each one of "a"'),
        ({"type": ["integer", "null"]}, "an integer or null"),
        ({}, "any value"),
    ],
)
def test_schema_is_described_in_words(schema: dict[str, Any], words: str):
    assert describe_schema(schema) == words


def test_value_nested_without_end_is_invalid():
    descriptor = _descriptor()
    _, problems = parse_assignments(descriptor, [("skip", "[" * 100_000)])
    assert [found.code for found in problems] == ["source.invalid_option"]
