"""The sidebar: anchors with their progress, smart lists, saved searches, tags."""

from __future__ import annotations

from collections.abc import Iterator

from anchorlight.store import SEARCH_PREFIX, Overview, Progress
from anchorlight.store.text import ELLIPSIS
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from ..text import fit, printable, strip_of
from ..view import short_title
from .lines import Lines

Row = Progress | str
"""A list, or the heading of a group."""


class Sidebar(Lines):
    """All lists there are, grouped, with how much of each is read."""

    def __init__(self) -> None:
        super().__init__(id="sidebar")
        self._rows: list[Row] = []
        self._opened = ""

    def update(self, overview: Overview, opened: str) -> None:
        """Show lists and counts, with one of them opened."""
        rows = list(_rows(overview))
        if (rows, opened) == (self._rows, self._opened) and self.name_at(self.index) == opened:
            return
        self._rows = rows
        self._opened = opened
        places = {row.key: at for at, row in enumerate(self._rows) if isinstance(row, Progress)}
        self.show(len(self._rows), places.get(opened, 1))

    def name_at(self, index: int) -> str | None:
        """Return the identifier of the list in a line."""
        row = self._rows[index] if 0 <= index < len(self._rows) else None
        return row.key if isinstance(row, Progress) else None

    def names(self) -> list[str]:
        """Return the identifiers of all lists, from top to bottom."""
        return [row.key for row in self._rows if isinstance(row, Progress)]

    def unread(self, name: str) -> int:
        """Return how many papers of a list are unread."""
        rows = (row for row in self._rows if isinstance(row, Progress))
        return next((row.unread for row in rows if row.key == name), 0)

    def can_rest_on(self, index: int) -> bool:
        """Headings are passed over."""
        return isinstance(self._rows[index], Progress)

    def draw(self, index: int, width: int) -> Strip:
        """Draw a heading, or a list with its counts at the right."""
        row = self._rows[index]
        if isinstance(row, str):
            return strip_of([Segment(f" {row}", self.inks.muted)], width, self.inks.text)
        opened = row.key == self._opened
        inks, ground = self.inks, self.ground(index)
        base = (inks.strong if opened else inks.text) + ground
        counts = _counts(row)
        whole = short_title(row.title) if row.key.startswith("anchor:") else row.title
        title = fit(printable(whole), width - cell_len(counts) - 5)
        gap = width - 3 - cell_len(title) - cell_len(counts) - 1
        done = row.papers and not row.unread and _has_progress(row)
        segments = [
            Segment(" ▸ " if opened else "   ", inks.primary + ground),
            Segment(title, base),
            Segment(" " * max(gap, 1), base),
            Segment(counts, (inks.good if done else inks.muted) + ground),
        ]
        return strip_of(segments, width, base)


def _has_progress(row: Progress) -> bool:
    return row.key.startswith(("anchor:", SEARCH_PREFIX))


def _counts(row: Progress) -> str:
    """Anchors and searches show what is done of them, other lists how many papers they hold."""
    if row.left:
        return ELLIPSIS
    if _has_progress(row):
        return f"{row.papers - row.unread}/{row.papers}"
    return str(row.papers)


def _rows(overview: Overview) -> Iterator[Row]:
    groups = (
        ("ANCHORS", overview.anchors),
        ("LISTS", overview.lists),
        ("SEARCHES", overview.searches),
        ("TAGS", overview.tags),
    )
    first = True
    for heading, members in groups:
        if members:
            if not first:
                yield ""
            yield heading
            yield from members
            first = False
