"""What part a document or element plays in the book, always on a stated ground, and what is left out by
default.

Grounds, the first that speaks decides:

1. the package: the manifest property `nav`, the guide, the landmarks, the cover image (`package_roles`);
2. `epub:type`, then ARIA `role`, of the body or of the section that fills it (`role_of_body`,
`role_of_element`); 3. well-known boilerplate in the text (`boilerplate`).

The roles: `cover` (picture or its page), `titlepage` (half title, too), `copyright` (copyright page, imprint),
`license` (terms of a distributor), `dedication`, `toc` (contents page), `landmarks`, `navigation` (the navigation
document, page lists), `index`, `notes` (foot- and endnotes gathered in one place), `colophon`, `header` and `footer`
(boilerplate that a distributor puts around the text), `transcriber-notes`, and `body` for everything else.

How a page looks never makes it navigation: a bibliography is a list of links, too. Looks may only rescue: a
page that the package calls a cover or a table of contents stays when it holds prose (`SkipPolicy`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, get_args

from lxml import etree
from markitect_tool.named_tuple import NamedTuple

from markitect_filter.documents.xml_names import epub_types
from markitect_filter.epub3.href import Target
from markitect_filter.epub3.navigation.navigation import guide_landmarks
from markitect_filter.epub3.navigation.navigation_model import Landmark
from markitect_filter.epub3.package.package_model import Package

Role = Literal[
    "body",
    "colophon",
    "copyright",
    "cover",
    "dedication",
    "footer",
    "header",
    "index",
    "landmarks",
    "license",
    "navigation",
    "notes",
    "titlepage",
    "toc",
    "transcriber-notes",
]
ROLES: tuple[Role, ...] = get_args(Role)

#: `epub:type` values, guide types and DPUB-ARIA roles (without `doc-`) that settle a role.
_ROLE_OF_TYPE: Mapping[str, Role] = {
    "colophon": "colophon",
    "copyright-page": "copyright",
    "copyright": "copyright",
    "imprint": "copyright",
    "cover": "cover",
    "dedication": "dedication",
    "halftitle": "titlepage",
    "halftitlepage": "titlepage",
    "titlepage": "titlepage",
    "title-page": "titlepage",
    "index": "index",
    "landmarks": "landmarks",
    "page-list": "navigation",
    "pagelist": "navigation",
    "toc": "toc",
    "toc-brief": "toc",
    "endnotes": "notes",
    "footnotes": "notes",
    "notes": "notes",
    "rearnotes": "notes",
}
#: What the guide or the landmarks call the text proper: a document named so plays no other part.
_TEXT_TYPES = frozenset({"bodymatter", "text", "start", "chapter", "part", "reading-start", "other.text"})


class RoleDecision(NamedTuple):
    """A role and why: `ground` reads like `package:nav`, `guide:toc`, `landmarks:cover` or
    `epub:type=index`.
    """

    role: Role
    ground: str


BODY = RoleDecision("body", "default")


def package_roles(
    package: Package, landmarks: Iterable[Landmark], locate: Callable[[Target], str | None]
) -> dict[str, RoleDecision]:
    """The role of each document that the package settles, by member path. The guide speaks before the
    `landmarks`.

    `locate` finds the member that a resolved reference leads to (`Archive.member`). A guide or landmark
    reference into a document (with a fragment) says nothing about the whole of it, and a document that is
    also named as the start of the text plays no other part.
    """
    found: dict[str, RoleDecision] = {}
    for item in package.items_with_property("nav"):
        _settle(found, _whole(item.target, locate), RoleDecision("navigation", "package:nav"))
    named = [("guide:", entry, _whole(entry.target, locate)) for entry in guide_landmarks(package)]
    named += [("landmarks:", entry, _whole(entry.target, locate)) for entry in landmarks]
    text = {member for _, entry, member in named if _TEXT_TYPES.intersection(entry.types)}
    for source, entry, member in named:
        if member not in text:
            _settle(found, member, _by_types(entry.types, source))
    cover_ids = {entry.value for entry in package.statements("cover")}
    for item in package.manifest:
        if item.id in cover_ids or "cover-image" in item.properties:
            _settle(found, _whole(item.target, locate), RoleDecision("cover", "package:cover"))
    return found


def role_of_spine_item(member: str, settled: Mapping[str, RoleDecision], body: etree._Element) -> RoleDecision:
    """The role of a document: what `package_roles` settled, else what its markup says, else body."""
    return settled.get(member) or role_of_body(body) or BODY


def _settle(found: dict[str, RoleDecision], member: str | None, decision: RoleDecision | None) -> None:
    if member is not None and decision is not None:
        found.setdefault(member, decision)


def _whole(target: Target | None, locate: Callable[[Target], str | None]) -> str | None:
    """The member that a reference names as a whole."""
    return locate(target) if target is not None and target.fragment is None else None


def role_of_element(types: Sequence[str], roles: Sequence[str]) -> RoleDecision | None:
    """The role that an element's `epub:type` values, else its ARIA roles, settle; None for all others."""
    if not types and not roles:
        return None
    stated = _by_types(types, "epub:type=")
    if stated is not None:
        return stated
    for role in roles:
        if role.startswith("doc-") and (found := _ROLE_OF_TYPE.get(role[4:])) is not None:
            return RoleDecision(found, f"role={role}")
    return None


def role_of_body(body: etree._Element) -> RoleDecision | None:
    """The role of a document by its markup: of the body, or of the one element that fills it, at any
    depth.
    """
    element = body
    while True:
        decision = role_of_element(epub_types(element), (element.get("role") or "").split())
        if decision is not None:
            return decision
        if (element.text or "").strip():
            return None
        children = element.iterchildren(etree.Element)
        inner = next(children, None)
        if inner is None or next(children, None) is not None or (inner.tail or "").strip():
            return None
        element = inner


def _by_types(types: Iterable[str], ground: str) -> RoleDecision | None:
    for kind in types:
        if (role := _ROLE_OF_TYPE.get(kind.lower())) is not None:
            return RoleDecision(role, ground + kind)
    return None
