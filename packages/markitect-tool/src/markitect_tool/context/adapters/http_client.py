"""One fetch with httpx, over connections that are checked where they are made.

httpx and httpcore look up names and wait for each read separately. Here a network backend looks the name up once,
checks what it leads to and connects to exactly that address, so a second answer of the name server changes nothing; and
every wait ends at one deadline, so a server that sends a byte now and then gains no time.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from time import monotonic
from typing import Any

import httpcore
import httpx

from markitect_tool.context.adapters.http import FORM, Bounds, checked
from markitect_tool.context.adapters.http_body import read_body
from markitect_tool.context.addresses import not_public
from markitect_tool.context.errors import MalformedUriError, RefusedAddressError, SourceUnavailableError, TooSlowError
from markitect_tool.context.guard import too_large
from markitect_tool.context.uri import malformed
from markitect_tool.context.waiting import attempt
from markitect_tool.named_tuple import NamedTuple

MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {"accept": "*/*", "accept-encoding": "gzip", "user-agent": "markitect-tool"}
_PORTS = {"https": 443, "http": 80}


class Fetched(NamedTuple):
    """A response as far as it matters here."""

    content: bytes
    content_type: str | None
    metadata: dict[str, Any]


def fetch(uri: str, bounds: Bounds, ssl_context: ssl.SSLContext | None) -> Fetched:
    """The body behind `uri`, after at most `MAX_REDIRECTS` redirects that keep to `bounds` and to the scheme."""
    try:
        url = httpx.URL(uri)
        _ = url.host  # which httpx decodes only now
    except (httpx.InvalidURL, UnicodeError) as error:
        raise malformed(uri, f"is no URL: {error}", FORM) from error
    with _translated():
        for _ in range(MAX_REDIRECTS + 1):
            found = _ask(url, bounds, ssl_context)
            if isinstance(found, Fetched):
                return found
            url = found
    raise SourceUnavailableError(f"The host redirects more than {MAX_REDIRECTS} times.", hint="Use the final URL.")


def _ask(url: httpx.URL, bounds: Bounds, ssl_context: ssl.SSLContext | None) -> Fetched | httpx.URL:
    """The response to one request, or where it redirects to."""
    bounds.check_host(url.scheme, url.host, url.port or _PORTS[url.scheme])
    if url.scheme == "https" and ssl_context is None:
        ssl_context = httpx.create_ssl_context(trust_env=False)
    # A client of its own for each request: no cookie, connection or header crosses from one host to another.
    with (
        httpx.Client(
            transport=_Transport(bounds, ssl_context), trust_env=False, timeout=None, headers=_HEADERS
        ) as client,
        client.stream("GET", url, follow_redirects=False) as response,
    ):
        if response.status_code in _REDIRECTS and "location" in response.headers:
            return _target(url, response.headers["location"])
        return _received(url, response, bounds.max_bytes)


def _received(url: httpx.URL, response: httpx.Response, limit: int) -> Fetched:
    """What a response brings, if it is a success that brings all of it."""
    if not response.is_success or response.status_code == 206:
        raise SourceUnavailableError(
            f"The host answers {response.status_code} {response.reason_phrase}.", hint="Check the URL."
        )
    headers = response.headers
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > limit:
        raise too_large("The response", limit)
    content = read_body(response.iter_raw(), headers.get("content-encoding", ""), limit)
    facts = {
        "etag": headers.get("etag"),
        "last_modified": headers.get("last-modified"),
        "final_url": str(url),
    }
    kept = {name: value for name, value in facts.items() if value is not None}
    return Fetched(content, headers.get("content-type"), kept)


def _target(url: httpx.URL, location: str) -> httpx.URL:
    """Where `location` leads, by the rules for a first request. Raises `RefusedAddressError`."""
    try:
        target = url.join(location)
        if target.scheme == url.scheme:
            return httpx.URL(checked(str(target)))
    except (httpx.InvalidURL, MalformedUriError) as error:
        raise RefusedAddressError(f"The host redirects to {location!r}, which cannot be asked.") from error
    raise RefusedAddressError(
        f"The host redirects to another scheme: {target.scheme or 'none'}.", hint="Use the final URL."
    )


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of httpx and httpcore as those of this layer."""
    try:
        yield
    except (httpcore.TimeoutException, httpx.TimeoutException) as error:
        raise TooSlowError("The host takes too long.", hint="Raise timeout_ms under adapters.http.") from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpx.HTTPError) as error:
        raise SourceUnavailableError(
            f"The connection failed ({type(error).__name__}: {error}).", hint="Try again, or check the URL."
        ) from error
    except (httpx.InvalidURL, UnicodeError) as error:  # of a location; the first URL was looked at
        raise RefusedAddressError(f"The host redirects to what is no URL: {error}.") from error


class _Transport(httpx.BaseTransport):
    """An httpx transport on connections of `_Backend`; proxies and settings of the environment play no part."""

    def __init__(self, bounds: Bounds, ssl_context: ssl.SSLContext | None) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=_Backend(bounds),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        response = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class _Backend(httpcore.NetworkBackend):
    """Connects to addresses that it has looked up and checked itself."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = look_up(host, port, _remaining(self._bounds.deadline))
        if not self._bounds.allow_private:
            for address in addresses:
                reason = not_public(address)
                if reason is not None:
                    raise RefusedAddressError(
                        f"The host {host} leads to the address {address}, which is not public: {reason}.",
                        hint="Set allow_private under adapters.http if you mean it.",
                    )
        failure: httpcore.NetworkError | None = None
        for address in addresses:
            try:
                seconds = _remaining(self._bounds.deadline)
                stream = self._inner.connect_tcp(str(address), port, seconds, local_address, socket_options)
            except httpcore.NetworkError as error:
                failure = error
            else:
                return _Stream(stream, self._bounds.deadline)
        raise failure or httpcore.ConnectError(f"the name {host} has no address")


class _Stream(httpcore.NetworkStream):
    """A connection on which every wait ends at the deadline."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _remaining(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _remaining(self._deadline))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._inner.start_tls(ssl_context, server_hostname, _remaining(self._deadline))
        return _Stream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _remaining(deadline: float) -> float:
    """Seconds until the deadline. Raises `httpcore.ReadTimeout` when it has passed."""
    seconds = deadline - monotonic()
    if seconds <= 0:
        raise httpcore.ReadTimeout
    return seconds


def look_up(host: str, port: int, seconds: float) -> list[IPv4Address | IPv6Address]:
    """The addresses of a name, or the one that `host` is in any notation.

    In a thread of its own, because the system's resolver can't be told to give up after `seconds`.
    """
    try:
        found, error = attempt(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), seconds)
    except TimeoutError:
        raise httpcore.ConnectTimeout(f"the name {host} was not found in time") from None
    if isinstance(error, OSError | UnicodeError):
        raise httpcore.ConnectError(f"the name {host} is not known: {error}") from error
    if error is not None:
        raise error
    return list(dict.fromkeys(ip_address(str(answer[4][0]).partition("%")[0]) for answer in found or ()))
