"""The floors: Textual apps that do nothing but show a list, echo what is typed, or draw lines.

`bare.py [ROWS]` shows an OptionList, `bare.py input` a box to type into, `bare.py lines ROWS` a
list that is drawn line by line.
"""

import sys

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input, OptionList, Static


class BareLines(ScrollView, can_focus=True, inherit_bindings=False):
    """A list of rows, one of them current."""

    TEXT, CURRENT = Style.parse("white on black"), Style.parse("black on white")

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.rows = rows
        self.index = 0

    def on_mount(self) -> None:
        """Be as long as there are rows."""
        self.virtual_size = Size(60, self.rows)

    def render_line(self, y: int) -> Strip:
        """Draw a row."""
        index, width = y + self.scroll_offset.y, self.size.width
        text = f"row {index}" if index < self.rows else ""
        style = self.CURRENT if index == self.index else self.TEXT
        return Strip([Segment(text.ljust(width), style)], width)

    def key_j(self) -> None:
        """Go to the next row."""
        self._go(self.index + 1)

    def key_pagedown(self) -> None:
        """Go a page on."""
        self._go(self.index + self.size.height)

    def key_pageup(self) -> None:
        """Go a page back."""
        self._go(self.index - self.size.height)

    def key_upper_g(self) -> None:
        """Go to the last row."""
        self._go(self.rows - 1)

    def key_g(self) -> None:
        """Go to the first row."""
        self._go(0)

    def _go(self, index: int) -> None:
        before, self.index = self.index, min(max(index, 0), self.rows - 1)
        top, height = self.scroll_offset.y, self.size.height
        if self.index < top or self.index >= top + height:
            new_top = self.index if self.index < top else self.index - height + 1
            self.scroll_to(y=new_top, animate=False, immediate=True)
        for row in (before, self.index):
            self.refresh(Region(0, row - self.scroll_offset.y, self.size.width, 1))


class Bare(App[None]):
    """Shows that it is ready, and a widget that has the keys."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        """Show the word that is waited for, and the widget."""
        yield Static("READY")
        match sys.argv[1:]:
            case ["input"]:
                yield Input(compact=True)
            case ["lines", rows]:
                yield BareLines(int(rows))
            case rest:
                rows = int(rest[0]) if rest else 0
                yield OptionList(*(f"row {number}" for number in range(rows)))

    def on_mount(self) -> None:
        """Give the widget the keys."""
        self.query("Input, BareLines, OptionList").first().focus()


Bare().run()
