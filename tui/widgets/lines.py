"""A list drawn line by line: it costs what is in view, however long it is.

It scrolls by itself and draws its own scroll bar: Textual's would lay out the whole screen anew
whenever the length of a list changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ..ink import Inks, inks_of
from ..text import strip_of


class Lines(Widget, can_focus=True):
    """A column of lines, one of which is current unless `has_cursor` is False.

    Subclasses draw a line in `draw`, from memory alone.
    """

    has_cursor = True

    @dataclass
    class Moved(Message):
        """Another line became current, by the reader's doing."""

        lines: Lines
        index: int

        @property
        def control(self) -> Lines:
            """The list."""
            return self.lines

    @dataclass
    class Chosen(Message):
        """The current line was chosen with the mouse."""

        lines: Lines
        index: int

        @property
        def control(self) -> Lines:
            """The list."""
            return self.lines

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.count = 0
        self.index = 0
        self.top = 0
        """The first line in view."""
        self._view: Size | None = None
        self._inks: Inks | None = None

    # What subclasses say

    def draw(self, index: int, width: int) -> Strip:
        """Return a line in `width` cells."""
        raise NotImplementedError

    def draw_empty(self, y: int, width: int) -> Strip:
        """Return a line of the view while the list is empty."""
        return Strip.blank(width, self.inks.text)

    def can_rest_on(self, index: int) -> bool:
        """Tell whether a line can be current; headings cannot."""
        return True

    @property
    def inks(self) -> Inks:
        """The styles to draw with."""
        return self._inks or inks_of(self.app.theme_variables)

    def ground(self, index: int) -> Style:
        """Return what a line's styles are laid on: the cursor's colour where it is current."""
        if not self.has_cursor or index != self.index:
            return Style.null()
        return self.inks.cursor if self.has_focus else self.inks.blurred_cursor

    # What the screen asks for

    def show(self, count: int, index: int = 0) -> None:
        """Show a list of `count` lines with one of them current."""
        self.count = count
        self.index = min(max(index, 0), max(count - 1, 0))
        self.scroll_to_line(self._top_in_view())  # at once: what is not seen need not be there
        self.keep_in_view()
        self.refresh()

    def go_to(self, index: int) -> bool:
        """Make a line current; tell whether it was another one before."""
        index = min(max(index, 0), max(self.count - 1, 0))
        if index == self.index or not self.count:
            return False
        before, self.index = self.index, index
        for line in (before, index):
            self.refresh(Region(0, line - self.top, self.size.width, 1))
        self.keep_in_view()
        return True

    def step(self, amount: int) -> None:
        """Move by lines that can be current, as the reader asked."""
        direction = 1 if amount > 0 else -1
        index = self.index
        for _ in range(abs(amount)):
            ahead = index + direction
            while 0 <= ahead < self.count and not self.can_rest_on(ahead):
                ahead += direction
            if not 0 <= ahead < self.count:
                break
            index = ahead
        self.move_to(index)

    def move_to(self, index: int) -> None:
        """Make a line current, as the reader asked."""
        if self.go_to(index):
            self.moved()

    def moved(self) -> None:
        """Tell that another line became current, by the reader's doing."""
        self.post_message(self.Moved(self, self.index))

    def to_end(self, *, last: bool) -> None:
        """Move to the first or the last line that can be current."""
        places = range(self.count - 1, -1, -1) if last else range(self.count)
        if (end := next(filter(self.can_rest_on, places), None)) is not None:
            self.move_to(end)

    def scroll_to_line(self, top: int) -> None:
        """Show a line as the first in view, as far as the list is long enough."""
        top = min(max(top, 0), max(self.count - self.page, 0))
        if top != self.top:
            self.top = top
            self.refresh()

    def keep_in_view(self) -> None:
        """Scroll so that the current line is seen."""
        if (top := self._top_in_view()) != self.top:
            self.scroll_to_line(top)
        self._place_terminal_cursor()

    def _top_in_view(self) -> int:
        """Return the first line in view, moved no further than the current line needs."""
        if not self.has_cursor or not self.size.height:
            return self.top
        return min(max(self.top, self.index - self.page + 1), self.index)

    @property
    def page(self) -> int:
        """Lines in view."""
        return max((self._view or self.size).height, 1)

    def _place_terminal_cursor(self) -> None:
        """Braille displays and screen readers follow the terminal's own cursor."""
        if self.has_focus:
            region = self.content_region
            y = self.index - self.top if self.has_cursor else 0
            self.app.cursor_position = Offset(region.x, region.y + max(y, 0))

    # Textual

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines of the view; size and styles are looked up once for all of them."""
        self._view, self._inks = self.size, self.inks
        try:
            return super().render_lines(crop)
        finally:
            self._view = self._inks = None

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        text, long = self.inks.text, self.count > self.page
        width = (self._view or self.size).width - (1 if long else 0)
        index = y + self.top
        if not self.count:
            return self.draw_empty(y, width)
        line = self.draw(index, width) if index < self.count else Strip.blank(width, text)
        return Strip.join([line, self._scroll_bar(y)]) if long else line

    def _scroll_bar(self, y: int) -> Strip:
        page = self.page
        length = max(page * page // self.count, 1)
        start = round(self.top * (page - length) / max(self.count - page, 1))
        thumb = start <= y < start + length
        return strip_of([Segment("▐" if thumb else " ", self.inks.rule)], 1, self.inks.text)

    def on_focus(self) -> None:
        """Show the current line as the one that keys act on."""
        self._place_terminal_cursor()
        self.refresh()

    def on_blur(self) -> None:
        """Show that keys act elsewhere."""
        self.refresh()

    def on_resize(self) -> None:
        """Follow the new size."""
        self.scroll_to_line(self.top)
        self.keep_in_view()

    def on_click(self, event: events.Click) -> None:
        """Go to the line under the mouse; a second click chooses it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.x == self.size.width - 1 and self.count > self.page:
            self.scroll_to_line(offset.y * self.count // self.page - self.page // 2)
            return
        index = offset.y + self.top
        if not self.has_cursor or index >= self.count or not self.can_rest_on(index):
            return
        if index == self.index:
            self.post_message(self.Chosen(self, index))
        else:
            self.move_to(index)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll on."""
        event.stop()
        self.scroll_to_line(self.top + 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll back."""
        event.stop()
        self.scroll_to_line(self.top - 3)
