"""Which papers are read, starred, tagged or noted, as sets that are ready when asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from .bits import bits_of
from .columns import Columns
from .marks import Marks
from .paper import Status

RECENT = 50
"""How many papers the list of recent ones holds."""

_STARRED, _NOTED, _TAG = "starred", "noted", "tag:"

_Labels = frozenset[str]
"""What is so of a paper: names of the sets that it is in."""


class Marked:
    """Sets of papers by what the reader did to them.

    Args:
        columns: The papers.
        marks: What the reader did.
    """

    def __init__(self, columns: Columns, marks: Marks) -> None:
        self._columns = columns
        self._marks = marks
        self._sets: dict[str, int] = {}
        self._labels: dict[int, _Labels] = {}
        self._alike: dict[_Labels, _Labels] = {}
        self.changed: dict[int, str] = {}
        """When marks last changed (ISO 8601, UTC), by paper."""
        self.update({*marks.marked(), *marks.noted()})

    @property
    def unread(self) -> int:
        """Papers without any other status."""
        unread = self._columns.here
        for status in Status:
            unread &= ~self._sets.get(status, 0)
        return unread

    def having(self, status: Status) -> int:
        """Return the papers with a status."""
        return self.unread if status is Status.UNREAD else self._sets.get(status, 0)

    @property
    def starred(self) -> int:
        """Papers with a star."""
        return self._sets.get(_STARRED, 0)

    @property
    def noted(self) -> int:
        """Papers with a note."""
        return self._sets.get(_NOTED, 0)

    @property
    def tags(self) -> Mapping[str, int]:
        """Papers by their tags."""
        here = self._columns.here  # a tag that is on no paper but one that is gone is none
        return {
            name.removeprefix(_TAG): tagged
            for name, papers in self._sets.items()
            if name.startswith(_TAG) and (tagged := papers & here)
        }

    def recent(self) -> list[int]:
        """Return the papers whose marks changed last, the latest first."""
        here = self._columns.here
        latest = sorted(self.changed, key=lambda one: (self.changed[one], -one), reverse=True)
        return [number for number in latest if here >> number & 1][:RECENT]

    def update(self, keys: Iterable[str]) -> None:
        """Look again at what the reader did to papers."""
        different: defaultdict[str, list[int]] = defaultdict(list)
        nothing: _Labels = frozenset()
        for number in self._columns.numbers(keys):  # a mark may be on a paper that is not here
            labels = self._labels_of(number)
            for name in self._labels.get(number, nothing) ^ labels:
                different[name].append(number)
            self._labels[number] = self._alike.setdefault(labels, labels)
        for name, numbers in different.items():
            papers = self._sets.get(name, 0) ^ self._bits(numbers)
            if papers:
                self._sets[name] = papers
            else:
                del self._sets[name]

    def _labels_of(self, number: int) -> _Labels:
        key = self._columns.keys[number]
        mark = self._marks.mark(key)
        if mark.changed:
            self.changed[number] = mark.changed
        else:
            self.changed.pop(number, None)
        labels = [_TAG + tag for tag in mark.tags]
        if mark.status is not Status.UNREAD:
            labels.append(mark.status)
        if mark.starred:
            labels.append(_STARRED)
        if self._marks.note(key):
            labels.append(_NOTED)
        return frozenset(labels)

    def _bits(self, numbers: list[int]) -> int:
        if len(numbers) == 1:
            return 1 << numbers[0]
        return bits_of(numbers, len(self._columns))
