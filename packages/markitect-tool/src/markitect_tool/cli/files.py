"""`mkt source normalize` into several files: pictures beside the text, or a folder of chapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import click

from markitect_tool.cli.output import write
from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.errors import SourceError
from markitect_tool.outputs.folder import FolderConflictError, StagedFolder
from markitect_tool.outputs.layouts import LAYOUTS
from markitect_tool.outputs.pictures import Pictures
from markitect_tool.outputs.single import Single, with_front_matter
from markitect_tool.outputs.split import PICTURE_FOLDER, Split
from markitect_tool.source.attachments import open_attachments
from markitect_tool.source.model import NormalizedMarkdownDocument


def write_with_pictures(
    source: str | bytes,
    document: NormalizedMarkdownDocument,
    output: str,
    folder: str,
    *,
    front_matter: bool,
    force: bool,
) -> list[Diagnostic]:
    """The document into the file `output`, the pictures that it shows into `folder`.

    Returns what there is to say about pictures that cannot be had. Raises `click.ClickException` when something is in
    the way or cannot be written; then nothing was.
    """
    single = Single(document, _relative(folder, output))
    _check_apart(output, folder, single.pictures)
    with _told(), StagedFolder(Path(folder), force=force, shared=True) as staged:
        pictures, found = _copy(source, document, single.pictures, staged.add)
        text = single.text(pictures)
        if pictures.names:
            staged.commit()
        write(with_front_matter(document, text) if front_matter else text, output)
    return found


def write_chapters(
    source: str | bytes,
    document: NormalizedMarkdownDocument,
    folder: str,
    *,
    layout: str,
    depth: int | None,
    pictures: str | None,
    front_matter: bool,
    force: bool,
) -> list[Diagnostic]:
    """The document as a folder of chapters; `pictures` is where in it the pictures go. Returns and raises like
    `write_with_pictures`."""
    place = PICTURE_FOLDER if pictures is None else _inside(pictures, Path(folder) / LAYOUTS[layout].content)
    split = Split(document, layout=layout, depth=depth, picture_folder=place, front_matter=front_matter)
    with _told(), StagedFolder(Path(folder), force=force) as staged:

        def add(name: str, data: bytes) -> None:
            staged.add(split.picture_path(name), data)

        copied, found = _copy(source, document, split.pictures, add)
        for name, text in split.texts(copied):
            staged.add(name, text.encode("utf-8", "replace"))
        staged.commit()
    return found


def _copy(
    source: str | bytes,
    document: NormalizedMarkdownDocument,
    pictures: Pictures,
    add: Callable[[str, bytes], None],
) -> tuple[Pictures, list[Diagnostic]]:
    """Hand the pictures' bytes to `add`. Returns those that could be had, and why the others could not."""
    if not pictures.names:
        return pictures, _unavailable(document, len(pictures.unoffered))
    lost: dict[str, Diagnostic] = {}
    with open_attachments(source, document) as read:
        if read is None:
            found = _unavailable(document, len(pictures.names) + len(pictures.unoffered))
            return pictures.without(pictures.names), found
        for path, attachment in pictures.attachments.items():
            try:
                add(pictures.names[path], read(attachment))
            except SourceError as error:
                lost[path] = diagnostic(
                    "output.attachment_unreadable",
                    f"{path} could not be copied, so what refers to it stays as it is: {error}",
                    source=document.asset.uri,
                    path=path,
                    hint=error.diagnostic.hint,
                    cause=error.diagnostic.code,
                )
    return pictures.without(lost), [*lost.values(), *_unavailable(document, len(pictures.unoffered))]


def _unavailable(document: NormalizedMarkdownDocument, number: int) -> list[Diagnostic]:
    """What there is to say about so many pictures that the adapter does not offer."""
    if not number:
        return []
    those = "a picture; links to it" if number == 1 else f"{number} pictures; links to them"
    message = f"The adapter {document.adapter['id']} does not offer the bytes of {those} stay as they are."
    return [diagnostic("output.attachments_unavailable", message, source=document.asset.uri, pictures=number)]


def _check_apart(output: str, folder: str, pictures: Pictures) -> None:
    """Raises `click.ClickException` when the text would be written over one of its pictures."""
    place = os.path.realpath(output).casefold()
    for name in pictures.names.values():
        if os.path.realpath(os.path.join(folder, name)).casefold() == place:
            raise click.ClickException(f"Nothing was written: {output!r} is where the picture {name} goes.")


def _relative(folder: str, output: str) -> str:
    """The way from the folder of `output` to `folder`, with `/`; "" if they are the same.

    It holds where the file really lies: a system goes up from there, not from the symbolic link that led to it. The
    name of `folder` itself stays, a link or not.
    """
    start, end = os.path.realpath(os.path.dirname(os.path.abspath(output))), os.path.realpath(folder)
    if end != start:
        above, name = os.path.split(os.path.abspath(folder))
        end = os.path.join(os.path.realpath(above), name)
    try:
        way = os.path.relpath(end, start)
    except ValueError as error:  # another drive of Windows
        raise click.UsageError(f"No relative link leads from {output!r} to {folder!r}: {error}.") from error
    return "" if way == "." else way.replace(os.sep, "/")


def _inside(pictures: str, content: Path) -> str:
    """The folder for pictures, relative to that of the chapters: a name, or a path that leads into it."""
    name = PurePosixPath(pictures.replace(os.sep, "/"))
    if len(name.parts) != 1 or name.is_absolute():
        way = os.path.relpath(os.path.abspath(pictures), os.path.abspath(content))
        name = PurePosixPath(way.replace(os.sep, "/"))
    if name.parts[:1] in ((), ("..",)) or any(part.startswith(".") for part in name.parts):
        raise click.UsageError(
            f"With --split, pictures lie in a folder among the chapters ({content}): give --assets a name such as "
            f"{PICTURE_FOLDER!r}, or a path in there."
        )
    return str(name)


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong with files, in a sentence."""
    try:
        yield
    except FolderConflictError as error:
        raise click.ClickException(f"Nothing was written: {error}.") from error
    except SourceError as error:
        raise click.ClickException(f"Nothing was written: {error}") from error
    except OSError as error:
        where = f" {str(error.filename)!r}" if error.filename else ""
        raise click.ClickException(f"Cannot write{where}: {error.strerror or error}.") from error
