"""Opening the repository that a URI means, and no other one.

The repository of the manifest is found upward, but files in it can redirect Git elsewhere: `.git` may be a link or
name another folder, `commondir` and `alternates` borrow from other repositories. In a folder that came from a stranger
each of these would be a way out of the context, so they are followed only where the other side points back, as it does
for linked worktrees and submodules. A mapped repository is the operator's own choice and is opened as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dulwich.errors import NotGitRepository
from dulwich.repo import Repo, UnsupportedExtension, UnsupportedVersion

from markitect_tool.context.adapters.git import Address
from markitect_tool.context.errors import PathTraversalError, SourceUnavailableError


@contextmanager
def opened(address: Address, dir: Path) -> Iterator[Repo]:
    """The repository of `address`, for a manifest in the folder `dir`.

    Raises `SourceUnavailableError` when there is none, `PathTraversalError` when what is found leads elsewhere, or the
    path of `address` is not in `dir`.
    """
    try:
        repository = Repo.discover(dir) if address.repository is None else Repo(address.repository)
    except NotGitRepository as error:
        if address.unmapped:
            raise no_checkout(address.unmapped) from error
        where = "The manifest's folder" if address.repository is None else f"{str(address.repository)!r}"
        raise SourceUnavailableError(f"{where} is in no Git repository.", hint="Check adapters.git.repos.") from error
    except (UnsupportedExtension, UnsupportedVersion, OSError, ValueError) as error:
        raise SourceUnavailableError(f"The Git repository cannot be opened: {error}.") from error
    try:
        if address.repository is None:
            _require_own(repository)
            _stay_below(repository, dir, address.path)
        yield repository
    finally:
        with suppress(BufferError):  # an error's traceback may still point into a damaged pack, and goes with it
            repository.close()


def no_checkout(repository: str) -> SourceUnavailableError:
    """The error for a host that no mapping knows."""
    return SourceUnavailableError(
        f"No local checkout configured for {repository}.",
        hint=f'Add it under adapters.git.repos, for example "{repository}: ../{repository.rpartition("/")[2]}".',
    )


def _stay_below(repository: Repo, dir: Path, path: str) -> None:
    """Raise `PathTraversalError` when `path`, from the root of the repository, is not in the folder `dir`."""
    below = os.path.relpath(os.path.realpath(dir), os.path.realpath(repository.path))
    if below != os.curdir and not path.startswith(below.replace(os.sep, "/") + "/"):
        raise PathTraversalError(
            f"The path {path!r} is outside of the manifest's folder, {below!r} in this repository.", path=path
        )


def _require_own(repository: Repo) -> None:
    """Raise `PathTraversalError` unless the database that would be read belongs to the folder where it was found."""
    control, common = os.path.realpath(repository.controldir()), os.path.realpath(repository.commondir())
    objects = os.path.join(common, "objects")
    entry = os.path.join(repository.path, ".git")
    if os.path.isfile(entry) and not os.path.islink(entry):
        own = _is_linked_worktree(entry, control, common) or _is_submodule(repository, control, common)
    else:
        place = (
            os.path.realpath(repository.path)
            if repository.bare
            else os.path.join(os.path.realpath(repository.path), ".git")
        )
        own = control == common == place
    direct = all(_holds_its_own(folder) for folder in (objects, os.path.join(objects, "pack")))
    if not own or not direct or os.path.exists(os.path.join(objects, "info", "alternates")):
        raise PathTraversalError(
            "The repository here takes its objects from somewhere else.",
            hint="Name the other repository under adapters.git.repos, if you trust it.",
        )


def _holds_its_own(folder: str) -> bool:
    """Whether neither `folder` nor anything in it is a link."""
    try:
        with os.scandir(folder) as entries:
            return os.path.realpath(folder) == folder and not any(entry.is_symlink() for entry in entries)
    except FileNotFoundError:
        return True


def _is_linked_worktree(entry: str, control: str, common: str) -> bool:
    """Whether the repository at `common` knows the worktree whose `.git` file is `entry`."""
    if os.path.dirname(control) != os.path.join(common, "worktrees"):
        return False
    try:
        with open(os.path.join(control, "gitdir"), encoding="utf-8") as stream:
            known = stream.read(4096).strip()
    except (OSError, UnicodeDecodeError):
        return False
    return os.path.realpath(os.path.join(control, known)) == os.path.realpath(entry)


def _is_submodule(repository: Repo, control: str, common: str) -> bool:
    """Whether the folder at `control` names this working copy as its own."""
    try:
        worktree = repository.get_config().get((b"core",), b"worktree")
    except KeyError:
        return False
    place = os.path.realpath(os.path.join(control, os.fsdecode(worktree)))
    return control == common and place == os.path.realpath(repository.path)
