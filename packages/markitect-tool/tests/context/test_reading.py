"""YAML and JSON that somebody else wrote: what it means, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.context.errors import MalformedDocumentError
from markitect_tool.context.reading import MAX_BYTES, decode, parse_json, parse_yaml


def refused(text: str) -> MalformedDocumentError:
    with pytest.raises(MalformedDocumentError) as caught:
        parse_yaml(text, "a.yaml")
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("12:30", "12:30"),
        ("2026-08-09", "2026-08-09"),
        ("010", 10),
        ("0x1F", 31),
        ("1.50", 1.5),
        ("true", True),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ("!!str 1", "1"),
    ],
)
def test_yaml_scalar_has_its_meaning_in_version_1_2(text: str, value: Any) -> None:
    assert parse_yaml(text, "a.yaml") == value


def test_yaml_alias_is_followed() -> None:
    assert parse_yaml("a: &x [1, 2]\nb: *x\n", "a.yaml") == {"a": [1, 2], "b": [1, 2]}


def test_yaml_merge_key_is_followed() -> None:
    assert parse_yaml("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\n", "a.yaml")["b"] == {"k": 1, "l": 3}


def test_yaml_tag_builds_nothing() -> None:
    assert "could not determine a constructor" in str(refused("!!python/object/apply:os.getcwd []"))


@pytest.mark.parametrize("text", ["!!bool maybe", "!!int x", "!!float x", "!!timestamp x", "!!set {a, b}", "!local x"])
def test_yaml_tag_on_what_it_does_not_fit_is_refused(text: str) -> None:
    assert "a.yaml" in str(refused(text))


@given(st.text(st.sampled_from("ab1:-?&*!|>%@{}[]<,'\"# \n\t\\~."), max_size=40))
def test_yaml_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse_yaml(text, "a.yaml")
    except MalformedDocumentError:
        return
    assert json.loads(json.dumps(value)) == value


def test_yaml_key_given_twice_is_refused_with_its_line() -> None:
    error = refused("a: 1\nb: 2\na: 3\n")
    assert "'a' stands there twice" in str(error)
    assert error.diagnostic.line == 3


def test_yaml_aliases_that_multiply_are_refused() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "stands for more than" in str(refused("\n".join(levels)))


def test_yaml_merge_keys_that_multiply_are_refused() -> None:
    levels = ["a0: &a0 {x: 1, y: 2}"]
    levels += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 9)]
    assert "stands for more than" in str(refused("\n".join(levels)))


def test_yaml_alias_into_itself_is_refused() -> None:
    assert "into itself" in str(refused("a: &a [*a]"))


@pytest.mark.parametrize("text", ["[" * 5000, "- " * 5000 + "x", "{a: " * 5000], ids=["flow", "block", "mappings"])
def test_yaml_nested_too_deeply_is_refused(text: str) -> None:
    assert isinstance(refused(text), MalformedDocumentError)


@pytest.mark.parametrize(
    "text",
    ["1: a", "a: !!binary aGk=", "a: 1e999", "a: !!timestamp 2001-01-01", "a: 1\n---\nb: 2\n", "9" * 5000, "a: \0"],
)
def test_yaml_that_json_cannot_express_is_refused(text: str) -> None:
    assert "a.yaml" in str(refused(text))


def test_yaml_error_counts_lines_from_where_the_text_begins() -> None:
    with pytest.raises(MalformedDocumentError) as caught:
        parse_yaml("a: 1\nb: [\n", "a.md", first_line=2)
    assert caught.value.diagnostic.line == 4


@pytest.mark.parametrize(
    "text", ["{", '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 100_000, "[" * 200 + "]" * 200, "9" * 5000]
)
def test_json_that_is_not_sound_is_refused(text: str) -> None:
    with pytest.raises(MalformedDocumentError):
        parse_json(text, "a.json")


def test_text_that_is_not_utf8_is_refused_with_its_line() -> None:
    with pytest.raises(MalformedDocumentError) as caught:
        decode(b"a\nb\xff\n", "a.md")
    assert caught.value.diagnostic.line == 2


def test_byte_order_mark_is_dropped() -> None:
    assert decode(b"\xef\xbb\xbfa: 1", "a.yaml") == "a: 1"


def test_file_above_the_cap_is_refused() -> None:
    with pytest.raises(MalformedDocumentError, match="limit"):
        decode(b" " * (MAX_BYTES + 1), "a.yaml")


@pytest.mark.parametrize("text", ["a: 0x" + "f" * 4000, "a: " + "9" * 5000, "a: 0o" + "7" * 5000])
def test_yaml_number_that_cannot_be_written_is_refused(text: str) -> None:
    with pytest.raises(MalformedDocumentError, match=r"a\.yaml"):
        parse_yaml(text, "a.yaml")


@pytest.mark.parametrize("parse", [parse_json, parse_yaml])
def test_half_of_a_surrogate_pair_is_refused_and_a_whole_one_is_not(parse: Any) -> None:
    assert parse('{"a": "\\ud83d\\ude00"}' if parse is parse_json else '{"a": "\\U0001f600"}', "a") == {
        "a": "\U0001f600"
    }
    for text in ('{"a": "x\\ud800"}', '{"a\\uDFFF": [1]}'):
        with pytest.raises(MalformedDocumentError, match=r"a\.json"):
            parse(text, "a.json")


def test_yaml_alias_that_leads_nowhere_names_the_file() -> None:
    with pytest.raises(MalformedDocumentError) as caught:
        parse_yaml("a: *b", "a.yaml")
    assert caught.value.diagnostic.source == "a.yaml"
