"""From raw documents to records of Markdown."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st
from markitect_tool.canonical import digest_bytes
from markitect_tool.errors import OptionError, UnknownAdapterError, UnsupportedFormatError
from markitect_tool.pipeline.parsers import AdapterParser, AnyParser, PlainTextParser, choose_parser, parser_of
from markitect_tool.pipeline.records import CharacterSpan, Classification, ParserInput, Provenance
from markitect_tool.source.api import normalize_source
from markitect_tool.source.messages import SourceReadResult
from markitect_tool.source.plaintext import plaintext_adapter_descriptor
from markitect_tool.source.registry import SourceAdapterRegistry
from markitect_tool.testing.fakes import FakeAdapter, fake_descriptor


def raw(content, name="a.txt", media_type="text/plain", **config):
    data = content if isinstance(content, bytes) else content.encode()
    return ParserInput(
        content=content,
        config=config,
        provenance=Provenance(
            uri=f"folder/{name}",
            key=name,
            digest=digest_bytes(data),
            size=len(data),
            source="folder",
            name=name,
            modified_ns=7,
            metadata={"trust": "untrusted"},
        ),
        classification=Classification(media_type=media_type, language="de", textual=True),
    )


def parsed(parser, *inputs):
    return list(parser.parse(inputs))


def codes(record):
    return [found.code for found in record.findings()]


# Plain text


def test_text_is_decoded_by_the_parser():
    (record,) = parsed(PlainTextParser(), raw("Grüße\n"))
    assert record.normalized().markdown == "Grüße"


def test_encoding_hint_is_honoured():
    (record,) = parsed(PlainTextParser(), raw("日本語".encode("shift_jis"), encoding="shift_jis"))
    assert record.normalized().markdown == "日本語"
    assert record.normalized().adapter["options"]["encoding"] == "shift_jis"


def test_hint_of_a_document_comes_before_the_option_of_the_run():
    parser = PlainTextParser({"encoding": "latin-1"})
    first, second = parsed(parser, raw("日本語".encode("shift_jis"), encoding="shift_jis"), raw(b"\xe9"))
    assert (first.normalized().markdown, second.normalized().markdown) == ("日本語", "é")


@pytest.mark.parametrize(
    ("content", "config", "length"),
    [
        ("Grüße", {}, 5),
        ("a\nb\n", {}, 4),
        ("a\r\nb\rc", {}, 5),
        ("\ufeffabc", {}, 3),
        ("😀", {}, 1),
        ("Grüße".encode("utf-16"), {}, 5),
        ("Grüße".encode("utf-32-be"), {"encoding": "utf-32-be"}, 5),
        (b"caf\xe9", {}, 4),
        (b"   ", {}, 3),
    ],
)
def test_span_counts_the_characters_of_the_decoded_text(content, config, length):
    (record,) = parsed(PlainTextParser(), raw(content, **config))
    assert record.provenance.span == CharacterSpan(start=0, end=length)


@examples(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_offsets_of_segments_lie_in_the_span(text):
    (record,) = parsed(PlainTextParser(), raw(text.encode()))
    offsets = [origin.end_offset for part in record.normalized().segments for origin in part.provenance]
    assert all(offset <= record.provenance.span.end for offset in offsets)


def test_all_else_is_inherited():
    given = raw("text")
    (record,) = parsed(PlainTextParser(), given)
    assert record.provenance.model_copy(update={"span": None}) == given.provenance
    assert record.classification == given.classification


def test_text_that_was_decoded_already_needs_no_hint():
    (record,) = parsed(PlainTextParser(), raw("日本語", encoding="shift_jis"))
    assert record.normalized().markdown == "日本語"
    assert record.provenance.span.end == 3


def test_bytes_that_are_not_utf8_are_read_with_a_warning():
    (record,) = parsed(PlainTextParser(), raw(b"caf\xe9"))
    assert record.normalized().markdown == "café"
    assert codes(record) == ["source.encoding_recovered"]


@pytest.mark.parametrize(
    ("content", "config", "code"),
    [
        (b"text", {"encoding": "no-such"}, "source.invalid_option"),
        (b"text", {"encoding": 5}, "source.invalid_option"),
        (b"\xff\xff", {"encoding": "utf-8"}, "source.malformed"),
        (b"a\0b", {}, "source.malformed"),
        (b"", {}, "source.empty"),
    ],
)
def test_text_that_cannot_be_decoded_is_a_record_that_says_why(content, config, code):
    given = raw(content, **config)
    (record,) = parsed(PlainTextParser(), given)
    assert not record.valid
    assert codes(record) == [code]
    assert record.provenance == given.provenance


def test_hint_that_the_parser_does_not_know_is_passed_by():
    (record,) = parsed(PlainTextParser(), raw("text", ocr_language="de"))
    assert record.valid


def test_records_come_in_the_order_of_the_inputs_one_by_one():
    asked = []

    def inputs():
        for number in range(3):
            asked.append(number)
            yield raw(f"text {number}")

    records = PlainTextParser().parse(inputs())
    assert next(records).normalized().markdown == "text 0"
    assert asked == [0]
    assert [record.normalized().markdown for record in records] == ["text 1", "text 2"]


# Adapters


def registry_of(*descriptors):
    registry = SourceAdapterRegistry()
    for descriptor in descriptors:
        registry.register(descriptor)
    return registry


def test_adapter_gives_what_it_gives_outside_of_a_pipeline():
    given = raw(b"# One\n\nText\n", name="a.md")
    (record,) = parsed(AdapterParser({"segment_level": 0}), given)
    direct = normalize_source(
        given.data, uri="folder/a.md", name="a.md", adapter_id="source.plaintext", options={"segment_level": 0}
    )
    assert record.document == direct.document.to_dict()


def test_unknown_adapter_is_an_error_before_any_document():
    with pytest.raises(UnknownAdapterError):
        AdapterParser({}, None, "source.nonsense")


@pytest.mark.parametrize("options", [{"nonsense": 1}, {"segment_level": "high"}])
def test_option_that_no_document_could_be_parsed_with_is_an_error(options):
    with pytest.raises(OptionError):
        PlainTextParser(options)
    with pytest.raises(OptionError):
        AnyParser(options)


def test_each_document_is_parsed_by_the_adapter_that_reads_it():
    text, markdown, unknown = parsed(
        AnyParser(), raw("# no heading"), raw(b"# heading", name="a.md"), raw(b"\x89PNG\r\n\x1a\n", name="a.png")
    )
    assert text.normalized().segments[0].heading is None
    assert markdown.normalized().segments[0].heading == "heading"
    assert codes(unknown) == ["source.unsupported_format"]


def test_span_is_filled_in_whoever_chose_plain_text():
    (record,) = parsed(AnyParser(), raw("abc"))
    assert record.provenance.span == CharacterSpan(start=0, end=3)


def test_type_of_text_that_was_decoded_already_is_known():
    (record,) = parsed(AnyParser(), raw("# heading", name="page", media_type="text/markdown"))
    assert record.normalized().segments[0].heading == "heading"


def test_naive_type_of_bytes_is_no_evidence():
    (record,) = parsed(AnyParser(), raw(b"# heading", name="page", media_type="text/markdown"))
    assert codes(record) == ["source.unsupported_format"]


def test_declared_type_of_bytes_chooses_the_adapter():
    given = raw(b"# heading", name="page").model_copy(update={"config": {"media_type": "text/markdown"}})
    (record,) = parsed(AnyParser(), given)
    assert record.normalized().segments[0].heading == "heading"


def test_options_go_to_the_adapters_that_declare_them():
    parser = AnyParser({"upper": True}, registry_of(fake_descriptor(), plaintext_adapter_descriptor()))
    fake, text = parsed(parser, raw(b"FAKE title", name="a.fake"), raw("text"))
    assert fake.normalized().markdown == "# TITLE"
    assert text.normalized().markdown == "text"


def test_choice_that_is_not_clear_is_told_of():
    parser = AnyParser({}, registry_of(fake_descriptor(), fake_descriptor("source.rival")))
    (record,) = parsed(parser, raw(b"FAKE title", name="a.fake"))
    assert record.valid
    assert codes(record) == ["source.adapter_ambiguous"]


def test_document_that_no_record_can_hold_is_a_record_that_says_so():
    class Surrogates(FakeAdapter):
        def read(self, request):
            document = FakeAdapter.read(self, request).document
            return SourceReadResult(True, replace(document, markdown="\ud800"))

    descriptor = fake_descriptor()
    broken = replace(descriptor, factory=lambda: Surrogates(descriptor))
    (record,) = parsed(AdapterParser({}, registry_of(broken), "source.fake"), raw(b"FAKE title", name="a.fake"))
    assert codes(record) == ["pipeline.record_invalid"]
    assert not record.valid


def test_defect_of_an_adapter_is_no_business_of_the_parser():
    class Broken(FakeAdapter):
        def read(self, request):
            raise ZeroDivisionError

    descriptor = fake_descriptor()
    broken = replace(descriptor, factory=lambda: Broken(descriptor))
    with pytest.raises(ZeroDivisionError):
        parsed(AdapterParser({}, registry_of(broken), "source.fake"), raw(b"FAKE title", name="a.fake"))


# Choosing


@pytest.mark.parametrize(
    ("name", "kind", "adapter"),
    [
        ("a.txt", PlainTextParser, "source.plaintext"),
        ("a.md", PlainTextParser, "source.plaintext"),
        ("a.fake", AdapterParser, "source.fake"),
    ],
)
def test_parser_is_chosen_by_the_document(name, kind, adapter):
    registry = registry_of(fake_descriptor(), plaintext_adapter_descriptor())
    parser = choose_parser(raw(b"FAKE title", name=name), {"upper": True, "segment_level": 2}, registry)
    assert (type(parser), parser.id) == (kind, adapter)


def test_no_parser_for_what_nothing_reads():
    with pytest.raises(UnsupportedFormatError):
        choose_parser(raw(b"\x89PNG", name="a.png"))


@pytest.mark.parametrize(
    ("adapter", "kind"), [(None, AnyParser), ("source.plaintext", PlainTextParser), ("source.fake", AdapterParser)]
)
def test_parser_of_a_run(adapter, kind):
    parser = parser_of(adapter, {}, registry_of(fake_descriptor(), plaintext_adapter_descriptor()))
    assert type(parser) is kind


@pytest.mark.parametrize("parser", [AnyParser({"segment_level": 2}), PlainTextParser()])
def test_parser_survives_pickling(parser):
    again = pickle.loads(pickle.dumps(parser))
    assert again.fingerprint() == parser.fingerprint()
    assert parsed(again, raw("text")) == parsed(parser, raw("text"))


def test_fingerprint_tells_parsers_options_and_versions_apart():
    one = registry_of(fake_descriptor())
    other = registry_of(replace(fake_descriptor(), version="2"))
    parsers = [
        PlainTextParser(),
        PlainTextParser({"segment_level": 1}),
        AnyParser(),
        AnyParser({}, one),
        AnyParser({}, other),
        AdapterParser({}, one, "source.fake"),
        AdapterParser({}, other, "source.fake"),
    ]
    assert len({parser.fingerprint() for parser in parsers}) == len(parsers)


def test_fingerprint_does_not_depend_on_the_order_of_options():
    one, other = ({"segment_level": 1, "encoding": "utf-8"}, {"encoding": "utf-8", "segment_level": 1})
    assert PlainTextParser(one).fingerprint() == PlainTextParser(other).fingerprint()
