"""Every real book, end to end: what must hold for any of them, and that nothing but the book decides the result.

Needs the books of `MARKITECT_CORPUS` (default `../shared/corpus` beside the repository); some minutes in all.
"""

import functools
import hashlib
import io
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_filter.epub3.roles.roles import ROLES
from markitect_tool import SourceAdapterRegistry, normalize_source
from markitect_tool.canonical import canonical_json

ROOT = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("MARKITECT_CORPUS") or ROOT.parent / "shared/corpus")
BOOKS = sorted(CORPUS.glob("*/*.epub"))
REGISTRY = SourceAdapterRegistry([epub3_adapter_descriptor()])

#: Books that their makers call valid and that nobody can read without a key.
ENCRYPTED = {"epub3__04-ocf__ocf-encryption-unknown-valid"}
#: Books that cannot be read at all: no archive, no package document, no book.
UNREADABLE = {
    "epub3__04-ocf__ocf-container-not-ocf-error",
    "epub3__04-ocf__ocf-package-document-missing-fatal",
    "epub3__04-ocf__ocf-zip-unreadable-image-with-epub-extension-fatal",
    "epub3__04-ocf__ocf-zip-unreadable-no-end-header-fatal",
}

pytestmark = pytest.mark.skipif(not BOOKS, reason="no books: set MARKITECT_CORPUS to their folder")
every_book = pytest.mark.parametrize("path", BOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
readable_books = pytest.mark.parametrize(
    "path",
    [path for path in BOOKS if path.stem not in ENCRYPTED | UNREADABLE],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)


def normalize(content):
    """The result of reading a book, as far as its bytes decide it: the same URI for all."""
    return normalize_source(content, uri="book:real", media_type="application/epub+zip", registry=REGISTRY)


@functools.cache
def reading(path):
    return normalize(path.read_bytes())


@every_book
def test_book_is_valid_unless_nobody_could_read_it(path):
    assert reading(path).valid == (path.stem not in ENCRYPTED | UNREADABLE)


@pytest.mark.parametrize(
    "path",
    [path for path in BOOKS if "-valid" in path.stem and path.stem not in ENCRYPTED],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_book_that_is_called_valid_is_read_without_a_warning(path):
    assert [entry for entry in reading(path).diagnostics if entry.severity != "info"] == []


@readable_books
def test_book_is_sound(path, sound):
    """Segments joined, ledger balanced, ids unique, links and notes resolved, each segment parsed by itself."""
    sound(reading(path).document)


@readable_books
def test_no_segment_is_empty(path):
    assert [s.segment_id for s in reading(path).document.segments if not s.markdown.strip()] == []


@readable_books
def test_every_contents_entry_leads_to_a_segment_or_is_reported(path):
    result = reading(path)
    ids = {segment.segment_id for segment in result.document.segments}
    reported = [entry.message for entry in result.diagnostics if entry.code == "source.toc_target_missing"]
    waiting = list(result.document.metadata.raw.get("toc", ()))
    while waiting:
        entry = waiting.pop()
        waiting.extend(entry.get("children", ()))
        if "segment" in entry:
            assert entry["segment"] in ids
        elif "path" in entry:
            assert any(repr(entry["href"]) in message for message in reported), entry


@readable_books
def test_every_reason_for_leaving_text_out_is_documented(path):
    documented = set(re.findall(r"`([a-z-]+)`", (ROOT / "docs/quality.md").read_text(encoding="utf-8")))
    assert set(reading(path).document.quality.metadata["ledger"]["skipped"]) <= documented | set(ROLES)


@readable_books
def test_page_spans_start_at_text_and_follow_each_other(path):
    for segment in reading(path).document.segments:
        pages = [span for span in segment.provenance if span.metadata.get("kind") == "page"]
        for span, after in itertools.pairwise(pages):
            assert span.end_offset <= after.start_offset or after.start_offset == span.start_offset
        for span in pages:
            assert not segment.markdown[span.start_offset : span.start_offset + 1].isspace()


@every_book
def test_second_reading_gives_the_same_bytes(path):
    assert canonical_json(normalize(path.read_bytes()).to_dict()) == canonical_json(reading(path).to_dict())


def of_the_text(result):
    """The result without what names the bytes of the archive: digest, size and the ids made of them, and what is said
    about the archive itself."""
    found = result.to_dict()
    found["diagnostics"] = [
        entry
        for entry in found.get("diagnostics", ())
        if entry["code"] not in ("source.archive_irregular", "source.mimetype_irregular", "source.member_renamed")
    ]
    if document := found.get("document"):
        document["diagnostics"] = found["diagnostics"]
        for name in ("document_id", "cache_key"):
            del document[name]
        for name in ("digest", "size"):
            del document["asset"][name]
        document["quality"].pop("warnings", None)
    return found


def packed_again(content):
    """The book with its members in another order, every second one stored instead of deflated."""
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        members = {entry.filename: source.read(entry) for entry in source.infolist() if not entry.is_dir()}
    names = sorted(set(members) - {"mimetype"})
    random.Random(7).shuffle(names)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as book:
        if "mimetype" in members:
            book.writestr("mimetype", members["mimetype"])
        for number, name in enumerate(names):
            entry = zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6))
            book.writestr(entry, members[name], (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)[number % 2])
    return buffer.getvalue()


@readable_books
def test_book_packed_in_another_way_gives_the_same_text(path):
    again = normalize(packed_again(path.read_bytes()))
    assert canonical_json(of_the_text(again)) == canonical_json(of_the_text(reading(path)))


DIGESTS = """
import hashlib, sys
from pathlib import Path
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_tool import SourceAdapterRegistry, normalize_source
from markitect_tool.canonical import canonical_json
registry = SourceAdapterRegistry([epub3_adapter_descriptor()])
for path in sorted(Path.cwd().glob("*/*.epub")):
    result = normalize_source(
        path.read_bytes(), uri="book:real", media_type="application/epub+zip", registry=registry
    )
    print(path.parent.name, path.stem, hashlib.sha256(canonical_json(result.to_dict()).encode()).hexdigest())
"""


def test_folder_hash_seed_locale_and_time_zone_do_not_matter(tmp_path):
    shutil.copytree(CORPUS, tmp_path / "elsewhere")
    ended = subprocess.run(
        [sys.executable, "-c", DIGESTS],
        cwd=tmp_path / "elsewhere",
        env={**os.environ, "PYTHONHASHSEED": "4711", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    there = {tuple(line.split()[:2]): line.split()[2] for line in ended.stdout.splitlines()}
    here = {
        (path.parent.name, path.stem): hashlib.sha256(canonical_json(reading(path).to_dict()).encode()).hexdigest()
        for path in BOOKS
    }
    assert there == here


@pytest.mark.parametrize("name", ["se/mary-shelley_frankenstein.epub", "idpf/childrens-literature.epub"])
def test_file_in_another_folder_with_the_same_uri_gives_the_same_bytes(name, tmp_path):
    copy = tmp_path / Path(name).name
    shutil.copyfile(CORPUS / name, copy)
    results = [normalize_source(path, uri="book:same", registry=REGISTRY).to_dict() for path in (CORPUS / name, copy)]
    assert canonical_json(results[0]) == canonical_json(results[1])
