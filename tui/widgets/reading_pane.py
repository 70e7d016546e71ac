"""The reading pane: one paper, its abstract at a readable measure, and the note on it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING

from anchorlight.store import Entry, Status
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from ..text import find, marked_segments, printable, printable_lines, strip_of, wrap
from .lines import Lines
from .paper_list import SIGNS, STAR

if TYPE_CHECKING:
    from anchorlight.store.query import Text

MEASURE = 78
"""Cells in a line of the abstract at most; longer lines are tiring to read."""

_MARGIN = 2
_MOST_NOTE_LINES = 300
"""Lines of a note that are laid out for reading; the editor holds all of them."""

Layout = list[list[tuple[str, str, bool]]]
"""Lines of (text, style, whether it is a match)."""


class ReadingPane(Lines):
    """Shows a paper; its lines scroll, none is current."""

    has_cursor = False

    def __init__(self) -> None:
        super().__init__(id="paper")
        self.entry: Entry | None = None
        self._titles: tuple[str, ...] = ()
        self._parts: tuple[Text, ...] = ()
        self._layout: Layout = []
        self._laid_out_for = 0

    def update(self, entry: Entry | None, parts: tuple[Text, ...], lists: tuple[str, ...]) -> None:
        """Show a paper.

        Args:
            entry: The paper.
            parts: What to highlight.
            lists: Titles of the reading lists it stands in, other than the one open.
        """
        if (entry, parts, lists) == (self.entry, self._parts, self._titles):
            return
        same = bool(entry and self.entry and entry.paper.key == self.entry.paper.key)
        self.entry, self._parts, self._titles = entry, parts, lists
        before, bar = self._layout, self._bar()
        self._lay_out()
        if not same:
            self.top = 0
        self.scroll_to_line(self.top)
        if bar != self._bar():
            self.refresh()
            return
        # Only lines that are different are drawn anew: a key typed or held down paints much less.
        for at, (old, new) in enumerate(zip_longest(before, self._layout)):
            if old != new:
                self.refresh(Region(0, at - self.top, self.size.width, 1))

    def _bar(self) -> tuple[int, int]:
        """Return what the scroll bar shows: the first line in view, and of how many, if of many."""
        return self.top, self.count if self.count > self.page else 0

    @property
    def at_end(self) -> bool:
        """Whether the last line is in view."""
        return self.top + self.page >= self.count

    def step(self, amount: int) -> None:
        """Scroll by lines."""
        self.scroll_to_line(self.top + amount)

    def page_down(self) -> None:
        """Scroll on by a page, keeping a line in view."""
        self.step(max(self.page - 1, 1))

    def to_end(self, *, last: bool) -> None:
        """Scroll to the end or the beginning."""
        self.scroll_to_line(self.count if last else 0)

    def draw(self, index: int, width: int) -> Strip:
        """Draw a line as it was laid out."""
        inks = self.inks
        segments = [Segment(" " * _MARGIN, inks.text)]
        for content, name, matched in self._layout[index]:
            segments.append(Segment(content, inks.mark if matched else getattr(inks, name)))
        return strip_of(segments, width, inks.text)

    def on_resize(self) -> None:
        """Lay the paper out anew where its width is another."""
        if self.size.width != self._laid_out_for:
            self._lay_out()
            self.refresh()
        super().on_resize()

    # Layout

    def _lay_out(self) -> None:
        self._laid_out_for = self.size.width
        width = min(self.size.width - _MARGIN - 3, MEASURE)
        self._layout = []
        if self.entry and width > 0:
            self._add_head(self.entry, width)
            self._add_abstract(self.entry, width)
            self._add_note(self.entry, width)
        self.count = len(self._layout)

    def _add(self, text: str, width: int, name: str, field: str | None = None) -> None:
        """Lay out a paragraph of printable text."""
        spans = find(self._parts, field, text) if field else []
        for start, end in wrap(text, width):
            none = Style.null()
            line = [
                (segment.text, name, segment.style is not none)
                for segment in marked_segments(text, start, end, spans, none, _MATCHED)
            ]
            self._layout.append(line)

    def _blank(self) -> None:
        self._layout.append([])

    def _add_head(self, entry: Entry, width: int) -> None:
        paper = entry.paper
        title = printable(paper.title) if paper.title else "Title unknown"
        self._add(title, width, "strong" if paper.title else "muted", "title")
        if paper.authors:
            names = ", ".join(paper.names[:8])
            more = len(paper.authors) > 8 or not paper.authors_complete
            self._add(printable(names + (", et al." if more else "")), width, "primary", "authors")
        venue, date = paper.venue or "", paper.date or str(paper.year or "")
        where = " ".join(filter(None, (venue, paper.place)))
        said = (where, "" if date in venue else date)
        if told := printable(" · ".join(filter(None, said))):
            self._add(told, width, "muted", "venue")
        names_of = {"arxiv": "arXiv", "doi": "doi"}
        ids = (f"{names_of.get(scheme, scheme)}:{value}" for scheme, value in paper.ids.items())
        self._add_joined(ids, width)
        status = entry.mark.status
        facts = [f"{SIGNS[status]} {status.value}" if status is not Status.UNREAD else ""]
        facts.append(f"{STAR} starred" if entry.mark.starred else "")
        facts.append(" ".join(f"#{tag}" for tag in entry.mark.tags))
        self._add_joined(facts, width, "accent")
        if self._titles:
            self._add(printable("also in: " + "; ".join(self._titles)), width, "muted")
        self._blank()

    def _add_joined(self, facts: Iterable[str], width: int, name: str = "muted") -> None:
        if text := printable(" · ".join(filter(None, facts))):
            self._add(text, width, name)

    def _add_abstract(self, entry: Entry, width: int) -> None:
        paper = entry.paper
        if not paper.abstract:
            self._add("No abstract is known.", width, "muted")
            return
        lines = printable_lines(paper.abstract)
        if paper.truncated:
            lines[-1] += "…"
        for line in lines:
            self._add(line, width, "text", "abstract")
        if paper.truncated:
            self._blank()
            self._add("(opening only)", width, "muted")

    def _add_note(self, entry: Entry, width: int) -> None:
        if not entry.note:
            return
        self._blank()
        rule = "─" * max(width - 8, 0)
        self._layout.append(
            [("── ", "rule", False), ("note ", "muted", False), (rule, "rule", False)]
        )
        lines = entry.note.split("\n", _MOST_NOTE_LINES)
        for line in printable_lines("\n".join(lines[:_MOST_NOTE_LINES])):
            self._add(line, width, "text", "note")
        if len(lines) > _MOST_NOTE_LINES:
            more = lines[-1].count("\n") + 1
            self._add(f"… and {more:,} more lines, all of them in the editor", width, "muted")


_MATCHED = Style(meta={"match": True})
