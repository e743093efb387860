"""What is left out of the Markdown, by role: the defaults, the options `skip` and `keep`, and the rescue of
prose.
"""

from __future__ import annotations

import re

from lxml import etree
from markitect_tool.errors import InvalidOptionError
from markitect_tool.record import Record

from markitect_filter.documents.xml_names import local_name
from markitect_filter.epub3.roles.roles import ROLES, Role, RoleDecision

#: Landmarks are navigation: they go with it unless they are kept by name.
DEFAULT_SKIP: frozenset[Role] = frozenset({"cover", "landmarks", "navigation", "toc"})
#: A cover page with fewer words is a picture with a caption; one with more has something to say and stays.
COVER_WORDS = 20

#: Scripts without spaces between words: each character counts as one.
_IDEOGRAPH = "[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_FIRST_IDEOGRAPH = "\u3040"
_SILENT = frozenset({"script", "style", "template", "head", "title"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


class SkipPolicy(Record):
    """Which roles are left out: `roles` in all, `asked` those that the user named, which are left out
    unseen.
    """

    roles: frozenset[Role] = DEFAULT_SKIP
    asked: frozenset[Role] = frozenset()

    @classmethod
    def from_options(cls, skip: str | None = None, keep: str | None = None) -> SkipPolicy:
        """The defaults, plus the roles in `skip`, minus those in `keep` (comma-separated; `keep` wins).

        Raises `InvalidOptionError` for a role that does not exist.
        """
        asked, kept = _roles("skip", skip), _roles("keep", keep)
        return cls((DEFAULT_SKIP | asked) - kept, asked - kept)

    def skips(self, role: Role) -> bool:
        """Whether elements of that role are left out."""
        return role in self.roles

    def skips_document(self, decision: RoleDecision, body: etree._Element) -> bool:
        """Whether a whole document is left out.

        By default a cover goes only when it has fewer than `COVER_WORDS` words, a table of contents only when
        it is mostly links, and of a navigation document only its `nav` elements, by `skips`, not its prose. A
        role that the user named in `skip` goes whatever it holds.
        """
        role = decision.role
        if role in self.asked:
            return True
        if role not in self.roles:
            return False
        if role == "cover":
            return has_few_words(body)
        if role in ("toc", "landmarks"):
            return mostly_links(body)
        return False


def _roles(option: str, names: str | None) -> frozenset[Role]:
    wanted = {name.strip().lower() for name in (names or "").split(",")} - {""}
    if unknown := sorted(wanted.difference(ROLES)):
        raise InvalidOptionError(
            f"{option} names {', '.join(map(repr, unknown))}; the roles are {', '.join(ROLES)}", option=option
        )
    return frozenset(role for role in ROLES if role in wanted)


def word_count(element: etree._Element) -> int:
    """Words of text inside; in scripts without word spaces each character is one."""
    return sum(_words(text) for text, _ in _texts(element))


def has_few_words(element: etree._Element) -> bool:
    """Whether there are fewer than `COVER_WORDS` words inside. A drawing has thousands of elements and hardly a text:
    whatever it is in, it is too little as a rule."""
    return _words(f"{' '.join(element.itertext())} ") < COVER_WORDS or word_count(element) < COVER_WORDS


def mostly_links(element: etree._Element) -> bool:
    """Whether the text is that of a contents page: apart from headings, less prose than link text."""
    linked = prose = 0
    for text, inside_link in _texts(element):
        if inside_link:
            linked += _words(text)
        else:
            prose += _words(text)
    return prose < COVER_WORDS or prose <= linked


def _words(text: str) -> int:
    ideographs = 0
    if max(text) >= _FIRST_IDEOGRAPH:
        text, ideographs = re.subn(_IDEOGRAPH, " ", text)
    return len(re.findall(r"\w+", text)) + ideographs


def _texts(element: etree._Element) -> list[tuple[str, bool]]:
    """Every piece of text, and whether it is in a link or heading."""
    found: list[tuple[str, bool]] = []
    waiting = [(element, False)]
    while waiting:
        node, linked = waiting.pop()
        name = local_name(node) if isinstance(node.tag, str) else ""
        if name and name not in _SILENT:
            inside = linked or name in _HEADINGS or (name == "a" and node.get("href") is not None)
            if node.text:
                found.append((node.text, inside))
            waiting.extend((child, inside) for child in node)
        if node is not element and node.tail:
            found.append((node.tail, linked))
    return found
