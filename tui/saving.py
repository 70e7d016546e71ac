"""Saving what was searched for as a list, and removing such a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anchorlight.store import SEARCH_PREFIX, StoreError
from anchorlight.store.text import clean_line

if TYPE_CHECKING:
    from .reading import ReadingScreen


class Saving:
    """Keeps searches as lists in the sidebar."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen

    @property
    def opened(self) -> str:
        """The name of the saved search that is open, or an empty string."""
        name = self._screen.wanted.name
        return name.removeprefix(SEARCH_PREFIX) if name.startswith(SEARCH_PREFIX) else ""

    def save(self) -> None:
        """Ask for a name for what is being searched for, and save it."""
        from .dialogs import NameDialog

        screen, query = self._screen, clean_line(self._screen.wanted.query)
        if screen.read_only:
            screen.complain(f"Searches cannot be saved: {screen.read_only}")
            return
        if not query:
            screen.status.say("Nothing is searched for yet.")
            return

        def answered(name: str | None) -> None:
            if name is not None:
                screen.run_worker(self._save(name, query))

        screen.app.push_screen(NameDialog(query), answered)

    async def _save(self, name: str, query: str) -> None:
        screen = self._screen
        try:
            name = await screen.gateway.write(lambda library: library.save_search(name, query))
        except StoreError as error:
            screen.complain_of(error)
            return
        await screen.take_in(())
        screen.status.say(f"saved as “{name}”")

    def remove(self) -> None:
        """Remove the saved search that is open, and open the list above it."""
        self._screen.run_worker(self._remove(self.opened))

    async def _remove(self, name: str) -> None:
        screen = self._screen
        try:
            await screen.gateway.write(lambda library: library.remove_search(name))
        except StoreError as error:
            screen.complain_of(error)
            return
        if self.opened == name:
            screen.flow.open_neighbour(-1)
        await screen.take_in(())
        screen.status.say(f"“{name}” is removed; undo brings it back")
