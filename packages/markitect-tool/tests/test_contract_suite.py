"""The contract suite on the fake adapter, and on fakes that each break one rule: the suite must notice."""

from contextlib import contextmanager
from dataclasses import replace

import pytest
from markitect_tool.canonical import digest_bytes
from markitect_tool.errors import SourceError
from markitect_tool.source.messages import SourceAdapterMatch, SourceReadResult
from markitect_tool.source.model import SourceAsset
from markitect_tool.testing import AdapterContract, FakeAdapter, Sample, fake_descriptor


class TestFakeAdapter(AdapterContract):
    entry_point = "markitect_tool.testing.fakes:fake_descriptor"
    good = Sample("harbour.fake", b"FAKE Harbour\n\nOne boat.\n\nTwo boats.\n")
    malformed = Sample("harbour.fake", b"nothing of the kind\n")
    large = Sample("long.fake", b"FAKE Long\n\n" + b"Another boat.\n\n" * 500)
    options = {"upper": True}
    invalid_options = {"upper": "loud"}


class Tampering(FakeAdapter):
    """A fake adapter whose documents are altered on the way out."""

    def __init__(self, descriptor, alter):
        super().__init__(descriptor)
        self.alter = alter

    def read(self, request):
        result = super().read(request)
        return result if result.document is None else replace(result, document=self.alter(result.document))


class Lending(FakeAdapter):
    """A fake adapter with a picture; what it hands out for it, a test may vary."""

    picture = b"salt"

    def read(self, request):
        result = super().read(request)
        if result.document is None:
            return result
        picture = SourceAsset(f"{request.asset.uri}#a.png", size=4, digest=digest_bytes(b"salt"))
        return replace(result, document=replace(result.document, attachments=[picture]))

    @contextmanager
    def open_attachments(self, request):
        if not self.read(request).valid:
            raise SourceError("no source")
        yield lambda entry: self.bytes_of(entry, f"{request.asset.uri}#a.png")

    def bytes_of(self, entry, known):
        if entry.uri != known:
            raise SourceError("no such picture")
        return self.picture


ATTACHMENT_RULES = [name for name in dir(TestFakeAdapter) if "attachment" in name or name.endswith("is_refused")]


def suite_for(adapter_class, *arguments):
    """The suite on a descriptor whose factory gives `adapter_class(descriptor, *arguments)`."""
    descriptor = fake_descriptor()
    tampered = replace(descriptor, factory=lambda: adapter_class(descriptor, *arguments))
    return type("Suite", (TestFakeAdapter,), {"descriptor": tampered})()


def with_segment(document, **changes):
    """`document` with its last segment changed, and its Markdown to match."""
    segments = [*document.segments[:-1], replace(document.segments[-1], **changes)]
    return replace(document, segments=segments, markdown="\n\n".join(part.markdown for part in segments))


ALTERATIONS = {
    "test_markdown_is_the_segments_joined_with_a_blank_line": lambda it: replace(it, markdown=it.markdown + "\n"),
    "test_segments_are_in_order_from_zero": lambda it: with_segment(it, order=7),
    "test_segment_ids_are_unique": lambda it: with_segment(it, segment_id=it.segments[0].segment_id),
    "test_markdown_has_unix_line_ends_and_encodes_as_utf8": lambda it: with_segment(it, markdown="a\r\nb"),
    "test_document_id_and_cache_key_follow_the_contract": lambda it: replace(it, document_id="source-document:1"),
    "test_options_change_the_cache_key_but_not_the_document_id": lambda it: replace(it, cache_key="same"),
    "test_uri_changes_document_id_and_cache_key": lambda it: replace(it, cache_key="same"),
    "test_document_names_schema_asset_and_adapter": lambda it: replace(it, schema_version="markitect.source.v0"),
    "test_heading_levels_are_those_of_markdown": lambda it: with_segment(it, heading_level=7),
    "test_digests_are_written_as_the_contract_says": lambda it: replace(
        it, attachments=[SourceAsset("a.png", digest="md5:00")]
    ),
    "test_quality_counts_the_warnings": lambda it: replace(it, quality=replace(it.quality, warnings=3)),
    "test_second_read_gives_the_same_bytes": lambda it: with_segment(it, segment_id=f"seg-{id(it)}"),
    "test_inspect_reports_the_metadata_of_the_document": lambda it: replace(
        it, metadata=replace(it.metadata, title="Another")
    ),
}


@pytest.mark.parametrize("rule", ALTERATIONS)
def test_suite_notices_a_wrong_document(rule):
    suite = suite_for(Tampering, ALTERATIONS[rule])
    with pytest.raises(AssertionError):
        getattr(suite, rule)()


def test_suite_notices_provenance_of_another_source():
    def elsewhere(document):
        return with_segment(
            document, provenance=[replace(document.segments[0].provenance[0], source_uri="sample:other")]
        )

    with pytest.raises(AssertionError):
        suite_for(Tampering, elsewhere).test_provenance_points_at_the_source()


def test_suite_notices_a_document_that_depends_on_the_path(tmp_path):
    class PathReader(FakeAdapter):
        def read(self, request):
            result = super().read(request)
            title = request.asset.path or "no path"
            return replace(result, document=with_segment(result.document, heading=title))

    with pytest.raises(AssertionError):
        suite_for(PathReader).test_path_gives_the_same_document_as_bytes(tmp_path)


def test_suite_notices_an_inspection_that_converts():
    class Converting(FakeAdapter):
        def inspect(self, request):
            self.read(request)
            return super().inspect(request)

    with pytest.raises(AssertionError, match="inspect took"):
        suite_for(Converting).test_inspect_is_far_cheaper_than_read()


def test_suite_notices_half_a_document_of_a_malformed_source():
    class Lenient(FakeAdapter):
        def read(self, request):
            refused = super().read(request)
            if refused.valid:
                return refused
            whole = super().read(replace(request, content=b"FAKE rest\n"))
            return SourceReadResult(True, whole.document)

    with pytest.raises(AssertionError):
        suite_for(Lenient).test_malformed_source_is_refused_with_an_error()


def test_suite_notices_an_adapter_that_writes_beside_the_source(tmp_path):
    class Littering(FakeAdapter):
        def read(self, request):
            (tmp_path / "cache.tmp").write_text("")
            return super().read(request)

    with pytest.raises(AssertionError):
        suite_for(Littering).test_reading_leaves_the_folder_of_the_source_as_it_was(tmp_path)


def test_suite_notices_a_changed_request():
    class Careless(FakeAdapter):
        def read(self, request):
            request.options["seen"] = True
            return super().read(replace(request, options={}))

    with pytest.raises(AssertionError):
        suite_for(Careless).test_request_is_not_changed()


class Brittle(FakeAdapter):
    """Raises where a result is due: the API would catch it, who calls the adapter himself would not."""

    def read(self, request):
        refused = super().read(request)
        for found in refused.diagnostics:
            raise SourceError.of(found)
        return refused


def test_suite_notices_an_adapter_that_raises():
    suite = suite_for(Brittle)
    suite.test_malformed_source_is_refused_with_an_error()
    with pytest.raises(SourceError):
        suite.test_malformed_source_raises_nothing_at_the_edge_of_the_adapter()


@pytest.mark.parametrize("method", ["can_read", "inspect"])
def test_suite_notices_a_method_that_noise_breaks(method):
    def decode(self, request):
        (request.content or b"").decode("utf-8")
        return getattr(FakeAdapter, method)(self, request)

    with pytest.raises(UnicodeDecodeError):
        suite_for(type("Decoding", (FakeAdapter,), {method: decode})).test_noise_gives_a_result(64)


def test_suite_notices_a_match_that_a_parameter_of_the_media_type_prevents():
    class Literal(FakeAdapter):
        def can_read(self, request):
            matched = request.asset.media_type in self.descriptor.media_types or request.asset.extension is not None
            return SourceAdapterMatch(self.descriptor.id, matched, 50, "literally")

    with pytest.raises(AssertionError, match="version=1"):
        suite_for(Literal).test_adapter_matches_the_good_source_under_each_media_type_and_suffix()


def test_suite_notices_a_default_that_does_not_fit():
    schema = {"properties": {"upper": {"type": "boolean", "default": "no", "description": "Capitals."}}}
    suite = type("Suite", (TestFakeAdapter,), {"descriptor": replace(fake_descriptor(), option_schema=schema)})()
    with pytest.raises(AssertionError, match="does not take"):
        suite.test_default_of_every_option_fits_its_schema()


@pytest.mark.parametrize(
    "schema", [{"type": "str"}, {"type": "array", "items": {"type": "bool"}}, {"enum": "ab"}], ids=str
)
def test_suite_notices_a_schema_that_no_value_fits(schema):
    options = {"properties": {"upper": schema}}
    suite = type("Suite", (TestFakeAdapter,), {"descriptor": replace(fake_descriptor(), option_schema=options)})()
    with pytest.raises(AssertionError, match="upper"):
        suite.test_every_schema_of_an_option_can_be_used()


def test_suite_asks_for_options_when_the_adapter_has_any():
    suite = type("Suite", (TestFakeAdapter,), {"options": {}})()
    with pytest.raises(AssertionError, match="set `options`"):
        suite.test_suite_was_given_options_if_the_adapter_has_any()


def follow(suite, rule, folder):
    """Run one rule, with a folder if it wants one."""
    method = getattr(suite, rule)
    method(folder) if "tmp_path" in method.__code__.co_varnames else method()


@pytest.mark.parametrize("rule", ATTACHMENT_RULES)
def test_suite_is_content_with_an_adapter_that_lends_its_pictures(rule, tmp_path):
    follow(suite_for(Lending), rule, tmp_path)


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("test_attachments_in_the_source_have_bytes", {"picture": b"sand"}),
        ("test_what_the_source_does_not_hold_is_refused", {"bytes_of": lambda self, entry, known: b"salt"}),
        (
            "test_what_is_no_source_is_refused",
            {"open_attachments": contextmanager(lambda self, request: iter([lambda entry: b"salt"]))},
        ),
    ],
)
def test_suite_notices_an_adapter_that_lends_what_it_should_not(rule, changes, tmp_path):
    suite = suite_for(type("Careless", (Lending,), changes))
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        follow(suite, rule, tmp_path)
