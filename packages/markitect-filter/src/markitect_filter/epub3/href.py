"""The one place that resolves references between the members of a book (RFC 3986 section 5, EPUB 3.3 4.2.5).

A reference is resolved against the path of the document that holds it. Resolution never fails and never
touches a file system: what leads out of the book is clamped at its root, as the URL Standard does, and
marked, and whether a member of that name exists is the archive's business.
"""

from __future__ import annotations

from functools import lru_cache

from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.percent import percent_decode
from markitect_filter.patterns import compiled

_SCHEME = r"([A-Za-z][A-Za-z0-9+.-]*):"
_UNSAFE_SCHEMES = frozenset({"javascript", "vbscript", "livescript", "file", "blob", "filesystem", "view-source"})
_IGNORED = "[\t\n\r]"  # characters that URLs lose wherever they stand (URL Standard 4.4)
_TRIMMED = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x1b\x1c\x1d\x1e\x1f "
_LONGEST_NAME = 1024  # characters of a member's path; it stands at every picture
_LONGEST_REFERENCE = 16_384  # characters; what is longer leads nowhere
_CONTROL = "[\x00-\x1f\x7f]"


class Target(NamedTuple):
    """A place inside the book."""

    path: str
    """Member path from the root of the container, percent-decoded once."""
    fragment: str | None = None
    """The part behind `#`, percent-decoded once; None when there is none or it is empty."""
    raw_path: str = ""
    """`path` before percent-decoding: a member stored under that very name wins."""
    leaked: bool = False
    """The reference climbs above the root and was clamped there."""
    backslashes: bool = False
    """Backslashes were read as slashes."""


class ExternalUrl(NamedTuple):
    """An absolute URL: on the network, a `mailto:` or `data:` one, or of any other harmless scheme."""

    url: str
    scheme: str
    """Lower-case; "" for a URL that only names a host (`//example.org/x`)."""


class UnsafeUrl(NamedTuple):
    """A URL that runs a script or names a file of the reader's machine. Never follow or write it."""

    url: str
    scheme: str


Reference = Target | ExternalUrl | UnsafeUrl


def resolve_href(base_member: str, href: str) -> Reference:
    """What `href`, found in the member `base_member` ("" for the container's root), refers to."""
    if href[:1] == "#" and href.isprintable() and href[-1] != " ":  # the most frequent form
        return Target(base_member, percent_decode(href[1:_LONGEST_REFERENCE]) or None, base_member)
    url = (href if href.isprintable() else compiled(_IGNORED).sub("", href)).strip(_TRIMMED)
    scheme = compiled(_SCHEME).match(url) if ":" in url else None
    if scheme is not None:
        name = scheme[1].lower()
        if len(name) == 1 or name in _UNSAFE_SCHEMES:  # one letter is a drive
            return UnsafeUrl(url, name)
        return ExternalUrl(url, name)
    if url.startswith("//"):
        return ExternalUrl(url, "")
    rest, _, fragment = url[:_LONGEST_REFERENCE].partition("#")
    fragment_text = percent_decode(fragment) or None if fragment else None
    path = rest.partition("?")[0]
    if not path:
        return Target(base_member, fragment_text, base_member)
    if "\\" in path:
        return _resolve_path(base_member, path.replace("\\", "/"))._replace(fragment=fragment_text, backslashes=True)
    found = _resolve_path(base_member, path)
    return Target(found.path, fragment_text, found.raw_path, found.leaked) if fragment_text else found


@lru_cache(maxsize=128)  # a document has many links to few others
def _resolve_path(base_member: str, path: str) -> Target:
    if not path.startswith("/"):
        path = base_member.rpartition("/")[0] + "/" + path
    raw_path, leaked = remove_dot_segments(path)
    decoded = raw_path
    if "%" in raw_path:
        decoded, leaked_encoded = remove_dot_segments(percent_decode(raw_path).replace("\\", "/"))
        leaked = leaked or leaked_encoded
    return Target(decoded, None, raw_path, leaked)


def remove_dot_segments(path: str) -> tuple[str, bool]:
    """`path` relative to the root without empty, `.` and `..` segments, and whether it climbed above it."""
    if "./" not in path and "//" not in path and not path.endswith("."):  # nothing to remove, the usual case
        return path.lstrip("/"), False
    kept: list[str] = []
    leaked = False
    for segment in path.split("/"):
        if segment == "..":
            if kept:
                kept.pop()
            else:
                leaked = True
        elif segment and segment != ".":
            kept.append(segment)
    return "/".join(kept), leaked


def safe_member_name(name: str) -> str | None:
    """The path that an archive's member name stands for; None for one that no path inside a book can be.

    Backslashes become slashes, a leading slash and `.` segments go. `..` segments, drive letters, control
    characters, names that are empty afterwards and those no file system could hold are refused.
    """
    if not name.isprintable() and compiled(_CONTROL).search(name):
        return None
    path = name.replace("\\", "/")
    if len(path) > _LONGEST_NAME:
        return None
    if path[1:2] == ":" and path[0].isalpha():
        return None
    if ".." in path and "/../" in f"/{path}/":
        return None
    return remove_dot_segments(path)[0] or None
