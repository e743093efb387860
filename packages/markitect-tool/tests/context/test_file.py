"""`file:`: only regular files of the manifest's folder, whatever a URI tries."""

from __future__ import annotations

import os
import socket
import threading

import pytest
from markitect_tool.context.errors import (
    ContextError,
    MalformedUriError,
    ManifestError,
    PathTraversalError,
    SourceUnavailableError,
    TooLargeError,
)
from markitect_tool.context.guard import sha256_uri
from markitect_tool.context.model import AdapterContext, Trust


@pytest.fixture
def folder(tmp_path):
    """A manifest's folder with a secret beside it."""
    (tmp_path / "secret.md").write_text("secret")
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/tide table.md").write_text("Low at nine.")
    return folder


@pytest.mark.parametrize(
    "uri",
    [
        "file://./docs/tide%20table.md",
        "file:docs/tide%20table.md",
        "file:./docs/tide%20table.md",
        "FILE://./docs/tide%20table.md",
        "file://./docs/../docs/tide%20table.md",
    ],
)
def test_file_is_read(registry, folder, ctx, uri):
    result = registry.load(uri, ctx(folder))
    assert (result.content, result.content_type, result.trust) == (b"Low at nine.", "text/markdown", Trust.TRUSTED)
    assert result.digest == sha256_uri("Low at nine.")


def test_names_beyond_ascii_are_read_in_either_writing(registry, folder, ctx):
    (folder / "gezeiten-é.md").write_text("x")
    for uri in ("file:gezeiten-é.md", "file:gezeiten-%C3%A9.md"):
        assert registry.load(uri, ctx(folder)).content == b"x"


def test_folder_of_the_manifest_may_itself_be_reached_through_a_link(registry, folder, ctx, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert registry.load("file:docs/tide%20table.md", ctx(link)).content


def test_link_inside_the_folder_is_followed(registry, folder, ctx):
    (folder / "current.md").symlink_to("docs/tide table.md")
    assert registry.load("file:current.md", ctx(folder)).content == b"Low at nine."


class TestAttacks:
    @pytest.mark.parametrize(
        "uri",
        [
            "file://./../secret.md",
            "file://../secret.md",
            "file:../secret.md",
            "file:docs/../../secret.md",
            "file:%2e%2e/secret.md",
            "file:%2E./secret.md",
            "file:docs/%2e%2e/docs/tide%20table.md",
            "file:%252e%252e/secret.md",
            "file:..%2fsecret.md",
            "file:..%5csecret.md",
            "file:..\\secret.md",
            "file:/etc/hostname",
            "file:///etc/hostname",
            "file:////etc/hostname",
            "file://%2fetc/hostname",
            "file:C:/secret.md",
            "file:///C:/secret.md",
            "file:docs%00.md",
            "file:docs/tide%20table.md%00.txt",
            "file:docs%2500.md",
            "file://host/secret.md",
            "file://localhost/etc/hostname",
            "file://docs/tide%20table.md",
        ],
    )
    def test_uri_that_leads_elsewhere_is_refused(self, registry, folder, ctx, uri):
        with pytest.raises(PathTraversalError) as caught:
            registry.load(uri, ctx(folder))
        assert (caught.value.code, caught.value.diagnostic.source) == ("path-traversal", uri)

    @pytest.mark.parametrize("target", ["../secret.md", "{parent}/secret.md"])
    def test_link_out_of_the_folder_is_refused(self, registry, folder, ctx, target):
        (folder / "link.md").symlink_to(target.format(parent=folder.parent))
        with pytest.raises(PathTraversalError):
            registry.load("file:link.md", ctx(folder))

    def test_folder_that_is_a_link_out_is_refused(self, registry, folder, ctx):
        (folder / "up").symlink_to("..")
        with pytest.raises(PathTraversalError):
            registry.load("file:up/secret.md", ctx(folder))

    def test_neighbour_with_a_longer_name_is_outside(self, registry, folder, ctx):
        (folder.parent / "project-private").mkdir()
        (folder.parent / "project-private/a.md").write_text("secret")
        with pytest.raises(PathTraversalError):
            registry.load("file:../project-private/a.md", ctx(folder))

    @pytest.mark.parametrize(
        "uri",
        [
            "file:a#b",
            "file:a?b",
            "file:",
            "file://",
            "file:.",
            "file://.",
            "file:a b",
            "file:a%",
            "file:a.md/",
            "file:a.md/.",
        ],
    )
    def test_malformed_uri_is_refused_with_the_form(self, registry, folder, ctx, uri):
        with pytest.raises(MalformedUriError) as caught:
            registry.load(uri, ctx(folder))
        assert caught.value.hint.startswith("The form is file://./")

    def test_encoding_of_no_text_is_refused(self, registry, folder, ctx):
        with pytest.raises(MalformedUriError):
            registry.load("file:%ff.md", ctx(folder))


class TestWhatIsNoFile:
    def refused(self, registry, folder, ctx, name):
        with pytest.raises(SourceUnavailableError) as caught:
            registry.load(f"file:{name}", ctx(folder))
        return str(caught.value)

    def test_missing_file(self, registry, folder, ctx):
        assert "no file" in self.refused(registry, folder, ctx, "nothing.md")

    def test_folder(self, registry, folder, ctx):
        assert "folder" in self.refused(registry, folder, ctx, "docs")

    def test_pipe_is_not_waited_for(self, registry, folder, ctx):
        os.mkfifo(folder / "pipe")
        done = threading.Event()

        def load():
            self.refused(registry, folder, ctx, "pipe")
            done.set()

        threading.Thread(target=load, daemon=True).start()
        assert done.wait(5)

    def test_socket(self, registry, folder, ctx, monkeypatch):
        monkeypatch.chdir(folder)  # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
            self.refused(registry, folder, ctx, "socket")

    def test_circle_of_links(self, registry, folder, ctx):
        (folder / "a").symlink_to("b")
        (folder / "b").symlink_to("a")
        self.refused(registry, folder, ctx, "a")

    def test_empty_file(self, registry, folder, ctx):
        (folder / "empty.md").touch()
        assert "empty" in self.refused(registry, folder, ctx, "empty.md")

    def test_name_too_long_for_the_system(self, registry, folder, ctx):
        self.refused(registry, folder, ctx, "a" * 300)


def test_file_above_the_cap_is_refused(registry, folder, ctx):
    (folder / "a.md").write_bytes(b"12345")
    assert registry.load("file:a.md", ctx(folder, max_bytes=5)).content == b"12345"
    with pytest.raises(TooLargeError):
        registry.load("file:a.md", ctx(folder, max_bytes=4))


def test_misspelt_setting_is_an_error(registry, folder, ctx):
    with pytest.raises(ManifestError, match="max_byte "):
        registry.load("file:docs/tide%20table.md", ctx(folder, max_byte=1))


def test_content_that_claims_authority_changes_nothing(registry, folder, ctx):
    (folder / "claim.md").write_text("---\ntrust: trusted\ncanonical_source: true\n---\nI am canonical.")
    result = registry.load("file:claim.md", AdapterContext(folder, config={"trust": "untrusted"}))
    assert result.trust is Trust.UNTRUSTED


def test_unreadable_file_is_an_error(registry, folder, ctx):
    (folder / "closed.md").write_text("x")
    (folder / "closed.md").chmod(0)
    if os.access(folder / "closed.md", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(ContextError, match="cannot be read"):
        registry.load("file:closed.md", ctx(folder))
