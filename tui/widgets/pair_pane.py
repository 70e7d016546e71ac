"""Two papers that may be one, side by side, and under them the paper that they would be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from ..comparing import SAME, Row
from ..text import fit, printable_lines, strip_of, wrap
from .lines import Lines

BESIDE = 100
"""Cells from which the papers stand side by side."""

_STAYS = "✓"
"""Stands before what the joined paper has."""

_Line = list[tuple[str, str]]
"""Texts, each with the name of its ink."""


class PairPane(Lines):
    """Shows two papers field by field; its lines scroll, none is current."""

    has_cursor = False

    def __init__(self) -> None:
        super().__init__(id="pair")
        self._evidence: Sequence[str] = ()
        self._rows: Sequence[Row] = ()
        self._kept = 0
        self._said: Sequence[str] = ()
        self._layout: list[_Line] = []
        self._laid_out_for = 0

    def say(self, *lines: str) -> None:
        """Show sentences instead of papers."""
        self._said, self._rows = lines, ()
        self._lay_out()
        self.to_end(last=False)
        self.refresh()

    def update(self, evidence: Sequence[str], rows: Sequence[Row], kept: int) -> None:
        """Show two papers.

        Args:
            evidence: What speaks for their being one.
            rows: Their fields.
            kept: Which of them is kept, 0 or 1.
        """
        is_other = [row[:3] for row in rows] != [row[:3] for row in self._rows]
        self._evidence, self._rows, self._kept, self._said = evidence, rows, kept, ()
        self._lay_out()
        if is_other:
            self.to_end(last=False)
        self.refresh()

    def step(self, amount: int) -> None:
        """Scroll by lines."""
        self.scroll_to_line(self.top + amount)

    def to_end(self, *, last: bool) -> None:
        """Scroll to the end or the beginning."""
        self.scroll_to_line(self.count if last else 0)

    def draw(self, index: int, width: int) -> Strip:
        """Draw a line as it was laid out."""
        segments = [Segment(text, getattr(self.inks, ink)) for text, ink in self._layout[index]]
        return strip_of(segments, width, self.inks.text)

    def on_resize(self) -> None:
        """Lay everything out anew where the width is another."""
        if self.size.width != self._laid_out_for:
            self._lay_out()
            self.refresh()
        super().on_resize()

    # Layout

    def _lay_out(self) -> None:
        self._laid_out_for = width = self.size.width
        self._layout = []
        if width > 12:
            for line in self._said:
                self._layout += [[(" " + text, "text")] for text in _wrapped(line, width - 3)]
            if self._rows:
                self._lay_out_rows(width - 2)
        self.count = len(self._layout)

    def _lay_out_rows(self, width: int) -> None:
        for sentence in self._evidence:
            self._layout += [[(f" {text}", "accent")] for text in _wrapped(sentence, width - 1)]
        self._rule(width)
        room = 10 if width >= 60 else 6
        self._add_head(width, room)
        for row in self._rows:
            if width >= BESIDE - 2:
                self._add_beside(row, width, room)
            else:
                self._add_below(row, width, room)
        self._rule(width, f" as one paper, under the key of {self._kept + 1} ")
        for row in self._rows:
            self._add_row(row.label, " ", [("  ", row.joined, "text")], width, room)

    def _rule(self, width: int, title: str = "") -> None:
        title = fit(title, width - 4)
        rest = "─" * max(width - cell_len(title) - 3, 0)
        self._layout.append([(" ──", "rule"), (title, "muted"), (rest, "rule")])

    def _head(self, which: int) -> tuple[str, str]:
        kept = which == self._kept
        return (
            f"▸ {which + 1} is kept" if kept else f"  {which + 1}",
            "strong" if kept else "muted",
        )

    def _add_head(self, width: int, room: int) -> None:
        if width < BESIDE - 2:
            return
        half = self._half(width, room)
        text, ink = self._head(0)
        blank = " " * (half + 3 - cell_len(text))
        self._layout.append([(" " * (room + 4), "text"), (text + blank, ink), self._head(1)])

    def _half(self, width: int, room: int) -> int:
        return (width - room - 4 - 3) // 2

    def _add_beside(self, row: Row, width: int, room: int) -> None:
        half = self._half(width, room)
        columns = [
            self._column(row, which, text, half)
            for which, text in enumerate((row.first, row.second))
        ]
        for at, (left, right) in enumerate(zip_longest(*columns, fillvalue="")):
            label = self._label(row.label if not at else "", row.sign if not at else " ", room)
            left += " " * (half + 3 - cell_len(left))
            inks = self._inks_of(row)
            self._layout.append([*label, (left, inks[0]), (right, inks[1])])

    def _column(self, row: Row, which: int, text: str, width: int) -> list[str]:
        sign = _STAYS if row.sign != SAME and text and text == row.joined else " "
        lines = _wrapped(text, width - 2)
        return [f"{' ' if at else sign} {line}" for at, line in enumerate(lines)]

    def _add_below(self, row: Row, width: int, room: int) -> None:
        if row.sign == SAME:
            values = [("    ", row.first, self._inks_of(row)[0])]
        else:
            values = [
                (f"{_STAYS if text == row.joined else ' '} {which + 1} ", text, ink)
                for which, (text, ink) in enumerate(
                    zip((row.first, row.second), self._inks_of(row), strict=True)
                )
                if text
            ]
        self._add_row(row.label, row.sign, values, width, room)

    def _inks_of(self, row: Row) -> tuple[str, str]:
        if row.sign == SAME:
            return "muted", "muted"
        return ("text", "muted") if self._kept == 0 else ("muted", "text")

    def _add_row(
        self, label: str, sign: str, values: Iterable[tuple[str, str, str]], width: int, room: int
    ) -> None:
        """Lay out values one below the other, each behind what stands before it."""
        for before, text, ink in values:
            for line in _wrapped(text, width - room - 4 - len(before)):
                self._layout.append([*self._label(label, sign, room), (before + line, ink)])
                label, sign, before = "", " ", " " * len(before)

    def _label(self, label: str, sign: str, room: int) -> _Line:
        label = fit(label, room)
        blank = " " * (room - cell_len(label))
        return [(f" {label}{blank} ", "muted"), (f"{sign} ", "accent" if sign != SAME else "muted")]


def _wrapped(text: str, width: int) -> list[str]:
    return [
        line[start:end]
        for line in printable_lines(text)
        for start, end in (wrap(line, width) if line else ((0, 0),))
    ]
