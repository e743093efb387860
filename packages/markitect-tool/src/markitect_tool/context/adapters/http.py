"""`https:` and `http:` URIs: a page or file of the web, fetched within bounds.

The bytes are `untrusted`. A manifest opts in with a section `adapters.http`; these are its settings:

* `allow_hosts`: the only hosts that may be asked; `*.example.org` stands for every host below it, `host:port` for one
  port. Without it, any host may be asked whose address is public.
* `allow_insecure`: `http:` too
* `allow_private`: loopback, private, link-local and the other addresses that `addresses` names
* `max_bytes` (5 MB, of the transfer and of what it unpacks to), `timeout_ms` (10 s, from the look-up of the name to the
  last byte, redirects included)

Contract: "Built-in adapters", "Security requirements". httpx is imported when the first URI is loaded.
"""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from time import monotonic

from markitect_tool.context.errors import MissingLibraryError, OfflineError, RefusedAddressError
from markitect_tool.context.model import AdapterContext, AdapterResult, Trust
from markitect_tool.context.settings import Settings
from markitect_tool.context.uri import after_scheme, malformed

FORM = "https://host/path, without a user name."
MAX_BYTES = 5_000_000
TIMEOUT_MS = 10_000
INSTALL = "pip install markitect-tool[context]"
_AUTHORITY = re.compile(r"//(?:\[[0-9A-Fa-f:.]+\]|[^/?\\@:\[\]]+)(?::(\d{1,5}))?(?:[/?]|$)")


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one load may do."""

    allow_hosts: tuple[str, ...] | None
    allow_insecure: bool
    allow_private: bool
    max_bytes: int
    deadline: float  # on the monotonic clock, in seconds

    def check_host(self, scheme: str, host: str, port: int) -> None:
        """Raise `RefusedAddressError` unless the manifest lets this host be asked in this way."""
        if scheme != "https" and not self.allow_insecure:
            raise RefusedAddressError(
                f"{scheme}: is not encrypted.", hint="Use https:, or set allow_insecure under adapters.http."
            )
        if self.allow_hosts is None:
            return
        name = host.lower().rstrip(".")
        for entry in self.allow_hosts:
            wanted = entry.lower().rstrip(".")
            if wanted in (name, f"{name}:{port}") or (wanted.startswith("*.") and name.endswith(wanted[1:])):
                return
        raise RefusedAddressError(
            f"The host {host} is not one of adapters.http.allow_hosts.", hint=f"Add {host} there if you trust it."
        )


class HttpAdapter:
    """Fetches with GET. `ssl_context` replaces the public certificate authorities, for an operator's own."""

    name = "http"
    schemes = ("https", "http")
    remote = True

    def __init__(self, ssl_context: ssl.SSLContext | None = None) -> None:
        self._ssl_context = ssl_context

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        """The body of the response, unpacked; ETag, Last-Modified and the final URL are in `metadata`.

        Raises `OfflineError`, `MalformedUriError`, `RefusedAddressError`, `TooLargeError`, `TooSlowError`,
        `MissingLibraryError`, and `SourceUnavailableError` for a host that does not answer, a status other than
        success, and a response that breaks off.
        """
        if ctx.offline:
            raise OfflineError(f"{uri} needs the network, and this run is offline.", source=uri)
        address = checked(uri)
        bounds = _bounds(ctx)
        try:
            from markitect_tool.context.adapters.http_client import fetch
        except ImportError as error:
            raise MissingLibraryError(f"{error.name} is not installed.", source=uri, hint=INSTALL) from error
        response = fetch(address, bounds, self._ssl_context)
        return AdapterResult(response.content, response.content_type, trust=Trust.UNTRUSTED, metadata=response.metadata)


def checked(uri: str) -> str:
    """`uri` without its fragment, which is for the reader's side. Raises `MalformedUriError`."""
    address = uri.partition("#")[0]
    scheme = uri.partition(":")[0].lower()
    rest = after_scheme(address, scheme if scheme in HttpAdapter.schemes else "https", FORM)
    authority = _AUTHORITY.match(rest)
    if authority is None or int(authority[1] or 1) not in range(1, 65536):
        raise malformed(uri, "has no usable host and port, or a user name before them", FORM)
    if "\\" in rest:
        raise malformed(uri, "holds a backslash", FORM)
    return address


def _bounds(ctx: AdapterContext) -> Bounds:
    settings = Settings("http", ctx.config, "allow_hosts", "allow_insecure", "allow_private")
    if not ctx.config:
        raise RefusedAddressError(
            "The manifest does not open the network.",
            hint='Add under adapters.http what may be asked, for example "allow_hosts: [example.org]".',
        )
    hosts = settings.names("allow_hosts")
    seconds = (ctx.timeout_ms or settings.positive("timeout_ms", TIMEOUT_MS)) / 1000
    return Bounds(
        allow_hosts=None if hosts is None else tuple(hosts),
        allow_insecure=settings.flag("allow_insecure"),
        allow_private=settings.flag("allow_private"),
        max_bytes=settings.positive("max_bytes", MAX_BYTES),
        deadline=monotonic() + seconds,
    )
