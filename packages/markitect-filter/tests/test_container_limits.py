"""Limits: defaults, options, and what happens when one is reached."""

import io
import os
import zipfile
from dataclasses import fields

import pytest
from markitect_filter.documents.limits import DEFAULT_LIMITS, Limits, from_markup
from markitect_filter.epub3.container.archive import Archive
from markitect_filter.markup.limits import MarkupLimitError, MarkupLimits
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import InvalidOptionError, LimitExceededError


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def opened(data, **limits):
    return Archive.open(data, limits=Limits(**limits), sink=DiagnosticSink())


def test_every_limit_is_an_option_with_unit_and_default():
    schema = Limits.option_schema()
    assert list(schema) == [f"max_{limit.name}" for limit in fields(Limits)]
    for limit in fields(Limits):
        entry = schema[f"max_{limit.name}"]
        assert entry["default"] == getattr(DEFAULT_LIMITS, limit.name)
        assert limit.metadata["unit"] in entry["description"]


def test_options_set_limits_and_leave_the_others():
    limits = Limits.from_options({"max_members": 7, "max_depth": "40", "skip": "cover"})
    assert (limits.members, limits.depth, limits.ratio) == (7, 40, DEFAULT_LIMITS.ratio)


@pytest.mark.parametrize("value", [0, -1, "many", 1.5, True, "", "1e3", [1]])
def test_a_limit_that_is_no_positive_integer_is_refused(value):
    with pytest.raises(InvalidOptionError, match="max_members"):
        Limits.from_options({"max_members": value})


def test_a_depth_that_the_parser_could_not_hold_is_refused():
    with pytest.raises(InvalidOptionError, match="2000"):
        Limits.from_options({"max_depth": 2001})


def test_the_parsers_limits_follow():
    assert Limits(depth=9, tags=8, attributes=7, tolerant_tags=6, entity_chars=5).markup == MarkupLimits(9, 8, 7, 6, 5)


def test_an_exceeded_limit_names_itself_its_value_and_its_option():
    entry = Limits(members=3).exceeded("members", "too many", path="a").diagnostic
    assert entry.code == "source.limit_exceeded"
    assert entry.details == {"limit": "members", "value": 3, "option": "max_members"}
    assert "max_members" in entry.hint
    assert "members" in entry.message


def test_a_parsers_limit_becomes_one_of_the_book():
    entry = from_markup(MarkupLimitError("tags", 5, "too many tags"), "OPS/a.xhtml").diagnostic
    assert (entry.path, entry.details["option"]) == ("OPS/a.xhtml", "max_tags")


@pytest.mark.parametrize("limit", ["member_bytes", "total_bytes"])
def test_a_member_over_a_budget_is_refused_by_name(limit):
    with opened(zipped(a=os.urandom(2_000)), **{limit: 1_000}) as archive, pytest.raises(LimitExceededError) as caught:
        archive.read("a")
    assert caught.value.diagnostic.details["limit"] == limit


def test_a_member_as_large_as_its_limit_is_read():
    with opened(zipped(a=bytes(1_000)), member_bytes=1_000, total_bytes=1_000) as archive:
        assert archive.read("a") == bytes(1_000)


def test_structural_files_have_a_limit_of_their_own():
    with opened(zipped(a=bytes(2_000)), structural_bytes=1_000) as archive:
        assert len(archive.read("a")) == 2_000
        with pytest.raises(LimitExceededError, match="structural_bytes"):
            archive.read("a", structural=True)


def test_the_total_counts_every_read():
    with opened(zipped(a=bytes(600), b=bytes(600)), total_bytes=1_000) as archive:
        archive.read("a")
        with pytest.raises(LimitExceededError, match="total_bytes"):
            archive.read("b")


def test_a_blank_member_that_packs_hundreds_to_one_is_accepted():
    with opened(zipped(blank=" " * 300_000)) as archive:
        assert len(archive.read("blank")) == 300_000


@pytest.mark.parametrize("read", [Archive.read, Archive.digest])
def test_a_bomb_is_refused_by_its_ratio(read):
    with opened(zipped(bomb=bytes(64_000_000))) as archive, pytest.raises(LimitExceededError) as caught:
        read(archive, "bomb")
    assert caught.value.diagnostic.details["limit"] == "ratio"


def test_a_bomb_that_declares_a_small_size_is_refused_too():
    data = zipped(bomb=bytes(64_000_000))
    lying = data.replace((64_000_000).to_bytes(4, "little"), (1_000).to_bytes(4, "little"))
    assert lying != data
    with opened(lying) as archive, pytest.raises(LimitExceededError):
        archive.read("bomb")


def test_too_many_members_are_refused_before_they_are_all_read():
    data = zipped(**{f"m{n}": b"" for n in range(30)})
    with pytest.raises(LimitExceededError, match="members"):
        opened(data, members=29)
    opened(data, members=30).close()


def test_a_file_over_the_limit_is_refused():
    data = zipped(a=b"x")
    with pytest.raises(LimitExceededError, match="archive_bytes"):
        opened(data, archive_bytes=len(data) - 1)
