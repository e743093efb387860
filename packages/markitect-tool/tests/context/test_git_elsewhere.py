"""`git:` in folders whose `.git` leads to other repositories."""

from __future__ import annotations

import shutil

import pytest
from markitect_tool.context.errors import PathTraversalError, SourceUnavailableError


class TestRepositoriesElsewhere:
    """A manifest's folder that came from a stranger brings a `.git` that leads to the owner's other repositories."""

    @pytest.fixture
    def private(self, make_repository):
        repository = make_repository("private")
        repository.commit(secret="secret")
        return repository

    @pytest.fixture
    def stranger(self, make_repository):
        repository = make_repository("stranger")
        repository.commit(secret="public")
        return repository

    def refused(self, registry, ctx, folder, revision="HEAD"):
        with pytest.raises(PathTraversalError, match="somewhere else"):
            registry.load(f"git://{revision}/secret.md", ctx(folder))

    def test_link_in_the_place_of_the_folder(self, registry, ctx, private, tmp_path):
        (tmp_path / "stranger").mkdir()
        (tmp_path / "stranger/.git").symlink_to("../private/.git")
        self.refused(registry, ctx, tmp_path / "stranger")

    def test_file_in_the_place_of_the_folder(self, registry, ctx, private, tmp_path):
        (tmp_path / "stranger").mkdir()
        (tmp_path / "stranger/.git").write_text("gitdir: ../private/.git\n")
        self.refused(registry, ctx, tmp_path / "stranger")

    def test_false_worktree(self, registry, ctx, private, tmp_path):
        folder = tmp_path / "stranger/worktrees/false"
        folder.mkdir(parents=True)
        (tmp_path / "stranger/.git").write_text("gitdir: worktrees/false\n")
        (folder / "gitdir").write_text(str(tmp_path / "stranger/.git"))
        (folder / "commondir").write_text("../../../private/.git")
        (folder / "HEAD").write_text("ref: refs/heads/main\n")
        self.refused(registry, ctx, tmp_path / "stranger")

    def test_common_folder(self, registry, ctx, private, stranger):
        (stranger.folder / ".git/commondir").write_text("../../private/.git\n")
        self.refused(registry, ctx, stranger.folder)

    def test_objects_behind_a_link(self, registry, ctx, private, stranger):
        shutil.rmtree(stranger.folder / ".git/objects")
        (stranger.folder / ".git/objects").symlink_to("../../private/.git/objects")
        self.refused(registry, ctx, stranger.folder, private.run("rev-parse", "HEAD")[:4])

    def test_borrowed_objects(self, registry, ctx, private, stranger):
        (stranger.folder / ".git/objects/info/alternates").write_text("../../../private/.git/objects\n")
        self.refused(registry, ctx, stranger.folder, private.run("rev-parse", "HEAD")[:4])

    def test_submodule_is_its_own_repository(self, registry, ctx, private, stranger):
        stranger.run("submodule", "-q", "add", f"file://{private.folder}", "library")
        assert (stranger.folder / "library/.git").is_file()
        assert registry.load("git://HEAD/secret.md", ctx(stranger.folder / "library")).content == b"secret"

    def test_mapping_may_borrow(self, registry, ctx, private, tmp_path):
        private.run("clone", "-q", "--shared", ".", str(tmp_path / "shared"))
        (tmp_path / "project").mkdir()
        mapped = ctx(tmp_path / "project", repos={"example.org/a/b": "../shared"})
        assert registry.load("git://example.org/a/b/secret.md", mapped).content == b"secret"

    def test_parts_of_the_objects_behind_links(self, registry, ctx, private, stranger):
        (stranger.folder / ".git/refs/heads/theirs").symlink_to("../../../../private/.git/refs/heads/main")
        for part in (private.folder / ".git/objects").glob("??"):
            shutil.rmtree(stranger.folder / ".git/objects" / part.name, ignore_errors=True)
            (stranger.folder / ".git/objects" / part.name).symlink_to(part)
        self.refused(registry, ctx, stranger.folder, "theirs")

    def test_pack_behind_links(self, registry, ctx, private, stranger):
        private.run("gc", "-q", "--prune=now")
        for pack in (private.folder / ".git/objects/pack").glob("pack-*"):
            (stranger.folder / ".git/objects/pack" / pack.name).symlink_to(pack)
        self.refused(registry, ctx, stranger.folder, private.run("rev-parse", "HEAD"))

    def test_object_behind_a_link(self, registry, ctx, private, stranger):
        commit = private.run("rev-parse", "HEAD")
        for part in (private.folder / ".git/objects").glob("??"):
            (stranger.folder / ".git/objects" / part.name).mkdir(exist_ok=True)
            for file in part.iterdir():
                place = stranger.folder / ".git/objects" / part.name / file.name
                place.unlink(missing_ok=True)
                place.symlink_to(file)
        with pytest.raises(SourceUnavailableError, match="is a link"):
            registry.load(f"git://{commit}/secret.md", ctx(stranger.folder))
