"""The eight points of the adapter document, "Conformance": one class each, in its order."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from markitect_tool.context.errors import ContextError
from markitect_tool.context.guard import sha256_uri
from markitect_tool.context.model import Adapter, AdapterResult, Trust
from markitect_tool.context.registry import discover_context_adapters
from markitect_tool.testing.context_subject import SECRET, ContextSample, ContextSubject
from markitect_tool.testing.isolation import NETWORK_EVENTS, PROCESS_EVENTS

# Names that mean something to a shell, to SQL, to Git, to a file system or to a template, and are just names here.
HOSTILE_NAMES = (
    "'; DROP TABLE records; --",
    "' OR '1'='1",
    '" OR "1"="1',
    "' UNION SELECT 1 --",
    "$(touch hit)",
    "`touch hit`",
    "; touch hit",
    "| touch hit",
    "--upload-pack=touch hit",
    "--output=hit",
    "{{ 7 * 7 }}",
    "%s%s%n",
    "*",
)
ESCAPES = ("../secret.txt", "x/../../secret.txt", "/../secret.txt", "./../secret.txt")


class SchemeRules(ContextSubject):
    """1. It claims its schemes and no others."""

    def test_adapter_has_the_members_of_the_protocol(self) -> None:
        adapter = self.adapter
        assert isinstance(adapter, Adapter)
        assert isinstance(adapter.name, str)
        assert adapter.name
        assert isinstance(adapter.remote, bool)

    def test_schemes_are_those_stated(self) -> None:
        assert sorted(self.adapter.schemes) == sorted(self.schemes)
        assert [scheme for scheme in self.schemes if not re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme)] == []

    def test_no_installed_adapter_claims_a_scheme_of_it(self) -> None:
        adapter = self.adapter
        others = {
            scheme: other.name
            for other in discover_context_adapters()
            for scheme in other.schemes
            if type(other) is not type(adapter) and scheme in self.schemes
        }
        assert others == {}

    def test_uri_of_another_scheme_is_refused(self, sample: ContextSample) -> None:
        for scheme in ("elsewhere", self.schemes[0] + "s2", ""):
            with pytest.raises(ContextError):
                self.load(sample, scheme + ":" + sample.uri.partition(":")[2])


class MalformedRules(ContextSubject):
    """2. It fails clearly on a malformed URI."""

    def test_malformed_uri_is_an_error_that_says_what_to_write(self, sample: ContextSample) -> None:
        assert self.malformed, "state some malformed URIs"
        for uri in self.malformed:
            error = self.refusal(sample, uri)
            assert error.hint, f"the error for {uri!r} has no hint"
            assert error.diagnostic.severity == "error"

    def test_uri_without_anything_after_the_scheme_is_an_error(self, sample: ContextSample) -> None:
        for scheme in self.schemes:
            for uri in (f"{scheme}:", f"{scheme}://", f"{scheme}:///"):
                assert str(self.refusal(sample, uri))

    def test_control_characters_are_an_error(self, sample: ContextSample) -> None:
        for character in "\0\n\r\t":
            assert str(self.refusal(sample, sample.uri + character))

    def test_nothing_there_is_an_error(self, sample: ContextSample) -> None:
        error = self.refusal(sample, self.uri_of("nothing-of-this-name", sample))
        assert error.code in ("source-unavailable", "path-traversal")

    def refusal(self, sample: ContextSample, uri: str) -> ContextError:
        with pytest.raises(ContextError) as caught:
            self.load(sample, uri)
        return caught.value


class OfflineRules(ContextSubject):
    """3. It refuses network access when `ctx.offline` and it is remote."""

    def test_offline_load_touches_no_network(self, sample: ContextSample) -> None:
        (outcome,) = self.load_elsewhere(sample, [sample.uri], refuse=NETWORK_EVENTS, offline=True)
        if self.adapter.remote:
            assert outcome.get("code") == "source-unavailable"
            assert outcome["message"]
        else:
            assert outcome == {"content": sample.content.hex()}

    def test_adapter_that_is_not_remote_never_touches_the_network(self, sample: ContextSample) -> None:
        if self.adapter.remote:
            pytest.skip("the adapter is remote")
        (outcome,) = self.load_elsewhere(sample, [sample.uri], refuse=NETWORK_EVENTS)
        assert outcome == {"content": sample.content.hex()}


class TrustRules(ContextSubject):
    """4. It returns an honest trust level."""

    def test_trust_is_the_level_stated(self, sample: ContextSample) -> None:
        assert self.load(sample).trust is self.trust

    def test_remote_content_is_untrusted(self, sample: ContextSample) -> None:
        if not self.adapter.remote:
            pytest.skip("the adapter is not remote")
        assert self.load(sample).trust is Trust.UNTRUSTED

    def test_operator_can_lower_the_trust_and_not_raise_it(self, sample: ContextSample) -> None:
        for level in Trust:
            assert self.load_through_registry(sample, trust=level.value).trust is min(level, self.trust)


class DigestRules(ContextSubject):
    """5. It returns a `sha256:` digest of the retrieved bytes."""

    def test_content_is_what_is_stored(self, sample: ContextSample) -> None:
        assert self.load(sample).content == sample.content

    def test_digest_is_that_of_the_content(self, sample: ContextSample) -> None:
        result = self.load(sample)
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", result.digest)
        assert result.digest == sha256_uri(sample.content)

    def test_time_of_retrieval_is_told_in_utc(self, sample: ContextSample) -> None:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", self.load(sample).retrieved_at or "")

    def test_second_load_gives_the_same_bytes(self, sample: ContextSample) -> None:
        assert self.load(sample).digest == self.load(sample).digest

    def test_one_adapter_loads_in_several_threads(self, sample: ContextSample) -> None:
        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(lambda _: self.load(sample), range(8)))
        assert {result.content for result in results} == {sample.content}


class RootRules(ContextSubject):
    """6. It never escapes the context root."""

    def test_what_lies_beside_the_folder_is_not_opened(self, sample: ContextSample) -> None:
        """In the place of the whole path, of its last part, and in percent-encoding."""
        paths = [*ESCAPES, *(quote(path, safe="") for path in ESCAPES), *(path.replace(".", "%2e") for path in ESCAPES)]
        paths += [quote(quote(path, safe=""), safe="") for path in ESCAPES]
        absolute = str(sample.dir.parent / "secret.txt")
        base = sample.uri.rpartition("/")[0]
        uris = [f"{base}/{path}" for path in [*paths, absolute]]
        for scheme in self.schemes:
            uris += [f"{scheme}://{path}" for path in [*paths, absolute]] + [f"{scheme}:{path}" for path in paths]
        for uri, outcome in zip(uris, self.load_elsewhere(sample, uris, refuse=()), strict=True):
            assert "code" in outcome or outcome["content"] != SECRET.hex(), uri

    def test_link_out_of_the_folder_is_not_followed(self, sample: ContextSample) -> None:
        (sample.dir / "way-out").symlink_to(sample.dir.parent)
        base = sample.uri.rpartition("/")[0]
        uris = [f"{base}/way-out/secret.txt", *(f"{scheme}://./way-out/secret.txt" for scheme in self.schemes)]
        assert [uri for uri, found in zip(uris, self.outcomes(sample, uris), strict=True) if "code" not in found] == []

    def outcomes(self, sample: ContextSample, uris: list[str]) -> list[dict[str, str]]:
        return self.load_elsewhere(sample, uris, refuse=())


class ExecutionRules(ContextSubject):
    """7. It never executes retrieved content."""

    def test_load_starts_no_process(self, sample: ContextSample) -> None:
        (outcome,) = self.load_elsewhere(sample, [sample.uri], refuse=PROCESS_EVENTS)
        assert outcome == {"content": sample.content.hex()}

    def test_result_is_data(self, sample: ContextSample) -> None:
        result = self.load(sample)
        assert type(result) is AdapterResult
        assert type(result.content) is bytes


class InterpolationRules(ContextSubject):
    """8. It never interpolates authored input into a shell or a query."""

    def test_hostile_names_are_only_names(self, sample: ContextSample) -> None:
        before = sorted(path.name for path in sample.dir.parent.rglob("*"))
        uris = [self.uri_of(name, sample) for name in HOSTILE_NAMES]
        outcomes = self.load_elsewhere(sample, uris, refuse=PROCESS_EVENTS)
        assert [uri for uri, outcome in zip(uris, outcomes, strict=True) if "code" not in outcome] == []
        assert sorted(path.name for path in sample.dir.parent.rglob("*")) == before
        assert self.load(sample).content == sample.content
