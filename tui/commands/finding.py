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


@command("sort", "Choose the order of this list", "z", "Find")
def _sort(screen: ReadingScreen, _: int) -> None:
    screen.sorting.ask()


@command("save-search", "Save what is searched for as a list", "ctrl+s", "Find")
def _save_search(screen: ReadingScreen, _: int) -> None:
    screen.saving.save()


@command("duplicates", "Settle papers that may be one, side by side", "M", "Find")
def _duplicates(screen: ReadingScreen, _: int) -> None:
    screen.settle_duplicates()


def _on_saved_search(screen: ReadingScreen) -> bool:
    return bool(screen.saving.opened)


@command(
    "remove-search", "Remove the saved search that is open", "D", "Find", when=_on_saved_search
)
def _remove_search(screen: ReadingScreen, _: int) -> None:
    screen.saving.remove()
