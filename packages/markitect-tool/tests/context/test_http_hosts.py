"""`https:` and `http:`: who may be asked, in what notation, over which connection, and after which redirects."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any

import pytest
import trustme
from markitect_tool.context.adapters.http import Bounds, HttpAdapter
from markitect_tool.context.errors import (
    MalformedUriError,
    ManifestError,
    RefusedAddressError,
    SourceUnavailableError,
)
from markitect_tool.context.model import AdapterContext
from markitect_tool.context.project import OpenContext
from markitect_tool.context.registry import AdapterRegistry
from markitect_tool.testing.isolation import run_fresh

Contexts = Callable[..., AdapterContext]


class TestRedirects:
    def redirect(self, web: Any, path: str, target: str, status: str = "302 Found") -> None:
        web.answer(path, head=f"{status}\r\nLocation: {target}\r\nSet-Cookie: a=b")

    @pytest.mark.parametrize("status", ["301 M", "302 F", "303 S", "307 T", "308 P"])
    def test_redirect_is_followed_and_the_final_url_told(self, registry, web, opened, status):
        self.redirect(web, "/a", "/b#part", status)
        web.answer("/b", b"there")
        result = registry.load(web.url("/a"), opened())
        assert (result.content, result.metadata["final_url"]) == (b"there", web.url("/b"))

    def test_nothing_is_carried_over(self, registry, web, opened):
        self.redirect(web, "/a", "/b")
        web.answer("/b", b"there")
        registry.load(web.url("/a"), opened())
        assert "cookie" not in web.requests[1].lower()

    @pytest.mark.parametrize("target", ["file:///etc/passwd", "https://127.0.0.1/", "ftp://127.0.0.1/", "gopher://h/"])
    def test_redirect_to_another_scheme_is_refused(self, registry, web, opened, target):
        self.redirect(web, "/a", target)
        with pytest.raises(RefusedAddressError, match="another scheme"):
            registry.load(web.url("/a"), opened())

    def test_redirect_to_a_host_that_is_not_allowed_is_refused(self, registry, web, opened):
        self.redirect(web, "/a", web.url("/b", host="localhost"))
        with pytest.raises(RefusedAddressError, match="localhost"):
            registry.load(web.url("/a"), opened(allow_hosts=["127.0.0.1"]))
        assert len(web.requests) == 1

    def test_redirect_to_a_private_address_is_refused(self, registry, web, opened, monkeypatch):
        from markitect_tool.context.adapters import http_client

        real = http_client.not_public
        # The test can't have a public server, so one loopback address passes for one.
        monkeypatch.setattr(http_client, "not_public", lambda found: None if str(found) == "127.0.0.1" else real(found))
        self.redirect(web, "/a", web.url("/b", host="127.0.0.2"))
        with pytest.raises(RefusedAddressError, match=r"127\.0\.0\.2"):
            registry.load(web.url("/a"), opened(allow_private=False))

    def test_redirect_with_a_user_name_is_refused(self, registry, web, opened):
        self.redirect(web, "/a", f"http://user@127.0.0.1:{web.port}/b")
        with pytest.raises(RefusedAddressError):
            registry.load(web.url("/a"), opened())

    @pytest.mark.parametrize(
        "target", ["http://", "http://[", "http://h:99999999/", "javascript:x", "data:text/plain,x"]
    )
    def test_redirect_to_no_url_is_an_error(self, registry, web, opened, target):
        self.redirect(web, "/a", target)
        with pytest.raises(SourceUnavailableError):
            registry.load(web.url("/a"), opened())

    def test_circle_of_redirects_ends(self, registry, web, opened):
        self.redirect(web, "/a", "/a")
        with pytest.raises(SourceUnavailableError, match="5 times"):
            registry.load(web.url("/a"), opened())
        assert len(web.requests) == 6

    def test_redirect_without_a_target_is_an_error(self, registry, web, opened):
        web.answer("/a", b"x", head="302 Found")
        with pytest.raises(SourceUnavailableError, match="302"):
            registry.load(web.url("/a"), opened())


class TestHosts:
    def test_network_is_closed_until_the_manifest_opens_it(self, registry, web, ctx):
        with pytest.raises(RefusedAddressError, match="does not open"):
            registry.load(web.url("/a"), ctx())

    def test_uri_that_the_caller_names_needs_no_section(self, web, tmp_path):
        manifest = f'opencontext: "1.0"\nid: project\ncontext: {{page: "{web.url("/a")}"}}\n'
        (tmp_path / "opencontext.yaml").write_text(manifest)
        project = OpenContext.load(tmp_path)
        with pytest.raises(RefusedAddressError, match="does not open"):
            project.resolve("page")
        with pytest.raises(RefusedAddressError, match="not encrypted"):  # the next rule, so the first one is passed
            project.load_uri(web.url("/a"))

    def test_plain_http_needs_permission(self, registry, web, ctx):
        with pytest.raises(RefusedAddressError, match="not encrypted"):
            registry.load(web.url("/a"), ctx(allow_private=True))
        assert web.requests == []

    # In every notation that the system's resolver understands.
    @pytest.mark.parametrize(
        "host",
        [
            "127.0.0.1",
            "localhost",
            "2130706433",
            "127.1",
            "0x7f000001",
            "0.0.0.0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::]",
            "169.254.169.254",
            "10.0.0.1",
            "100.100.100.200",
            "[fe80::1]",
            "[fd00::1]",
        ],
    )
    def test_host_behind_which_is_no_public_address_is_refused(self, registry, web, opened, host):
        with pytest.raises(RefusedAddressError, match="not public"):
            registry.load(web.url("/a", host=host), opened(allow_private=False))
        assert web.requests == []

    @pytest.mark.parametrize("allowed", ["LOCALHOST", "localhost.", "localhost:{port}"])
    def test_allowed_host_is_asked(self, registry, web, opened, allowed):
        web.answer("/a", b"x")
        ctx = opened(allow_hosts=["example.org", allowed.format(port=web.port)])
        assert registry.load(web.url("/a", host="localhost"), ctx).content == b"x"

    def test_star_stands_for_the_hosts_below(self):
        bounds = Bounds(("*.example.org",), False, False, 1, 0.0)
        bounds.check_host("https", "a.b.example.org", 443)
        for other in ("example.org", "badexample.org", "example.org.evil.example"):
            with pytest.raises(RefusedAddressError, match="allow_hosts"):
                bounds.check_host("https", other, 443)

    @pytest.mark.parametrize("allowed", ["host", "*.localhost", "localhost:1", "*"])
    def test_other_host_is_not_asked(self, registry, web, opened, allowed):
        with pytest.raises(RefusedAddressError, match="allow_hosts"):
            registry.load(web.url("/a", host="localhost"), opened(allow_hosts=[allowed]))

    def test_empty_list_allows_nobody(self, registry, web, opened):
        with pytest.raises(RefusedAddressError, match="allow_hosts"):
            registry.load(web.url("/a"), opened(allow_hosts=[]))

    def test_misspelt_setting_is_an_error(self, registry, web, opened):
        with pytest.raises(ManifestError, match="allow_host "):
            registry.load(web.url("/a"), opened(allow_host=["example.org"]))

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("allow_hosts", "example.org"),
            ("allow_private", "yes"),
            ("max_bytes", 0),
            ("max_bytes", True),
            ("timeout_ms", -1),
            ("timeout_ms", "5"),
            ("allow_hosts", None),
        ],
    )
    def test_setting_of_the_wrong_kind_is_an_error(self, registry, web, opened, name, value):
        with pytest.raises(ManifestError, match=name):
            registry.load(web.url("/a"), opened(**{name: value}))

    def test_proxies_of_the_environment_are_ignored(self, registry, web, opened, monkeypatch):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        web.answer("/a", b"x")
        assert registry.load(web.url("/a"), opened()).content == b"x"


WATCHED = """
import sys
from pathlib import Path
seen = []
sys.addaudithook(lambda event, arguments: seen.append((event, arguments)) if event.startswith("socket.") else None)
from markitect_tool.context import AdapterContext, default_context_registry
config = {"allow_insecure": True, "allow_private": True}
default_context_registry().load(sys.argv[1], AdapterContext(Path("."), config=config))
print([arguments[0] for event, arguments in seen if event == "socket.getaddrinfo"])
print([arguments[1] for event, arguments in seen if event == "socket.connect"])
"""


def test_name_is_looked_up_once_and_its_checked_address_connected_to(web):
    """So a name server that answers differently the second time is not asked a second time."""
    web.answer("/a", b"x")
    ended = run_fresh(WATCHED, web.url("/a", host="localhost"))
    names, connected = map(eval, ended.stdout.splitlines())
    assert names.count("localhost") == 1
    assert {address[0] for address in connected} <= {"127.0.0.1", "::1"}
    assert set(names) - {"localhost"} <= {address[0] for address in connected}


class TestUri:
    @pytest.mark.parametrize(
        "uri",
        [
            "https:",
            "https://",
            "https:///path",
            "https:host/path",
            "https://user@host/",
            "https://user:pw@host/",
            "https://host\\@other/",
            "https://ho st/",
            "https://host/\n",
            "https://host:port/",
            "https://[::1/",
            "https://host:99999999/",
            "https://0177.0.0.1/",
            "https://" + "a" * 5000,
            "https://host/\\windows",
        ],
    )
    def test_malformed_uri_is_refused_without_a_look_up(self, registry, opened, uri):
        with pytest.raises(MalformedUriError) as caught:
            registry.load(uri, opened())
        assert caught.value.hint


class TestTls:
    def contexts(self, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
        """The server's, and one of a client that trusts its authority."""
        authority = trustme.CA()
        server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
        authority.issue_cert(host).configure_cert(server)
        authority.configure_trust(client)
        return server, client

    def load(self, url: str, ctx: Contexts, client: ssl.SSLContext | None) -> bytes:
        return AdapterRegistry([HttpAdapter(client)]).load(url, ctx(allow_private=True)).content

    def test_known_authority_is_accepted_for_its_host(self, make_web, ctx):
        server, client = self.contexts("localhost")
        web = make_web(server)
        web.answer("/a", b"secret")
        assert self.load(web.url("/a", host="localhost"), ctx, client) == b"secret"

    def test_unknown_authority_is_refused(self, make_web, ctx):
        web = make_web(self.contexts("localhost")[0])
        with pytest.raises(SourceUnavailableError, match="CERTIFICATE_VERIFY_FAILED"):
            self.load(web.url("/a", host="localhost"), ctx, None)
        assert web.requests == []

    def test_certificate_of_another_host_is_refused(self, make_web, ctx):
        server, client = self.contexts("elsewhere.example")
        web = make_web(server)
        with pytest.raises(SourceUnavailableError, match="CERTIFICATE_VERIFY_FAILED"):
            self.load(web.url("/a", host="localhost"), ctx, client)
        assert web.requests == []

    def test_redirect_to_plain_http_is_refused(self, make_web, web, ctx):
        server, client = self.contexts("localhost")
        secure = make_web(server)
        secure.answer("/a", head=f"302 Found\r\nLocation: {web.url('/b')}")
        with pytest.raises(RefusedAddressError, match="another scheme"):
            self.load(secure.url("/a", host="localhost"), ctx, client)
        assert web.requests == []
