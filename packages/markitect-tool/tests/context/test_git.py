"""`git:`: files of past revisions, from repositories made with the `git` command."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tracemalloc
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from markitect_tool.context.adapters.git import GitAdapter
from markitect_tool.context.errors import (
    ContextError,
    MalformedUriError,
    ManifestError,
    PathTraversalError,
    SourceUnavailableError,
    TooLargeError,
    TooSlowError,
)
from markitect_tool.context.guard import sha256_uri
from markitect_tool.context.model import Trust
from markitect_tool.testing.isolation import run_fresh


@pytest.fixture
def history(repository):
    """A repository whose file `docs/tide.md` was `one` at every old name and is `two` now."""
    repository.first = repository.commit(docs__tide="one")
    repository.run("tag", "v1.0.0")
    repository.run("tag", "-a", "annotated", "-m", "first")
    repository.run("tag", "-a", "of-a-tag", "annotated", "-m", "nested")
    repository.run("branch", "feature/old")
    repository.run("update-ref", "refs/remotes/origin/old", "HEAD")
    repository.second = repository.commit(docs__tide="two")
    return repository


@pytest.mark.parametrize(
    "revision",
    ["v1.0.0", "annotated", "of-a-tag", "feature%2Fold", "origin%2Fold", "refs%2Ftags%2Fv1.0.0", "{first}", "{short}"],
)
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_past_is_read_by_any_name_of_a_revision(registry, history, ctx, revision, packed):
    if packed:
        history.run("gc", "-q", "--prune=now")
        history.run("pack-refs", "--all")
        assert list((history.folder / ".git/objects/pack").glob("*.pack"))
    name = revision.format(first=history.first, short=history.first[:8])
    result = registry.load(f"git://{name}/docs/tide.md", ctx())
    assert (result.content, result.content_type, result.trust) == (b"one", "text/markdown", Trust.TRUSTED)
    assert result.digest == sha256_uri("one")
    assert result.metadata == {"revision": history.first}


@pytest.mark.parametrize("revision", ["HEAD", "main"])
def test_present_is_what_was_committed_last(registry, history, ctx, revision):
    (history.folder / "docs/tide.md").write_text("not committed")
    assert registry.load(f"git://{revision}/docs/tide.md", ctx()).content == b"two"


def test_large_file_stored_as_a_difference_is_put_together(registry, repository, ctx):
    lines = [f"Night {number}: low water.\n" for number in range(2000)]
    repository.commit(log="".join(lines))
    repository.commit(log="".join([*lines, "Last.\n"]))
    repository.run("gc", "-q", "--prune=now")
    assert registry.load("git://HEAD/log.md", ctx()).text().endswith("Last.\n")
    assert registry.load("git://main/log.md", ctx()).metadata["revision"] == repository.run("rev-parse", "HEAD")


def test_names_with_blanks_and_beyond_ascii_are_percent_encoded(registry, repository, ctx):
    (repository.folder / "ebbe é.md").write_text("x")
    repository.commit()
    assert registry.load("git://HEAD/ebbe%20%C3%A9.md", ctx()).content == b"x"


def test_detached_head_is_read(registry, history, ctx):
    history.run("checkout", "-q", "--detach", history.first)
    assert registry.load("git://HEAD/docs/tide.md", ctx()).content == b"one"


def test_linked_worktree_is_read(registry, history, ctx, tmp_path):
    history.run("worktree", "add", "-q", str(tmp_path / "other"), "v1.0.0")
    assert registry.load("git://HEAD/docs/tide.md", ctx(tmp_path / "other")).content == b"one"


def test_shallow_clone_has_what_it_has(registry, history, ctx, tmp_path):
    history.run("clone", "-q", "--depth=1", f"file://{history.folder}", str(tmp_path / "shallow"))
    assert registry.load("git://HEAD/docs/tide.md", ctx(tmp_path / "shallow")).content == b"two"
    with pytest.raises(SourceUnavailableError, match="no commit"):
        registry.load(f"git://{history.first}/docs/tide.md", ctx(tmp_path / "shallow"))


class TestManifestInAFolder:
    """The repository is found upward; what is read stays in the manifest's folder."""

    def test_path_starts_at_the_root_of_the_repository(self, registry, history, ctx):
        assert registry.load("git://HEAD/docs/tide.md", ctx(history.folder / "docs")).content == b"two"

    def test_path_out_of_the_folder_is_refused(self, registry, history, ctx):
        history.commit(secret="s", docs2__a="s")
        for path in ("secret.md", "docs2/a.md"):
            with pytest.raises(PathTraversalError, match="outside"):
                registry.load(f"git://HEAD/{path}", ctx(history.folder / "docs"))


class TestMappedRepositories:
    @pytest.fixture
    def mapped(self, make_repository, ctx):
        """A repository beside the manifest's folder, mapped; the manifest is in no repository."""
        acme = make_repository("acme-context")
        acme.first = acme.commit(policies__refunds="one")
        acme.run("tag", "v1")
        acme.commit(policies__refunds="two")
        (acme.folder.parent / "project").mkdir()
        return ctx(acme.folder.parent / "project", repos={"github.com/acme/context": "../acme-context"})

    def test_host_form_reads_head_and_is_verified(self, registry, mapped):
        result = registry.load("git://github.com/acme/context/policies/refunds.md", mapped)
        assert (result.content, result.trust) == (b"two", Trust.VERIFIED)

    def test_revision_may_be_named(self, registry, mapped):
        result = registry.load("git://github.com/acme/context/policies/refunds.md?rev=v1", mapped)
        assert result.content == b"one"

    def test_bare_repository_may_be_mapped(self, registry, mapped, ctx):
        subprocess.run(["git", "clone", "-q", "--bare", "../acme-context", "../bare.git"], cwd=mapped.dir, check=True)
        bare = ctx(mapped.dir, repos={"git.example.org/a": "../bare.git"})
        assert registry.load("git://git.example.org/a/policies/refunds.md", bare).content == b"two"

    def test_longest_mapping_wins(self, registry, mapped, ctx):
        both = ctx(mapped.dir, repos={"github.com/acme": "../nothing", "github.com/acme/context": "../acme-context"})
        assert registry.load("git://github.com/acme/context/policies/refunds.md", both).content == b"two"

    def test_mapping_of_a_longer_name_is_another_repository(self, registry, mapped):
        with pytest.raises(SourceUnavailableError, match=r"configured for github\.com/acme/contextual"):
            registry.load("git://github.com/acme/contextual/policies/refunds.md", mapped)

    @pytest.mark.parametrize("inside", [True, False])
    def test_unmapped_host_is_never_fetched(self, registry, history, ctx, tmp_path, inside):
        (tmp_path.parent / f"{tmp_path.name}-elsewhere").mkdir(exist_ok=True)
        folder = history.folder if inside else tmp_path.parent / f"{tmp_path.name}-elsewhere"
        with pytest.raises(SourceUnavailableError) as caught:
            registry.load("git://github.com/acme/context/policies/refunds.md", ctx(folder))
        assert "No local checkout configured for github.com/acme/context." in str(caught.value)
        assert "adapters.git.repos" in caught.value.hint

    @pytest.mark.parametrize("target", ["../nothing", "../project", "", "../acme-context/policies"])
    def test_mapping_to_no_repository_is_an_error(self, registry, mapped, ctx, target):
        with pytest.raises(ContextError):
            registry.load("git://github.com/a/b/c.md", ctx(mapped.dir, repos={"github.com/a/b": target}))

    def test_path_up_is_refused(self, registry, mapped):
        with pytest.raises(PathTraversalError):
            registry.load("git://github.com/acme/context/../../secret.md", mapped)

    @pytest.mark.parametrize("query", ["?", "?rev", "?rev=", "?ref=v1", "?rev=--help", "?rev=v1&rev=v2"])
    def test_other_query_is_refused(self, registry, mapped, query):
        with pytest.raises(MalformedUriError):
            registry.load(f"git://github.com/acme/context/policies/refunds.md{query}", mapped)

    @pytest.mark.parametrize("repos", [["github.com/a"], {"github.com/a": 1}, "github.com/a"])
    def test_mapping_of_the_wrong_kind_is_an_error(self, registry, ctx, repos):
        with pytest.raises(ManifestError, match="repos"):
            registry.load("git://HEAD/a.md", ctx(repos=repos))


class TestWhatIsNoFile:
    def refused(self, registry, ctx, uri):
        with pytest.raises(SourceUnavailableError) as caught:
            registry.load(uri, ctx)
        return str(caught.value)

    def test_no_repository(self, registry, ctx, tmp_path_factory):
        assert "no Git repository" in self.refused(registry, ctx(tmp_path_factory.mktemp("bare")), "git://HEAD/a.md")

    def test_repository_without_a_commit(self, registry, repository, ctx):
        assert "no commit 'HEAD'" in self.refused(registry, ctx(), "git://HEAD/a.md")

    @pytest.mark.parametrize("revision", ["v9", "0" * 40, "f" * 64, "abcdef0", "refs%2Fheads%2Fnothing"])
    def test_unknown_revision(self, registry, history, ctx, revision):
        assert "no commit" in self.refused(registry, ctx(), f"git://{revision}/docs/tide.md")

    def test_hash_of_something_else_than_a_commit(self, registry, history, ctx):
        for name in ("HEAD^{tree}", "HEAD:docs/tide.md"):
            found = history.run("rev-parse", name)
            assert "no commit" in self.refused(registry, ctx(), f"git://{found}/docs/tide.md")

    def test_short_hash_that_begins_several(self, registry, repository, ctx):
        prefixes: set[str] = set()
        tree = repository.run("write-tree")
        for _ in range(5000):  # with four digits two of some hundred commits meet
            commit = repository.run("commit-tree", tree, "-m", str(len(prefixes)))
            if commit[:4] in prefixes:
                break
            prefixes.add(commit[:4])
        assert "begins several" in self.refused(registry, ctx(), f"git://{commit[:4]}/a.md")

    @pytest.mark.parametrize("path", ["docs/nothing.md", "nothing/tide.md", "Docs/tide.md"])
    def test_unknown_path(self, registry, history, ctx, path):
        assert "has no" in self.refused(registry, ctx(), f"git://HEAD/{path}")

    def test_folder(self, registry, history, ctx):
        assert "a folder" in self.refused(registry, ctx(), "git://HEAD/docs")

    def test_file_where_a_folder_must_be(self, registry, history, ctx):
        assert "a file" in self.refused(registry, ctx(), "git://HEAD/docs/tide.md/more")

    @pytest.mark.parametrize("path", ["link", "up/hostname"])
    def test_symbolic_link(self, registry, history, ctx, path):
        (history.folder / "link").symlink_to("docs/tide.md")
        (history.folder / "up").symlink_to("/etc")
        history.commit()
        assert "a symbolic link" in self.refused(registry, ctx(), f"git://HEAD/{path}")

    @pytest.mark.parametrize("path", ["library", "library/a.md"])
    def test_submodule(self, registry, history, ctx, path):
        history.run("update-index", "--add", "--cacheinfo", f"160000,{history.first},library")
        history.run("commit", "-q", "-m", "submodule")
        assert "a submodule" in self.refused(registry, ctx(), f"git://HEAD/{path}")

    def test_pointer_of_git_lfs(self, registry, repository, ctx):
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n"
        repository.commit(big=pointer)
        assert "Git LFS" in self.refused(registry, ctx(), "git://HEAD/big.md")

    def test_empty_file(self, registry, repository, ctx):
        repository.commit(empty="")
        assert "empty" in self.refused(registry, ctx(), "git://HEAD/empty.md")

    def test_file_above_the_cap(self, registry, history, ctx):
        assert registry.load("git://HEAD/docs/tide.md", ctx(max_bytes=3)).content == b"two"
        with pytest.raises(TooLargeError):
            registry.load("git://HEAD/docs/tide.md", ctx(max_bytes=2))

    @pytest.mark.parametrize("declared", [30_000_000, 5])
    def test_bomb_is_not_unpacked(self, registry, history, ctx, declared):
        content = b"blob %d\0" % declared + bytes(30_000_000)
        name = hashlib.sha1(content).hexdigest()
        file = history.folder / ".git/objects" / name[:2] / name[2:]
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(content))
        (history.folder / "tree").write_text(f"100644 blob {name}\tbomb.md\n")
        with (history.folder / "tree").open() as listing:
            tree = subprocess.run(
                ["git", "mktree", "--missing"], cwd=history.folder, stdin=listing, capture_output=True, check=True
            ).stdout.decode()
        commit = history.run("commit-tree", tree.strip(), "-m", "bomb")
        registry.load("git://HEAD/docs/tide.md", ctx())  # what is imported for the first time is not counted
        tracemalloc.start()
        try:
            with pytest.raises(TooLargeError):
                registry.load(f"git://{commit}/bomb.md", ctx(max_bytes=1_000_000))
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()


class TestDamage:
    def loose(self, history, name):
        found = history.run("rev-parse", name)
        path = history.folder / ".git/objects" / found[:2] / found[2:]
        path.chmod(0o644)
        return path

    @pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:docs", "HEAD:docs/tide.md"])
    def test_missing_object_is_an_error(self, registry, history, ctx, name):
        self.loose(history, name).unlink()
        with pytest.raises(SourceUnavailableError):
            registry.load("git://HEAD/docs/tide.md", ctx())

    @pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:docs", "HEAD:docs/tide.md"])
    @pytest.mark.parametrize("content", [b"", b"noise", zlib.compress(b"blob 3\0six"), zlib.compress(b"tree 3\0abc")])
    def test_object_with_other_bytes_is_an_error(self, registry, history, ctx, name, content):
        self.loose(history, name).write_bytes(content)
        with pytest.raises(SourceUnavailableError):
            registry.load("git://HEAD/docs/tide.md", ctx())

    def test_pack_with_flipped_bytes_gives_the_right_bytes_or_an_error(self, history, ctx):
        history.run("gc", "-q", "--prune=now")
        (pack,) = (history.folder / ".git/objects/pack").glob("*.pack")
        pack.chmod(0o644)
        sound = pack.read_bytes()
        for position in range(12, len(sound) - 20, 3):
            pack.write_bytes(sound[:position] + bytes([sound[position] ^ 0xFF]) + sound[position + 1 :])
            # The adapter itself, since the registry would turn whatever it raises into a ContextError.
            with suppress(SourceUnavailableError):
                assert GitAdapter().load("git://HEAD/docs/tide.md", ctx()).content == b"two"


class TestAttacks:
    @pytest.mark.parametrize(
        "revision",
        [
            "--upload-pack=touch%20hit",
            "-c",
            "--output=hit",
            "HEAD~1",
            "HEAD^",
            "HEAD@%7B1%7D",
            "main..v1.0.0",
            ":docs",
            "..",
            "%2e%2e%2f%2e%2e%2fetc",
            "refs%2F..%2F..%2Fconfig",
            "$(touch%20hit)",
            "`touch%20hit`",
            "HEAD;touch%20hit",
            "HEAD%00",
            "HEAD%0A",
            "",
            "a" * 300,
        ],
    )
    def test_revision_that_is_no_plain_name_is_refused(self, registry, history, ctx, revision):
        with pytest.raises(MalformedUriError):
            registry.load(f"git://{revision}/docs/tide.md", ctx())
        assert not (history.folder / "hit").exists()

    @pytest.mark.parametrize(
        "path",
        ["../secret", "docs/../../secret", "%2e%2e/secret", "docs/%2e%2e/tide.md", "/etc/hostname", "a%00b", "a%5cb"],
    )
    def test_path_up_is_refused(self, registry, history, ctx, path):
        with pytest.raises(PathTraversalError):
            registry.load(f"git://HEAD/{path}", ctx())

    @pytest.mark.parametrize("uri", ["git:HEAD/a.md", "git:/HEAD/a.md", "git://HEAD", "git://HEAD/", "git://HEAD/a//b"])
    def test_malformed_uri_is_refused_with_the_form(self, registry, history, ctx, uri):
        with pytest.raises(MalformedUriError) as caught:
            registry.load(uri, ctx())
        assert "git://REVISION/path" in caught.value.hint

    def test_files_of_the_database_are_no_content(self, registry, history, ctx):
        with pytest.raises(SourceUnavailableError, match="has no"):
            registry.load("git://HEAD/.git/config", ctx())

    def test_hooks_and_programs_of_the_configuration_do_not_run(self, registry, history, ctx):
        hit = history.folder / "hit"
        for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "uploadpack.packObjectsHook", "diff.external"):
            history.run("config", key, f"touch {hit}")
        assert registry.load("git://HEAD/docs/tide.md", ctx()).content == b"two"
        assert not hit.exists()


def test_reading_uses_no_network_and_no_other_process(history):
    code = """
import sys
from pathlib import Path
from markitect_tool.context import AdapterContext, default_context_registry
ctx = AdapterContext(Path(sys.argv[1]), offline=True)
print(default_context_registry().load("git://v1.0.0/docs/tide.md", ctx).text())
"""
    ended = run_fresh(code, str(history.folder), refuse_side_effects=True)
    assert (ended.stdout, ended.stderr) == ("one\n", "")


def test_working_copy_is_not_needed(registry, history, ctx):
    shutil.rmtree(history.folder / "docs")
    assert registry.load("git://HEAD/docs/tide.md", ctx()).content == b"two"


def test_missing_library_is_told_with_the_install_command(history):
    code = """
from pathlib import Path
from markitect_tool.context import AdapterContext, ContextError, default_context_registry
try:
    default_context_registry().load("git://HEAD/a.md", AdapterContext(Path(".")))
except ContextError as error:
    print(error.code, error, error.hint)
"""
    ended = run_fresh(code, hide=["dulwich"])
    assert ended.stdout == "source-unavailable dulwich is not installed. pip install markitect-tool[context]\n"


def test_manifest_folder_reached_through_a_link_is_in_its_repository(registry, history, ctx, tmp_path_factory):
    link = Path(tmp_path_factory.mktemp("links")) / "project"
    os.symlink(history.folder, link)
    assert registry.load("git://HEAD/docs/tide.md", ctx(link)).content == b"two"


def test_reference_that_leads_to_itself_is_an_error(registry, repository, ctx):
    repository.commit(tide="one")
    repository.run("symbolic-ref", "refs/heads/flow", "refs/heads/ebb")
    repository.run("symbolic-ref", "refs/heads/ebb", "refs/heads/flow")
    with pytest.raises(SourceUnavailableError, match="damaged"):
        registry.load("git://ebb/tide.md", ctx())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("name", ["packed-refs", "refs/heads/ebb", "config"])
def test_pipe_in_the_repository_is_given_up(registry, repository, ctx, name):
    repository.commit(tide="one")
    (repository.folder / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(repository.folder / ".git" / name)
    with pytest.raises(TooSlowError):
        registry.load("git://ebb/tide.md", ctx(timeout_ms=100))
