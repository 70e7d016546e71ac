"""In which order each list is shown, as the reader chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from anchorlight.store import ORDERS

from .view import Place

if TYPE_CHECKING:
    from .reading import ReadingScreen

KEYS = {"list": "l", "relevance": "b", "year": "y", "added": "a", "title": "t", "read": "r"}
"""The letter that chooses an order."""


class Sorting:
    """Remembers the order of each list, and asks for another."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen
        self.orders: dict[str, str] = {}
        """The orders chosen, by list; that of the whole library has no name."""

    def recall(self, orders: Mapping[str, str]) -> None:
        """Go on with the orders of the last session."""
        self.orders = dict(orders)

    def sorted(self, place: Place) -> Place:
        """Return a place in the order that was chosen for its list."""
        return replace(place, order=self.orders.get(place.sorted_as, ""))

    def ask(self) -> None:
        """Let the reader choose the order of what is shown."""
        from .dialogs import SortDialog

        screen, view = self._screen, self._screen.view
        if not view:
            return
        possible = {
            KEYS[name]: (name, what)
            for name, what in ORDERS.items()
            if name != "relevance" or view.found
        }

        def answered(order: str | None) -> None:
            if order is None:
                return
            place = screen.wanted
            if order == place.usual_order:
                self.orders.pop(place.sorted_as, None)
            else:
                self.orders[place.sorted_as] = order
            screen.go(replace(place, key=screen.place.key))

        screen.app.push_screen(SortDialog(possible, view.order), answered)
