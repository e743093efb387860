"""Taking URIs apart strictly: what does not fit the expected form is refused, never repaired."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from markitect_tool.context.errors import MalformedUriError

_UNWRITTEN = re.compile("[\x00-\x20\x7f\ud800-\udfff]")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
MAX_LENGTH = 4096


def after_scheme(uri: str, scheme: str, form: str) -> str:
    """What follows `scheme:` in `uri`. Raises `MalformedUriError`, whose hint shows `form`."""
    found, colon, rest = uri.partition(":")
    if found.lower() != scheme or not colon:
        raise malformed(uri, f"does not begin with {scheme}:", form)
    if len(uri) > MAX_LENGTH:
        raise malformed(uri[:80] + "…", f"is longer than {MAX_LENGTH} characters", form)
    if _UNWRITTEN.search(uri):
        raise malformed(uri, "holds a blank, a control character or half of a surrogate pair", form)
    if "#" in rest:
        raise malformed(uri, "has a fragment", form)
    return rest


def decoded(text: str, uri: str, form: str) -> str:
    """`text` without percent-encoding. Raises `MalformedUriError` for what is not UTF-8 after decoding."""
    if _LONE_PERCENT.search(text):
        raise malformed(uri, "holds a `%` that encodes nothing", form)
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError as error:
        raise malformed(uri, "encodes something that is not UTF-8", form) from error


def malformed(uri: str, what: str, form: str) -> MalformedUriError:
    """The error for a URI that is not of the form `form`."""
    return MalformedUriError(f"{uri!r} {what}.", source=uri, hint=f"The form is {form}")
