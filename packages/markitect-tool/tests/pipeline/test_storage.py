"""Storage: whole files or none, names that stay inside, errors by what a person would do."""

import errno
import os
import pickle
import sys

import pytest
from markitect_tool.pipeline.storage import open_url
from markitect_tool.pipeline.storage_errors import (
    NotStoredError,
    ReadOnlyStorageError,
    StorageDeniedError,
    StorageFullError,
    StorageUnavailableError,
    UnsafeNameError,
    UnsupportedStorageError,
    storage_error,
)


@pytest.fixture(params=["folder", "memory", "moved", "bucket"])
def storage(request, tmp_path, monkeypatch):
    """A folder; stores where a file is one put; and one where a file is written under another name and moved."""
    if request.param == "folder":
        return open_url(str(tmp_path / "new" / "root"))
    if request.param == "bucket":
        return request.getfixturevalue("bucket")
    from markitect_tool.pipeline import storage_fsspec

    if request.param == "moved":
        monkeypatch.setattr(storage_fsspec, "_ONE_PUT", frozenset())
    return request.getfixturevalue("memory")


@pytest.fixture
def folder(tmp_path):
    return open_url(str(tmp_path / "root"))


def names(storage, folder=""):
    return [file.name for file in storage.list(folder)]


class TestAnyStorage:
    def test_what_is_written_is_read(self, storage):
        storage.write_durably("a/b/c.md", b"text")
        assert storage.read("a/b/c.md") == b"text"

    def test_a_file_is_replaced(self, storage):
        storage.write_durably("a.md", b"a longer text")
        storage.write_durably("a.md", b"text")
        assert storage.read("a.md") == b"text"

    def test_a_part_of_a_file_is_read(self, storage):
        storage.write_durably("a.md", b"0123456789")
        assert storage.read("a.md", 4) == b"0123"
        assert storage.read("a.md", 40) == b"0123456789"

    def test_files_are_written_together(self, storage):
        storage.write_all({"a/1.md": b"one", "a/2.md": b"two", "b.md": b""})
        assert [storage.read(name) for name in ("a/1.md", "a/2.md", "b.md")] == [b"one", b"two", b""]

    def test_a_file_written_in_pieces_appears_at_the_end(self, storage):
        with storage.writing("a/b.md") as stream:
            stream.write(b"one ")
            assert names(storage) == []
            stream.write(b"two")
        assert storage.read("a/b.md") == b"one two"

    def test_of_a_file_that_is_not_finished_nothing_appears(self, storage):
        storage.write_durably("a.md", b"before")
        with pytest.raises(ZeroDivisionError), storage.writing("a.md") as stream:
            stream.write(b"af" * (1 // 0))
        storage.sweep()
        assert names(storage) == ["a.md"]
        assert storage.read("a.md") == b"before"

    def test_names_are_listed_in_the_order_of_code_points_across_folders(self, storage):
        made = ["a-b/1", "a/b", "a.md", "a/a/z", "ab", "Z", "ä", "a/a-"]
        storage.write_all(dict.fromkeys(made, b""))
        assert names(storage) == sorted(made)

    def test_one_folder_is_listed(self, storage):
        storage.write_all({"a/1": b"", "a/b/2": b"", "ab": b""})
        assert names(storage, "a") == ["a/1", "a/b/2"]

    def test_only_the_files_in_a_folder_are_listed(self, storage):
        storage.write_all({"a/1": b"", "a/b/2": b"", "c": b""})
        assert [file.name for file in storage.list("a", recursive=False)] == ["a/1"]
        assert [file.name for file in storage.list(recursive=False)] == ["c"]

    def test_a_folder_that_is_not_there_holds_nothing(self, storage):
        assert names(storage) == []
        assert names(storage, "a/b") == []

    def test_a_listing_tells_size_and_time(self, storage):
        storage.write_durably("a.md", b"text")
        (listed,) = storage.list()
        assert listed == storage.stat("a.md")
        assert listed.size == 4
        assert listed.modified_ns > 1_500_000_000_000_000_000

    def test_files_are_deleted_and_missing_ones_count_as_deleted(self, storage):
        storage.write_all({"a/1": b"", "a/2": b""})
        storage.delete(["a/1", "a/3", "b/4"])
        assert names(storage) == ["a/2"]

    def test_a_file_exists_and_a_folder_does_not(self, storage):
        storage.write_durably("a/b", b"")
        assert (storage.exists("a/b"), storage.exists("a"), storage.exists("c")) == (True, False, False)

    @pytest.mark.parametrize("action", ["read", "stat"])
    def test_a_missing_file_is_named(self, storage, action):
        with pytest.raises(NotStoredError, match="a/b") as caught:
            getattr(storage, action)("a/b")
        assert caught.value.diagnostic.code == "storage.not_found"

    @pytest.mark.parametrize("name", ["../a", "a/../b", "/etc/passwd", "a//b", "", ".", "a/.", "a\0b", "a/"])
    @pytest.mark.parametrize("action", ["read", "stat", "exists", "write", "writing", "delete", "url"])
    def test_a_name_that_leads_out_is_refused(self, storage, name, action):
        def act():
            if action == "write":
                storage.write_durably(name, b"")
            elif action == "writing":
                with storage.writing(name):
                    pass
            elif action == "delete":
                storage.delete([name])
            else:
                {"url": storage.url_of}.get(action, getattr(storage, action, None))(name)

        with pytest.raises(UnsafeNameError):
            act()

    def test_it_travels_between_processes(self, storage):
        assert pickle.loads(pickle.dumps(storage)) == storage


class TestFolder:
    def test_the_url_is_that_of_a_file(self, folder, tmp_path):
        assert folder.url == (tmp_path / "root").as_uri()
        assert folder.url_of("a b.md") == (tmp_path / "root/a b.md").as_uri()

    @pytest.mark.parametrize("form", ["{}", "file://{}", "file://localhost{}", "file:{}", "FILE://{}"])
    def test_forms_of_a_path(self, form, folder, tmp_path):
        assert open_url(form.format(tmp_path / "root")) == folder

    def test_a_path_in_a_url_is_decoded(self, tmp_path):
        assert open_url((tmp_path / "ä b").as_uri()).root == str(tmp_path / "ä b")

    def test_a_relative_path_is_that_of_now(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        storage = open_url("root")
        monkeypatch.chdir("/")
        assert storage.root == str(tmp_path / "root")

    def test_the_file_and_every_new_name_are_synchronised(self, folder, tmp_path, monkeypatch):
        synchronised = []
        really = os.fsync

        def fsync(handle):
            synchronised.append(os.readlink(f"/proc/self/fd/{handle}"))
            really(handle)

        monkeypatch.setattr(os, "fsync", fsync)
        folder.write_durably("a/b.md", b"text")
        assert synchronised[0].endswith(".tmp")
        assert set(synchronised[1:]) == {str(tmp_path), str(tmp_path / "root"), str(tmp_path / "root/a")}

    def test_a_write_that_fails_leaves_nothing(self, folder, tmp_path, monkeypatch):
        folder.write_durably("a.md", b"before")
        monkeypatch.setattr(os, "fsync", lambda _handle: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space")))
        with pytest.raises(StorageFullError, match=r"a\.md"):
            folder.write_durably("a.md", b"after")
        assert os.listdir(tmp_path / "root") == ["a.md"]
        assert folder.read("a.md") == b"before"

    def test_one_file_of_several_fails_and_none_is_replaced(self, folder, tmp_path):
        folder.write_durably("a.md", b"before")
        os.mkdir(tmp_path / "root/b.md")
        with pytest.raises(StorageUnavailableError):
            folder.write_all({"b.md": b"", "a.md": b"after"})
        assert folder.read("a.md") == b"before"
        assert names(folder) == ["a.md"]

    def test_folders_that_become_empty_are_removed_up_to_the_root(self, folder, tmp_path):
        folder.write_all({"a/b/c/1": b"", "a/2": b""})
        folder.delete(["a/b/c/1"])
        assert not (tmp_path / "root/a/b").exists()
        folder.delete(["a/2"])
        assert (tmp_path / "root").exists()

    def test_what_a_killed_write_left_is_swept(self, folder, tmp_path):
        folder.write_durably("a/b.md", b"text")
        left = tmp_path / "root/a/.mkt-0123456789ab.tmp"
        left.write_bytes(b"te")
        assert names(folder) == ["a/b.md"]
        folder.sweep()
        assert not left.exists()
        assert names(folder) == ["a/b.md"]

    def test_links_to_files_are_files_and_links_to_folders_are_not_followed(self, folder, tmp_path):
        folder.write_durably("a.md", b"")
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere/x").touch()
        (tmp_path / "root/file").symlink_to("a.md")
        (tmp_path / "root/loop").symlink_to(".")
        (tmp_path / "root/folder").symlink_to(tmp_path / "elsewhere")
        (tmp_path / "root/dead").symlink_to("nowhere")
        assert names(folder) == ["a.md", "file"]

    def test_a_file_where_a_folder_should_be(self, folder, tmp_path):
        folder.write_durably("a", b"")
        with pytest.raises(StorageUnavailableError, match="a/b"):
            folder.write_durably("a/b", b"")


class TestBucket:
    def test_a_bucket_that_is_not_there(self, bucket):
        with pytest.raises(NotStoredError, match="nowhere"):
            open_url("s3://nowhere-at-all/x").write_durably("a", b"")

    def test_credentials_are_missing(self, bucket, monkeypatch, tmp_path):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        with pytest.raises(StorageDeniedError) as caught:
            open_url(bucket.url, {"use_listings_cache": False}).write_durably("a", b"")
        assert caught.value.diagnostic.code == "storage.denied"

    def test_a_store_that_does_not_answer(self):
        where = {"endpoint_url": "http://127.0.0.1:9", "config_kwargs": {"retries": {"max_attempts": 0}}}
        storage = open_url("s3://bucket", {"key": "k", "secret": "s", **where})
        with pytest.raises(StorageUnavailableError, match="s3://bucket/a"):
            storage.write_durably("a", b"")

    def test_names_that_other_programs_left_are_listed_or_refused_aloud(self, bucket):
        import fsspec

        store = fsspec.filesystem("s3")
        root = bucket.url.removeprefix("s3://")
        store.pipe_file(f"{root}/a/", b"")  # a folder, as some programs mark one
        bucket.write_durably("a/b", b"")
        assert [name for name in names(bucket) if name != "a/b"] == []
        store.pipe_file(f"{root}/c//d", b"")
        with pytest.raises(UnsafeNameError):
            names(bucket)


class TestUrls:
    def test_an_unknown_scheme(self):
        with pytest.raises(UnsupportedStorageError) as caught:
            open_url("gopher://host/x").read("a")
        assert caught.value.diagnostic.code == "storage.unsupported"

    def test_a_library_that_is_missing_comes_with_its_install_command(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "gcsfs", None)
        with pytest.raises(UnsupportedStorageError) as caught:
            open_url("gs://bucket/x").read("a")
        assert caught.value.diagnostic.hint == "pip install gcsfs"

    def test_fsspec_is_missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "fsspec", None)
        with pytest.raises(UnsupportedStorageError) as caught:
            open_url("memory://x").read("a")
        assert caught.value.diagnostic.hint == "pip install 'markitect-tool[pipeline]'"

    @pytest.mark.parametrize("url", ["", "zip://a.zip::s3://bucket", "file://server/share"])
    def test_what_is_no_storage(self, url):
        with pytest.raises(UnsupportedStorageError):
            open_url(url)

    def test_a_password_is_not_told(self):
        error = storage_error(OSError("ftp://me:secret@host/x is down"), "read", "ftp://me:secret@host/x/a")
        assert "secret" not in str(error)
        assert "secret" not in str(error.diagnostic.to_dict())

    def test_options_of_a_file_system_are_not_shown(self):
        assert "secret" not in repr(open_url("s3://bucket", {"secret": "secret"}))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.ENOSPC, "x"), StorageFullError),
        (OSError(errno.EDQUOT, "x"), StorageFullError),
        (OSError(errno.EROFS, "x"), ReadOnlyStorageError),
        (NotImplementedError(), ReadOnlyStorageError),
        (PermissionError(errno.EACCES, "x"), StorageDeniedError),
        (PermissionError("Forbidden"), StorageDeniedError),
        (type("NoCredentialsError", (Exception,), {})(), StorageDeniedError),
        (FileNotFoundError("s3://bucket/a"), NotStoredError),
        (OSError(errno.EIO, "x"), StorageUnavailableError),
        (ValueError("x"), StorageUnavailableError),
    ],
)
def test_errors_are_told_apart_and_travel_between_processes(error, kind):
    found = pickle.loads(pickle.dumps(storage_error(error, "write", "s3://bucket/a")))
    assert type(found) is kind
    assert str(found).startswith("Cannot write s3://bucket/a: ")
    assert found.diagnostic.source == "s3://bucket/a"
    assert found.diagnostic.hint
