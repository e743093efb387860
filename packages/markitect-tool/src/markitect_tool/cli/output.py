"""How results reach a person or a program: UTF-8 and LF on any system, files whole or not at all."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from markitect_tool.diagnostics import Diagnostic
    from markitect_tool.serialization import Model

_SHOWN_PER_CODE = 3
# Control characters, line separators, bidirectional controls, halves of surrogate pairs.
_STEERING = "[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}


def write(text: str, output: str | None = None) -> None:
    """Write `text`, with a final newline, to the file `output` or to standard output.

    Raises `click.ClickException` (exit status 1) when the file cannot be written.
    """
    write_pieces(pieces_of(text), output)


def pieces_of(text: str) -> Iterator[bytes]:
    """`text` in UTF-8 for `write_pieces`; half a surrogate pair becomes a question mark."""
    yield text.encode("utf-8", "replace")


def write_pieces(pieces: Iterable[bytes], output: str | None = None) -> None:
    """As `write`, for a text that comes in pieces of UTF-8, none of which is held longer than it takes to write it."""
    _write(_ended(pieces), output)


def write_bytes(data: bytes, output: str | None = None) -> None:
    """Write `data` as it is to the file `output` or to standard output.

    Raises `click.ClickException` (exit status 1) when the file cannot be written.
    """
    _write((data,), output)


def _ended(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """`pieces`, and a newline behind them unless there is one, or nothing at all."""
    last = b""
    for piece in pieces:
        yield piece
        last = piece[-1:] or last
    if last not in (b"", b"\n"):
        yield b"\n"


def _write(pieces: Iterable[bytes], output: str | None) -> None:
    if output is None or output == "-":
        _write_stream(sys.stdout, pieces)
        return
    from markitect_tool.outputs import files

    try:
        files.write_pieces(output, pieces)
    except OSError as error:
        raise click.ClickException(f"Cannot write {output!r}: {error.strerror or error}.") from error


def write_styled(text: str, output: str | None) -> None:
    """`write` for text made with `table` and `facts`: colour stays out of files."""
    write(click.unstyle(text) if output else text, output)


def as_json(value: Any) -> str:
    """`value` as JSON to read: indented, characters as they are, keys in the order of the models."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=2)


def json_pieces(model: Model) -> Iterator[bytes]:
    """`as_json` of a model, for `write_pieces`: not all of its lists become text at once."""
    import json

    encoder = json.JSONEncoder(ensure_ascii=False, indent=2, default=lambda item: item.to_shallow_dict())
    return (piece.encode("utf-8", "replace") for piece in encoder.iterencode(model.to_shallow_dict()))


def as_json_line(value: Any) -> str:
    """`value` as JSON on one line. Characters stay as they are, but for those at which some readers end a line."""
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\x85", "\\u0085").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def as_yaml(value: Any) -> str:
    """`value` as YAML, keys in the order of the models."""
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # the fast one, where PyYAML was built with it
    try:
        return str(yaml.dump(value, Dumper=dumper, allow_unicode=True, sort_keys=False, width=110))
    except UnicodeEncodeError:  # half a surrogate pair, which becomes what `write` makes of it in JSON
        import json

        return as_yaml(json.loads(as_json(value).encode("utf-8", "replace")))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Aligned columns under a header; the header is dim on a terminal."""
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines[0] = paint(lines[0], sys.stdout, bold=True)
    return "\n".join(lines)


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Aligned `name  value` lines; pairs without a value are left out."""
    shown = [(name, printable(str(value))) for name, value in pairs if value not in (None, "")]
    width = max((len(name) for name, _ in shown), default=0)
    return "\n".join(f"{paint(name.ljust(width), sys.stdout, bold=True)}  {value}" for name, value in shown)


def report(diagnostics: Sequence[Diagnostic], *, verbose: bool) -> None:
    """Tell a person on standard error what was found: errors first, then warnings.

    Of each code the first few are shown and the others counted; `verbose` shows all, and the notes too.
    Notes alone are not worth a line.
    """
    if all(entry.severity == "info" for entry in diagnostics) and not (verbose and diagnostics):
        return
    from markitect_tool.diagnostics import SEVERITIES

    lines: list[str] = []
    for severity in SEVERITIES if verbose else SEVERITIES[:2]:
        by_code: dict[str, list[Diagnostic]] = {}
        for entry in diagnostics:
            if entry.severity == severity:
                by_code.setdefault(entry.code, []).append(entry)
        for code, entries in by_code.items():
            shown = entries if verbose else entries[:_SHOWN_PER_CODE]
            for index, entry in enumerate(shown):
                previous_hint = shown[index - 1].hint if index else None
                lines += _lines_of(entry, with_hint=entry.hint != previous_hint)
            if len(shown) < len(entries):
                lines.append(f"  ... and {len(entries) - len(shown)} more {code}")
    lines.append(_summary(diagnostics, verbose))
    _write_stream(sys.stderr, pieces_of("\n".join(lines) + "\n"))


def _lines_of(entry: Diagnostic, *, with_hint: bool) -> Iterable[str]:
    label = paint(f"{entry.severity}[{entry.code}]", sys.stderr, fg=_COLORS[entry.severity], bold=True)
    count = entry.details.get("count")
    yield f"{label}: {printable(entry.message)}" + (f" ({count} times)" if count else "")
    where = [part for part in (entry.source, entry.path) if part]
    if where:
        line = f":{entry.line}" if entry.line is not None else ""
        yield f"  --> {printable(' > '.join(where))}{line}"
    if entry.hint and with_hint:
        yield f"  hint: {printable(entry.hint)}"


def _summary(diagnostics: Sequence[Diagnostic], verbose: bool) -> str:
    counts = {"error": 0, "warning": 0, "info": 0}
    for entry in diagnostics:
        counts[entry.severity] += 1
    nouns = {"error": "error", "warning": "warning", "info": "note"}
    parts = [f"{number} {nouns[key]}{'s' * (number != 1)}" for key, number in counts.items() if number]
    hidden = not verbose and (
        counts["info"] or any(_repeats(diagnostics, severity) for severity in ("error", "warning"))
    )
    return ", ".join(parts) + (" (--verbose shows all)" if hidden else "")


def _repeats(diagnostics: Sequence[Diagnostic], severity: str) -> bool:
    codes = [entry.code for entry in diagnostics if entry.severity == severity]
    return any(codes.count(code) > _SHOWN_PER_CODE for code in set(codes))


def printable(text: str) -> str:
    """`text` on one line, with control characters made visible: a book must not steer the terminal."""
    if text.isprintable():  # nearly always
        return text
    return re.sub(_STEERING, lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def paint(text: str, stream: TextIO | None, *, fg: str | None = None, bold: bool = False) -> str:
    """`text` in colour, if `stream` is a terminal and `NO_COLOR` (https://no-color.org) is not set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or stream is None or not stream.isatty():
        return text
    return click.style(text, fg=fg, bold=bold or None)


def discard(stream: TextIO) -> None:
    """What is still buffered would fail again when the interpreter ends: it and all that follows goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write_stream(stream: TextIO | None, pieces: Iterable[bytes]) -> None:
    """Write and flush. A reader that went away (`| head`) is no error: the rest is not wanted.

    Raises `click.ClickException` when the stream was closed by the caller (`>&-`), or is full.
    """
    if stream is None:
        raise click.ClickException("Cannot write: the stream is closed.")
    try:
        stream.buffer.writelines(pieces)
        stream.flush()
    except OSError as error:
        discard(stream)
        if not isinstance(error, BrokenPipeError):
            raise click.ClickException(f"Cannot write: {error.strerror or error}.") from error
