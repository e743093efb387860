"""The registry: who reads a scheme, and what it checks of every load."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import repeat
from threading import Event

import pytest
from markitect_tool.context import AdapterContext, AdapterRegistry, AdapterResult, ContextError, Trust, sha256_uri
from markitect_tool.context.errors import (
    DuplicateSchemeError,
    InvalidContextError,
    ManifestError,
    ObjectNotFoundError,
    OfflineError,
    SourceUnavailableError,
    TooSlowError,
    UnknownSchemeError,
)
from markitect_tool.context.registry import default_context_registry, discover_context_adapters
from markitect_tool.testing.isolation import HEAVY_MODULES, run_fresh

CRM = """
class Crm:
    name, schemes, remote = 'crm', ('crm',), True
    def load(self, uri, ctx): ...
"""


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError


class Bare(ContextError):
    def __init__(self):
        pass


class Memory:
    """Answers each URI from a dictionary; an exception in it is raised."""

    name = "memory"
    remote = False

    def __init__(self, *schemes, remote=False, trust=Trust.VERIFIED, **answers):
        self.schemes = schemes or ("mem",)
        self.remote = remote
        self.trust = trust
        self.answers = answers
        self.contexts = []

    def load(self, uri, ctx):
        self.contexts.append(ctx)
        answer = self.answers[uri.partition(":")[2]]
        if isinstance(answer, BaseException):
            raise answer
        return AdapterResult(answer, trust=self.trust) if isinstance(answer, bytes) else answer


def registered(**answers):
    return AdapterRegistry([Memory(**answers)])


class TestSchemes:
    def test_adapter_is_found_by_scheme_in_any_case(self):
        adapter = Memory("mem", "memo")
        registry = AdapterRegistry([adapter])
        assert registry.for_uri("MEM:a") is registry.for_uri("memo:a") is adapter
        assert registry.schemes() == ["mem", "memo"]

    @pytest.mark.parametrize("uri", ["other:a", "C:/a", "no-scheme", "", ":a", "1a:b", "a b:c"])
    def test_unknown_scheme_is_an_error_that_names_the_known(self, uri):
        with pytest.raises(UnknownSchemeError) as caught:
            registered().for_uri(uri)
        assert (caught.value.code, caught.value.diagnostic.source) == ("unknown-scheme", uri or None)
        assert "mem" in caught.value.hint

    def test_scheme_claimed_twice_is_an_error_that_names_both(self):
        registry = AdapterRegistry()
        registry.register(Memory("mem"), origin="first-package")
        with pytest.raises(DuplicateSchemeError, match=r"first-package.*second-package"):
            registry.register(Memory("new", "mem"), origin="second-package")
        assert registry.schemes() == ["mem"]

    def test_same_adapter_twice_is_harmless(self):
        adapter = Memory()
        assert list(AdapterRegistry([adapter, adapter])) == [adapter]

    @pytest.mark.parametrize("schemes", [("UPPER",), ("a b",), ("",), ("mem://",), (7,)])
    def test_scheme_that_is_none_is_refused(self, schemes):
        with pytest.raises(TypeError):
            AdapterRegistry([Memory(*schemes)])

    @pytest.mark.parametrize("fields", [{"name": 7}, {"name": ""}, {"remote": "no"}, {"schemes": "mem"}])
    def test_adapter_with_odd_facts_is_refused(self, fields):
        adapter = Memory()
        vars(adapter).update(fields)
        with pytest.raises(TypeError):
            AdapterRegistry([adapter])

    def test_endless_schemes_are_refused(self):
        adapter = Memory()
        adapter.schemes = repeat("mem")
        with pytest.raises(TypeError, match="1000"):
            AdapterRegistry([adapter])

    @pytest.mark.parametrize("thing", [object(), Memory, "mem", None])
    def test_what_is_no_adapter_is_refused(self, thing):
        with pytest.raises(TypeError):
            AdapterRegistry([thing])

    def test_extended_registry_leaves_the_first_as_it_was(self):
        registry = registered()
        assert registry.extended([Memory("more")]).schemes() == ["mem", "more"]
        assert registry.schemes() == ["mem"]
        with pytest.raises(DuplicateSchemeError):
            registry.extended([Memory()])


class TestConfiguration:
    def test_scheme_is_laid_over_the_name(self):
        registry = AdapterRegistry([Memory("mem", "memo")])
        sections = {"memory": {"a": 1, "b": 1}, "memo": {"b": 2}, "other": {"c": 3}}
        assert registry.config_for("memo:x", sections) == {"a": 1, "b": 2}
        assert registry.config_for("mem:x", sections) == {"a": 1, "b": 1}

    def test_section_that_is_no_mapping_is_an_error(self):
        with pytest.raises(ManifestError, match=r"adapters\.mem"):
            registered().config_for("mem:x", {"mem": ["enabled"]})

    @pytest.mark.parametrize(
        "config", [{"enabled": "no"}, {"trust": "high"}, {"trust": True}, {"timeout_ms": 0}, {"timeout_ms": "5s"}]
    )
    def test_setting_of_the_wrong_kind_is_an_error(self, tmp_path, config):
        with pytest.raises(ManifestError, match=next(iter(config))):
            registered(a=b"x").load("mem:a", AdapterContext(tmp_path, config=config))

    @pytest.mark.parametrize(
        "uri", ["file:a", "https://example.org/", "git://HEAD/a", "sqlite:a?table=a&id=1&column=b"]
    )
    @pytest.mark.parametrize("value", [0, True, "5", 10**20])
    def test_size_cap_is_a_number_that_can_be_kept(self, tmp_path, uri, value):
        ctx = AdapterContext(tmp_path, config={"max_bytes": value})
        with pytest.raises(ManifestError, match="max_bytes is a whole number from 1 to 2,000,000,000"):
            default_context_registry().load(uri, ctx)

    def test_disabled_adapter_is_not_called(self, tmp_path):
        adapter = Memory(a=b"x")
        with pytest.raises(SourceUnavailableError, match="disabled"):
            AdapterRegistry([adapter]).load("mem:a", AdapterContext(tmp_path, config={"enabled": False}))
        assert adapter.contexts == []

    def test_time_cap_of_the_manifest_reaches_the_adapter(self, tmp_path):
        adapter = Memory(a=b"x")
        registry = AdapterRegistry([adapter])
        registry.load("mem:a", AdapterContext(tmp_path, config={"timeout_ms": 5000}))
        registry.load("mem:a", AdapterContext(tmp_path, config={"timeout_ms": 5000}, timeout_ms=7))
        assert [ctx.timeout_ms for ctx in adapter.contexts] == [5000, 7]

    def test_time_cap_of_any_size_is_at_most_a_day(self, tmp_path):
        adapter = Memory(a=b"x")
        AdapterRegistry([adapter]).load("mem:a", AdapterContext(tmp_path, config={"timeout_ms": 10**400}))
        assert [ctx.timeout_ms for ctx in adapter.contexts] == [86_400_000]


class TestLoad:
    def test_trust_is_lowered_and_never_raised(self, tmp_path):
        for level, expected in (("untrusted", "untrusted"), ("verified", "verified"), ("trusted", "verified")):
            result = registered(a=b"x").load("mem:a", AdapterContext(tmp_path, config={"trust": level}))
            assert result.trust.value == expected

    def test_remote_adapter_is_not_called_offline(self, tmp_path):
        adapter = Memory(remote=True, a=b"x")
        with pytest.raises(OfflineError) as caught:
            AdapterRegistry([adapter]).load("mem:a", AdapterContext(tmp_path, offline=True))
        assert caught.value.code == "source-unavailable"
        assert adapter.contexts == []

    def test_local_adapter_is_called_offline(self, tmp_path):
        assert registered(a=b"x").load("mem:a", AdapterContext(tmp_path, offline=True)).content == b"x"

    @pytest.mark.parametrize("error", [OSError("disk"), ValueError("bad"), KeyError("k"), RuntimeError("odd")])
    def test_whatever_an_adapter_throws_is_unavailable(self, tmp_path, error):
        with pytest.raises(SourceUnavailableError, match=type(error).__name__) as caught:
            registered(a=error).load("mem:a", AdapterContext(tmp_path))
        assert caught.value.__cause__ is error
        assert caught.value.diagnostic.source == "mem:a"

    @pytest.mark.parametrize(
        "error", [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), BaseException("odd"), Wordless(), Bare()]
    )
    def test_no_exception_of_an_adapter_gets_through(self, tmp_path, error):
        with pytest.raises(SourceUnavailableError, match=type(error).__name__):
            registered(a=error).load("mem:a", AdapterContext(tmp_path))

    @pytest.mark.parametrize(
        "error",
        [
            ContextError("note", code="context.link_not_followed"),
            ContextError("note", code="context.source_skipped"),
            ObjectNotFoundError("note"),
            InvalidContextError("note", []),
            OfflineError("note"),
        ],
    )
    def test_failure_cannot_pass_for_something_harmless(self, tmp_path, error):
        with pytest.raises(SourceUnavailableError, match="note") as caught:
            registered(a=error).load("mem:a", AdapterContext(tmp_path))
        assert not isinstance(caught.value, OfflineError)
        assert (caught.value.code, caught.value.diagnostic.severity) == ("source-unavailable", "error")

    def test_adapter_that_never_returns_is_given_up(self, tmp_path):
        class Stuck(Memory):
            def load(self, uri, ctx):
                Event().wait()

        with pytest.raises(TooSlowError, match="memory") as caught:
            AdapterRegistry([Stuck()]).load("mem:a", AdapterContext(tmp_path, timeout_ms=10))
        assert caught.value.hint == "Raise timeout_ms under adapters.memory."

    def test_result_of_a_subclass_is_made_a_plain_one(self, tmp_path):
        class Promoted(AdapterResult):
            def __post_init__(self):
                object.__setattr__(self, "trust", Trust.TRUSTED)

        ctx = AdapterContext(tmp_path, config={"trust": "untrusted"})
        result = registered(a=Promoted(b"x")).load("mem:a", ctx)
        assert (type(result), result.trust, result.digest) == (AdapterResult, Trust.UNTRUSTED, sha256_uri(b"x"))

    @pytest.mark.parametrize(
        "fields",
        [
            {"content": b""},
            {"content": "x"},
            {"content_type": 5},
            {"digest": 7},
            {"retrieved_at": 5},
            {"trust": "trusted"},
            {"metadata": ["x"]},
            {"metadata": {"x": 10**5000}},
        ],
    )
    def test_rubbish_in_a_result_is_unavailable(self, tmp_path, fields):
        result = AdapterResult(b"x")
        for name, value in fields.items():
            object.__setattr__(result, name, value)
        with pytest.raises(SourceUnavailableError):
            registered(a=result).load("mem:a", AdapterContext(tmp_path))

    def test_error_of_an_adapter_is_given_the_uri(self, tmp_path):
        with pytest.raises(SourceUnavailableError) as caught:
            registered(a=SourceUnavailableError("gone")).load("mem:a", AdapterContext(tmp_path))
        assert caught.value.diagnostic.source == "mem:a"

    def test_digest_of_other_bytes_is_an_error(self, tmp_path):
        wrong = replace(AdapterResult(b"x"), digest=AdapterResult(b"y").digest)
        with pytest.raises(SourceUnavailableError, match="digest"):
            registered(a=wrong).load("mem:a", AdapterContext(tmp_path))

    @pytest.mark.parametrize("answer", [None, "text", {"content": "x"}])
    def test_what_is_no_result_is_an_error(self, tmp_path, answer):
        with pytest.raises(SourceUnavailableError):
            registered(a=answer).load("mem:a", AdapterContext(tmp_path))


class TestResult:
    def test_content_is_never_empty(self):
        with pytest.raises(SourceUnavailableError, match="empty"):
            AdapterResult(b"")

    def test_content_is_bytes(self):
        with pytest.raises(TypeError):
            AdapterResult("text")

    @pytest.mark.parametrize(
        ("content", "content_type", "text"),
        [
            ("é".encode(), None, "é"),
            (b"\xef\xbb\xbfx", "text/plain", "x"),
            ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1", "é"),
            (b"\xef\xbb\xbfx", "text/plain; charset=UTF_8", "x"),
            ("é".encode("utf-16"), 'text/plain; format=flowed; charset="utf-16"', "é"),
        ],
    )
    def test_text_is_decoded_as_the_type_says(self, content, content_type, text):
        assert AdapterResult(content, content_type).text() == text

    def test_encoding_may_be_given(self):
        assert AdapterResult(b"\xe9", "text/plain; charset=utf-8").text("latin-1") == "é"

    @pytest.mark.parametrize("content_type", [None, "text/plain; charset=klingon", "text/plain; charset=utf-8"])
    def test_bytes_that_are_no_text_are_an_error(self, content_type):
        with pytest.raises(SourceUnavailableError, match="not text"):
            AdapterResult(b"\xe9\xff", content_type).text()

    @pytest.mark.parametrize(
        "name", ["punycode", "IDNA", "UTF7", "unicode_escape", "raw-unicode_escape", "zip", "a\0b"]
    )
    def test_codec_that_is_no_charset_is_refused(self, name):
        with pytest.raises(SourceUnavailableError, match="encoding"):
            AdapterResult(b"a" * 50, f"text/plain; charset={name}").text()

    def test_facts_are_json_without_the_content(self):
        facts = AdapterResult(b"x", "text/plain", metadata={"etag": "1"}).to_dict()
        assert (facts["size"], facts["trust"], facts["metadata"]) == (1, "untrusted", {"etag": "1"})
        assert "content" not in facts


class TestTrust:
    def test_levels_are_ordered(self):
        assert Trust.UNTRUSTED < Trust.VERIFIED < Trust.TRUSTED
        assert max(Trust) is Trust.TRUSTED

    @pytest.mark.parametrize("text", ["Trusted", "", None, 3, True])
    def test_other_level_is_an_error_that_names_the_place(self, text):
        with pytest.raises(ManifestError, match=r"defaults\.trust is one of"):
            Trust.parse(text, "defaults.trust")


class TestDiscovery:
    def test_built_in_adapters_come_through_entry_points(self):
        registry = default_context_registry()
        assert registry.schemes() == ["file", "git", "http", "https", "sqlite"]
        assert {registry.origin(scheme) for scheme in registry.schemes()} == {"markitect-tool"}

    def test_installed_adapter_is_found(self, install):
        install("crm-adapter", "[markitect_tool.context_adapters]\ncrm = crm_adapter:Crm\n", CRM)
        registry = discover_context_adapters()
        assert registry.for_uri("crm:a").name == "crm"
        assert registry.diagnostics == []

    @pytest.mark.parametrize(
        ("value", "module"),
        [
            ("broken:Crm", "raise SystemExit(3)"),
            ("broken:Crm", "1 / 0"),
            ("broken:Crm", "raise BaseException('odd')"),
            ("broken:Crm", "class Odd(Exception):\n    def __str__(self): 1 / 0\nraise Odd"),
            ("broken:Crm", CRM.replace("'crm', ", "7, ", 1) + "Crm = Crm"),
            ("broken:Missing", ""),
            ("broken:Crm", "Crm = 7"),
            ("broken:Crm", "def Crm(): return object()"),
        ],
    )
    def test_broken_adapter_is_a_diagnostic_that_names_its_package(self, install, value, module):
        install("broken", f"[markitect_tool.context_adapters]\ncrm = {value}\n", module)
        (found,) = discover_context_adapters().diagnostics
        assert (found.code, found.severity) == ("context.discovery_failed", "warning")
        assert "broken" in found.message

    def test_what_a_module_prints_is_no_output(self, install, capsys):
        install("chatty", "[markitect_tool.context_adapters]\ncrm = chatty:Crm\n", f"print('hello'){CRM}")
        assert "crm" in discover_context_adapters().schemes()
        assert tuple(capsys.readouterr()) == ("", "hello\n")

    def test_built_in_scheme_cannot_be_taken_over(self, install):
        install("a-thief", "[markitect_tool.context_adapters]\ncrm = a_thief:Crm\n", CRM.replace("'crm',", "'file',"))
        registry = discover_context_adapters()
        assert registry.origin("file") == "markitect-tool"
        assert "a-thief" in registry.diagnostics[0].message


class TestLaziness:
    def test_local_load_needs_no_heavy_library_and_no_network(self, tmp_path):
        (tmp_path / "a.md").write_text("x")
        code = """
from pathlib import Path
from markitect_tool.context import AdapterContext, default_context_registry
print(default_context_registry().load("file:a.md", AdapterContext(Path("."))).text())
"""
        ended = run_fresh(code, forbid=HEAVY_MODULES, refuse_side_effects=True, cwd=tmp_path)
        assert (ended.stdout, ended.stderr) == ("x\n", "")

    def test_offline_run_makes_no_socket(self, tmp_path):
        code = """
import os, sys
from pathlib import Path

def refuse(event, arguments):
    if event.startswith("socket."):
        os._exit(9)  # an exception would only be an adapter's failure

sys.addaudithook(refuse)
from markitect_tool.context import AdapterContext, ContextError, default_context_registry
config = {"allow_insecure": True, "allow_private": True}
for uri in sys.argv[1:]:
    try:
        default_context_registry().load(uri, AdapterContext(Path("."), offline=True, config=config))
    except ContextError as error:
        print(error.code)
"""
        uris = ["https://example.org/", "http://127.0.0.1:9/", "git://github.com/acme/context/a.md"]
        ended = run_fresh(code, *uris, cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.split()[:2] == ["source-unavailable"] * 2


def test_errors_of_a_load_survive_a_process_border():
    error = ContextError("gone", source="mem:a", hint="look", size=3)
    assert pickle.loads(pickle.dumps(error)).diagnostic == error.diagnostic
