"""Roles that the package settles, and those that the markup states."""

import pytest
from lxml import etree
from markitect_filter.epub3.navigation.navigation_model import Landmark, target_of
from markitect_filter.epub3.package.package import parse_package
from markitect_filter.epub3.roles.roles import BODY, package_roles, role_of_body, role_of_element, role_of_spine_item
from markitect_filter.markup.parse import parse_markup, parse_xml
from markitect_tool.diagnostics import DiagnosticSink

XHTML = 'media-type="application/xhtml+xml"'


@pytest.fixture
def roles():
    """The settled roles of a book whose files all exist, as role and ground by path."""

    def roles(manifest="", guide="", landmarks=(), metadata=""):
        source = (
            f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata>{metadata}</metadata>'
            f"<manifest>{manifest}</manifest><spine/><guide>{guide}</guide></package>"
        )
        package = parse_package(parse_xml(source.encode()).root, "book.opf", DiagnosticSink())
        marks = [Landmark((kind,), "", href, target_of("nav.xhtml", href)) for kind, href in landmarks]
        found = package_roles(package, marks, lambda target: target.path)
        return {path: (decision.role, decision.ground) for path, decision in found.items()}

    return roles


def body_of(body):
    source = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">' + body + "</html>"
    return next(parse_markup(source.encode()).root.iter("{*}body"))


def test_nav_property_makes_the_navigation_document(roles):
    assert roles(f'<item id="n" href="n.xhtml" properties="nav" {XHTML}/>') == {
        "n.xhtml": ("navigation", "package:nav")
    }


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("cover", "cover"),
        ("title-page", "titlepage"),
        ("toc", "toc"),
        ("index", "index"),
        ("notes", "notes"),
        ("colophon", "colophon"),
        ("dedication", "dedication"),
        ("copyright-page", "copyright"),
    ],
)
def test_guide_settles_the_role(roles, kind, role):
    assert roles(guide=f'<reference type="{kind}" href="x.html"/>') == {"x.html": (role, f"guide:{kind}")}


@pytest.mark.parametrize("kind", ["bibliography", "glossary", "preface", "other.thing", "loi"])
def test_other_guide_types_settle_nothing(roles, kind):
    assert roles(guide=f'<reference type="{kind}" href="x.html"/>') == {}


def test_landmarks_settle_the_role(roles):
    assert roles(landmarks=[("endnotes", "n.xhtml")]) == {"n.xhtml": ("notes", "landmarks:endnotes")}


def test_guide_speaks_before_the_landmarks(roles):
    found = roles(guide='<reference type="index" href="x.html"/>', landmarks=[("toc", "x.html")])
    assert found["x.html"] == ("index", "guide:index")


def test_reference_into_a_document_does_not_settle_the_whole(roles):
    assert roles(guide='<reference type="toc" href="book.html#contents"/>') == {}


def test_document_named_as_the_start_of_the_text_plays_no_other_part(roles):
    guide = '<reference type="toc" href="book.html"/><reference type="text" href="book.html"/>'
    assert roles(guide=guide, landmarks=[("cover", "b.html"), ("bodymatter", "b.html")]) == {}


@pytest.mark.parametrize(
    ("manifest", "metadata"),
    [
        ('<item id="c" href="c.svg" properties="cover-image" media-type="image/svg+xml"/>', ""),
        (f'<item id="c" href="c.svg" {XHTML}/>', '<meta name="cover" content="c"/>'),
    ],
)
def test_cover_item_is_the_cover(roles, manifest, metadata):
    assert roles(manifest, metadata=metadata) == {"c.svg": ("cover", "package:cover")}


@pytest.mark.parametrize(
    ("types", "aria", "expected"),
    [
        (["frontmatter", "titlepage"], [], ("titlepage", "epub:type=titlepage")),
        (["HalfTitlePage"], [], ("titlepage", "epub:type=HalfTitlePage")),
        (["toc"], ["doc-index"], ("toc", "epub:type=toc")),
        (["chapter"], ["doc-endnotes"], ("notes", "role=doc-endnotes")),
        ([], ["doc-pagelist"], ("navigation", "role=doc-pagelist")),
        (["bibliography"], ["doc-bibliography"], None),
        ([], ["index"], None),
    ],
)
def test_element_states_its_role(types, aria, expected):
    decision = role_of_element(types, aria)
    assert (decision and (decision.role, decision.ground)) == expected


@pytest.mark.parametrize(
    "body",
    [
        '<body epub:type="index"><p>x</p></body>',
        '<body><section epub:type="index"><p>x</p></section></body>',
        '<body><div><section role="doc-index"><p>x</p></section></div></body>',
    ],
)
def test_element_that_fills_the_body_states_its_role(body):
    assert role_of_body(body_of(body)).role == "index"


@pytest.mark.parametrize(
    "body",
    [
        '<body><h1>x</h1><section epub:type="index"><p>x</p></section></body>',
        '<body>text<section epub:type="index"><p>x</p></section></body>',
        "<body><p>x</p></body>",
        "<body/>",
    ],
)
def test_part_of_a_body_does_not_state_the_whole(body):
    assert role_of_body(body_of(body)) is None


def test_depth_of_wrappers_does_not_matter():
    body = etree.fromstring("<body>" + "<div>" * 200 + "</div>" * 200 + "</body>")
    assert role_of_body(body) is None


def test_package_speaks_before_the_markup(roles):
    body = body_of('<body epub:type="index"/>')
    decision = role_of_element(["toc"], [])
    assert role_of_spine_item("x", {"x": decision}, body) is decision
    assert role_of_spine_item("y", {"x": decision}, body).role == "index"


def test_list_of_links_is_no_navigation():
    body = body_of('<body><h1>Sources</h1><ul><li><a href="https://example.org/1">One</a></li></ul></body>')
    assert role_of_spine_item("x", {}, body) == BODY
