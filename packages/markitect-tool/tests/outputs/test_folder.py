"""Folders whole or not at all."""

import errno
import os

import pytest
from markitect_tool.outputs import folder as folder_module
from markitect_tool.outputs.folder import FolderConflictError, StagedFolder

needs_permissions = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)


def write(path, files, **how):
    with StagedFolder(path, **how) as staged:
        for name, data in files.items():
            staged.add(name, data)
        staged.commit()


def write_and_fail(path, error, *, commit=True, **how):
    with StagedFolder(path, **how) as staged:
        staged.add("c/x", b"1")
        if commit:
            staged.commit()
        raise error


def tree(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_folder_is_made_with_those_above_it(tmp_path):
    write(tmp_path / "a/b", {"x": b"1", "c/y": b"2"})
    assert tree(tmp_path) == {"a/b/x": b"1", "a/b/c/y": b"2"}


def test_empty_folder_is_filled(tmp_path):
    write(tmp_path, {"x": b"1"})
    assert tree(tmp_path) == {"x": b"1"}


def test_what_a_killed_run_left_does_not_occupy_a_folder(tmp_path):
    (tmp_path / ".mkt-0123456789ab.tmp/half").mkdir(parents=True)
    write(tmp_path, {"x": b"1"})
    assert tree(tmp_path) == {"x": b"1"}


@pytest.mark.parametrize("name", [".mkt-run", ".mkt-0123456789ab.tmp.md", "a.mkt-0123456789ab.tmp"])
def test_what_is_not_ours_occupies_a_folder(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(FolderConflictError):
        write(tmp_path, {"x": b"1"})


@pytest.mark.parametrize("target", ["new", "shared"])
def test_nothing_is_left_when_writing_fails(tmp_path, monkeypatch, target):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/mine").write_bytes(b"0")

    def full(path, data):
        if path.endswith("y"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(folder_module, "write_file", full)
    with pytest.raises(OSError, match="space"):
        write(tmp_path / target, {"x": b"1", "y": b"2"}, shared=True)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["shared", "shared/mine"]


def test_nothing_is_left_when_it_is_interrupted(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write_and_fail(tmp_path / "new", KeyboardInterrupt, commit=False)
    assert list(tmp_path.iterdir()) == []


def test_what_was_committed_goes_when_the_rest_fails(tmp_path):
    (tmp_path / "mine").write_bytes(b"0")
    with pytest.raises(RuntimeError):
        write_and_fail(tmp_path, RuntimeError, shared=True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_new_folder_goes_too_when_the_rest_fails(tmp_path):
    with pytest.raises(RuntimeError):
        write_and_fail(tmp_path / "a/b", RuntimeError)
    assert list(tmp_path.iterdir()) == []


def test_folder_with_files_is_in_the_way(tmp_path):
    (tmp_path / "mine").write_bytes(b"0")
    with pytest.raises(FolderConflictError, match="not empty"):
        write(tmp_path, {"x": b"1"})
    assert tree(tmp_path) == {"mine": b"0"}


def test_force_replaces_files_of_the_same_name_and_leaves_others(tmp_path):
    (tmp_path / "mine").write_bytes(b"0")
    (tmp_path / "x").write_bytes(b"old")
    write(tmp_path, {"x": b"1"}, force=True)
    assert tree(tmp_path) == {"mine": b"0", "x": b"1"}


def test_shared_folder_takes_more_files(tmp_path):
    (tmp_path / "mine").write_bytes(b"0")
    write(tmp_path, {"x": b"1"}, shared=True)
    assert tree(tmp_path) == {"mine": b"0", "x": b"1"}


def test_file_of_the_same_name_in_a_shared_folder_is_in_the_way(tmp_path):
    (tmp_path / "b").write_bytes(b"0")
    with pytest.raises(FolderConflictError, match="b exists already"):
        write(tmp_path, {"a": b"1", "b": b"2"}, shared=True)
    assert tree(tmp_path) == {"b": b"0"}


def test_file_that_is_the_same_already_is_in_nobodys_way(tmp_path):
    (tmp_path / "x").write_bytes(b"1")
    write(tmp_path, {"x": b"1", "y": b"2"}, shared=True)
    assert tree(tmp_path) == {"x": b"1", "y": b"2"}


@pytest.mark.parametrize("force", [False, True])
def test_folder_in_the_place_of_a_file_is_in_the_way(tmp_path, force):
    (tmp_path / "x").mkdir()
    with pytest.raises(FolderConflictError, match="is a folder"):
        write(tmp_path, {"x": b"1"}, shared=True, force=force)


@pytest.mark.parametrize("force", [False, True])
def test_file_in_the_place_of_a_folder_is_in_the_way(tmp_path, force):
    (tmp_path / "c").write_bytes(b"0")
    with pytest.raises(FolderConflictError, match="is no folder"):
        write(tmp_path, {"c/x": b"1"}, shared=True, force=force)
    with pytest.raises(FolderConflictError, match="is no folder"):
        write(tmp_path / "c", {"x": b"1"}, shared=True, force=force)
    assert tree(tmp_path) == {"c": b"0"}


def test_link_of_the_same_name_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"0")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/x").symlink_to(tmp_path / "elsewhere")
    write(tmp_path / "out", {"x": b"1"}, force=True)
    assert (tmp_path / "elsewhere").read_bytes() == b"0"
    assert not (tmp_path / "out/x").is_symlink()


@needs_permissions
def test_folder_that_may_not_be_written_is_refused(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out").chmod(0o555)
    with pytest.raises(PermissionError):
        write(tmp_path / "out", {"x": b"1"}, shared=True)
    with pytest.raises(PermissionError):
        write(tmp_path / "out/new", {"x": b"1"})


def test_folder_that_cannot_be_made_is_named_and_not_the_temporary_one(tmp_path):
    (tmp_path / "file").write_bytes(b"0")
    with pytest.raises(NotADirectoryError) as caught:
        write(tmp_path / "file/new", {"x": b"1"})
    assert caught.value.filename == str(tmp_path / "file/new")
