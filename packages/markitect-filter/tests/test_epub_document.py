"""docs/epub.md says what the adapter does: its tables come from the option schema, its lists from the code."""

import re
import runpy
from pathlib import Path

from markitect_filter.epub3.roles.roles import ROLES
from markitect_filter.epub3.roles.skipping import DEFAULT_SKIP
from markitect_tool.diagnostics import CATALOGUE

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs/epub.md").read_text(encoding="utf-8")


def test_tables_of_options_are_those_of_the_schema():
    assert runpy.run_path(str(ROOT / "scripts/epub_options.py"))["written"](DOCUMENT) == DOCUMENT


def test_roles_are_all_of_them():
    section = DOCUMENT.partition("## Roles\n\n")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"`([a-z-]+)`", section)) == ROLES


def test_roles_that_are_left_out_by_default_are_named():
    stated = re.search(r"Left out by default: (.*?)\. ", DOCUMENT)
    assert stated is not None
    assert set(re.findall(r"`([a-z-]+)`", stated[1])) == DEFAULT_SKIP


def test_every_code_exists():
    assert set(re.findall(r"`(source\.\w+)`", DOCUMENT)) - {"source.epub3"} <= set(CATALOGUE)
