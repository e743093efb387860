"""A folder as a source: what it lists, in which order, and what it says about the rest."""

import os
import pickle
import socket
import sys

import pytest
from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import (
    LimitExceededError,
    MissingSourceError,
    NotAFileError,
    SourceError,
    UnreadableSourceError,
)
from markitect_tool.pipeline.sources import FolderSource, sorting
from markitect_tool.pipeline.sources.names import key_of, path_of
from markitect_tool.pipeline.storage import StoredFile, open_url

needs_links = pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
needs_byte_names = pytest.mark.skipif(os.name == "nt", reason="file names are no bytes there")


def keys(source, storage):
    return [item.key for item in source.items(storage)]


def problems(source, storage):
    return {item.key: item.problem.code for item in source.items(storage) if item.problem}


def test_files_of_all_folders_come_by_ascending_key(put):
    storage = put("b.txt", "a/z.txt", "a.txt", "a-b/x", "a/b/c.txt", "ä.txt", "B.txt")
    found = keys(FolderSource(), storage)
    assert found == sorted(found)
    assert set(found) == {"b.txt", "a/z.txt", "a.txt", "a-b/x", "a/b/c.txt", "ä.txt", "B.txt"}


def test_items_know_size_and_time_and_nothing_was_read(put, tmp_path):
    storage = put("a b.txt")
    os.utime(tmp_path / "a b.txt", ns=(5, 7))
    (item,) = FolderSource().items(storage)
    assert (item.key, item.uri, item.size, item.modified_ns) == ("a b.txt", "a%20b.txt", 4, 7)


def test_document_is_stamped_with_its_origin(put, tmp_path):
    storage = put("sub/Märchen.txt", content=b"Es war einmal")
    os.utime(tmp_path / "sub/Märchen.txt", ns=(5, 7))
    (given,) = FolderSource().produce(storage)
    origin = given.provenance
    assert given.content == b"Es war einmal"
    assert (origin.key, origin.uri, origin.name) == ("sub/Märchen.txt", "sub/M%C3%A4rchen.txt", "Märchen.txt")
    assert (origin.size, origin.modified_ns, origin.source, origin.span) == (13, 7, "folder", None)
    assert (given.classification.media_type, given.classification.textual) == ("text/plain", True)


def test_folder_inside_the_storage_is_where_keys_begin(put):
    storage = put("books/a.txt", "other/b.txt")
    source = FolderSource("books")
    (item,) = source.items(storage)
    assert item.key == "a.txt"
    assert source.load(storage, item).content == b"text"


def test_hidden_files_and_folders_are_left_out(put):
    storage = put("a.txt", ".hidden", ".git/config", "._a.txt")
    assert keys(FolderSource(), storage) == ["a.txt"]


def test_hidden_files_are_there_on_request(put):
    storage = put("a.txt", ".hidden", ".git/config")
    assert keys(FolderSource(hidden=True), storage) == [".git/config", ".hidden", "a.txt"]


def test_empty_folder_has_no_items(tmp_path):
    assert keys(FolderSource(), open_url(str(tmp_path))) == []


def test_missing_folder_is_an_error(tmp_path):
    with pytest.raises(MissingSourceError, match="There is no folder"):
        keys(FolderSource("gone"), open_url(str(tmp_path)))


def test_file_is_no_folder(put):
    with pytest.raises(NotAFileError, match="is no folder"):
        keys(FolderSource("a.txt"), put("a.txt"))


def test_folder_that_cannot_be_read_is_an_item_with_a_problem(put, monkeypatch, tmp_path):
    storage = put("a.txt", "locked/b.txt", "z.txt")
    scan = os.scandir

    def refuse(path):
        if os.path.basename(path) == "locked":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    source = FolderSource()
    assert keys(source, storage) == ["a.txt", "locked/", "z.txt"]
    assert problems(source, storage) == {"locked/": "pipeline.folder_unreadable"}
    with pytest.raises(SourceError, match="Permission denied"):
        list(source.produce(storage))


def test_root_that_cannot_be_read_is_an_error(put, monkeypatch):
    storage = put("a.txt")

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(UnreadableSourceError, match="Permission denied"):
        keys(FolderSource(), storage)


def test_produce_passes_problems_by_when_told_where_to_report_them(put, tmp_path):
    storage = put("a.txt", "b.txt", "c.txt")
    source = FolderSource()
    sink = DiagnosticSink()
    produced = source.produce(storage, sink)
    first = next(produced)
    (tmp_path / "b.txt").unlink()
    assert [first.provenance.key, *(given.provenance.key for given in produced)] == ["a.txt", "c.txt"]
    assert [found.code for found in sink] == ["source.not_found"]


def test_file_that_goes_between_listing_and_loading_is_a_named_error(put, tmp_path):
    storage = put("a.txt")
    source = FolderSource()
    (item,) = source.items(storage)
    (tmp_path / "a.txt").unlink()
    with pytest.raises(MissingSourceError, match=r"a\.txt is not there") as raised:
        source.load(storage, item)
    assert raised.value.diagnostic.source == "a.txt"


def test_file_that_grows_beyond_the_limit_after_listing_is_not_held(put, tmp_path):
    storage = put("a.txt")
    source = FolderSource(max_bytes=10)
    (item,) = source.items(storage)
    (tmp_path / "a.txt").write_bytes(b"x" * 11)
    with pytest.raises(LimitExceededError) as raised:
        source.load(storage, item)
    assert raised.value.diagnostic.code == "pipeline.too_large"


def test_file_of_just_the_limit_is_loaded(put):
    storage = put("a.txt", content=b"x" * 10)
    (given,) = FolderSource(max_bytes=10).produce(storage)
    assert given.provenance.size == 10


def test_source_survives_pickling(put):
    storage = put("a.txt")
    source = pickle.loads(pickle.dumps(FolderSource(hidden=True)))
    assert keys(source, pickle.loads(pickle.dumps(storage))) == ["a.txt"]


def test_folder_of_more_files_than_fit_is_in_order_too(put, monkeypatch):
    monkeypatch.setattr(sorting, "RUN", 3)
    monkeypatch.setattr(sorting.ordered, "__defaults__", (3,))
    storage = put(*(f"{number:02}.txt" for number in range(10)))
    assert keys(FolderSource(), storage) == [f"{number:02}.txt" for number in range(10)]


def test_deep_folders_are_walked_without_recursion(tmp_path):
    folders = [str(tmp_path)]
    for _ in range(sys.getrecursionlimit() + 100):
        folders.append(f"{folders[-1]}/d")
        os.mkdir(folders[-1])
    try:
        with open(f"{folders[-1]}/x.txt", "wb") as file:
            file.write(b"deep")
        (found,) = FolderSource().produce(open_url(str(tmp_path)))
        assert found.content == b"deep"
    finally:  # the clean-up of temporary folders is recursive
        os.unlink(f"{folders[-1]}/x.txt")
        for folder in reversed(folders[1:]):
            os.rmdir(folder)


def test_unpacked_book_is_one_document_that_cannot_be_read(put):
    storage = put("book.epub/mimetype", "book.epub/META-INF/container.xml", "book.epub/page.xhtml", "z.epub/a.txt")
    source = FolderSource()
    assert keys(source, storage) == ["book.epub", "z.epub/a.txt"]
    assert problems(source, storage) == {"book.epub": "pipeline.not_a_file"}


# Links, pipes, odd names


@needs_links
def test_link_to_a_file_is_a_file(put, tmp_path):
    storage = put("real/a.txt")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real/a.txt")
    assert [given.provenance.key for given in FolderSource().produce(storage)] == ["link.txt", "real/a.txt"]


@needs_links
def test_link_to_a_folder_is_not_followed_and_told_of(put, tmp_path):
    storage = put("real/a.txt")
    (tmp_path / "link").symlink_to("real")
    source = FolderSource()
    assert keys(source, storage) == ["link", "real/a.txt"]
    assert problems(source, storage) == {"link": "pipeline.link_not_followed"}


@needs_links
def test_link_to_a_folder_is_followed_on_request(put, tmp_path):
    storage = put("real/a.txt")
    (tmp_path / "link").symlink_to("real")
    source = FolderSource(follow_links=True)
    assert [given.provenance.key for given in source.produce(storage)] == ["link/a.txt", "real/a.txt"]


@needs_links
@pytest.mark.parametrize("target", [".", "..", "../sub"])
def test_link_to_a_folder_above_is_a_loop(put, tmp_path, target):
    storage = put("sub/a.txt")
    (tmp_path / "sub/loop").symlink_to(target)
    source = FolderSource(follow_links=True)
    assert keys(source, storage) == ["sub/a.txt", "sub/loop"]
    assert problems(source, storage) == {"sub/loop": "pipeline.link_loop"}


@needs_links
def test_links_that_multiply_paths_are_entered_once_for_each_target(put, tmp_path):
    for level in range(20):  # followed blindly, this is a million paths
        put(f"{level}/a.txt")
        for name in ("x", "y"):
            (tmp_path / f"{level}/{name}").symlink_to(tmp_path / f"{level + 1}")
    storage = put("20/a.txt")
    assert len(keys(FolderSource(follow_links=True), storage)) < 2000


@needs_links
def test_link_to_itself_is_a_loop(put, tmp_path):
    storage = put("a.txt")
    (tmp_path / "self").symlink_to("self")
    assert problems(FolderSource(), storage) == {"self": "pipeline.link_loop"}


@needs_links
def test_link_that_leads_nowhere_is_missing(put, tmp_path):
    storage = put("a.txt")
    (tmp_path / "broken.epub").symlink_to("gone.epub")
    assert problems(FolderSource(), storage) == {"broken.epub": "source.not_found"}


@needs_links
def test_pipes_and_sockets_are_told_of_and_never_opened(put, tmp_path, monkeypatch):
    storage = put("a.txt")
    os.mkfifo(tmp_path / "pipe.epub")
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("socket.epub")
        expected = {"pipe.epub": "pipeline.not_a_file", "socket.epub": "pipeline.not_a_file"}
        assert problems(FolderSource(), storage) == expected


@needs_links
def test_file_that_becomes_a_pipe_after_listing_is_not_waited_for(put, tmp_path):
    storage = put("a.txt")
    source = FolderSource()
    (item,) = source.items(storage)
    (tmp_path / "a.txt").unlink()
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(NotAFileError):
        source.load(storage, item)


@needs_byte_names
def test_name_that_is_no_utf8_has_a_key_that_is(put, tmp_path):
    storage = put("good.txt")
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    with open(path, "wb") as file:
        file.write(b"latin")
    given = {given.provenance.key: given for given in FolderSource().produce(storage)}
    assert sorted(given) == ["%:caf%E9.txt", "good.txt"]
    assert given["%:caf%E9.txt"].content == b"latin"
    assert given["%:caf%E9.txt"].provenance.uri == "caf%E9.txt"


@needs_byte_names
def test_names_with_odd_characters_are_listed_and_loaded(put, tmp_path):
    odd = ["new\nline.txt", "tab\t.txt", "quote\"'.txt", "%:x.txt", "a%20b.txt", " .txt", "\\back.txt", "😀.txt", "-r"]
    storage = put(*odd)
    assert {given.provenance.key for given in FolderSource().produce(storage)} == {key_of(name) for name in odd}


@pytest.mark.parametrize("path", ["a/b", "caf\udce9", "%:caf%E9", "x/%:/\udcff", "%25", "ä"])
def test_keys_lead_back_to_paths(path):
    assert path_of(key_of(path)) == path


def test_keys_of_alike_names_differ():
    assert len({key_of("caf\udce9"), key_of("caf%E9"), key_of("%:caf%E9"), key_of("café")}) == 4


# Other storages


def test_storage_elsewhere_is_walked_alike(memory):
    memory.write_all({"b.txt": b"2", "a/c.txt": b"1", ".hidden": b"", "a/.x/y": b""})
    source = FolderSource()
    assert [(item.key, item.uri, item.size) for item in source.items(memory)] == [
        ("a/c.txt", "memory://library/a/c.txt", 1),
        ("b.txt", "memory://library/b.txt", 1),
    ]
    assert [given.content for given in source.produce(memory)] == [b"1", b"2"]


def test_folder_elsewhere_is_where_keys_begin(memory):
    memory.write_all({"books/a.txt": b"1", "other/b.txt": b"2"})
    (given,) = FolderSource("books").produce(memory)
    assert (given.provenance.key, given.content) == ("a.txt", b"1")


def test_nothing_elsewhere_is_an_error(memory):
    with pytest.raises(MissingSourceError, match="There is no file below memory://library"):
        keys(FolderSource(), memory)


def test_file_that_goes_elsewhere_is_a_named_error(memory):
    memory.write_all({"a.txt": b"1", "b.txt": b"2"})
    source = FolderSource()
    item = next(source.items(memory))
    memory.delete(["a.txt"])
    with pytest.raises(SourceError) as raised:
        source.load(memory, item)
    assert raised.value.diagnostic.code == "storage.not_found"


def test_file_elsewhere_beyond_the_limit_is_not_held(memory):
    memory.write_all({"a.txt": b"x" * 11})
    with pytest.raises(LimitExceededError):
        list(FolderSource(max_bytes=10).produce(memory))


def test_password_of_a_storage_is_no_part_of_documents(monkeypatch):
    storage = open_url("ftp://me:secret@host/books")
    monkeypatch.setattr(type(storage), "list", lambda *_: iter([StoredFile("a.txt", 1, None)]))
    (item,) = FolderSource().items(storage)
    assert item.uri == "ftp://host/books/a.txt"
