"""Folders whole or not at all, as far as a file system allows it.

Everything is written into a temporary folder beside the target first: that is where a disk is full. Only then does it
take its place, in one step where nothing is there yet.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from markitect_tool.errors import MarkitectError
from markitect_tool.outputs.files import is_temporary, temporary_name, write_file

_SHOWN = 3


class FolderConflictError(MarkitectError):
    """Something is in the way, and overwriting it was not asked for."""


class StagedFolder:
    """Files on their way into `folder`. A context manager: what is not committed leaves no trace.

    What is there already stays, and is never overwritten: with `force` files of the same name are. Without `shared`
    a folder that holds anything at all is in the way, unless there is `force`; what a killed run left does not count.
    """

    def __init__(self, folder: Path, *, force: bool = False, shared: bool = False) -> None:
        self.folder = folder
        self._force = force
        self._shared = shared
        self._staged: Path | None = None
        self._names: list[str] = []
        self._made: list[Path] = []  # what was not there before, in the order of its making

    def __enter__(self) -> Self:
        """Raises `FolderConflictError`, or `OSError` when nothing can be written there."""
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise FolderConflictError(f"{self.folder} exists and is no folder")
        if not self._shared and not self._force and self._occupied():
            raise FolderConflictError(
                f"the folder {self.folder} is not empty; with --force files of the same name are replaced in it"
            )
        above = self.folder.parent
        while not above.exists():
            above = above.parent
        # in the folder itself when it is there: what is beside it may belong to somebody else, or to another disk
        place = self.folder if self.folder.is_dir() else above
        staged = place / temporary_name()
        try:
            staged.mkdir()
        except OSError as error:  # of a folder that a person knows: nobody has heard of the temporary one
            error.filename = str(self.folder)
            raise
        self._staged = staged
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.undo()
        if self._staged is not None:
            shutil.rmtree(self._staged, ignore_errors=True)

    def add(self, name: str, data: bytes) -> None:
        """Stage a file; `name` is its path in the folder, with `/`."""
        assert self._staged is not None
        path = self._staged / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(path), data)
        self._names.append(name)

    def commit(self) -> None:
        """Put everything in its place. Raises `FolderConflictError` before anything is touched, or `OSError`."""
        assert self._staged is not None
        if not self.folder.exists():
            self._make(self.folder.parent)
            os.rename(self._staged, self.folder)
            self._made.append(self.folder)
            return
        self._check()
        for name in self._names:
            target = self.folder / name
            self._make(target.parent)
            if not os.path.lexists(target):
                self._made.append(target)
            os.replace(self._staged / name, target)

    def undo(self) -> None:
        """Remove what `commit` added. What it replaced stays replaced."""
        for path in reversed(self._made):
            if path == self.folder:
                shutil.rmtree(path, ignore_errors=True)
            elif path.is_dir() and not path.is_symlink():
                os.rmdir(path)
            else:
                path.unlink(missing_ok=True)
        self._made.clear()

    def _occupied(self) -> bool:
        return self.folder.is_dir() and any(not is_temporary(path.name) for path in self.folder.iterdir())

    def _make(self, folder: Path) -> None:
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for each in reversed(missing):
            each.mkdir()
            self._made.append(each)

    def _check(self) -> None:
        """Whatever has one of our names must be a file, and ours to replace, or the same already."""
        taken = []
        for name in self._names:
            target = self.folder / name
            for above in target.relative_to(self.folder).parents:
                if os.path.lexists(self.folder / above) and not (self.folder / above).is_dir():
                    raise FolderConflictError(f"{self.folder / above} exists and is no folder")
            if not os.path.lexists(target):
                continue
            if target.is_dir():
                raise FolderConflictError(f"{target} exists and is a folder")
            if not self._force and not self._same(name):
                taken.append(str(target))
        if taken:
            raise FolderConflictError(_exist(taken))

    def _same(self, name: str) -> bool:
        assert self._staged is not None
        target = self.folder / name
        return target.is_file() and target.read_bytes() == (self._staged / name).read_bytes()


def _exist(taken: list[str]) -> str:
    if len(taken) == 1:
        return f"{taken[0]} exists already; --force replaces it"
    more = f" and {len(taken) - _SHOWN} more" if len(taken) > _SHOWN else ""
    return f"{', '.join(taken[:_SHOWN])}{more} exist already; --force replaces them"
