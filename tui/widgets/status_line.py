"""The line that tells where the reader is, and what became of the last command."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from ..ink import inks_of
from ..text import fit, printable, strip_of

MESSAGE_SECONDS = 6.0
"""How long a message stays where the reader does nothing."""


class StatusLine(Widget):
    """One line: the place at the left, a message or the most useful keys at the right."""

    def __init__(self, *, id: str = "status", heading: bool = False) -> None:  # noqa: A002
        super().__init__(id=id)
        self._is_heading = heading
        self._place = ""
        self._keys: Sequence[str] = ()
        self._message = ""
        self._is_error = False
        self._timer: Timer | None = None

    def place(self, place: str, keys: Sequence[str]) -> None:
        """Say where the reader is, and which keys help there."""
        place = printable(place)
        if (place, keys) != (self._place, self._keys):
            self._place, self._keys = place, keys
            self.refresh()

    def say(self, message: str, *, error: bool = False) -> None:
        """Say something in one sentence; an error stays until the next message."""
        self.hush()
        self._message, self._is_error = printable(message), error
        if not error:
            self._timer = self.set_timer(MESSAGE_SECONDS, self.hush)

    def hush(self) -> None:
        """Take the message away."""
        if self._timer:
            self._timer.stop()
        self._message, self._is_error, self._timer = "", False, None
        self.refresh()

    @property
    def message(self) -> str:
        """What is being said."""
        return self._message

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        inks = inks_of(self.app.theme_variables)
        text, muted = (inks.strong, inks.muted) if self._is_heading else (inks.bar, inks.bar_muted)
        if self._is_error:
            said = Segment(" " + fit(self._message, width - 2), inks.bar_error)
            return strip_of([said], width, text)
        place = fit(self._place, width - 2)
        room = width - cell_len(place) - 4
        right = self._message or _fitting(self._keys, room)
        if self._message and room < cell_len(right):
            return strip_of([Segment(" " + fit(right, width - 2), text)], width, text)
        keys = text if self._message else muted
        gap = width - cell_len(place) - cell_len(right) - 2
        segments = [
            Segment(f" {place}", text),
            Segment(" " * max(gap, 0), text),
            Segment(right, keys),
        ]
        return strip_of(segments, width, text)


def _fitting(hints: Sequence[str], room: int) -> str:
    """Return as many of the last hints as fit: `? keys` leads to all others."""
    for first in range(len(hints)):
        line = "  ".join(hints[first:])
        if cell_len(line) <= room:
            return line
    return ""
