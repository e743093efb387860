"""The five rules of adapter selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markitect_tool import (
    OptionalDependency,
    SourceAdapterDescriptor,
    SourceAdapterMatch,
    SourceAdapterMatchRequest,
    SourceAdapterRegistry,
    SourceAsset,
)
from markitect_tool.errors import MalformedSourceError, UnknownAdapterError, UnsupportedFormatError
from markitect_tool.source.selection import select_adapter
from markitect_tool.testing import fake_descriptor
from markitect_tool.testing.fakes import FakeAdapter

ABSENT = OptionalDependency("no_such_module", "fake-filter", "all")
ASSET = SourceAsset("book.fake", name="book.fake", extension=".fake")
TYPED = replace(ASSET, media_type="text/x-fake; charset=utf-8")


def _select(descriptors: list[SourceAdapterDescriptor], asset: SourceAsset = ASSET, **choices: Any) -> str:
    return select_adapter(SourceAdapterRegistry(descriptors), asset, **choices).descriptor.id


class _Sniffer(FakeAdapter):
    """Decides by the bytes alone."""

    def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        matched = (request.content or b"").startswith(b"SNIFF")
        return SourceAdapterMatch(self.descriptor.id, matched, 70 if matched else 0, "the first bytes")


def _sniffing(adapter_id: str, **claims: Any) -> SourceAdapterDescriptor:
    descriptor = fake_descriptor(adapter_id, **claims)
    return replace(descriptor, factory=lambda: _Sniffer(descriptor))


def _failing(adapter_id: str, **claims: Any) -> SourceAdapterDescriptor:
    def factory() -> FakeAdapter:
        raise ModuleNotFoundError("No module named 'no_such_module'", name="no_such_module")

    return replace(fake_descriptor(adapter_id, optional_dependencies=[ABSENT], **claims), factory=factory)


def test_rule_1_explicit_id_wins_over_every_match():
    other = fake_descriptor("source.z", media_types=[], extensions=[])
    assert _select([fake_descriptor("source.a"), other], adapter_id="source.z") == "source.z"


def test_rule_1_explicit_id_that_nobody_has():
    with pytest.raises(UnknownAdapterError):
        _select([fake_descriptor("source.a")], adapter_id="source.z")


def test_rule_2_media_type_beats_suffix_at_any_confidence():
    by_suffix = fake_descriptor("source.a", media_types=[], confidence=100)
    by_type = replace(fake_descriptor("source.b", extensions=[]), factory=lambda: _sure(by_type, 1))
    assert _select([by_suffix, by_type], TYPED) == "source.b"


def _sure(descriptor: SourceAdapterDescriptor, confidence: int) -> FakeAdapter:
    class Sure(FakeAdapter):
        def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
            return SourceAdapterMatch(self.descriptor.id, True, confidence)

    return Sure(descriptor)


def test_rule_2_media_type_match_ignores_case_and_parameters():
    by_type = fake_descriptor("source.b", extensions=[])
    by_type = replace(by_type, factory=lambda: _sure(by_type, 50))
    assert _select([by_type], SourceAsset("x", media_type="Text/X-Fake;charset=x")) == "source.b"


def test_rule_3_higher_confidence_wins():
    low, high = fake_descriptor("source.a", confidence=10), fake_descriptor("source.b", confidence=11)
    assert _select([low, high]) == "source.b"


def test_rule_4_available_dependencies_win_at_equal_confidence():
    lacking = fake_descriptor("source.a", optional_dependencies=[ABSENT])
    assert _select([lacking, fake_descriptor("source.b")]) == "source.b"


def test_rule_3_comes_before_rule_4():
    lacking = fake_descriptor("source.a", optional_dependencies=[ABSENT], confidence=90)
    assert _select([lacking, fake_descriptor("source.b", confidence=80)]) == "source.a"


def test_rule_4_adapter_that_cannot_be_loaded_yields():
    assert _select([_failing("source.a"), fake_descriptor("source.b", confidence=1)]) == "source.b"


def test_adapter_that_cannot_be_loaded_is_chosen_when_it_alone_claims_the_source():
    assert _select([_failing("source.a"), fake_descriptor("source.b", extensions=[".other"])]) == "source.a"


def test_rule_5_tie_goes_to_the_first_id_with_a_warning():
    registry = SourceAdapterRegistry([fake_descriptor("source.b"), fake_descriptor("source.a")])
    selection = select_adapter(registry, ASSET)
    assert selection.descriptor.id == "source.a"
    (found,) = selection.diagnostics
    assert (found.code, found.severity) == ("source.adapter_ambiguous", "warning")
    assert found.details == {"adapters": ["source.a", "source.b"]}


def test_clear_choice_gives_no_warning():
    registry = SourceAdapterRegistry([fake_descriptor("source.a"), fake_descriptor("source.b", confidence=9)])
    assert select_adapter(registry, ASSET).diagnostics == []


def test_adapter_may_decline_what_its_descriptor_claims():
    sniffing = _sniffing("source.a")
    assert _select([sniffing, fake_descriptor("source.b")], content=b"other") == "source.b"


def test_content_decides_when_no_descriptor_claims_the_source():
    sniffing = _sniffing("source.s", media_types=[], extensions=[])
    nameless = SourceAsset("nameless")
    assert _select([sniffing, fake_descriptor("source.a")], nameless, content=b"SNIFF me") == "source.s"


def test_claim_by_suffix_comes_before_content():
    sniffing = _sniffing("source.s", media_types=[], extensions=[])
    assert _select([sniffing, fake_descriptor("source.a")], content=b"SNIFF me") == "source.a"


def test_no_match_is_unsupported_and_says_why():
    with pytest.raises(UnsupportedFormatError) as caught:
        _select([_sniffing("source.s")], content=b"other")
    assert caught.value.diagnostic.code == "source.unsupported_format"
    assert caught.value.diagnostic.details == {"declined": {"source.s": "the first bytes"}}


candidates = st.lists(
    st.tuples(
        st.sampled_from([0, 50, 100]),
        st.booleans(),
        st.sampled_from([[".fake"], [".other"]]),
        st.sampled_from([["text/x-fake"], ["text/x-other"]]),
    ),
    min_size=1,
    max_size=5,
)


@given(candidates, st.sampled_from([ASSET, replace(ASSET, media_type="text/x-fake")]), st.randoms())
def test_selection_ignores_the_order_of_registration(
    drawn: list[tuple[int, bool, list[str], list[str]]], asset: SourceAsset, random: Any
):
    descriptors = [
        fake_descriptor(
            f"source.{number}",
            confidence=confidence,
            optional_dependencies=[] if available else [ABSENT],
            extensions=extensions,
            media_types=media_types,
        )
        for number, (confidence, available, extensions, media_types) in enumerate(drawn)
    ]
    outcomes = []
    for _ in range(2):
        try:
            selection = select_adapter(SourceAdapterRegistry(descriptors), asset)
            outcomes.append((selection.descriptor.id, selection.diagnostics))
        except UnsupportedFormatError as error:
            outcomes.append((str(error), [error.diagnostic]))
        random.shuffle(descriptors)
    assert outcomes[0] == outcomes[1]


@given(candidates)
def test_chosen_adapter_is_never_beaten_by_another(drawn: list[tuple[int, bool, list[str], list[str]]]):
    """The rules again, said as a sort key over what was drawn."""
    asset = replace(ASSET, media_type="text/x-fake")
    keys = {}
    descriptors = []
    for number, (confidence, available, extensions, media_types) in enumerate(drawn):
        name = f"source.{number}"
        by_type, by_suffix = media_types == ["text/x-fake"], extensions == [".fake"]
        if by_type or by_suffix:
            keys[name] = (not by_type, -confidence, not available, name)
        descriptors.append(
            fake_descriptor(
                name,
                confidence=confidence,
                optional_dependencies=[] if available else [ABSENT],
                extensions=extensions,
                media_types=media_types,
            )
        )
    if keys:
        assert _select(descriptors, asset) == min(keys, key=lambda name: keys[name])


def _reading(adapter_id: str, can_read: Callable[[SourceAdapterMatchRequest], SourceAdapterMatch]) -> Any:
    class Reading(FakeAdapter):
        def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
            return can_read(request)

    descriptor: SourceAdapterDescriptor = replace(fake_descriptor(adapter_id), factory=lambda: Reading(descriptor))
    return descriptor


def _refusing(request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
    raise MalformedSourceError("The first bytes are wrong.")


def test_adapter_that_raises_a_source_error_declines():
    assert _select([_reading("source.a", _refusing), fake_descriptor("source.b")]) == "source.b"


def test_unsupported_format_says_why_adapters_for_it_declined():
    with pytest.raises(UnsupportedFormatError, match=r"book\.fake \(source\.a: The first bytes are wrong\)"):
        _select([_reading("source.a", _refusing), fake_descriptor("source.b", media_types=[], extensions=[])])


def test_bytes_without_a_name_can_be_told_what_they_are():
    with pytest.raises(UnsupportedFormatError) as caught:
        _select([fake_descriptor()], SourceAsset("ni:///sha-256;x"))
    assert "--media-type" in (caught.value.diagnostic.hint or "")


def test_adapter_gets_option_texts_as_values_of_its_schema():
    seen: list[dict[str, Any]] = []

    def can_read(request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        seen.append(request.options)
        return SourceAdapterMatch("source.a", True, 50)

    _select([_reading("source.a", can_read)], options={"other": 1}, option_texts=[("upper", "yes")])
    assert seen == [{"other": 1, "upper": True}]
