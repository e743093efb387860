"""An OpenContext manifest as a source."""

import pickle
import sqlite3

import pytest
from markitect_tool.errors import LimitExceededError, SourceError
from markitect_tool.pipeline.sources import ManifestSource
from markitect_tool.pipeline.storage import open_url

HEAD = 'opencontext: "1.0"\nid: shop\n'


@pytest.fixture
def project(tmp_path):
    """Write a manifest and files beside it; returns the storage."""

    def write(manifest, **files):
        (tmp_path / "opencontext.yaml").write_text(HEAD + manifest, encoding="utf-8")
        for name, content in files.items():
            (tmp_path / name.replace("__", ".")).write_bytes(content)
        return open_url(str(tmp_path))

    return write


def load_all(storage, **settings):
    return {given.provenance.key: given for given in ManifestSource(**settings).produce(storage)}


def test_text_of_an_object_is_handed_on_as_text(project):
    storage = project("context:\n  about: about.md\n", about__md="---\ntitle: Über uns\n---\nWir.\n".encode())
    given = load_all(storage)["about"]
    assert (given.content, given.classification.media_type, given.classification.textual) == (
        "Wir.\n",
        "text/markdown",
        True,
    )
    assert given.provenance.uri == "about.md"
    assert given.provenance.metadata["trust"] == "trusted"
    assert given.provenance.metadata["title"] == "Über uns"


def test_bytes_that_an_object_points_at_stay_undecoded(project):
    storage = project("context:\n  book: book.epub\n", book__epub=b"PK\x03\x04\xff\xfe")
    given = load_all(storage)["book"]
    assert given.content == b"PK\x03\x04\xff\xfe"
    assert given.provenance.name == "book.epub"
    assert given.provenance.source == "manifest"
    assert given.classification.media_type == "application/epub+zip"


def test_objects_come_by_their_ids(project):
    storage = project("context:\n  b: b.txt\n  a: a.txt\n", a__txt=b"1", b__txt=b"2")
    assert [item.key for item in ManifestSource().items(storage)] == ["a", "b"]


def test_database_is_read_through_its_adapter(project, tmp_path):
    with sqlite3.connect(tmp_path / "notes.db") as database:
        database.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT)")
        database.execute("INSERT INTO notes VALUES ('n', 'From a table')")
    database.close()
    storage = project('context:\n  note: "sqlite://./notes.db?table=notes&id=n&column=body"\n')
    source = ManifestSource()
    (item,) = source.items(storage)
    assert item.costly
    assert source.load(storage, item).content == b"From a table"


def test_adapter_that_is_switched_off_is_not_asked(project):
    storage = project("context:\n  book: book.epub\nadapters:\n  file:\n    enabled: false\n", book__epub=b"PK\x03\x04")
    with pytest.raises(SourceError, match="disabled"):
        load_all(storage)


def test_network_is_refused_offline(project):
    storage = project("context:\n  page: https://example.com/page\nadapters:\n  http: {}\n")
    with pytest.raises(SourceError, match="offline"):
        load_all(storage, offline=True)


def test_digest_that_was_promised_is_checked(project):
    promised = "sha256:" + "0" * 64
    text = f"content_uri: file://./a.txt\nsources:\n  - uri: file://./a.txt\n    digest: {promised}\n"
    storage = project("context:\n  a: a.yaml\n", a__yaml=text.encode(), a__txt=b"other")
    with pytest.raises(SourceError) as raised:
        load_all(storage)
    assert raised.value.diagnostic.code == "digest-mismatch"


def test_object_that_is_wrong_is_an_item_with_a_problem(project):
    storage = project("context:\n  good: good.md\n  gone: gone.md\n", good__md=b"---\ntitle: t\n---\nText\n")
    items = {item.key: item.problem for item in ManifestSource().items(storage)}
    assert items["good"] is None
    assert "gone.md" in items["opencontext.yaml#1"].message


def test_restricted_manifest_is_refused_unless_everybody_may_read(project):
    storage = project("scopes:\n  staff: {}\ncontext:\n  a: a.txt\n", a__txt=b"1")
    with pytest.raises(SourceError) as raised:
        load_all(storage)
    assert raised.value.diagnostic.code == "context.scopes_not_enforced"
    assert list(load_all(storage, no_scopes=True)) == ["a"]


def test_missing_manifest_is_an_error(tmp_path):
    with pytest.raises(SourceError) as raised:
        load_all(open_url(str(tmp_path)))
    assert raised.value.diagnostic.code == "context.manifest_missing"


def test_manifest_elsewhere_is_refused(memory):
    with pytest.raises(SourceError, match="on this machine"):
        list(ManifestSource().items(memory))


def test_listing_again_looks_again(project):
    source = ManifestSource()
    assert [item.key for item in source.items(project("context:\n  a: a.txt\n", a__txt=b"1"))] == ["a"]
    assert [item.key for item in source.items(project("context:\n  b: a.txt\n"))] == ["b"]


def test_source_survives_pickling_after_use(project):
    storage = project("context:\n  a: a.txt\n", a__txt=b"1")
    source = ManifestSource()
    (item,) = source.items(storage)
    assert pickle.loads(pickle.dumps(source)).load(storage, item).content == b"1"


def test_object_beyond_the_limit_is_refused(project):
    storage = project("context:\n  a: a.txt\n", a__txt=b"x" * 11)
    with pytest.raises(LimitExceededError):
        load_all(storage, max_bytes=10)
