"""A list file as a source, and files that are named one by one."""

import os

import pytest
from markitect_tool.context import AdapterRegistry, AdapterResult
from markitect_tool.errors import (
    LimitExceededError,
    MalformedSourceError,
    MissingSourceError,
    NotAFileError,
    SourceError,
)
from markitect_tool.pipeline.sources import FilesSource, ListSource, entries, sorting
from markitect_tool.pipeline.sources.listing import MAX_LINE
from markitect_tool.pipeline.storage import open_url


@pytest.fixture
def listed(tmp_path):
    """Write a list file; returns its source and storage."""

    def write(content):
        (tmp_path / "list.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
        return ListSource("list.txt"), open_url(str(tmp_path))

    return write


def keys(pair):
    source, storage = pair
    return [item.key for item in source.items(storage)]


def problems(pair):
    source, storage = pair
    return {item.key: item.problem.message for item in source.items(storage) if item.problem}


def test_lines_are_documents_without_comments_and_blanks(listed):
    assert keys(listed("# books\n\nb.txt\n  \n  # more\nsub/a.txt\r\n")) == ["b.txt", "sub/a.txt"]


def test_paths_begin_at_the_folder_of_the_list(put, tmp_path):
    put("lists/sub/a.txt", "b.txt")
    storage = put("lists/all.txt", content=b"sub/a.txt\n../b.txt\n")
    source = ListSource("lists/all.txt")
    assert [given.provenance.key for given in source.produce(storage)] == ["../b.txt", "sub/a.txt"]


def test_document_that_is_named_twice_counts_once(listed):
    assert keys(listed("a.txt\n./a.txt\nx/../a.txt\na.txt\n")) == ["a.txt"]


def test_byte_order_mark_is_no_part_of_the_first_name(listed):
    assert keys(listed("\ufeffa.txt\n")) == ["a.txt"]


def test_last_line_needs_no_end(listed):
    assert keys(listed("a.txt\nb.txt")) == ["a.txt", "b.txt"]


def test_list_in_utf16_is_refused_with_a_remedy(listed):
    with pytest.raises(MalformedSourceError, match="UTF-16"):
        keys(listed("a.txt\n".encode("utf-16")))


def test_name_with_a_hash_is_written_with_its_folder(put, listed):
    put("#1.txt")
    source, storage = listed("./#1.txt\n")
    assert [given.content for given in source.produce(storage)] == [b"text"]


def test_absolute_path_is_a_file_uri(put, listed, tmp_path):
    put("a b.txt")
    source, storage = listed(f"{tmp_path / 'a b.txt'}\n")
    (given,) = source.produce(storage)
    assert given.provenance.key == given.provenance.uri == (tmp_path / "a b.txt").as_uri()
    assert (given.provenance.name, given.content) == ("a b.txt", b"text")


def test_file_uri_is_the_same_document_as_its_path(listed, tmp_path):
    path = tmp_path / "ä b.txt"
    assert keys(listed(f"{path}\n{path.as_uri()}\nfile://localhost{path.as_uri()[7:]}\n")) == [path.as_uri()]


def test_url_is_fetched_through_its_storage(memory, listed):
    memory.write_all({"sub/a.txt": b"far"})
    source, storage = listed("memory://library/sub/a.txt\n")
    (given,) = source.produce(storage)
    assert (given.provenance.uri, given.provenance.name, given.content) == (
        "memory://library/sub/a.txt",
        "a.txt",
        b"far",
    )


def test_list_elsewhere_has_documents_beside_it(memory):
    memory.write_all({"lists/all.txt": b"a.txt\n../b.txt\n", "lists/a.txt": b"1", "b.txt": b"2"})
    assert [given.content for given in ListSource("lists/all.txt").produce(memory)] == [b"2", b"1"]


def test_list_elsewhere_does_not_lead_out(memory):
    memory.write_all({"all.txt": b"../../secret.txt\n"})
    with pytest.raises(SourceError, match="leads out of memory://library"):
        list(ListSource("all.txt").produce(memory))


def test_line_of_json_brings_hints(put, listed):
    put("a.txt")
    source, storage = listed('{"uri": "a.txt", "config": {"encoding": "shift_jis"}}\n')
    (given,) = source.produce(storage)
    assert given.config == {"encoding": "shift_jis"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{broken", "no JSON"),
        ('{"config": {}}', '{"uri"'),
        ('{"uri": 3}', '{"uri"'),
        ('{"uri": "a", "config": []}', '{"uri"'),
        ('{"uri": "a", "more": 1}', '{"uri"'),
        ('{"uri": "a", "config": {"x": NaN}}', "JSON cannot express"),
        ("[" * 3, None),
        ("{" * 100_00, "no JSON"),
        ("zip://x::file:///a.zip", "chain"),
        ("file://elsewhere/a.txt", "another machine"),
        ("https://me:secret@host/a.epub", "password"),
        ("s3://bucket", "names no file"),
        ("http://[broken/a", "Invalid IPv6"),
        ("a\0b", "NUL"),
        ("a" * 5000, "longer than 4,096 characters"),
        (".", "folder"),
        ("x/..", "folder"),
        ("https://host/a\tb", "control characters"),
    ],
)
def test_line_that_names_nothing_is_an_item_with_a_problem(listed, line, said):
    found = problems(listed(f"{line}\ngood.txt\n"))
    if said is None:
        assert found == {}
    else:
        assert list(found) == ["list.txt#1"]
        assert said in found["list.txt#1"]
        assert "secret" not in found["list.txt#1"]


def test_line_that_is_too_long_is_passed_by(listed):
    pair = listed(b"a" * (3 * MAX_LINE) + b"\nb.txt\n")
    assert keys(pair) == ["b.txt", "list.txt#1"]
    assert "longer than" in problems(pair)["list.txt#1"]


def test_hint_that_no_record_can_hold_is_a_named_error(put, listed):
    put("a.txt")
    source, storage = listed('{"uri": "a.txt", "config": {"x": "\\ud800"}}\n')
    (item,) = source.items(storage)
    with pytest.raises(MalformedSourceError, match="half of a surrogate pair") as raised:
        source.load(storage, item)
    assert raised.value.diagnostic.code == "pipeline.record_invalid"


@pytest.mark.skipif(os.name == "nt", reason="file names are no bytes there")
def test_name_that_is_no_utf8_is_found(listed, tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xe9.txt", "wb") as file:
        file.write(b"latin")
    source, storage = listed(b"\xe9.txt\n")
    (given,) = source.produce(storage)
    assert (given.provenance.key, given.content) == ("%:%E9.txt", b"latin")


@pytest.mark.skipif(os.name == "nt", reason="file names are no bytes there")
def test_absolute_name_that_is_no_utf8_is_found(listed, tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xe9.txt", "wb") as file:
        file.write(b"latin")
    source, storage = listed(os.fsencode(tmp_path) + b"/\xe9.txt\n")
    (given,) = source.produce(storage)
    assert given.content == b"latin"


class FakeWeb:
    name = "http"
    schemes = ("http", "https")
    remote = True

    def __init__(self, content_type):
        self.content_type = content_type

    def load(self, uri, ctx):
        assert ctx.config["max_bytes"] == 1000
        return AdapterResult(b"far away", self.content_type)


@pytest.mark.parametrize(
    ("declared", "config"),
    [("text/plain; charset=utf-8", {"media_type": "text/plain; charset=utf-8"}), ("application/octet-stream", {})],
)
def test_web_address_is_fetched_through_its_context_adapter(listed, monkeypatch, declared, config):
    monkeypatch.setattr(entries, "default_context_registry", lambda: AdapterRegistry([FakeWeb(declared)]))
    _, storage = listed("https://host/a%20b.txt?x=1\n")
    (given,) = ListSource("list.txt", max_bytes=1000).produce(storage)
    assert (given.content, given.provenance.name, given.config) == (b"far away", "a b.txt", config)
    assert given.provenance.key == "https://host/a%20b.txt?x=1"


@pytest.mark.parametrize("url", ["https://127.0.0.1:9/a.txt", "https://169.254.169.254/latest", "http://example.com/a"])
def test_list_does_not_make_this_machine_talk_to_anybody(listed, url):
    source, storage = listed(f"{url}\nx.txt\n")
    item = next(source.items(storage))
    with pytest.raises(SourceError) as raised:
        source.load(storage, item)
    assert raised.value.diagnostic.code == "source-unavailable"


def test_missing_document_is_a_named_error(listed):
    source, storage = listed("gone.txt\n")
    (item,) = source.items(storage)
    with pytest.raises(MissingSourceError, match=r"gone\.txt is not there"):
        source.load(storage, item)


def test_folder_in_a_list_is_told_of(put, listed):
    put("sub/a.txt")
    assert "is a folder" in problems(listed("sub\n"))["sub"]


def test_missing_list_is_an_error(tmp_path):
    with pytest.raises(MissingSourceError, match="There is no list"):
        list(ListSource("gone.txt").items(open_url(str(tmp_path))))


def test_list_longer_than_memory_is_in_order(listed, monkeypatch):
    monkeypatch.setattr(sorting.ordered, "__defaults__", (4,))
    names = [f"{number:03}.txt" for number in range(50)]
    assert keys(listed("\n".join(reversed(names + names)))) == names


def test_items_know_what_the_system_tells_for_nothing(put, listed):
    put("a.txt")
    source, storage = listed("a.txt\nmemory://x/y\nhttps://host/z.epub\n")
    assert {item.key: (item.size, item.costly) for item in source.items(storage)} == {
        "a.txt": (4, False),
        "memory://x/y": (None, False),
        "https://host/z.epub": (None, True),
    }


def test_document_beyond_the_limit_is_not_held(put, tmp_path):
    put("a.txt", content=b"x" * 11)
    source = FilesSource(("a.txt",), max_bytes=10)
    storage = open_url(str(tmp_path))
    (item,) = source.items(storage)
    with pytest.raises(LimitExceededError):
        source.load(storage, item)


def test_named_files_are_documents(put):
    storage = put("b.txt", "a.txt")
    source = FilesSource(("b.txt", "a.txt", "./b.txt"))
    assert [(given.provenance.key, given.provenance.source) for given in source.produce(storage)] == [
        ("a.txt", "files"),
        ("b.txt", "files"),
    ]


def test_file_that_is_a_folder_by_now_is_a_named_error(put, tmp_path):
    storage = put("a.txt")
    source = FilesSource(("a.txt",))
    (item,) = source.items(storage)
    (tmp_path / "a.txt").unlink()
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(NotAFileError):
        source.load(storage, item)


@pytest.mark.parametrize("url", ["webhdfs://127.0.0.1:1/a.txt", "ftp://127.0.0.1/a.txt", "sftp://host/a.txt"])
def test_a_list_does_not_choose_the_hosts_that_are_talked_to(url, tmp_path):
    (tmp_path / "list.txt").write_text(f"{url}\nnotes: a.txt\n")
    found = {item.key: item.problem for item in ListSource("list.txt").items(open_url(str(tmp_path)))}
    assert found["notes: a.txt"] is None
    assert found[url].code == "pipeline.list_malformed"
    assert "command line" in found[url].message


def test_the_command_line_may_name_any_host():
    (item,) = FilesSource(("sftp://host/a.txt",)).items(open_url("."))
    assert item.problem is None
