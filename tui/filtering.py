"""Filtering the list, and searching the whole library, as the query is typed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reading import ReadingScreen


class Filtering:
    """Keeps box and list in step; the answer shown always belongs to the last key."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen
        self._is_put = False

    def open(self) -> None:
        """Give the keys to the box."""
        self._screen.add_class("filtering")
        self._screen.set_focus(self._screen.box)

    def put(self, query: str) -> None:
        """Let the box show a query that nobody typed."""
        self._is_put = True
        self._screen.box.value = query
        self._is_put = False

    def typed(self, query: str) -> None:
        """Show what a query finds."""
        screen = self._screen
        if not self._is_put and screen.wanted.query != query:
            screen.go(replace(screen.wanted, query=query, key=screen.place.key))

    def keep(self) -> None:
        """Give the keys back to the list, filtered as it is."""
        if not self._screen.box.value.strip():
            self.clear()
        self._screen.set_focus(self._screen.papers)

    def clear(self) -> None:
        """Show the whole list again."""
        screen = self._screen
        self.forget()
        screen.set_focus(screen.papers)
        screen.go(replace(screen.wanted, query="", everywhere=False, key=screen.place.key))

    def forget(self) -> None:
        """Hide the box, since another list is about to be shown."""
        screen = self._screen
        if not screen.furnished.is_set():
            return
        screen.remove_class("filtering")
        self.put("")

    def widen(self) -> None:
        """Look in the whole library, best first, or in this list again."""
        screen = self._screen
        if screen.wanted.query:
            screen.go(replace(screen.wanted, everywhere=not screen.wanted.everywhere))
