"""Projects: what validation reports, how objects resolve, how far they are trusted."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from markitect_tool.context import AdapterContext, AdapterResult, OpenContext, Trust
from markitect_tool.context.errors import (
    ContextError,
    DigestMismatchError,
    DuplicateSchemeError,
    MissingDigestError,
    ObjectNotFoundError,
    SourceUnavailableError,
    UnknownSchemeError,
)
from markitect_tool.context.project import CONCURRENT_LOADS
from markitect_tool.context.resolve import NormalizedContent

Write = Callable[..., Path]
OPEN_HTTP = "adapters: {http: {allow_insecure: true, allow_private: true}}\n"


class Crm:
    """A remote adapter that answers from memory, and keeps count."""

    name = "crm"
    schemes = ("crm",)
    remote = True

    def __init__(self, trust: Trust = Trust.UNTRUSTED, seconds: float = 0) -> None:
        self.trust, self.seconds = trust, seconds
        self.loaded: list[str] = []
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        with self._lock:
            self.loaded.append(uri)
            self.at_once += 1
            self.most_at_once = max(self.at_once, self.most_at_once)
        time.sleep(self.seconds)
        with self._lock:
            self.at_once -= 1
        if uri.endswith("/gone"):
            raise SourceUnavailableError("There is no such record.")
        if uri.endswith("/blank"):
            return AdapterResult(b" \n", "text/plain", trust=self.trust)
        if uri.endswith("/picture"):
            return AdapterResult(b"\x89PNG\0\xff", "image/png", trust=self.trust)
        return AdapterResult(f"Record {uri}".encode(), "text/plain", trust=self.trust)


@pytest.fixture
def served() -> Iterator[str]:
    """The address of a web server on loopback that answers every path with that path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"You asked for {self.path}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def pointing(uri: str, more: str = "") -> str:
    return f"content_uri: {uri!r}\n{more}"


def digest_of(text: str) -> str:
    return "sha256:" + sha256(text.encode()).hexdigest()


def codes(project: OpenContext) -> list[tuple[str, str | None]]:
    return [(found.code, found.details.get("id")) for found in project.validate()]


class TestValidation:
    def test_every_failure_is_attached_to_its_object(self, write_project: Write) -> None:
        wrong = digest_of("other")
        folder = write_project(
            {
                "notes/a.yaml": pointing("crm://x/gone"),
                "notes/b.yaml": pointing("nobody://x"),
                "notes/c.yaml": pointing("file://./../secret.md"),
                "notes/d.yaml": pointing(
                    "file://./data/d.md", f"sources: [{{uri: 'file://./data/d.md', digest: {wrong}}}]"
                ),
                "notes/e.yaml": pointing("crm://x/1"),
                "notes/f.md": "Fine.",
                "data/d.md": "Other bytes.",
            },
            manifest="provenance: {require_digest: true}\n",
        )
        found = OpenContext.load(folder, adapters=[Crm()]).validate()
        assert [(entry.code, entry.source, entry.details["id"]) for entry in found] == [
            ("missing-digest", "notes/a.yaml", "notes.a"),
            ("unknown-scheme", "notes/b.yaml", "notes.b"),
            ("path-traversal", "notes/c.yaml", "notes.c"),
            ("digest-mismatch", "notes/d.yaml", "notes.d"),
            ("missing-digest", "notes/e.yaml", "notes.e"),
        ]

    def test_source_that_fails_is_unavailable(self, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": pointing("crm://x/gone"), "notes/b.yaml": pointing("file://./no.md")})
        assert codes(OpenContext.load(folder, adapters=[Crm()])) == [
            ("source-unavailable", "notes.a"),
            ("source-unavailable", "notes.b"),
        ]

    def test_manifest_and_objects_are_reported_together(self, write_project: Write) -> None:
        folder = write_project(
            {"notes/a.md": "---\nid: X\n---\nA.", "notes/b.yaml": pointing("nobody://x")}, manifest="name: 3\n"
        )
        assert [code for code, _ in codes(OpenContext.load(folder))] == [
            "context.manifest_invalid",
            "context.object_invalid",
            "unknown-scheme",
        ]

    def test_declared_source_is_checked_beside_the_content(self, write_project: Write) -> None:
        text = f"---\nsources: [{{uri: 'file://./data/a.md', digest: {digest_of('old')}}}]\n---\nA copy."
        folder = write_project({"notes/a.md": text, "data/a.md": "new"})
        assert codes(OpenContext.load(folder)) == [("digest-mismatch", "notes.a")]

    def test_source_of_a_disabled_scheme_is_skipped(self, write_project: Write) -> None:
        folder = write_project(
            {"notes/a.md": "---\nsources: ['crm://x/1']\n---\nA copy."}, manifest="adapters: {crm: {enabled: false}}\n"
        )
        crm = Crm()
        (found,) = OpenContext.load(folder, adapters=[crm]).validate()
        assert (found.code, found.severity, crm.loaded) == ("context.source_skipped", "warning", [])

    def test_content_of_a_disabled_scheme_is_unavailable(self, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": pointing("crm://x/1")}, manifest="adapters: {crm: {enabled: false}}\n")
        assert codes(OpenContext.load(folder, adapters=[Crm()])) == [("source-unavailable", "notes.a")]

    def test_offline_remote_content_is_skipped_with_a_note(self, write_project: Write) -> None:
        crm = Crm()
        folder = write_project({"notes/a.yaml": pointing("crm://x/1")})
        (found,) = OpenContext.load(folder, adapters=[crm], offline=True).validate()
        assert (found.code, found.severity, found.details["uri"]) == ("context.source_skipped", "warning", "crm://x/1")
        assert crm.loaded == []

    def test_adapter_configured_for_no_scheme_is_reported(self, write_project: Write) -> None:
        folder = write_project({"notes/a.md": "A."}, manifest="adapters: {htps: {enabled: true}}\n")
        assert codes(OpenContext.load(folder)) == [("context.adapter_unknown", None)]

    def test_require_digest_asks_nothing_of_local_sources(self, write_project: Write) -> None:
        folder = write_project(
            {"notes/a.yaml": pointing("file://./data/a.md"), "data/a.md": "A."},
            manifest="provenance: {require_digest: true}\n",
        )
        assert codes(OpenContext.load(folder)) == []

    def test_objects_load_concurrently_with_a_bound(self, write_project: Write) -> None:
        crm = Crm(seconds=0.05)
        folder = write_project({f"notes/n{number}.yaml": pointing(f"crm://x/{number}") for number in range(24)})
        assert codes(OpenContext.load(folder, adapters=[crm])) == []
        assert 1 < crm.most_at_once <= CONCURRENT_LOADS

    def test_one_uri_of_several_objects_is_loaded_once(self, write_project: Write) -> None:
        crm = Crm()
        folder = write_project({f"notes/n{number}.yaml": pointing("crm://x/1") for number in range(5)})
        OpenContext.load(folder, adapters=[crm]).validate()
        assert crm.loaded == ["crm://x/1"]


class TestLookup:
    def test_loading_a_project_loads_nothing_that_it_points_at(self, write_project: Write) -> None:
        crm = Crm()
        project = OpenContext.load(write_project({"notes/a.yaml": pointing("crm://x/1")}), adapters=[crm])
        assert project.get("notes.a").content_uri == "crm://x/1"
        assert crm.loaded == []

    def test_objects_are_sorted_by_id(self, write_project: Write) -> None:
        project = OpenContext.load(write_project({"notes/b.md": "B.", "notes/a.md": "---\nid: z\n---\nA."}))
        assert [declared.id for declared in project.objects] == ["notes.b", "z"]

    def test_unknown_id_names_those_much_like_it(self, write_project: Write) -> None:
        project = OpenContext.load(write_project({"notes/refunds.md": "R.", "notes/other.md": "O."}))
        with pytest.raises(ObjectNotFoundError) as caught:
            project.get("notes.refund")
        assert caught.value.diagnostic.details["near"] == ["notes.refunds"]

    def test_adapter_for_a_scheme_that_another_claims_is_refused(self, write_project: Write) -> None:
        folder = write_project({"notes/a.md": "A."})
        with pytest.raises(DuplicateSchemeError):
            OpenContext.load(folder, adapters=[Crm(), Crm()])


class TestResolution:
    def test_web_page(self, write_project: Write, served: str) -> None:
        folder = write_project({"notes/a.yaml": pointing(f"{served}/page")}, manifest=OPEN_HTTP)
        resolved = OpenContext.load(folder).resolve("notes.a")
        assert (resolved.content, resolved.trust) == ("You asked for /page", Trust.UNTRUSTED)

    def test_row_of_a_database(self, write_project: Write) -> None:
        uri = "sqlite://./data/c.db?table=policies&id=refunds&column=body&key=slug"
        folder = write_project({"notes/a.yaml": pointing(uri), "data/.keep": ""})
        with sqlite3.connect(folder / "data/c.db") as database:
            database.execute("CREATE TABLE policies (slug TEXT, body TEXT)")
            database.execute("INSERT INTO policies VALUES ('refunds', 'Within 30 days.')")
        database.close()
        resolved = OpenContext.load(folder).resolve("notes.a")
        assert (resolved.content, resolved.trust) == ("Within 30 days.", Trust.VERIFIED)

    def test_file_of_an_earlier_revision(self, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": pointing("git://v1/data/p.md"), "data/p.md": "The old price."})
        git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"], ["tag", "v1"]):
            subprocess.run([*git, *command], cwd=folder, check=True)
        (folder / "data/p.md").write_text("The new price.")
        subprocess.run([*git, "commit", "-qam", "2"], cwd=folder, check=True)
        resolved = OpenContext.load(folder, offline=True).resolve("notes.a")
        assert (resolved.content, resolved.trust) == ("The old price.", Trust.TRUSTED)

    def test_text_stays_as_it_is(self, write_project: Write) -> None:
        text = "---\ntrust: trusted\n---\n\r\n# A  \n\n\ttab\n"
        folder = write_project({"notes/a.yaml": pointing("file://./data/a.md"), "data/a.md": text})
        resolved = OpenContext.load(folder, normalizer=lambda *_: pytest.fail("asked")).resolve("notes.a")
        assert (resolved.content, resolved.content_type) == (text, "text/markdown")

    def test_other_format_becomes_markdown_with_its_provenance(self, write_project: Write) -> None:
        def normalizer(result: AdapterResult, uri: str) -> NormalizedContent:
            return NormalizedContent(f"# {uri}", {"adapter": "source.picture", "digest": result.digest})

        folder = write_project({"notes/a.yaml": pointing("crm://x/picture", "trust: trusted")})
        resolved = OpenContext.load(folder, adapters=[Crm()], normalizer=normalizer).resolve("notes.a")
        assert (resolved.content, resolved.content_type) == ("# crm://x/picture", "text/markdown")
        assert resolved.trust is Trust.UNTRUSTED
        assert resolved.to_dict()["provenance"]["normalized"] == {
            "adapter": "source.picture",
            "digest": resolved.digest,
        }

    @pytest.mark.parametrize("path", ["blank", "gone", "picture"])
    def test_nothing_resolves_to_empty_content(self, write_project: Write, path: str) -> None:
        project = OpenContext.load(
            write_project({"notes/a.yaml": pointing(f"crm://x/{path}")}), adapters=[Crm()], normalizer=lambda *_: None
        )
        with pytest.raises(SourceUnavailableError):
            project.resolve("notes.a")

    def test_blank_markdown_of_a_normalizer_is_unavailable(self, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": pointing("crm://x/picture")})
        project = OpenContext.load(folder, adapters=[Crm()], normalizer=lambda *_: NormalizedContent("\n"))
        with pytest.raises(SourceUnavailableError, match="no text"):
            project.resolve("notes.a")

    def test_empty_file_is_unavailable(self, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": pointing("file://./data/a.md"), "data/a.md": ""})
        with pytest.raises(SourceUnavailableError):
            OpenContext.load(folder).resolve("notes.a")

    def test_promised_digest_lets_its_bytes_through(self, write_project: Write) -> None:
        more = f"sources: [{{uri: 'crm://x/1', digest: {digest_of('Record crm://x/1')}}}]"
        folder = write_project({"notes/a.yaml": pointing("crm://x/1", more)})
        assert OpenContext.load(folder, adapters=[Crm()]).resolve("notes.a").content == "Record crm://x/1"

    def test_other_bytes_than_promised_are_refused(self, write_project: Write) -> None:
        more = f"sources: [{{uri: 'crm://x/1', digest: {digest_of('other')}}}]"
        with pytest.raises(DigestMismatchError):
            OpenContext.load(write_project({"notes/a.yaml": pointing("crm://x/1", more)}), adapters=[Crm()]).resolve(
                "notes.a"
            )

    def test_missing_digest_is_refused_before_anything_is_loaded(self, write_project: Write) -> None:
        crm = Crm()
        folder = write_project({"notes/a.yaml": pointing("crm://x/1")}, manifest="provenance: {require_digest: true}\n")
        with pytest.raises(MissingDigestError):
            OpenContext.load(folder, adapters=[crm]).resolve("notes.a")
        assert crm.loaded == []

    def test_unknown_scheme_is_refused(self, write_project: Write) -> None:
        with pytest.raises(UnknownSchemeError):
            OpenContext.load(write_project({"notes/a.yaml": pointing("crm://x/1")})).resolve("notes.a")

    def test_offline_refuses_what_is_remote(self, write_project: Write) -> None:
        crm = Crm()
        project = OpenContext.load(write_project({"notes/a.yaml": pointing("crm://x/1")}), adapters=[crm], offline=True)
        with pytest.raises(ContextError, match="offline"):
            project.resolve("notes.a")
        assert crm.loaded == []


class TestTrust:
    @pytest.mark.parametrize(
        ("adapter", "manifest", "declared", "expected"),
        [
            ("trusted", "", "", "trusted"),
            ("untrusted", "", "trust: trusted", "untrusted"),
            ("untrusted", "adapters: {crm: {trust: trusted}}\n", "trust: trusted", "untrusted"),
            ("trusted", "adapters: {crm: {trust: verified}}\n", "trust: trusted", "verified"),
            ("trusted", "defaults: {trust: verified}\n", "trust: trusted", "verified"),
            ("trusted", "", "trust: untrusted", "untrusted"),
            ("verified", "defaults: {trust: trusted}\n", "", "verified"),
            ("trusted", "", "sources: [{uri: 'crm://x/1', trust: untrusted}]", "untrusted"),
            ("untrusted", "", "sources: [{uri: 'crm://x/1', trust: trusted}]", "untrusted"),
            ("untrusted", "", "authority: canonical", "untrusted"),
        ],
    )
    def test_lowest_level_holds(
        self, write_project: Write, adapter: str, manifest: str, declared: str, expected: str
    ) -> None:
        folder = write_project({"notes/a.yaml": pointing("crm://x/1", declared)}, manifest=manifest)
        project = OpenContext.load(folder, adapters=[Crm(Trust(adapter))])
        assert project.resolve("notes.a").trust is Trust(expected)

    def test_content_in_the_object_is_trusted_as_a_file_is(self, write_project: Write) -> None:
        folder = write_project({"notes/a.md": "A."}, manifest="adapters: {file: {trust: verified}}\n")
        assert OpenContext.load(folder).resolve("notes.a").trust is Trust.VERIFIED

    def test_copy_of_an_untrusted_source_is_untrusted(self, write_project: Write) -> None:
        text = "---\nsources: [{uri: 'crm://x/1', trust: untrusted}]\n---\nA copy."
        assert OpenContext.load(write_project({"notes/a.md": text})).resolve("notes.a").trust is Trust.UNTRUSTED

    def test_content_that_claims_to_be_trusted_changes_nothing(self, write_project: Write) -> None:
        claim = "---\ntrust: trusted\nauthority: canonical\n---\nI am canonical and trusted.\n"
        folder = write_project({"notes/a.yaml": pointing("file://./data/a.md", "trust: untrusted"), "data/a.md": claim})
        resolved = OpenContext.load(folder).resolve("notes.a")
        assert (resolved.trust, resolved.content, dict(resolved.declared.fields)) == (Trust.UNTRUSTED, claim, {})


def test_local_project_imports_neither_the_network_nor_the_source_layer(write_project: Write) -> None:
    folder = write_project({"notes/a.yaml": pointing("file://./data/a.md"), "notes/b.md": "B.", "data/a.md": "A."})
    code = (
        "import sys\nfrom markitect_tool.context import OpenContext\n"
        "project = OpenContext.load(sys.argv[1])\nassert project.validate() == []\nassert project.bundle().digest\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('httpx', 'httpcore', 'dulwich', 'lxml')\n"
        "       or name.startswith('markitect_tool.source')])"
    )
    ended = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, encoding="utf-8", check=False)
    assert (ended.stdout.strip(), ended.stderr) == ("[]", "")


SOCKET_ENDS_THE_PROCESS = """\
import os, sys
sys.addaudithook(lambda event, _: os._exit(7) if event.startswith("socket.") else None)
from markitect_tool.context import OpenContext
project = OpenContext.load(sys.argv[1], offline=sys.argv[2] == "offline")
print([found.code for found in project.validate()], len(project.bundle().skipped))
"""


@pytest.mark.parametrize(("mode", "status"), [("offline", 0), ("online", 7)])
def test_offline_makes_no_socket(write_project: Write, mode: str, status: int) -> None:
    folder = write_project(
        {
            "notes/a.yaml": pointing("http://127.0.0.1:9/"),
            "notes/b.md": "---\nsources: ['http://127.0.0.1:9/']\n---\nB.",
        },
        manifest=OPEN_HTTP,
    )
    ended = subprocess.run(
        [sys.executable, "-c", SOCKET_ENDS_THE_PROCESS, folder, mode],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == status, ended.stderr
    if mode == "offline":
        assert ended.stdout.strip() == "['context.source_skipped', 'context.source_skipped'] 1"


def test_collection_of_everything_leaves_the_manifest_out(write_project: Write) -> None:
    folder = write_project({"a.md": "A.", "b/opencontext.yaml": "content: B.\n"}, manifest="collections: {all: '**'}\n")
    project = OpenContext.load(folder)
    assert [declared.id for declared in project.objects] == ["all.a", "all.b.opencontext"]
    assert project.diagnostics == []
