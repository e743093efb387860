"""SubRip text to cues.

A file is a sequence of blocks with blank lines between: a number, a line with two times, lines of text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markitect_tool.diagnostics import DiagnosticSink
from markitect_tool.errors import MalformedSourceError

TIMES = re.compile(r"(\d{1,4}):(\d\d):(\d\d)[,.](\d{3})\s*-->\s*(\d{1,4}):(\d\d):(\d\d)[,.](\d{3})")


class Cue(NamedTuple):
    """Text that is shown from `start` to `end`, in milliseconds."""

    start: int
    end: int
    text: str


def decode(content: bytes, sink: DiagnosticSink, uri: str) -> str:
    """The text of a subtitle file: UTF-8, or else Windows-1252, which is what old files have."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        sink.report("source.encoding_recovered", "The subtitles are not UTF-8; read as Windows-1252.", source=uri)
        return content.decode("cp1252", "replace")


def parse(text: str, sink: DiagnosticSink, uri: str) -> list[Cue]:
    """The cues of `text` in the order of the file.

    A block without times is reported and its text kept with the cue before it. Raises `MalformedSourceError`
    when no block has times.
    """
    cues: list[Cue] = []
    homeless: list[str] = []  # text before the first cue
    for number, lines in blocks(text):
        found = next((at for at, line in enumerate(lines[:2]) if TIMES.match(line)), None)
        if found is None:
            sink.report("source.markup_recovered", "A block has no times; its text stays.", source=uri, line=number)
            stray = " ".join(lines)
            if cues:
                cues[-1] = cues[-1]._replace(text=f"{cues[-1].text} {stray}".strip())
            else:
                homeless.append(stray)
            continue
        start, end = times(lines[found])
        cues.append(Cue(start, end, " ".join([*homeless, *lines[found + 1 :]])))
        homeless = []
    if not cues:
        raise MalformedSourceError("There is no line with times such as 00:00:01,000 --> 00:00:02,000.", source=uri)
    return cues


def blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines that are not blank, each with the number of its first line, from 1."""
    run: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            run.append(line.strip())
        elif run:
            yield number - len(run), run
            run = []


def times(line: str) -> tuple[int, int]:
    """Start and end in milliseconds of a line that `TIMES` matches."""
    match = TIMES.match(line)
    assert match is not None
    hours, minutes, seconds, thousandths, *end = (int(part) for part in match.groups())
    start = ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths
    return start, ((end[0] * 60 + end[1]) * 60 + end[2]) * 1000 + end[3]
