"""Bundles: what is in them, what their digest depends on, when there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from markitect_tool.context import AdapterContext, AdapterResult, OpenContext, Trust, sha256_uri
from markitect_tool.context.errors import InvalidContextError, ObjectNotFoundError, ScopesNotEnforcedError

Write = Callable[..., Path]


class Clock:
    """A remote adapter whose bytes stay the same while its clock goes on."""

    name = "clock"
    schemes = ("clock",)
    remote = True

    def __init__(self, retrieved_at: str = "2026-01-01T00:00:00Z", trust: Trust = Trust.VERIFIED, **metadata: str):
        self.retrieved_at, self.trust, self.metadata = retrieved_at, trust, metadata

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        return AdapterResult(
            uri.encode(), "text/plain", retrieved_at=self.retrieved_at, trust=self.trust, metadata=self.metadata
        )


FILES = {"notes/a.yaml": "content_uri: clock://x\n", "notes/b.md": "---\nid: first\n---\nText.\n"}


def test_bundle_holds_every_object_by_id_with_its_provenance(write_project: Write) -> None:
    bundle = OpenContext.load(write_project(FILES, manifest="name: A project\n"), adapters=[Clock(etag="7")]).bundle()
    data = bundle.to_dict()
    assert {name: value for name, value in data.items() if name not in ("objects", "digest")} == {
        "opencontext": "1.0",
        "id": "project",
        "name": "A project",
    }
    first, second = data["objects"]
    assert (first["id"], first["content"], first["trust"]) == ("first", "Text.\n", "trusted")
    assert first["provenance"]["path"] == "notes/b.md"
    assert second["provenance"] == {
        "path": "notes/a.yaml",
        "uri": "clock://x",
        "digest": sha256_uri(b"clock://x"),
        "content_type": "text/plain",
        "retrieved_at": "2026-01-01T00:00:00Z",
        "metadata": {"etag": "7"},
    }


def test_bundle_of_chosen_objects(write_project: Write) -> None:
    bundle = OpenContext.load(write_project(FILES), adapters=[Clock()]).bundle(["first"])
    assert [entry.declared.id for entry in bundle.objects] == ["first"]


def test_bundle_of_an_unknown_object_is_refused(write_project: Write) -> None:
    with pytest.raises(ObjectNotFoundError):
        OpenContext.load(write_project(FILES), adapters=[Clock()]).bundle(["second"])


class TestDigest:
    def digest(self, folder: Path, clock: Clock | None = None) -> str:
        return OpenContext.load(folder, adapters=[clock or Clock()]).bundle().digest

    def test_time_of_retrieval_changes_nothing(self, write_project: Write) -> None:
        folder = write_project(FILES)
        assert self.digest(folder) == self.digest(folder, Clock("2027-02-02T00:00:00Z"))

    def test_place_of_the_project_changes_nothing(self, write_project: Write, tmp_path: Path) -> None:
        folder = write_project(FILES)
        before = self.digest(folder)
        assert self.digest(folder.rename(tmp_path / "elsewhere")) == before

    @pytest.mark.parametrize(
        "change",
        [
            {"notes/b.md": "---\nid: first\n---\nOther.\n"},
            {"notes/b.md": "---\nid: first\ntags: [x]\n---\nText.\n"},
            {"notes/b.md": "---\nid: first\ntrust: verified\n---\nText.\n"},
            {"notes/b.md": "---\nid: second\n---\nText.\n"},
            {"notes/c.md": "One more."},
        ],
    )
    def test_everything_else_changes_it(self, write_project: Write, change: dict[str, str]) -> None:
        before = self.digest(write_project(FILES))
        assert self.digest(write_project(FILES | change)) != before

    def test_trust_of_what_was_loaded_changes_it(self, write_project: Write) -> None:
        folder = write_project(FILES)
        assert self.digest(folder) != self.digest(folder, Clock(trust=Trust.UNTRUSTED))

    def test_revision_of_what_was_loaded_changes_it(self, write_project: Write) -> None:
        folder = write_project(FILES)
        assert self.digest(folder, Clock(revision="1")) != self.digest(folder, Clock(revision="2"))

    @pytest.mark.skipif(sys.platform != "linux", reason="names of files are text here")
    def test_name_that_is_no_text_has_a_digest(self, write_project: Write) -> None:
        assert self.digest(write_project({"notes/\udcff.yaml": "id: a\ncontent: A.\n"})).startswith("sha256:")


class TestRefusal:
    def test_error_in_any_object(self, write_project: Write) -> None:
        folder = write_project({"notes/a.yaml": "content_uri: nobody://x\n", "notes/b.md": "B."})
        with pytest.raises(InvalidContextError) as caught:
            OpenContext.load(folder).bundle()
        assert [found.code for found in caught.value.diagnostics] == ["unknown-scheme"]

    def test_object_that_could_not_be_read(self, write_project: Write) -> None:
        folder = write_project({"notes/a.md": "---\nid: [\n---\nA.", "notes/b.md": "B."})
        with pytest.raises(InvalidContextError):
            OpenContext.load(folder).bundle()

    @pytest.mark.parametrize("section", ["roles: {a: {include: [b]}}\n", "redact: []\n", "whatever: 1\n"])
    def test_section_that_is_not_enforced(self, write_project: Write, section: str) -> None:
        with pytest.raises(ScopesNotEnforcedError):
            OpenContext.load(write_project({"notes/a.md": "A."}, manifest=section)).bundle()

    def test_field_of_an_object_that_is_not_enforced(self, write_project: Write) -> None:
        project = OpenContext.load(write_project({"notes/a.md": "---\npermissions: {read: [x]}\n---\nA."}))
        with pytest.raises(ScopesNotEnforcedError, match=r"notes\.a: permissions"):
            project.bundle()

    def test_objects_that_were_not_chosen_limit_nothing(self, write_project: Write) -> None:
        project = OpenContext.load(
            write_project({"notes/a.md": "---\npermissions: {read: [x]}\n---\nA.", "notes/b.md": "B."})
        )
        assert len(project.bundle(["notes.b"]).objects) == 1


def test_no_scopes_is_said_in_the_bundle(write_project: Write) -> None:
    project = OpenContext.load(write_project({"notes/a.md": "A."}, manifest="roles: {}\n"))
    assert project.bundle(no_scopes=True).to_dict()["scopes_ignored"] == ["roles"]


def test_object_skipped_offline_is_named_in_the_bundle(write_project: Write) -> None:
    bundle = OpenContext.load(write_project(FILES), adapters=[Clock()], offline=True).bundle()
    assert [entry.declared.id for entry in bundle.objects] == ["first"]
    assert bundle.to_dict()["skipped"] == [{"id": "notes.a", "uri": "clock://x", "reason": "the run is offline"}]
