"""Rows: fragments side by side, their fences paired; and fences around a content.

A fence stretches (`\\left( … \\right)`) only around something tall; `f(x)` stays `f(x)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .fragment import EMPTY, Fragment, Kind, command
from .symbols import BARS, DELIMITERS, MATRICES

_FENCES = frozenset((Kind.OPEN, Kind.CLOSE, Kind.BAR))
_INFIX = frozenset((Kind.BINARY, Kind.RELATION, Kind.ARROW))
#: After one of these, or at the start, a plus or minus is a sign and a bar opens.
_NO_OPERAND = frozenset((None, Kind.BINARY, Kind.RELATION, Kind.ARROW, Kind.PUNCTUATION, Kind.OPEN, Kind.BAR))

#: TeX sets this much after a comma by itself.
_THIN = frozenset((r"\,", r"\:", r"\;"))


def row(children: Sequence[Fragment]) -> Fragment:
    """The children as one fragment."""
    if len(children) == 1:
        return children[0]
    pieces: list[str] = []
    previous: Kind | None = None
    tall = False
    shown = 0
    last = EMPTY
    for child in children:
        tex, kind, child_tall = child[:3]
        if not tex:
            continue
        if kind in _FENCES:
            return _FencedRow(children).paired()
        if kind is Kind.SPACE and last.kind is Kind.PUNCTUATION and tex in _THIN:
            continue
        pieces.append(_spaced(tex, kind, previous))
        tall = tall or child_tall
        last = child
        shown += 1
        if kind is not Kind.SPACE:
            previous = kind
    if shown == 1:
        return last
    return Fragment("".join(pieces), Kind.ROW if pieces else Kind.EMPTY, tall)


def _spaced(tex: str, kind: Kind, previous: Kind | None) -> str:
    """Infix operators between blanks, a sign close to its operand."""
    if kind in _INFIX:
        return tex if kind is Kind.BINARY and previous in _NO_OPERAND else f" {tex} "
    return tex + " " if kind is Kind.PUNCTUATION else tex


class _Waiting:
    """An opened fence whose partner has not come yet."""

    __slots__ = ("after_operand", "fence", "position", "tall")

    def __init__(self, fence: Fragment, position: int, after_operand: bool) -> None:
        self.fence = fence
        self.position = position
        self.after_operand = after_operand
        self.tall = False


class _FencedRow:
    """Pairs the fences of one row. Works on a flat list of pieces: deeply nested fences cost no copying."""

    def __init__(self, children: Sequence[Fragment]) -> None:
        self.children = children
        self.pieces: list[str] = []
        self.waiting: list[_Waiting] = []
        self.previous: Kind | None = None
        self.last: Fragment = EMPTY
        self.tall = False
        self.outermost = (-1, -1)
        """Positions of the pair closed last."""

    def paired(self) -> Fragment:
        for child in self.children:
            thin = child.kind is Kind.SPACE and self.last.kind is Kind.PUNCTUATION and child.tex in _THIN
            if child.tex and not thin:
                self._add(child)
        whole = self.outermost == (0, len(self.pieces) - 1)
        while self.waiting:
            self._leave_alone(self.waiting.pop())
        kind = Kind.ATOM if whole or len(self.pieces) == 1 else Kind.ROW
        return Fragment("".join(self.pieces), kind, self.tall)

    def _add(self, child: Fragment) -> None:
        kind = child.kind
        if kind is Kind.BAR:
            top = self.waiting[-1] if self.waiting else None
            if top and top.fence.core == child.core and self.previous not in _NO_OPERAND:
                self._close(self.waiting.pop(), child)
                return
            self._wait(child)
        elif kind is Kind.OPEN:
            self._wait(child)
        elif kind is Kind.CLOSE:
            while self.waiting and self.waiting[-1].fence.kind is Kind.BAR:
                self._leave_alone(self.waiting.pop())
            if self.waiting:
                self._close(self.waiting.pop(), child)
                return
        elif child.tall:
            self._mark_tall()
        self._append(_spaced(child.tex, kind, self.previous), child)

    def _append(self, piece: str, fragment: Fragment) -> None:
        self.pieces.append(piece)
        self.last = fragment
        if fragment.kind is not Kind.SPACE:
            self.previous = fragment.kind

    def _wait(self, fence: Fragment) -> None:
        self.waiting.append(_Waiting(fence, len(self.pieces), self.previous not in _NO_OPERAND))

    def _mark_tall(self) -> None:
        self.tall = True
        if self.waiting:
            self.waiting[-1].tall = True

    def _close(self, opened: _Waiting, closing: Fragment) -> None:
        """Write both fences, around what stands between them."""
        position = opened.position
        left, right = opened.fence.core, closing.core
        if len(self.pieces) == position + 2 and self.last.kind in (Kind.TABLE, Kind.BINOMIAL):
            whole = fenced(left, self.last, right)
            del self.pieces[position:]
            self._append(whole.tex, whole)
        else:
            self.pieces[position], after = _fence_pair(left, right, opened.tall)
            self._append(after, closing._replace(kind=Kind.CLOSE))
        self.outermost = (position, len(self.pieces) - 1)
        if opened.tall:
            self._mark_tall()

    def _leave_alone(self, opened: _Waiting) -> None:
        """No partner: a bar between operands divides, a brace before the last table makes cases."""
        position, fence = opened.position, opened.fence
        at_end = position == len(self.pieces) - 1
        if fence.kind is Kind.BAR and opened.after_operand and not at_end:
            self.pieces[position] = " " + command(r"\mid" if fence.core == "|" else r"\parallel") + " "
        elif fence.core == "{" and position == len(self.pieces) - 2 and self.last.kind is Kind.TABLE:
            self.pieces[position:] = [fenced("{", self.last, "").tex]
        if opened.tall:
            self._mark_tall()


def _fence_pair(left: str, right: str, tall: bool) -> tuple[str, str]:
    """The TeX of both fences. An absent one is written only where a stretching partner needs it."""
    if tall:
        return (
            r"\left" + command(DELIMITERS[left][2] if left else "."),
            r"\right" + command(DELIMITERS[right][2] if right else "."),
        )
    # A bar is oriented by the side it stands on; the other fences have their shape.
    return (
        command(DELIMITERS[left][0]) if left else "",
        command(DELIMITERS[right][1]) if right else "",
    )


def fenced(left: str, content: Fragment, right: str) -> Fragment:
    """`content` between two delimiters, of which one may be absent; matrices get their own environment."""
    if content.kind is Kind.TABLE:
        name = MATRICES.get((left, right)) if content.core in ("matrix", "narrow") else None
        if (left, right) == ("{", "") and content.core in ("narrow", "cases"):
            name = "cases"
        if name:
            body = content.parts[0]
            return Fragment(rf"\begin{{{name}}} {body.tex} \end{{{name}}}", Kind.ATOM, True)
    if content.kind is Kind.BINOMIAL and (left, right) == ("(", ")"):
        upper, lower = content.parts
        return Fragment(r"\binom" + upper.tex + lower.tex, Kind.ATOM, True)
    before, after = _fence_pair(left, right, content.tall)
    if not content.tall and right in BARS and not left:
        after = " " + command(r"\mid" if right == "|" else r"\parallel") + " "
    return Fragment(before + content.tex + after, Kind.ATOM if left and right else Kind.ROW, content.tall)
