"""A screen of Textual's as lines that a terminal can show without it."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from textual.screen import Screen
from textual.strip import Strip


def picture_of(screen: Screen[Any]) -> list[str]:
    """Return a screen's lines as it looks now: printable text and SGR sequences."""
    strips = screen._compositor.render_strips(screen.size)  # Textual has no public word for it
    console = screen.app.console
    return [
        Strip([Segment(_printable(text), style) for text, style, _ in strip]).render(console)
        for strip in strips
    ]


def _printable(text: str) -> str:
    """Return text with blanks as wide as what is not printable, such as an ideographic space."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " * cell_len(char) for char in text)
