"""`crm://KIND/ID` URIs: one record of a CRM, as JSON."""

from __future__ import annotations

import http.client
import json
import re
from time import monotonic
from urllib.parse import quote, urlsplit

from markitect_tool.context import (
    AdapterContext,
    AdapterResult,
    MalformedUriError,
    OfflineError,
    SourceUnavailableError,
    Trust,
)

MAX_BYTES = 1_000_000
TIMEOUT_MS = 10_000
_URI = re.compile(r"crm://(?P<kind>contact|deal)/(?P<id>[A-Za-z0-9-]{1,64})")


class CrmAdapter:
    """Asks the CRM that the operator names in `adapters.crm.endpoint`."""

    name = "crm"
    schemes = ("crm",)
    remote = True

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        """The record as canonical JSON, so that its digest changes only when the record does.

        Raises `OfflineError`, `MalformedUriError`, and `SourceUnavailableError` when there is no such record or no
        answer.
        """
        # Offline is a refusal, never a silent empty result.
        if ctx.offline:
            raise OfflineError(
                f"{uri} needs the CRM, and this run is offline.", hint="Put the content into the object."
            )
        # A strict pattern: what does not match is refused with a message that shows the form.
        found = _URI.fullmatch(uri)
        if found is None:
            raise MalformedUriError(f"{uri!r} is no record.", hint="Write crm://contact/ID or crm://deal/ID.")
        body = _get(_endpoint(ctx), f"/{found['kind']}/{quote(found['id'])}", (ctx.timeout_ms or TIMEOUT_MS) / 1000)
        try:
            record = json.loads(body)
        except ValueError as error:
            raise SourceUnavailableError("The CRM answers with something that is no JSON.") from error
        content = json.dumps(record, sort_keys=True, ensure_ascii=False, indent=1).encode("utf-8")
        # Salespeople and customers write what a CRM holds.
        return AdapterResult(content, "application/json", trust=Trust.UNTRUSTED)


def _endpoint(ctx: AdapterContext) -> tuple[str, int]:
    """Host and port of the CRM: the operator's choice, never the URI's."""
    endpoint = ctx.config.get("endpoint")
    if not isinstance(endpoint, str) or urlsplit(endpoint).hostname is None:
        raise SourceUnavailableError(
            "No CRM is configured.", hint='Add "endpoint: http://HOST:PORT" under adapters.crm in the manifest.'
        )
    parts = urlsplit(endpoint)
    return parts.hostname or "", parts.port or 80


def _get(endpoint: tuple[str, int], path: str, seconds: float) -> bytes:
    """The body of a successful response, at most `MAX_BYTES` long and within `seconds`."""
    deadline = monotonic() + seconds
    connection = http.client.HTTPConnection(*endpoint, timeout=seconds)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        if response.status != 200:
            raise SourceUnavailableError(f"The CRM has no {path.strip('/')} ({response.status}).", hint="Check the id.")
        body = b""
        while block := response.read1(65536):
            body += block
            if len(body) > MAX_BYTES or monotonic() > deadline:
                raise SourceUnavailableError("The CRM sends too much or too slowly.")
    except (OSError, http.client.HTTPException) as error:
        raise SourceUnavailableError(
            f"The CRM does not answer ({error}).", hint="Check adapters.crm.endpoint."
        ) from error
    finally:
        connection.close()
    return body
