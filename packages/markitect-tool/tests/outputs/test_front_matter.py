"""Front matter that YAML readers of any version take for what it is."""

import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool.outputs.front_matter import document_entries, yaml_front_matter, yaml_mapping
from markitect_tool.outputs.single import with_front_matter


def read(text):
    return yaml.safe_load(text.removeprefix("---\n").partition("\n---\n")[0])


def test_document_says_what_it_is(make):
    document = make(
        "text",
        title='Ebb: a "history"',
        creators=["Ada Lane", "Jo O'Neil"],
        language="en",
        rights="# none",
        source_url="https://example.org/ebb",
        publication_date="2001-02-03T04:05:06Z",
        publisher="Harbour Press",
        identifiers={"isbn": "9780000000002"},
    )
    assert read(with_front_matter(document, document.markdown)) == {
        "title": 'Ebb: a "history"',
        "author": ["Ada Lane", "Jo O'Neil"],
        "lang": "en",
        "date": datetime.date(2001, 2, 3),
        "publisher": "Harbour Press",
        "identifiers": ["isbn: 9780000000002"],
        "source": "https://example.org/ebb",
        "rights": "# none",
    }


def test_what_is_not_known_is_left_out(make):
    assert read(with_front_matter(make("a"), "a")) == {"source": "book:1"}


@pytest.mark.parametrize("date", ["1813", "2001-02", "c. 1600", "2001-02-30", "2001-13-01", "20010203"])
def test_date_that_is_no_day_stays_a_text(make, date):
    assert read(yaml_front_matter(document_entries(make("a", publication_date=date))))["published"] == date


@given(st.text())
def test_any_text_comes_back(text):
    wanted = text.encode("utf-8", "replace").decode() if text else None
    expected = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text) or wanted
    assert (yaml.safe_load(yaml_mapping({"a": text})) or {}).get("a") == expected


@pytest.mark.parametrize("text", ["no", "1e3", "1984", "null", "2001-02-03", "0o14", "~", "---", "a: b", "{", "- x"])
def test_text_that_looks_like_something_else_stays_a_text(text):
    assert yaml.safe_load(yaml_mapping({"a": text, "b": [text]})) == {"a": text, "b": [text]}


def test_text_of_several_lines_stays_on_one(make):
    text = yaml_front_matter(document_entries(make("a", title="a\n---\nb")))
    assert text.count("\n---\n") == 1
    assert read(text)["title"] == "a\n---\nb"
