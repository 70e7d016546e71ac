"""Which papers are read, starred, tagged or noted, as sets that are ready when asked for."""

from __future__ import annotations

from collections.abc import Iterable

from .bits import bits_of, numbers_in
from .columns import Columns
from .marks import Marks
from .paper import Status

RECENT = 50
"""How many papers the list of recent ones holds."""


class Marked:
    """Sets of papers by what the reader did to them.

    Args:
        columns: The papers.
        marks: What the reader did.
    """

    def __init__(self, columns: Columns, marks: Marks) -> None:
        self._columns = columns
        self._marks = marks
        self.status: dict[Status, int] = dict.fromkeys(Status, 0)
        """Papers of each status but unread, which is every other one."""
        self.starred = 0
        self.noted = 0
        self.tags: dict[str, int] = {}
        self.changed: dict[int, str] = {}
        """When marks last changed (ISO 8601, UTC), by paper."""
        self.update({*marks.marked(), *marks.noted()})

    @property
    def unread(self) -> int:
        """Papers nobody has looked at."""
        unread = self._columns.here
        for papers in self.status.values():
            unread &= ~papers
        return unread

    def having(self, status: Status) -> int:
        """Return the papers with a status."""
        return self.unread if status is Status.UNREAD else self.status[status]

    def recent(self) -> list[int]:
        """Return the papers whose marks changed last, the latest first."""
        here = self._columns.here
        latest = sorted(self.changed, key=lambda one: (self.changed[one], -one), reverse=True)
        return [number for number in latest if here >> number & 1][:RECENT]

    def update(self, keys: Iterable[str]) -> None:
        """Look again at what the reader did to papers."""
        numbers = {}
        for key in keys:
            try:
                numbers[self._columns.number(key)] = key
            except KeyError:
                continue  # a mark may be on a paper that is not here
        others = ~self._bits(numbers)
        self.status = {status: papers & others for status, papers in self.status.items()}
        self.tags = {tag: papers & others for tag, papers in self.tags.items()}
        starred, noted = [], []
        by_status: dict[Status, list[int]] = {}
        by_tag: dict[str, list[int]] = {}
        for number, key in numbers.items():
            mark = self._marks.mark(key)
            if mark.status is not Status.UNREAD:
                by_status.setdefault(mark.status, []).append(number)
            if mark.starred:
                starred.append(number)
            for tag in mark.tags:
                by_tag.setdefault(tag, []).append(number)
            if self._marks.note(key):
                noted.append(number)
            if mark.changed:
                self.changed[number] = mark.changed
            else:
                self.changed.pop(number, None)
        self.starred = self.starred & others | self._bits(starred)
        self.noted = self.noted & others | self._bits(noted)
        for status, some in by_status.items():
            self.status[status] |= self._bits(some)
        for tag, some in by_tag.items():
            self.tags[tag] = self.tags.get(tag, 0) | self._bits(some)
        self.tags = {tag: papers for tag, papers in self.tags.items() if papers}

    def with_own_text(self) -> list[int]:
        """Return the papers that have a note or tags."""
        papers = self.noted
        for tagged in self.tags.values():
            papers |= tagged
        return numbers_in(papers)

    def _bits(self, numbers: Iterable[int]) -> int:
        return bits_of([*numbers], len(self._columns))
