"""The lists of a library: reading lists, those that follow from the marks, and their counts."""

from __future__ import annotations

from collections.abc import Sequence

from .bits import Ascending, bits_of
from .catalogue import Catalogue
from .marked import Marked
from .paper import Overview, Progress, ReadingList

SMART_LISTS = {
    "all": "All papers",
    "unread": "Unread",
    "starred": "Starred",
    "notes": "With notes",
    "recent": "Recent",
}
"""Lists that follow from the marks, by their identifiers."""


class Members:
    """The papers of a list: in order, and as a set.

    Args:
        numbers: The papers.
        papers: The same as a set.
        ascending: Whether they are in the order in which they came.
        left: Papers that may belong to it as well: there was no time to look at them.
    """

    def __init__(
        self, numbers: Sequence[int], papers: int, *, ascending: bool = False, left: int = 0
    ) -> None:
        self.numbers = numbers
        self.papers = papers
        self.left = left
        self._ascending = ascending

    @classmethod
    def of(cls, papers: int, left: int = 0) -> Members:
        """Return the papers of a set in the order in which they came."""
        return cls(_ascending(papers), papers, ascending=True, left=left)

    def among(self, papers: int) -> Sequence[int]:
        """Return those of them that are in a set, in order."""
        if papers == self.papers:
            return self.numbers
        if self._ascending:
            return _ascending(papers)
        return [number for number in self.numbers if papers >> number & 1]


def _ascending(papers: int) -> Sequence[int]:
    size = papers.bit_length()
    return range(size) if papers == (1 << size) - 1 else Ascending(papers)


class Lists:
    """What lists there are and which papers stand in each.

    Args:
        catalogue: The papers and reading lists.
        marked: What follows from the marks.
    """

    def __init__(self, catalogue: Catalogue, marked: Marked) -> None:
        self._catalogue = catalogue
        self._marked = marked
        self._reading: dict[str, tuple[ReadingList, int, Members]] = {}

    def overview(self) -> Overview:
        """Return anchors, smart lists and tags with their counts."""
        unread = self._marked.unread
        tags = self._marked.tags
        by_count = sorted(tags, key=lambda tag: (-tags[tag].bit_count(), tag))

        def progress(name: str, title: str) -> Progress:
            papers = self._set(name)
            return Progress(name, title, papers.bit_count(), (papers & unread).bit_count())

        return Overview(
            anchors=[
                progress(f"anchor:{anchor}", self.title(anchor)) for anchor in self._catalogue.lists
            ],
            lists=[progress(name, title) for name, title in SMART_LISTS.items()],
            tags=[progress(f"tag:{tag}", tag) for tag in by_count],
        )

    def title(self, anchor: str) -> str:
        """Return the title of an anchor's list, its key where it cannot be read any more."""
        try:
            return self._catalogue.papers[anchor].display_title
        except OSError:
            return anchor

    def members(self, name: str) -> Members:
        """Return the papers of a list: `anchor:KEY`, `tag:TAG`, or one of the smart lists.

        Raises:
            KeyError: There is no such list.
        """
        kind, _, value = name.partition(":")
        if kind == "anchor":
            return self._read(value)
        if name == "recent":
            numbers = self._marked.recent()
            return Members(numbers, bits_of(numbers, len(self._catalogue.columns)))
        return Members.of(self._set(name))

    def _set(self, name: str) -> int:
        kind, _, value = name.partition(":")
        here = self._catalogue.columns.here
        match kind:
            case "anchor" | "recent":
                return self.members(name).papers
            case "tag":
                return here & self._marked.tags.get(value, 0)
            case "all":
                return here
            case "unread":
                return self._marked.unread
            case "starred":
                return here & self._marked.starred
            case "notes":
                return here & self._marked.noted
            case _:
                raise KeyError(name)

    def _read(self, anchor: str) -> Members:
        """Return the papers of a reading list, found once while nothing about them changes."""
        reading_list, columns = self._catalogue.lists[anchor], self._catalogue.columns
        known = self._reading.get(anchor)
        if known and known[0] is reading_list and known[1] == columns.version:
            return known[2]
        numbers = [*columns.numbers(reading_list.papers)]
        members = Members(numbers, bits_of(numbers, len(columns)))
        self._reading[anchor] = reading_list, columns.version, members
        return members
