"""Real books through the programs that read what we write: each link, picture and note of every file leads somewhere.

Needs the books of `MARKITECT_CORPUS` (default `../shared/corpus` beside the repository).
"""

import functools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pypandoc
import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink
from markitect_tool import normalize_source
from markitect_tool.cli.files import write_chapters, write_with_pictures
from markitect_tool.outputs.blocks import read_blocks
from markitect_tool.outputs.chapters import chapters_of
from markitect_tool.outputs.inlines import references
from markitect_tool.outputs.obsidian_text import as_obsidian_shows_it
from mdit_py_plugins.footnote import footnote_plugin

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or ROOT.parent / "shared/corpus")
BOOKS = sorted([*CORPUS.glob("se/*.epub"), *CORPUS.glob("idpf/*.epub")])
COMMONMARK = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).use(footnote_plugin)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
ANCHOR = re.compile(r'<a id="([^"]*)"')
HEADING = re.compile(r"^#+ (.*)", re.MULTILINE)
BLOCK_ID = re.compile(r" \^([A-Za-z0-9-]+)$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
OTHER_END = {"note": "definition", "definition": "note"}

pytestmark = pytest.mark.skipif(not BOOKS, reason="no books: set MARKITECT_CORPUS to their folder")
every_book = pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)


def some_books(*stems):
    return pytest.mark.parametrize("book", [path for path in BOOKS if path.stem in stems], ids=lambda path: path.stem)


@functools.cache
def document_of(book):
    return normalize_source(book).document


def parsed(text):
    """(kind, name) of what a parser of CommonMark with footnotes finds in a text: links, pictures, notes, anchors."""
    found = Counter()
    for block in COMMONMARK.parse(FRONT_MATTER.sub("", text)):
        if block.type == "footnote_open":
            found["definition", block.meta["label"]] += 1
        waiting = list(block.children or ())
        while waiting:
            token = waiting.pop(0)
            if token.type == "image":
                found["image", token.attrs["src"]] += 1
                waiting[:0] = token.children or []
            elif token.type == "link_open" and token.markup != "autolink":
                found["link", token.attrs["href"]] += 1
            elif token.type == "footnote_ref":
                found["note", token.meta["label"]] += 1
            elif token.type == "html_inline" and (anchor := ANCHOR.match(token.content)):
                found["anchor", anchor[1]] += 1
    return found


def unresolved(folder):
    """What in the Markdown files of a folder leads nowhere."""
    contents = {path: parsed(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.md"))}
    dead = []
    for path, found in contents.items():
        for kind, name in found:
            if kind in ("link", "image") and not ELSEWHERE.match(name):
                file, _, fragment = name.partition("#")
                target = path.parent / unquote(file) if file else path
                target = Path(os.path.normpath(target))
                if not target.is_file() or (target in contents and fragment and not has(contents[target], fragment)):
                    dead.append((path.name, name))
            elif (kind == "note" and ("definition", name) not in found) or (
                kind == "definition" and ("note", name) not in found
            ):
                dead.append((path.name, name))
    return dead


def has(found, fragment):
    return ("anchor", unquote(fragment)) in found


def without_names(text):
    """A text with every destination cut out."""
    parts, last = [], 0
    for found in sorted(references(text, read_blocks(text)), key=lambda found: found.start):
        if found.kind in ("link", "image"):
            parts.append(text[last : found.start])
            last = found.end
    return "\0".join([*parts, text[last:]])


@every_book
def test_references_are_those_that_a_parser_finds(book):
    text = document_of(book).markdown
    ours = Counter(
        (found.kind, normalizeLink(found.name) if found.kind in ("link", "image") else found.name)
        for found in references(text, read_blocks(text))
    )
    theirs = parsed(text)
    assert {key: number for key, number in theirs.items() if key[0] != "definition"} == ours


@every_book
def test_text_with_pictures_resolves_and_is_otherwise_the_same(book, tmp_path):
    document = document_of(book)
    (tmp_path / "text").mkdir()
    output, pictures = tmp_path / "text/book.md", tmp_path / "pictures"
    assert write_with_pictures(str(book), document, str(output), str(pictures), front_matter=False, force=False) == []
    text = output.read_text(encoding="utf-8")
    assert unresolved(tmp_path) == []
    assert without_names(text) == without_names(document.markdown + "\n")
    used = {
        unquote(name.rpartition("/")[2].partition("#")[0]) for kind, name in parsed(text) if kind in ("link", "image")
    }
    assert {path.name for path in pictures.rglob("*")} <= used


@every_book
def test_chapters_resolve_and_are_the_document(book, tmp_path):
    document = document_of(book)
    assert split(book, tmp_path / "out") == []
    assert unresolved(tmp_path) == []
    chapters = sorted((tmp_path / "out").glob("[0-9]*.md"))
    together = "\n\n".join(path.read_text(encoding="utf-8").removesuffix("\n") for path in chapters)
    assert without_names(together) == without_names(document.markdown)


def split(book, folder, *, layout="plain", depth=None, front_matter=False):
    return write_chapters(
        str(book),
        document_of(book),
        str(folder),
        layout=layout,
        depth=depth,
        pictures=None,
        front_matter=front_matter,
        force=False,
    )


@some_books("epub30-spec", "adam-smith_the-wealth-of-nations")
@pytest.mark.parametrize("depth", [1, 2])
def test_deeper_parts_together_resolve(book, tmp_path, depth):
    split(book, tmp_path / "out", depth=depth, front_matter=True)
    assert unresolved(tmp_path) == []


@every_book
def test_obsidian_follows_every_link(book, tmp_path):
    split(book, tmp_path, layout="obsidian")
    texts = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.md")}
    headings = {
        name: set(map(heading_words, re.findall(r"^#+ (.*)", text, re.MULTILINE))) for name, text in texts.items()
    }
    blocks = {name: set(re.findall(r" \^([A-Za-z0-9-]+)$", text, re.MULTILINE)) for name, text in texts.items()}
    dead = []
    for name, text in texts.items():
        for found in references(text, read_blocks(text)):
            if found.kind not in ("link", "image") or ELSEWHERE.match(found.name):
                continue
            file, _, fragment = unquote(found.name).partition("#")
            file = file or name
            if not (tmp_path / file).is_file():
                dead.append((name, found.name))
            elif fragment.startswith("^"):
                if fragment[1:] not in blocks[file]:
                    dead.append((name, found.name))
            elif fragment and file.endswith(".md") and heading_words(fragment) not in headings[file]:
                dead.append((name, found.name))
    assert dead == []


@every_book
def test_escapes_for_obsidian_are_few_and_read_as_the_same_text(book):
    added = 0
    for chapter in chapters_of(document_of(book)):
        escaped = as_obsidian_shows_it(chapter.text)
        assert COMMONMARK.render(escaped) == COMMONMARK.render(chapter.text)
        added += len(escaped) - len(chapter.text)
    # `#x20` and its like in a grammar, `c[[3]]` in a text on matrices
    assert added == {"epub30-spec": 5, "linear-algebra": 12}.get(book.stem, 0)


def heading_words(text):
    return re.sub(r"<[^>]*>|\]\([^)]*\)|[\W_]", "", text)


@every_book
def test_mdbook_finds_every_chapter_by_its_rules(book, tmp_path):
    """https://rust-lang.github.io/mdBook/format/summary.html; the program itself is in no registry of ours."""
    split(book, tmp_path, layout="mdbook")
    lines = (tmp_path / "src/SUMMARY.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Summary"
    entries = [re.fullmatch(r"(?:( *)- )?\[(.*)\]\((.*)\)", line) for line in lines[2:] if line]
    assert None not in entries
    files = [unquote(entry[3]) for entry in entries if entry[3]]
    assert sorted([*files, "SUMMARY.md"]) == sorted(path.name for path in (tmp_path / "src").glob("*.md"))
    assert files[0] == "index.md"
    depths = [len(entry[1] or "") // 4 for entry in entries[1:]]
    assert all(after <= before + 1 for before, after in zip([-1, *depths], depths, strict=False))


@some_books(
    "internallinks", "georgia-cfi", "haruko-ahl", "wasteland", "cc-shared-culture", "indexing-for-eds-and-auths-3f",
    "william-shakespeare_hamlet", "ambrose-bierce_the-devils-dictionary",
)  # fmt: skip
def test_mkdocs_builds_without_a_warning(book, tmp_path):
    split(book, tmp_path / "book", layout="mkdocs", front_matter=True)
    settings = tmp_path / "book/mkdocs.yml"
    strict = yaml.safe_load(settings.read_text(encoding="utf-8"))
    warn = dict.fromkeys(("not_found", "absolute_links", "unrecognized_links", "anchors"), "warn")
    strict["validation"] = {"links": warn, "nav": {"omitted_files": "warn", "not_found": "warn"}}
    settings.write_text(yaml.safe_dump(strict, allow_unicode=True), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=tmp_path / "book",
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")
    pages = {path.stem for path in (tmp_path / "site").glob("*.html")}
    assert pages >= {path.stem for path in (tmp_path / "book/docs").glob("*.md")}


def walked(node):
    """Every element of pandoc's syntax tree."""
    if isinstance(node, dict):
        if "t" in node:
            yield node
        for value in node.values():
            yield from walked(value)
    elif isinstance(node, list):
        for value in node:
            yield from walked(value)


@some_books("georgia-cfi", "internallinks", "wasteland", "mary-shelley_frankenstein", "haruko-ahl", "epub30-spec")
def test_pandoc_finds_the_headings_notes_links_and_pictures(book, tmp_path):
    document = document_of(book)
    output = tmp_path / "book.md"
    write_with_pictures(str(book), document, str(output), str(tmp_path / "pictures"), front_matter=True, force=False)
    tree = json.loads(pypandoc.convert_file(str(output), "json", format="commonmark_x-smart+yaml_metadata_block"))
    elements = Counter(element["t"] for element in walked(tree["blocks"]))
    found = parsed(output.read_text(encoding="utf-8"))
    assert elements["Note"] == sum(number for (kind, _), number in found.items() if kind == "note")
    assert elements["Image"] == sum(number for (kind, _), number in found.items() if kind == "image")
    assert elements["Link"] >= sum(number for (kind, _), number in found.items() if kind == "link")
    blocks = read_blocks(document.markdown).blocks
    assert elements["Header"] == sum(block.kind == "heading" for block in blocks)
    assert {element["c"][2][0] for element in walked(tree["blocks"]) if element["t"] == "Image"} == {
        name for kind, name in found if kind == "image"
    }
    metadata = document.metadata
    assert tree["meta"]["title"]["c"], "the title is a text with content"
    assert ("author" in tree["meta"]) == bool(metadata.creators)
    assert tree["meta"]["lang"]["c"] == [{"t": "Str", "c": metadata.language}]
