"""What the arguments of a command mean as sources."""

import pickle

import pytest
from markitect_tool.errors import SourceError
from markitect_tool.pipeline.sources import source_of


@pytest.fixture
def here(put, monkeypatch, tmp_path):
    """Files of a few kinds in the current folder."""
    put("books/a.txt", "books/sub/b.txt", "more/books/a.txt", "single.txt", "odd[1].txt")
    put("list.txt", content=b"books/a.txt\nsingle.txt\n")
    put("context/opencontext.yaml", content=b'opencontext: "1.0"\nid: shop\ncontext:\n  about: about.md\n')
    put("context/about.md", content=b"---\ntitle: About\n---\nWe sell.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loaded(*places, **settings):
    source = pickle.loads(pickle.dumps(source_of(places, **settings)))
    return {given.provenance.key: given for given in source.produce(None)}


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (["books"], ["a.txt", "sub/b.txt"]),
        (["books/"], ["a.txt", "sub/b.txt"]),
        (["./books/*.txt"], ["a.txt"]),
        (["books/**/*.txt"], ["a.txt", "sub/b.txt"]),
        (["single.txt"], ["single.txt"]),
        (["books/a.txt", "single.txt"], ["books/a.txt", "single.txt"]),
        (["odd[1].txt"], ["odd[1].txt"]),
        (["@list.txt"], ["books/a.txt", "single.txt"]),
        (["context/opencontext.yaml"], ["about"]),
        (["books", "books"], ["a.txt", "sub/b.txt"]),
        (["books", "single.txt"], ["books/a.txt", "books/sub/b.txt", "files/single.txt"]),
        (["more/books", "books"], ["books-2/a.txt", "books-2/sub/b.txt", "books/a.txt"]),
    ],
)
def test_places_mean_these_documents(here, places, expected):
    assert list(loaded(*places)) == expected


def test_absolute_places_mean_the_same(here):
    assert list(loaded(str(here / "books"))) == ["a.txt", "sub/b.txt"]
    assert list(loaded(str(here / "books/*.txt"))) == ["a.txt"]
    assert list(loaded((here / "books").as_uri())) == ["a.txt", "sub/b.txt"]
    assert list(loaded(f"@{here / 'list.txt'}")) == ["books/a.txt", "single.txt"]


def test_current_folder_is_a_place(here, monkeypatch):
    monkeypatch.chdir(here / "books")
    assert list(loaded(".")) == ["a.txt", "sub/b.txt"]


def test_documents_of_several_places_have_ids_of_their_own(here):
    found = loaded("books", "more/books")
    assert found["books/a.txt"].provenance.uri == "books/a.txt"
    assert found["books-2/a.txt"].provenance.uri == "books-2/a.txt"
    assert found["books-2/a.txt"].provenance.key == "books-2/a.txt"


def test_keys_of_several_places_ascend(here):
    source = source_of(["books", "more/books", "@list.txt", "context/opencontext.yaml"])
    keys = [item.key for item in source.items(None)]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_places_elsewhere(memory):
    memory.write_all({"a.epub": b"1", "sub/b.txt": b"2"})
    assert list(loaded("memory://library")) == ["a.epub", "sub/b.txt"]
    assert list(loaded("memory://library/")) == ["a.epub", "sub/b.txt"]
    assert list(loaded("memory://library/**/*.txt")) == ["sub/b.txt"]
    assert list(loaded("memory://library/a.epub")) == ["memory://library/a.epub"]


def test_place_that_is_not_there_is_an_item_that_cannot_be_loaded(here):
    source = source_of(["gone"])
    (item,) = source.items(None)
    with pytest.raises(SourceError, match="gone is not there"):
        source.load(None, item)


def test_unknown_scheme_is_an_error():
    with pytest.raises(SourceError) as raised:
        source_of(["nonsense://a/b"])
    assert raised.value.diagnostic.code == "storage.unsupported"


def test_no_place_is_an_error():
    with pytest.raises(SourceError, match="No source was named"):
        source_of([])


def test_settings_reach_the_source(here, put):
    put("books/.hidden.txt")
    assert list(loaded("books", hidden=True)) == [".hidden.txt", "a.txt", "sub/b.txt"]
    with pytest.raises(SourceError, match="the limit is 3"):
        loaded("books", max_bytes=3)
