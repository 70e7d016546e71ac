"""In which order papers are shown."""

from __future__ import annotations

from collections.abc import Sequence

from .columns import Columns
from .marked import Marked
from .paper import Status

ORDERS = {
    "list": "as in the list",
    "relevance": "best match first",
    "year": "newest first",
    "added": "latest added first",
    "title": "by title",
    "read": "last read first",
}
"""Orders by their names, and what they mean."""


class Orders:
    """Puts papers in order.

    Args:
        columns: The papers.
        marked: What the reader did.
    """

    def __init__(self, columns: Columns, marked: Marked) -> None:
        self._columns = columns
        self._marked = marked
        self._titles: tuple[int, list[int]] = (-1, [])

    def ordered(self, numbers: Sequence[int], order: str) -> Sequence[int]:
        """Return papers in an order; those that are alike stay as they are."""
        columns = self._columns
        match order:
            case "year":
                return sorted(numbers, key=columns.years.__getitem__, reverse=True)
            case "added":
                return sorted(numbers, key=columns.added.__getitem__, reverse=True)
            case "title":
                return sorted(numbers, key=self._title_places().__getitem__)
            case "read":
                read, changed = self._marked.having(Status.READ), self._marked.changed
                return sorted(
                    numbers,
                    key=lambda one: changed.get(one, "") if read >> one & 1 else "",
                    reverse=True,
                )
            case _:
                return numbers

    def _title_places(self) -> list[int]:
        """Return each paper's place among all titles; those without one come last."""
        if self._titles[0] != self._columns.version:
            titles = self._columns.titles()
            places = [0] * len(titles)
            in_order = sorted(range(len(titles)), key=lambda one: (not titles[one], titles[one]))
            for place, number in enumerate(in_order):
                places[number] = place
            self._titles = self._columns.version, places
        return self._titles[1]
