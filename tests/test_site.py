"""The documentation builds as a site without a warning, and needs no network to be read."""

import html
import os
import re
import subprocess
import sys
from urllib.parse import unquote

import markitect_tool
import pytest

LOADED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)")
RELATIVE = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=[\"']?((?![a-z][a-z0-9+.-]*:|//|#)[^\"'\s>]+)")


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    ended = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """HTML of each page by its path."""
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_no_page_loads_anything_from_elsewhere(pages):
    assert {name: found for name, text in pages.items() if (found := LOADED.findall(text))} == {}


def test_style_sheets_load_nothing_from_elsewhere(site):
    loaded = [
        re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^)\"']+)", css.read_text())
        for css in site.rglob("*.css")
    ]
    assert len(loaded) >= 3
    assert not any(loaded)


def test_every_relative_link_leads_to_a_file(site, pages):
    """MkDocs itself passes over links to what it leaves out of the site."""
    dead, followed = [], 0
    for name, text in pages.items():
        for href in RELATIVE.findall(text):
            path = unquote(re.split("[?#]", html.unescape(href))[0])
            target = site / path.lstrip("/") if path.startswith("/") else (site / name).parent / path
            followed += 1
            if not (target / "index.html" if target.is_dir() else target).exists():
                dead.append((name, href))
    assert followed > 100
    assert dead == []


def test_reference_explains_every_public_name(pages):
    text = "".join(page for name, page in pages.items() if name.startswith("reference/"))
    assert [name for name in markitect_tool.__all__ if f'id="markitect_tool.{name}"' not in text] == []


@pytest.mark.parametrize("command", ["mkt source normalize", "mkt pipeline run", "mkt context bundle"])
def test_reference_shows_the_help_of(pages, command):
    assert f"Usage: {command}" in pages["reference/cli.html"]


def test_files_to_be_written_are_titled_in_the_guides(pages):
    assert '<span class="filename">log.md</span>' in pages["user-guide.html"]


def test_links_into_the_repository_become_paths(pages):
    assert "<code>examples/opencontext-project</code>" in pages["context.html"]
