"""The lists of a library: reading lists, those that follow from the marks, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from .catalogue import Catalogue
from .marks import Marks
from .paper import Overview, Progress, Status

SMART_LISTS = {
    "all": "All papers",
    "unread": "Unread",
    "starred": "Starred",
    "notes": "With notes",
    "recent": "Recent",
}
"""Lists that follow from the marks, by their identifiers."""

RECENT = 50
"""How many papers the list of recent ones holds."""


class Lists:
    """What lists there are and which papers stand in each."""

    def __init__(self, catalogue: Catalogue, marks: Marks) -> None:
        self._catalogue = catalogue
        self._marks = marks

    def overview(self) -> Overview:
        """Return anchors, smart lists and tags with their counts."""
        unread = {key for key in self._catalogue.papers if self._is_unread(key)}
        return Overview(
            anchors=[
                self._progress(f"anchor:{anchor}", self.title(anchor), unread)
                for anchor in self._catalogue.lists
            ],
            lists=[self._progress(name, title, unread) for name, title in SMART_LISTS.items()],
            tags=[self._progress(f"tag:{tag}", tag, unread) for tag in self._tags()],
        )

    def title(self, anchor: str) -> str:
        """Return the title of an anchor's list."""
        return self._catalogue.papers[anchor].display_title

    def keys(self, name: str) -> tuple[str, ...]:
        """Return the papers of a list: `anchor:KEY`, `tag:TAG`, or one of the smart lists.

        Raises:
            KeyError: There is no such list.
        """
        papers = self._catalogue.papers
        kind, _, value = name.partition(":")
        match kind:
            case "anchor":
                return tuple(key for key in self._catalogue.lists[value].papers if key in papers)
            case "tag":
                return tuple(key for key in papers if value in self._marks.mark(key).tags)
            case "all":
                return tuple(papers)
            case "unread":
                return tuple(filter(self._is_unread, papers))
            case "starred":
                return tuple(key for key in papers if self._marks.mark(key).starred)
            case "notes":
                return tuple(key for key in papers if self._marks.note(key))
            case "recent":
                changed = {key: self._marks.mark(key).changed or "" for key in papers}
                recent = sorted(filter(changed.get, papers), key=changed.__getitem__, reverse=True)
                return tuple(recent[:RECENT])
            case _:
                raise KeyError(name)

    def _progress(self, key: str, title: str, unread: Set[str]) -> Progress:
        papers = self.keys(key)
        return Progress(key, title, len(papers), sum(paper in unread for paper in papers))

    def _is_unread(self, key: str) -> bool:
        return self._marks.mark(key).status is Status.UNREAD

    def _tags(self) -> list[str]:
        """Return the tags in use, the commonest first."""
        counts = Counter(tag for key in self._marks.marked() for tag in self._marks.mark(key).tags)
        return [tag for tag, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
