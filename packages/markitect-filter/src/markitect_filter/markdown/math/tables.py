"""mtable, mtr, mlabeledtr, mtd to the environments of TeX: matrix, aligned, cases, array, substack.

MathML 3, chapter 3.5. Columns are aligned, lines are drawn; widths, spacing and spans over rows have no TeX form
that KaTeX and MathJax share, so they are dropped. A span over columns leaves blank cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from lxml import etree

from .fragment import EMPTY, GAP, Fragment, Kind
from .rows import row

#: A cell never spans more columns than this, whatever the book says.
_MAX_SPAN = 50
_ALIGNMENTS = {"left": "l", "center": "c", "right": "r"}
_BLANK_CELL = frozenset((Kind.EMPTY, Kind.SPACE))

_BETWEEN = r"\quad" + GAP


def cell(children: Sequence[Fragment]) -> Fragment:
    """mtd; space at its end is layout, not content."""
    end = len(children)
    while end and children[end - 1].kind in _BLANK_CELL:
        end -= 1
    return row(children[:end])


def table_row(element: etree._Element, cells: Sequence[Fragment]) -> Fragment:
    """mtr, mlabeledtr. `parts` are the cells, `core` has a letter of alignment or a blank for each."""
    if not cells:
        return row_of(())
    cells = list(cells)
    elements = [child for child in element if isinstance(child.tag, str)]
    if len(elements) != len(cells):  # stray text became a cell
        elements = []
    label = EMPTY
    if isinstance(element.tag, str) and element.tag.endswith("mlabeledtr"):
        label, cells, elements = cells[0], cells[1:], elements[1:]
    shared = element.get("columnalign")
    default = _alignment(shared.split()[0]) if shared and shared.strip() else " "
    parts: list[Fragment] = []
    letters: list[str] = []
    for child, part in zip_longest(elements, cells, fillvalue=None):
        if part is None:
            continue
        span = _span(child.get("columnspan")) if child is not None else 1
        own = child.get("columnalign") if child is not None else None
        parts.append(part)
        letters.append(_alignment(own) if own else default)
        if span > 1:
            parts.extend([EMPTY] * (span - 1))
            letters.append(" " * (span - 1))
    if label.tex:
        end = parts.pop() if parts else EMPTY
        parts.append(row([end, Fragment(r"\qquad" + GAP, Kind.SPACE), label]))
        letters = letters or [" "]
    return row_of(parts, "".join(letters))


def row_of(cells: Sequence[Fragment], alignment: str = "") -> Fragment:
    """Cells to stand in a table; anywhere else they are shown with space between."""
    return Fragment(_BETWEEN.join([part.tex for part in cells]), Kind.TABLE_ROW, True, alignment, tuple(cells))


def _alignment(value: str) -> str:
    return _ALIGNMENTS.get(value.strip(), " ")


def _span(value: str | None) -> int:
    if not value:
        return 1
    value = value.strip()
    return max(1, min(int(value[:4]), _MAX_SPAN)) if value.isascii() and value.isdigit() else 1


def table(element: etree._Element, rows: Sequence[Fragment]) -> Fragment:
    """mtable. `core` says what fences may make of it: a matrix, narrow (also cases), cases, or nothing."""
    cells = [_without_blank_end(child) for child in rows]
    while cells and not cells[-1]:
        cells.pop()
    width = max((len(parts) for parts in cells), default=0)
    if not width:
        return EMPTY
    columns = _columns(element, rows, width)
    lines = _lines(element, "columnlines", width)
    rules = _lines(element, "rowlines", len(cells))
    body = Fragment(_body(cells, rules))
    if lines or rules:
        return environment("array", body, spec=_spec(columns, lines))
    if width > 1 and columns == ("rl" * width)[:width]:
        return environment("aligned", body)
    if columns == "c" * width:
        return environment("matrix", body, core="narrow" if width <= 2 else "matrix")
    return environment("array", body, core="cases" if width <= 2 else "", spec=_spec(columns, lines))


def _without_blank_end(child: Fragment) -> tuple[Fragment, ...]:
    parts = child.parts if child.kind is Kind.TABLE_ROW else (child,)
    end = len(parts)
    while end and parts[end - 1].kind in _BLANK_CELL:
        end -= 1
    return parts[:end]


def _columns(element: etree._Element, rows: Sequence[Fragment], width: int) -> str:
    """One letter per column: the first alignment a cell of it asks for, else the table's, else centred."""
    columns = [" "] * width
    missing = width
    for child in rows:
        if not missing:
            break
        for position, letter in enumerate(child.core[:width] if child.kind is Kind.TABLE_ROW else ""):
            if letter != " " and columns[position] == " ":
                columns[position] = letter
                missing -= 1
    defaults = [_alignment(word) for word in (element.get("columnalign") or "").split()] or ["c"]
    for position, letter in enumerate(columns):
        if letter == " ":
            columns[position] = defaults[min(position, len(defaults) - 1)].replace(" ", "c")
    return "".join(columns)


def _lines(element: etree._Element, attribute: str, count: int) -> frozenset[int]:
    """Numbers of the columns or rows with a line before them; `count` stands for a line after the last."""
    words = (element.get(attribute) or "").split()
    lines: set[int] = set()
    if any(word != "none" for word in words):
        lines = {n + 1 for n in range(count - 1) if words[min(n, len(words) - 1)] != "none"}
    if element.get("frame", "none") != "none":
        lines |= {0, count}
    return frozenset(lines)


def _spec(columns: str, lines: frozenset[int]) -> str:
    bars = ["|" if n in lines else "" for n in range(len(columns) + 1)]
    return "".join([bar + letter for bar, letter in zip(bars, columns, strict=False)]) + bars[-1]


def _body(cells: Sequence[Sequence[Fragment]], rules: frozenset[int]) -> str:
    lines = []
    for number, parts in enumerate(cells):
        line = " & ".join([part.tex for part in parts])
        if line[:1] in ("[", "*"):  # would be an argument of the \\ before it
            line = "{}" + line
        lines.append(r"\hline " + line if number in rules else line)
    return r" \\ ".join(lines) + (r" \\ \hline" if len(cells) in rules else "")


def environment(name: str, body: Fragment, core: str = "", spec: str = "") -> Fragment:
    """`\\begin{name} … \\end{name}`; the body stays at hand for a parent that knows a better environment."""
    columns = "{" + spec + "}" if spec else ""
    tex = rf"\begin{{{name}}}{columns} {body.tex} \end{{{name}}}"
    return Fragment(tex, Kind.TABLE, True, core, (body,))
