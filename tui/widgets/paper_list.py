"""The list of papers: status, title, who and when, one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anchorlight.store import Entry, Rows, Status
from anchorlight.store.names import parts
from anchorlight.store.text import ELLIPSIS, clean_line
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from ..text import find, fit, marked_segments, pad, printable, strip_of
from .lines import Lines

if TYPE_CHECKING:
    from anchorlight.store.query import Text

SIGNS = {
    Status.UNREAD: "●",
    Status.QUEUED: "◷",
    Status.READING: "◐",
    Status.READ: "✓",
    Status.SKIPPED: "–",
}
"""How a status looks in a list; never by colour alone."""

STAR = "★"
NOTE = "✎"
_INKS = {
    Status.UNREAD: "primary",
    Status.QUEUED: "accent",
    Status.READING: "accent",
    Status.READ: "good",
    Status.SKIPPED: "muted",
}


LEAST_SNIPPET = 20
"""Cells beside a title from which on what matched elsewhere is shown there."""

AHEAD = 50
"""So many papers before and behind those in view are in memory, so that moving on is at once."""

Bring = Callable[[int, int, Callable[[], None] | None], None]


class PaperList(Lines):
    """The papers of a list or of a search.

    Args:
        on_moved: Called when another paper became current, at once: a message would arrive only
            after the next picture, which then showed the list without its paper.
        bring: Called with the first and the last of papers that are to be brought into memory,
            and with what to do then, if anything.
    """

    def __init__(self, on_moved: Callable[[], None], bring: Bring) -> None:
        super().__init__(id="papers")
        self._on_moved = on_moved
        self._bring = bring
        self.entries = Rows.of(())
        self.selected: set[str] = set()
        self._parts: tuple[Text, ...] = ()
        self._empty: tuple[str, ...] = ()

    def update(
        self,
        entries: Rows,
        index: int,
        parts: tuple[Text, ...] = (),
        empty: tuple[str, ...] = (),
    ) -> None:
        """Show papers.

        Args:
            entries: The papers.
            index: The current one.
            parts: What to highlight in titles and authors.
            empty: What to say where there are none: what is so, and what to do.
        """
        self.entries = entries
        self._parts = parts
        self._empty = empty
        self.show(len(entries), index)

    def moved(self) -> None:
        """Tell that another paper became current."""
        self._on_moved()

    @property
    def current(self) -> Entry | None:
        """The current paper."""
        return self.entries.ready(self.index)

    def move_to(self, index: int) -> None:
        """Move to a paper, as soon as it and those around it are in memory."""
        index = min(max(index, 0), max(self.count - 1, 0))
        first, last = index - self.page, index + self.page + 1
        if not self.entries.are_ready(first, last):
            self._bring(first - AHEAD, last + AHEAD, lambda: self.move_to(index))
            return
        super().move_to(index)
        for start, stop in ((first - AHEAD, first), (last, last + AHEAD)):
            if not self.entries.are_ready(start, stop):
                self._bring(start - AHEAD, stop + AHEAD, None)  # and for the next moves as well

    def scroll_to_line(self, top: int) -> None:
        """Show a paper as the first in view."""
        super().scroll_to_line(top)
        last = self.top + self.page
        if not self.entries.are_ready(self.top, last):
            self._bring(self.top, last, self._redraw)

    def _redraw(self) -> None:
        self.refresh()

    def draw_empty(self, y: int, width: int) -> Strip:
        """Say what is so and what to do."""
        top = max(self.page // 3, 0)
        lines = self._empty
        text = lines[y - top] if 0 <= y - top < len(lines) else ""
        text = fit(printable(text), width - 4)
        style = self.inks.strong if y == top else self.inks.muted
        return strip_of([Segment(f"  {text}", style)], width, self.inks.text)

    def draw(self, index: int, width: int) -> Strip:
        """Draw a paper."""
        entry = self.entries.ready(index)
        if entry is None:
            return strip_of([Segment(f"   {ELLIPSIS}", self.inks.muted)], width, self.inks.text)
        inks, ground = self.inks, self.ground(index)
        base, accent, muted = inks.text + ground, inks.accent + ground, inks.muted + ground
        chosen = entry.paper.key in self.selected
        sign_ink = getattr(inks, _INKS[entry.mark.status])
        segments = [
            Segment("▌" if chosen else " ", accent),
            Segment(f" {SIGNS[entry.mark.status]}", sign_ink + ground),
            Segment(STAR if entry.mark.starred else " ", accent),
            Segment(" ", base),
        ]
        names = 34 if width >= 130 else 14
        who = f" {pad(_who(entry, names), names)}" if width >= 64 else ""
        right = f"{who} {entry.paper.year or '':>4} " if width >= 40 else " "
        room = width - 5 - cell_len(right)
        segments += self._title(entry, index, room)
        segments.append(Segment(right, muted))
        return strip_of(segments, width, base)

    def _title(self, entry: Entry, index: int, room: int) -> list[Segment]:
        """Draw the title, and where it has room beside it what matched, or else the note."""
        paper = entry.paper
        whole = printable(paper.display_title)
        title = fit(whole, room - 2 if entry.note else room)
        inks, ground = self.inks, self.ground(index)
        ink = inks.strong if entry.mark.status is Status.UNREAD else inks.text
        if not paper.title or entry.mark.status in (Status.READ, Status.SKIPPED):
            ink = inks.muted
        plain = ink + ground
        spans = find(self._parts, "title", title) if paper.title else []
        segments = list(marked_segments(title, 0, len(title), spans, plain, inks.mark))
        used = cell_len(title)
        if entry.note and room - used >= 2:
            segments.append(Segment(f" {NOTE}", inks.accent + ground))
            used += 2
        found = () if spans else self._matched(entry, room - used - 2, index)
        if found:
            segments += [Segment("  ", plain), *found]
            used += 2 + sum(cell_len(segment.text) for segment in found)
        elif entry.note and room - used > 10:
            note = f" {fit(printable(clean_line(entry.note[:200])), room - used - 2)}"
            segments.append(Segment(note, inks.accent + ground))
            used += cell_len(note)
        segments.append(Segment(" " * max(room - used, 0), plain))
        return segments

    def _matched(self, entry: Entry, room: int, index: int) -> list[Segment]:
        """Draw what matched in the abstract or the note, where there is room enough for it."""
        if not self._parts or room < LEAST_SNIPPET:
            return []
        from anchorlight.store.snippets import snippet  # only a query needs it

        found = snippet(entry, self._parts, room)
        if found and (cells := cell_len(found.text)) > room:  # of wide characters fewer fit
            found = snippet(entry, self._parts, room * len(found.text) // cells)
        if not found:
            return []
        text = fit(printable(found.text), room)
        spans = find(self._parts, found.field, text)
        muted = self.inks.muted + self.ground(index)
        return list(marked_segments(text, 0, len(text), spans, muted, self.inks.mark))


def _who(entry: Entry, width: int) -> str:
    """Return the surnames of as many authors as fit, at least the first."""
    authors, complete = entry.paper.authors, entry.paper.authors_complete
    shown = ""
    for count in range(1, min(len(authors), 3) + 1):
        more = "+" if len(authors) > count or not complete else ""
        line = printable(", ".join(parts(name).family for name in authors[:count])) + more
        if shown and cell_len(line) > width:
            break
        shown = line
    return shown
