"""Commands that filter and search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import command

if TYPE_CHECKING:
    from ..reading import ReadingScreen


@command("filter", "Filter this list; Tab in the box searches the whole library", "/", "Find")
def _filter(screen: ReadingScreen, _: int) -> None:
    screen.filtering.open()


@command("clear", "Clear selection and filter, or go back a pane", "escape", "Find")
def _clear(screen: ReadingScreen, _: int) -> None:
    screen.clear()
