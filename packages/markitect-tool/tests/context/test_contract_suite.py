"""The suite for context adapters on a small adapter, and on ones that each break one rule: the suite must notice."""

from __future__ import annotations

import sys

import pytest
from markitect_tool.context.model import Trust
from markitect_tool.testing import ContextAdapterContract, ContextSample
from markitect_tool.testing.isolation import ForbiddenError

NOTES = '''
"""An adapter for note://NAME, the files NAME.txt in the manifest's folder, and careless versions of it."""
import re, socket, sqlite3, subprocess
from dataclasses import replace
from markitect_tool.context import AdapterResult, MalformedUriError, SourceUnavailableError, Trust, resolve_inside

class Notes:
    name, schemes, remote = "note", ("note",), False

    def load(self, uri, ctx):
        return AdapterResult(self.content(self.name_in(uri), ctx), "text/plain", trust=Trust.TRUSTED)

    def name_in(self, uri):
        found = re.fullmatch(r"note://([a-z-]+)", uri)
        if not found:
            raise MalformedUriError(f"{uri!r} is no note.", hint="Write note://NAME.")
        return found[1]

    def content(self, name, ctx):
        path = resolve_inside(ctx.dir, name + ".txt")
        if not path.exists():
            raise SourceUnavailableError(f"There is no note {name}.")
        return path.read_bytes()

class AnyScheme(Notes):
    def name_in(self, uri):
        return super().name_in("note:" + uri.partition(":")[2])

class Vague(Notes):
    def name_in(self, uri):
        try:
            return super().name_in(uri)
        except MalformedUriError:
            raise SourceUnavailableError("no") from None

class Lenient(Notes):
    def name_in(self, uri):
        return super().name_in(uri.strip())

class NeverMissing(Notes):
    def content(self, name, ctx):
        try:
            return super().content(name, ctx)
        except SourceUnavailableError:
            return b"(nothing)"

class Online(Notes):
    remote = True
    def content(self, name, ctx):
        socket.getaddrinfo("localhost", 80)
        return super().content(name, ctx)

class Eager(Online):
    remote = False

class Deaf(Notes):
    remote = True

class WrongDigest(Notes):
    def load(self, uri, ctx):
        return replace(super().load(uri, ctx), digest="sha256:" + "0" * 64)

class Trimming(Notes):
    def content(self, name, ctx):
        return super().content(name, ctx).strip()

class Untimed(Notes):
    def load(self, uri, ctx):
        return replace(super().load(uri, ctx), retrieved_at="yesterday")

class Counting(Notes):
    calls = 0
    def content(self, name, ctx):
        Counting.calls += 1
        return super().content(name, ctx) + str(self.calls).encode()

class Unguarded(Notes):
    def name_in(self, uri):
        return uri.removeprefix("note://")
    def content(self, name, ctx):
        try:
            return (ctx.dir / name.removesuffix(".txt")).with_suffix(".txt").read_bytes()
        except (OSError, ValueError) as error:
            raise SourceUnavailableError("no", hint="h") from error

class Shell(Unguarded):
    def content(self, name, ctx):
        ended = subprocess.run(f"cat '{name}.txt'", shell=True, cwd=ctx.dir, capture_output=True)
        if not ended.stdout:
            raise SourceUnavailableError("no", hint="h")
        return ended.stdout

class Query(Notes):
    def name_in(self, uri):
        from urllib.parse import unquote
        return unquote(uri.removeprefix("note://"))
    def content(self, name, ctx):
        with sqlite3.connect(":memory:") as database:
            database.execute("CREATE TABLE records (id, body)")
            database.execute("INSERT INTO records VALUES ('good', ?)", (super().content("good", ctx),))
            try:
                row = database.execute(f"SELECT body FROM records WHERE id = '{name}'").fetchone()
            except sqlite3.Error as error:
                raise SourceUnavailableError("no", hint="h") from error
        if row is None:
            raise SourceUnavailableError("no", hint="h")
        return row[0]

class Subclassed(Notes):
    def load(self, uri, ctx):
        class Special(AdapterResult): pass
        return Special(super().load(uri, ctx).content)
'''


class Suite(ContextAdapterContract):
    entry_point = "context_notes:Notes"
    schemes = ("note",)
    trust = Trust.TRUSTED
    malformed = ("note:", "note://", "note://Good", "note:good", "note://good/more")

    @pytest.fixture(autouse=True)
    def module(self, tmp_path_factory, monkeypatch):
        folder = tmp_path_factory.mktemp("site")
        (folder / "context_notes.py").write_text(NOTES)
        monkeypatch.syspath_prepend(str(folder))
        yield
        sys.modules.pop("context_notes", None)

    @pytest.fixture
    def sample(self, context_dir):
        (context_dir / "good.txt").write_bytes(b" A note.\n")
        return ContextSample("note://good", b" A note.\n", context_dir)


class TestNotes(Suite):
    def test_suite_runs_every_rule(self):
        assert len([name for name in dir(self) if name.startswith("test_")]) > 20


class TestCareless(Suite):
    """Runs no inherited rule by itself; each case calls one that must fail."""

    @pytest.mark.parametrize(
        ("careless", "rule"),
        [
            ("AnyScheme", "test_uri_of_another_scheme_is_refused"),
            ("Vague", "test_malformed_uri_is_an_error_that_says_what_to_write"),
            ("Lenient", "test_control_characters_are_an_error"),
            ("NeverMissing", "test_nothing_there_is_an_error"),
            ("Online", "test_offline_load_touches_no_network"),
            ("Deaf", "test_offline_load_touches_no_network"),
            ("Eager", "test_adapter_that_is_not_remote_never_touches_the_network"),
            ("Deaf", "test_remote_content_is_untrusted"),
            ("WrongDigest", "test_digest_is_that_of_the_content"),
            ("Trimming", "test_content_is_what_is_stored"),
            ("Untimed", "test_time_of_retrieval_is_told_in_utc"),
            ("Counting", "test_second_load_gives_the_same_bytes"),
            ("Counting", "test_one_adapter_loads_in_several_threads"),
            ("Unguarded", "test_what_lies_beside_the_folder_is_not_opened"),
            ("Unguarded", "test_link_out_of_the_folder_is_not_followed"),
            ("Shell", "test_load_starts_no_process"),
            ("Shell", "test_hostile_names_are_only_names"),
            ("Query", "test_hostile_names_are_only_names"),
            ("Subclassed", "test_result_is_data"),
        ],
    )
    def test_rule_notices(self, careless, rule, sample):
        suite = Suite()
        suite.entry_point = f"context_notes:{careless}"
        with pytest.raises((AssertionError, pytest.fail.Exception, ForbiddenError)):
            getattr(suite, rule)(sample)

    def test_rules_notice_what_the_author_states_wrongly(self, sample):
        suite = Suite()
        suite.schemes, suite.trust = ("note", "memo"), Trust.UNTRUSTED
        with pytest.raises(AssertionError):
            suite.test_schemes_are_those_stated()
        with pytest.raises(AssertionError):
            suite.test_trust_is_the_level_stated(sample)


for _name in [name for name in dir(Suite) if name.startswith("test_")]:
    setattr(TestCareless, _name, None)
