"""What is read from a library: papers, lists, counts, and what is searched for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from . import naming
from .bits import flags_of
from .lists import Members
from .notes import Version
from .opened import Opened
from .paper import Overview, Progress, ReadingList
from .rows import Found, Rows
from .searches import PREFIX

if TYPE_CHECKING:
    from .search import Progressing


class Reading(Opened):
    """A library to read and to search."""

    def __len__(self) -> int:
        """Return the number of papers."""
        return len(self._catalogue.papers)

    def number(self, key: str) -> int:
        """Return the number that stands for a paper in sets and rows while the library is open.

        Raises:
            KeyError: There is no such paper.
        """
        with self._guard:
            return self._columns.number(key)

    def overview(self, *, patience: float | None = None) -> Overview:
        """Return anchors, smart lists, saved searches and tags with their counts.

        Args:
            patience: Seconds for what saved searches find among papers that are not indexed yet;
                None is as long as it takes. Otherwise searching is not begun for them either:
                until it is, their counts are missing (`Progress.left`).
        """
        with self._guard:
            overview, saved = self._lists.overview(), self._marks.searches
            here, unread = self._columns.here, self._marked.unread
            if not saved:
                return overview
            if patience is not None and "_search" not in self.__dict__:
                left = here.bit_count()
                rows = [Progress(PREFIX + name, name, 0, 0, left) for name in saved]
                return overview._replace(searches=rows)
            finder = self._finder
        rows = finder.counts(saved, here, unread, self._clock(), _deadline(patience))
        return overview._replace(searches=rows)

    @property
    def searches(self) -> dict[str, str]:
        """The queries of the saved searches by name, in the order of the names."""
        with self._guard:
            return self._marks.searches

    def saved_query(self, name: str) -> str:
        """Return what the list of a saved search (`search:NAME`) looks for; nothing for others."""
        is_saved = name.startswith(PREFIX)
        return self.searches.get(name.removeprefix(PREFIX), "") if is_saved else ""

    def _members(self, name: str, deadline: float | None = None) -> Members:
        query = self.saved_query(name)
        with self._guard:
            if not query:
                return self._lists.members(name)
            finder, here = self._finder, self._columns.here
        return finder.members(query, here, self._clock(), deadline)

    def listing(self, name: str, order: str = "list") -> Rows:
        """Return the papers of a list.

        Args:
            name: The list: `anchor:KEY`, `tag:TAG`, `search:NAME`, or one of the smart lists.
            order: One of `orders.ORDERS`.

        Raises:
            KeyError: There is no such list.
        """
        members = self._members(name)
        with self._guard:
            numbers = self._orders.ordered(members.numbers, order)
            return Rows(numbers, members.papers, partial(self._read, self._columns))

    def count_unread(self, papers: int) -> int:
        """Return how many papers of a set are unread."""
        with self._guard:
            return (papers & self._marked.unread).bit_count()

    def next_unread(self, numbers: Sequence[int], start: int, direction: int) -> int | None:
        """Return the place of the next unread one of several papers, or None.

        Args:
            numbers: The papers.
            start: The first place to look at.
            direction: 1 for those behind it, -1 for those before it.
        """
        with self._guard:
            unread = flags_of(self._marked.unread, len(self._columns))
        places = range(start, len(numbers)) if direction > 0 else range(start, -1, -1)
        size = len(unread)  # numbers may be from before the papers were read anew
        return next((at for at in places if numbers[at] < size and unread[numbers[at]]), None)

    def keys(self, numbers: Iterable[int]) -> list[str]:
        """Return the keys of papers."""
        with self._guard:
            keys, size = self._columns.keys, len(self._columns)
            return [keys[number] for number in numbers if number < size and keys[number]]

    def among(self, keys: Iterable[str], papers: int) -> list[str]:
        """Return those keys whose papers are in a set."""
        with self._guard:
            numbers = self._columns.numbers(keys)
            return [self._columns.keys[one] for one in numbers if papers >> one & 1]

    def reading_list(self, anchor: str) -> ReadingList:
        """Return an anchor's reading list, an empty one where it has none."""
        return self._catalogue.lists.get(anchor, ReadingList(anchor))

    def find(self, name: str, *, anchors_only: bool = False) -> str:
        """Return the key of the paper that a KEY or ANCHOR argument means.

        Args:
            name: A key, an arXiv id, a DOI, or the unambiguous beginning of a key or a title.
            anchors_only: Whether only anchors are meant.

        Raises:
            NoSuchPaperError: It means none, or several.
        """
        with self._guard:
            return naming.find(self._catalogue, name, anchors_only=anchors_only)

    def present_key(self, key: str) -> str:
        """Return the key that a paper has now: where it was joined to another one, that one's.

        A key that never stood for any paper is returned as it is.
        """
        with self._guard:
            return naming.present_key(self._catalogue, key)

    def note_versions(self, key: str) -> list[Version]:
        """Return the texts that the note on a paper had, the one it has last."""
        with self._guard:
            state = self._marks.note_state(key)
            return [*state.earlier, *([state.note] if state.note else [])]

    def search(
        self,
        text: str,
        within: str | None = None,
        *,
        typing: bool = False,
        order: str = "list",
        patience: float | None = None,
    ) -> Found:
        """Return the papers that a query finds. No query raises.

        Args:
            text: The query.
            within: The list to look in; None is the whole library.
            typing: Whether the query is still being typed, so that its last word counts as a
                beginning too. A query without anything to search for then finds everything.
            order: One of `orders.ORDERS`.
            patience: Seconds for papers that are not indexed yet; None is as long as it takes.

        Raises:
            KeyError: There is no such list.
        """
        deadline = _deadline(patience)
        members = self._members("all" if within is None else within, deadline)
        with self._guard:
            finder = self._finder
        return finder.find(
            text,
            members,
            self._clock(),
            typing=typing,
            order=order,
            deadline=deadline,
        )

    @property
    def unindexed(self) -> int:
        """How many papers are not in the search index as they are; plain text answers for them."""
        return self._search.pending

    @property
    def index_problem(self) -> str:
        """Why there is no search index, or an empty string."""
        return self._search.problem

    def refresh_index(self, progress: Progressing | None = None, *, processes: int = 2) -> None:
        """Bring the search index up to date; searching goes on meanwhile.

        Args:
            progress: Called with the number of papers done and to be done.
            processes: How many may work at once where there is much to do.
        """
        with self._guard:
            search = self._search
            self._catalogue.keep_columns()
        search.refresh(progress, processes=processes)


def _deadline(patience: float | None) -> float | None:
    return None if patience is None else monotonic() + patience
