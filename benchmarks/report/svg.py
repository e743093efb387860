"""Plots as SVG, small enough to read: a frame with axes, and points, lines or bars in it.

Colours follow the reader's light or dark scheme, on a ground of their own: a plot can be read wherever it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

WIDTH = 760
_STYLE = """
svg{--ground:#fff;--ink:#1f2328;--faint:#6e7781;--grid:#e4e7eb;--c0:#1a6fb0;--c1:#c4500a;--c2:#7a5fb5;--c3:#2d7d46;--c4:#8a8f98}
@media(prefers-color-scheme:dark){svg{--ground:#161b22;--ink:#e6edf3;--faint:#9aa4b0;--grid:#30363d;\
--c0:#58a6ff;--c1:#ff9b57;--c2:#b79bff;--c3:#5fcf80;--c4:#8b949e}}
text{font:13px system-ui,sans-serif;fill:var(--ink)}.faint{fill:var(--faint)}.title{font-weight:600;font-size:15px}
.ground{fill:var(--ground)}.grid{stroke:var(--grid);fill:none}.limit{stroke:var(--ink);stroke-dasharray:5 4;fill:none}
.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}
.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}
.s0,.s1,.s2,.s3,.s4{fill:none;stroke-width:2}
""".strip()


@dataclass(frozen=True, slots=True)
class Axis:
    """From values to pixels. On a logarithmic axis values are above 0."""

    least: float
    most: float
    start: float  # the pixel of `least`
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value."""
        least, most = (math.log(self.least), math.log(self.most)) if self.logarithmic else (self.least, self.most)
        position = math.log(value) if self.logarithmic else value
        return self.start + (self.end - self.start) * (position - least) / (most - least)

    def ticks(self) -> list[float]:
        """Some round values on the axis."""
        if self.logarithmic:
            decades = range(math.floor(math.log10(self.least)), math.ceil(math.log10(self.most)) + 1)
            found = [step * 10.0**power for power in decades for step in (1, 2, 5)]
        else:
            step = _round_step((self.most - self.least) / 5)
            found = [step * number for number in range(math.ceil(self.least / step), int(self.most / step) + 1)]
        return [value for value in found if self.least <= value * (1 + 1e-9) and value <= self.most * (1 + 1e-9)]


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)


def rounded_up(value: float) -> float:
    """The end of an axis from 0 that has room for `value`."""
    step = _round_step(value / 5)
    return step * math.ceil(value * 1.02 / step)


def number(value: float) -> str:
    """A number as people write it, with three digits that mean something."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(slots=True)
class Drawing:
    """An SVG image that grows part by part. `description` is read out to those who don't see it."""

    height: int
    title: str
    description: str
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, *, anchor: str = "start", style: str = "") -> None:
        """A line of text; `anchor` is start, middle or end."""
        named = f' class="{style}"' if style else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(text)}</text>')

    def line(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """A line through these points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" class="{style}"/>')

    def dot(self, x: float, y: float, color: int, *, note: str = "", radius: float = 5) -> None:
        """A dot; `note` shows where the pointer rests on it."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="f{color}">{_note(note)}</circle>')

    def bar(self, x: float, y: float, width: float, height: float, color: int, *, note: str = "") -> None:
        """A bar from its upper left corner."""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" rx="2" '
            f'class="f{color}">{_note(note)}</rect>'
        )

    def vertical_grid(self, axis: Axis, top: float, bottom: float, label: str) -> None:
        """Lines and numbers of a horizontal axis, which is named below."""
        for value in axis.ticks():
            x = axis.at(value)
            self.line([(x, top), (x, bottom)], "grid")
            self.text(x, bottom + 18, number(value), anchor="middle", style="faint")
        self.text((axis.start + axis.end) / 2, bottom + 38, label, anchor="middle", style="faint")

    def horizontal_grid(self, axis: Axis, left: float, right: float, label: str) -> None:
        """Lines and numbers of a vertical axis, which is named above."""
        for value in axis.ticks():
            y = axis.at(value)
            self.line([(left, y), (right, y)], "grid")
            self.text(left - 8, y + 4, number(value), anchor="end", style="faint")
        self.text(left, axis.end - 12, label, style="faint")

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, int]]) -> None:
        """A row of dots with their names."""
        for name, color in entries:
            self.dot(x, y - 4, color)
            self.text(x + 10, y, name)
            x += 24 + 7.4 * len(name)

    def render(self) -> str:
        """The image's file."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img" aria-labelledby="t d">\n'
            f'<title id="t">{escape(self.title)}</title>\n<desc id="d">{escape(self.description)}</desc>\n'
            f"<style>{_STYLE}</style>\n"
            f'<rect class="ground" width="{WIDTH}" height="{self.height}" rx="6"/>\n'
            f'<text x="20" y="28" class="title">{escape(self.title)}</text>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )


def _note(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""
