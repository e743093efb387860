"""Tables: rows and cells -> a grid -> a GFM table (GFM specification 4.10).

The grid is computed first (HTML, 'forming a table'), so that every row has its real width; a cell that spans
several keeps its text in the first. What a GFM table can't say is named in `flattened`.
"""

from __future__ import annotations

from .layout import PARAGRAPH, TABLE, Frame

MAX_COLSPAN = 1000  # HTML, attributes of td and th
SPARE_CELLS = 250_000  # what spans and padding may add to the tables of one document; more is left out
OWN_SHARE = 4  # a grid of up to so many times a table's own cells costs nothing of that
TOO_LARGE = "grid too large"

_RULES = {"left": ":--", "right": "--:", "center": ":-:"}


class Cell:
    """One cell as Markdown, which spans `columns`, up to MAX_COLSPAN, and `rows`: 0 is to the end of the table."""

    __slots__ = ("align", "columns", "header", "rows", "text")

    def __init__(self, text: str = "", header: bool = False, columns: int = 1, rows: int = 1, align: str = "") -> None:
        self.text = text
        self.header = header
        self.columns = columns
        self.rows = rows
        self.align = align


class TableFrame(Frame):
    """A table that is open. Blocks put into the table itself (captions, stray text) come out before it."""

    __slots__ = ("flattened", "head_rows", "in_head", "rows", "spare")

    def __init__(self, spare: int = SPARE_CELLS) -> None:
        super().__init__()
        self.spare = spare  # cells that spans and padding may still add
        self.rows: list[list[Cell]] = []
        self.in_head = False
        self.head_rows = 0  # rows inside of thead at the start of the table
        self.flattened: set[str] = set()

    def start_row(self) -> None:
        """Open a row."""
        if self.in_head and self.head_rows == len(self.rows):
            self.head_rows += 1
        self.rows.append([])

    def add_cell(self, cell: Cell) -> None:
        """Take a cell in; without a row it opens one."""
        if not self.rows:
            self.start_row()
        self.rows[-1].append(cell)

    def close(self, parent: Frame) -> None:
        for text in self.blocks:
            parent.add(PARAGRAPH, text)
        first = next((n for n, row in enumerate(self.rows) if row), None)
        if first is None:
            return
        self.head_rows = max(0, self.head_rows - sum(1 for row in self.rows[: self.head_rows] if not row))
        rows = [row for row in self.rows if row]
        grid, aligns = self._grid(rows)
        if not any(any(row) for row in grid):
            return
        width = max(len(row) for row in grid)
        head = self.head_rows > 0 or all(cell.header for cell in rows[0])
        if self.head_rows > 1:
            self.flattened.add("header rows")
        rule = [*aligns, *["---"] * width][:width]
        lines = [_line(grid[0] if head else [""] * width), _line(rule)]
        lines += [_line(row) for row in grid[1 if head else 0 :]]
        parent.add(TABLE, "\n".join(lines))

    def _grid(self, rows: list[list[Cell]]) -> tuple[list[list[str]], list[str]]:
        """Every row at its full width, and the alignments; without spans where those would make too many cells."""
        own = sum(map(len, rows))
        spans = any([cell.columns > 1 or cell.rows != 1 for row in rows for cell in row])  # noqa: C419 - quicker
        grid = _spread(rows, self.spare + OWN_SHARE * own, spans)
        if grid is None:
            self.flattened.add(TOO_LARGE)
            for cell in rows[0]:
                cell.columns = 1
            width = max(map(len, rows))
            lines = [[cell.text for cell in row] + [""] * (0 if n else width - len(row)) for n, row in enumerate(rows)]
            return lines, _alignments(rows)
        if spans:
            self.flattened.add("spans")
        self.spare -= max(0, sum(map(len, grid[0])) - OWN_SHARE * own)
        return _without_empty_columns(*grid, _alignments(rows))


def _alignments(rows: list[list[Cell]]) -> list[str]:
    return [_RULES.get(cell.align, "---") for cell in rows[0] for _ in range(cell.columns)]


def _without_empty_columns(
    grid: list[list[str]], begun: set[int], aligns: list[str]
) -> tuple[list[list[str]], list[str]]:
    """A column in which no cell begins is only there because cells span it: nobody would see it (CSS 2.2, 17.5.2)."""
    if len(begun) == len(grid[0]):
        return grid, aligns
    columns = sorted(begun)
    return [[line[n] for n in columns] for line in grid], [aligns[n] for n in columns if n < len(aligns)]


def _spread(rows: list[list[Cell]], most: int, spans: bool) -> tuple[list[list[str]], set[int]] | None:
    """The grid, and the columns in which cells begin; None if it would have more than `most` cells."""
    if spans:
        spread = _span(rows, most)
        if spread is None:
            return None
        grid, begun = spread
        width = max(map(len, grid))
    else:
        grid = [[cell.text for cell in row] for row in rows]
        width = max(map(len, grid))
        begun = set(range(width))
    if width * len(grid) > most:
        return None
    return [line + [""] * (width - len(line)) for line in grid], begun


def _span(rows: list[list[Cell]], most: int) -> tuple[list[list[str]], set[int]] | None:
    """The same before the lines are filled up."""
    grid: list[list[str]] = []
    begun: set[int] = set()
    taken: dict[int, int] = {}  # column -> rows below that a cell above still covers
    size = 0
    for n, row in enumerate(rows):
        line: list[str] = []
        covered = taken
        taken = {column: left - 1 for column, left in covered.items() if left > 1}
        for cell in row:
            while len(line) in covered:
                line.append("")
            if size + len(line) + cell.columns > most:
                return None
            below = (len(rows) - n if cell.rows == 0 else min(cell.rows, len(rows) - n)) - 1
            begun.add(len(line))
            for offset in range(cell.columns):
                if below > 0:
                    taken[len(line)] = below
                line.append("" if offset else cell.text)
        while len(line) in covered:
            line.append("")
        size += len(line)
        grid.append(line)
    return grid, begun


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
