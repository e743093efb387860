"""`https:` and `http:`: what is fetched, from a server on loopback that follows no rule unless told to."""

from __future__ import annotations

import gzip
import socket
import ssl
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import monotonic, sleep
from typing import Any

import pytest
import trustme
from markitect_tool.context.adapters.http import Bounds, HttpAdapter
from markitect_tool.context.errors import (
    ContextError,
    MalformedUriError,
    ManifestError,
    RefusedAddressError,
    SourceUnavailableError,
    TooLargeError,
    TooSlowError,
)
from markitect_tool.context.guard import sha256_uri
from markitect_tool.context.model import AdapterContext, Trust
from markitect_tool.context.project import OpenContext
from markitect_tool.context.registry import AdapterRegistry
from markitect_tool.testing.isolation import run_fresh

Contexts = Callable[..., AdapterContext]


def test_body_comes_with_type_digest_and_what_the_host_says_of_its_version(registry, web, opened):
    web.answer("/a", b"tide", head='200 OK\r\nContent-Type: text/plain\r\nETag: "7"\r\nLast-Modified: Sat')
    result = registry.load(web.url("/a"), opened())
    assert (result.content, result.content_type, result.trust) == (b"tide", "text/plain", Trust.UNTRUSTED)
    assert result.digest == sha256_uri("tide")
    assert result.metadata == {"etag": '"7"', "last_modified": "Sat", "final_url": web.url("/a")}


def test_fragment_is_not_sent(registry, web, opened):
    web.answer("/a", b"tide")
    registry.load(web.url("/a#part"), opened())
    assert web.requests[0].startswith("GET /a HTTP/1.1\r\n")


def test_content_that_changes_has_another_digest(registry, web, opened):
    digests = set()
    for text in (b"low", b"high"):
        web.answer("/tide", text)
        digests.add(registry.load(web.url("/tide"), opened()).digest)
    assert len(digests) == 2


def test_body_that_ends_with_the_connection_is_read(registry, web, opened):
    web.answer("/a", b"to the end", end=False)
    assert registry.load(web.url("/a"), opened()).content == b"to the end"


class TestWhatIsNoSuccess:
    @pytest.mark.parametrize("status", ["204 No Content", "206 Partial Content", "304 Not Modified", "404 Not Found"])
    def test_status_is_an_error(self, registry, web, opened, status):
        web.answer("/a", b"" if status[:3] in ("204", "304") else b"page", head=status)
        with pytest.raises(SourceUnavailableError) as caught:
            registry.load(web.url("/a"), opened())
        assert caught.value.code == "source-unavailable"

    def test_server_error_with_a_body_is_an_error(self, registry, web, opened):
        web.answer("/a", b"sorry", head="503 Service Unavailable")
        with pytest.raises(SourceUnavailableError, match="503"):
            registry.load(web.url("/a"), opened())

    def test_empty_body_is_an_error(self, registry, web, opened):
        web.answer("/a")
        with pytest.raises(SourceUnavailableError, match="empty"):
            registry.load(web.url("/a"), opened())

    def test_nobody_listening_is_an_error(self, registry, opened):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with pytest.raises(SourceUnavailableError, match="failed"):
            registry.load(f"http://127.0.0.1:{port}/", opened())

    def test_unknown_name_is_an_error(self, registry, opened):
        with pytest.raises(SourceUnavailableError):
            registry.load("http://nowhere.invalid/", opened())

    def test_answer_that_is_no_http_is_an_error(self, registry, web, opened):
        web.script("/a", lambda connection: connection.sendall(b"SSH-2.0-server\r\n\r\n"))
        with pytest.raises(SourceUnavailableError):
            registry.load(web.url("/a"), opened())


class TestLength:
    def test_declared_length_above_the_cap_is_refused_before_the_body(self, registry, web, opened):
        web.answer("/a", b"x", 5.0, head="200 OK\r\nContent-Length: 5000001")
        started = monotonic()
        with pytest.raises(TooLargeError):
            registry.load(web.url("/a"), opened())
        assert monotonic() - started < 4

    def test_endless_body_is_cut_off_at_the_cap(self, registry, web, opened):
        def pour(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            with suppress(OSError):
                while True:
                    connection.sendall(b"x" * 65536)

        web.script("/a", pour)
        with pytest.raises(TooLargeError, match="5000000"):
            registry.load(web.url("/a"), opened())

    def test_cap_is_the_operators(self, registry, web, opened):
        web.answer("/a", b"12345")
        assert registry.load(web.url("/a"), opened(max_bytes=5)).content == b"12345"
        with pytest.raises(TooLargeError):
            registry.load(web.url("/a"), opened(max_bytes=4))

    def test_body_shorter_than_declared_is_an_error(self, registry, web, opened):
        web.answer("/a", b"half", head="200 OK\r\nContent-Length: 8")
        with pytest.raises(SourceUnavailableError):
            registry.load(web.url("/a"), opened())

    def test_body_longer_than_declared_ends_where_declared(self, registry, web, opened):
        web.answer("/a", b"halfmore", head="200 OK\r\nContent-Length: 4")
        assert registry.load(web.url("/a"), opened()).content == b"half"

    def test_chunked_body_that_breaks_off_is_an_error(self, registry, web, opened):
        web.answer("/a", b"4\r\nhalf\r\n", head="200 OK\r\nTransfer-Encoding: chunked")
        with pytest.raises(SourceUnavailableError):
            registry.load(web.url("/a"), opened())

    def test_endless_headers_are_an_error(self, registry, web, opened):
        def pour(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            with suppress(OSError):
                while True:
                    connection.sendall(b"X-Header: x\r\n" * 1000)

        web.script("/a", pour)
        with pytest.raises(SourceUnavailableError):
            registry.load(web.url("/a"), opened())


class TestTime:
    """A server that sends something now and then keeps no connection open beyond the cap."""

    def drip(self, connection: socket.socket, start: bytes, drop: bytes) -> None:
        connection.sendall(start)
        with suppress(OSError):
            for _ in range(100):
                sleep(0.1)
                connection.sendall(drop)

    @pytest.mark.parametrize(
        ("start", "drop"),
        [
            (b"", b""),
            (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x"),
            (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        ],
        ids=["silence", "headers", "body", "informational"],
    )
    def test_slow_answer_is_given_up(self, registry, web, opened, start, drop):
        web.script("/a", lambda connection: self.drip(connection, start, drop))
        started = monotonic()
        with pytest.raises(TooSlowError):
            registry.load(web.url("/a"), opened(timeout_ms=400))
        assert monotonic() - started < 3

    def test_redirects_share_one_time(self, registry, web, opened):
        for number in range(6):
            web.script(f"/{number}", self.slow_redirect(f"/{number + 1}"))
        started = monotonic()
        with pytest.raises(TooSlowError):
            registry.load(web.url("/0"), opened(timeout_ms=500))
        assert monotonic() - started < 3

    def slow_redirect(self, target: str) -> Callable[[socket.socket], None]:
        def answer(connection: socket.socket) -> None:
            sleep(0.3)
            connection.sendall(f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode())

        return answer


class TestCompression:
    GZIP = "200 OK\r\nContent-Encoding: gzip"

    def test_only_gzip_is_asked_for(self, registry, web, opened):
        web.answer("/a", b"x")
        registry.load(web.url("/a"), opened())
        assert "accept-encoding: gzip\r\n" in web.requests[0].lower()

    def test_gzip_is_unpacked(self, registry, web, opened):
        web.answer("/a", gzip.compress(b"tide"), head=self.GZIP)
        assert registry.load(web.url("/a"), opened()).content == b"tide"

    def test_several_members_are_joined(self, registry, web, opened):
        web.answer("/a", gzip.compress(b"low ") + gzip.compress(b"tide"), head=self.GZIP)
        assert registry.load(web.url("/a"), opened()).content == b"low tide"

    def test_bomb_stops_at_the_cap_and_takes_no_more_memory(self, registry, web, opened):
        packed = zlib.compressobj(9, wbits=31)
        bomb = b"".join([*(packed.compress(bytes(1_000_000)) for _ in range(500)), packed.flush()])
        web.answer("/a", bomb, head=self.GZIP)
        tracemalloc.start()
        with pytest.raises(TooLargeError, match="unpacked"):
            registry.load(web.url("/a"), opened())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 30_000_000

    def test_bomb_of_empty_members_stops_at_the_cap(self, registry, web, opened):
        web.answer("/a", gzip.compress(b"") * 2000, head=self.GZIP)
        with pytest.raises(TooLargeError):
            registry.load(web.url("/a"), opened(max_bytes=10_000))

    @pytest.mark.parametrize("data", [gzip.compress(b"tide" * 99)[:-9], b"no gzip", gzip.compress(b"tide") + b"more"])
    def test_broken_gzip_is_an_error(self, registry, web, opened, data):
        web.answer("/a", data, head=self.GZIP)
        with pytest.raises(SourceUnavailableError):
            registry.load(web.url("/a"), opened())

    @pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip"])
    def test_other_encodings_are_refused(self, registry, web, opened, encoding):
        web.answer("/a", gzip.compress(b"tide"), head=f"200 OK\r\nContent-Encoding: {encoding}")
        with pytest.raises(SourceUnavailableError, match="encoded"):
            registry.load(web.url("/a"), opened())


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


def test_loads_run_together_with_a_bound(registry, web, opened):
    running, counts, lock = set(), [], Lock()

    def answer(connection: socket.socket) -> None:
        with lock:
            running.add(connection)
            counts.append(len(running))
        sleep(0.1)
        with lock:
            running.remove(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")

    web.script("/a", answer)
    results = registry.load_many([(web.url("/a"), opened())] * 12, limit=4)
    assert [result.content for result in results] == [b"x"] * 12
    assert 1 < max(counts) <= 4


def test_errors_stand_where_their_requests_stood(registry, web, opened):
    web.answer("/a", b"x")
    first, second, third = registry.load_many(
        [(web.url("/a"), opened()), ("nothing://x", opened()), (web.url("/a"), opened())]
    )
    assert first.content == third.content == b"x"
    assert isinstance(second, ContextError)


def test_missing_library_is_told_with_the_install_command():
    code = """
from pathlib import Path
from markitect_tool.context import AdapterContext, ContextError, default_context_registry
try:
    default_context_registry().load("https://example.org/", AdapterContext(Path("."), config={"enabled": True}))
except ContextError as error:
    print(error.code, error, error.hint)
"""
    ended = run_fresh(code, hide=["httpx"], refuse_side_effects=True)
    assert ended.stdout == "source-unavailable httpx is not installed. pip install markitect-tool[context]\n"
