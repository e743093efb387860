"""Paths inside a folder, digests, and which addresses are public."""

from __future__ import annotations

import os
from ipaddress import ip_address

import pytest
from markitect_tool.context.addresses import not_public
from markitect_tool.context.errors import PathTraversalError, SourceUnavailableError
from markitect_tool.context.guard import open_below, resolve_inside, sha256_uri


def test_digest_of_text_is_that_of_its_utf8():
    assert sha256_uri("é") == sha256_uri("é".encode())
    assert sha256_uri(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class TestResolveInside:
    def test_path_need_not_exist(self, tmp_path):
        assert resolve_inside(tmp_path, "a/b.md") == tmp_path.resolve() / "a/b.md"

    def test_name_that_no_file_can_have_is_unavailable(self, tmp_path):
        with pytest.raises(SourceUnavailableError, match="no file name"):
            resolve_inside(tmp_path, "\ud800.md")

    @pytest.mark.parametrize("path", ["", ".", "a/.."])
    def test_folder_itself_is_inside(self, tmp_path, path):
        assert resolve_inside(tmp_path, path) == tmp_path.resolve()

    @pytest.mark.parametrize("path", ["100%.md", "a%20b.md", "...", "..a", "a..", "a/..b/c"])
    def test_names_that_only_look_odd_are_inside(self, tmp_path, path):
        assert resolve_inside(tmp_path, path).is_relative_to(tmp_path.resolve())

    @pytest.mark.parametrize(
        "path",
        [
            "..",
            "../a",
            "a/../../b",
            "/",
            "/etc",
            "%2fetc",
            "c:a",
            "C:/a",
            "a\\b",
            "..\\a",
            "a%5cb",
            "a\0",
            "a%00",
            "%2e%2e",
            "a/%2e%2e/b",
            "%252e%252e/a",
            "%25252e%25252e/a",
            "%2e./a",
            ".%2e/a",
            "..%2fa",
        ],
    )
    def test_path_that_leads_elsewhere_is_refused(self, tmp_path, path):
        with pytest.raises(PathTraversalError) as caught:
            resolve_inside(tmp_path, path)
        assert caught.value.code == "path-traversal"

    def test_root_of_the_file_system_may_be_the_folder(self, tmp_path):
        assert resolve_inside(tmp_path.parents[-1], "etc").as_posix() == "/etc"

    def test_link_to_a_folder_with_the_same_beginning_is_outside(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "ab").mkdir()
        (tmp_path / "a/link").symlink_to(tmp_path / "ab")
        with pytest.raises(PathTraversalError):
            resolve_inside(tmp_path / "a", "link/x")


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("::1", "loopback"),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("192.168.1.1", "private"),
        ("fd00::1", "private"),
        ("100.64.0.1", "shared"),
        ("100.100.100.200", "shared"),
        ("169.254.169.254", "link-local"),
        ("fe80::1", "link-local"),
        ("fec0::1", "site-local"),
        ("fd00:ec2::254", "private"),
        ("168.63.129.16", "metadata"),
        ("192.0.0.192", "protocols"),
        ("0.0.0.0", "unspecified"),
        ("::", "unspecified"),
        ("0.1.2.3", "private"),
        ("224.0.0.1", "multicast"),
        ("ff02::1", "multicast"),
        ("240.0.0.1", "private"),
        ("255.255.255.255", "private"),
        ("192.0.2.1", "private"),
        ("198.18.0.1", "private"),
        ("2001:db8::1", "private"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:10.0.0.1", "private"),
        ("::127.0.0.1", "loopback"),
        ("2002:7f00:1::", "loopback"),
        ("2002:a9fe:a9fe::", "link-local"),
        ("2001:0:0:0:0:0:80ff:fffe", "loopback"),
        ("64:ff9b::7f00:1", "loopback"),
        ("64:ff9b:1::1", "private"),
    ],
)
def test_address_is_refused(address, reason):
    assert reason in (not_public(ip_address(address)) or "")


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "100.128.0.1"]
)
def test_public_address_is_not_refused(address):
    assert not_public(ip_address(address)) is None


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="paths are opened as a whole here")
@pytest.mark.parametrize("swapped", ["a", "a/b", "a/b/c.md"])
def test_link_that_appeared_after_the_path_was_resolved_is_not_followed(tmp_path, swapped):
    for root in ("inside", "outside"):
        (tmp_path / root / "a/b").mkdir(parents=True)
        (tmp_path / root / "a/b/c.md").write_text(root)
    inside = tmp_path.resolve() / "inside"
    found = str(resolve_inside(inside, "a/b/c.md"))
    descriptor = open_below(str(inside), found)
    assert os.read(descriptor, 9) == b"inside"
    os.close(descriptor)

    (inside / swapped).rename(tmp_path / "away")
    (inside / swapped).symlink_to(tmp_path / "outside" / swapped)
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        open_below(str(inside), found)
