"""`https:` and `http:`: what is fetched, from a server on loopback that follows no rule unless told to."""

from __future__ import annotations

import gzip
import socket
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import monotonic, sleep

import pytest
from markitect_tool.context.errors import (
    ContextError,
    MalformedUriError,
    SourceUnavailableError,
    TooLargeError,
    TooSlowError,
)
from markitect_tool.context.guard import sha256_uri
from markitect_tool.context.model import AdapterContext, Trust
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


@pytest.mark.parametrize(
    "location",
    ["javascript:1", "http:\\\\evil", "/\\evil", "http://xn--/", "http://[::1", "http://127.0.0.1:0/", "http://a@b/"],
)
def test_redirect_to_what_is_no_url_says_so(registry, web, opened, location):
    web.answer("/", head=f"302 Found\r\nLocation: {location}")
    with pytest.raises(SourceUnavailableError, match=r"redirects|location header"):
        registry.load(web.url(), opened())
    assert len(web.requests) == 1


def test_label_that_only_looks_encoded_is_malformed(registry, opened):
    with pytest.raises(MalformedUriError, match="no URL"):
        registry.load("http://xn--/", opened())
