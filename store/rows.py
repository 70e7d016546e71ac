"""The papers of a list or of an answer to a query, read when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from .paper import Entry

if TYPE_CHECKING:
    from .query import Query

_MOST_KEPT = 2000
"""Papers that stay in memory: some screens before and behind the one that is seen."""


class Rows(Sequence[Entry]):
    """Papers in order. One thread reads them, another may look at those in memory.

    Args:
        numbers: The papers.
        papers: The same as a set.
        read: Gives a paper by its number.
    """

    def __init__(self, numbers: Sequence[int], papers: int, read: Callable[[int], Entry]) -> None:
        self.numbers = numbers
        self.papers = papers
        self._read = read
        self._kept: dict[int, Entry] = {}

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Rows:
        """Return papers that are in memory anyway."""
        rows = cls(range(len(entries)), (1 << len(entries)) - 1, entries.__getitem__)
        rows._kept = dict(enumerate(entries))
        return rows

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        entry = self._kept.get(index)
        if entry is None:
            entry = self._read(self.numbers[index])
            if len(self._kept) >= _MOST_KEPT:
                near = (at for at in self._kept if abs(at - index) < _MOST_KEPT // 4)
                self._kept = {at: self._kept[at] for at in near}
            self._kept[index] = entry
        return entry

    def ready(self, index: int) -> Entry | None:
        """Return a paper that is in memory, else None."""
        return self._kept.get(index)

    def are_ready(self, first: int, last: int) -> bool:
        """Tell whether all papers from one place to before another are in memory."""
        kept = self._kept
        return all(at in kept for at in range(max(first, 0), min(last, len(self))))

    def load(self, first: int, last: int) -> None:
        """Bring papers into memory, from one place to before another."""
        for index in range(max(first, 0), min(last, len(self))):
            self[index]

    def in_memory(self) -> list[Entry]:
        """Return the papers that are in memory."""
        return list(self._kept.values())

    def place(self, number: int) -> int | None:
        """Return where a paper stands, or None."""
        try:
            return self.numbers.index(number)
        except ValueError:
            return None

    def put(self, entry: Entry) -> Entry | None:
        """Show a paper in its new state, and return the one before if it was in memory."""
        for index, before in list(self._kept.items()):
            if before.paper.key == entry.paper.key:
                self._kept[index] = entry
                return before
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a query.

    Attributes:
        query: The query, understood.
        entries: The papers found, in the order that was asked for.
        from_index: Whether the index answered, or the plain text while it is being built.
        left: How many papers there was no time to look at while the index is being built.
    """

    query: Query
    entries: Rows
    from_index: bool
    left: int = 0
